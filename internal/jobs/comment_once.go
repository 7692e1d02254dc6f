package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/store"
)

// Comment is a comment to write exactly once over several attempts.
type Comment struct {
	Tenant domain.Tenant
	Kind   string // of the subject in the intent log
	ID     string // of the subject: one comment
	Host   codehost.Publisher
	Repo   codehost.Repo
	At     codehost.Spot
	Since  time.Time     // time of the decision, by the database's clock
	Body   markdown.Text // including its mark
	Ours   func(body string) bool
}

const (
	verbReply = "reply"

	// maxReplies is how often a comment is sent before the job gives up.
	maxReplies = 2
)

// CommentOnce writes a comment and returns the host's id. If an earlier attempt may have written it, CommentOnce first
// looks for it at the host. It returns a [*Snooze] while the host's list may lag, a [*Fatal] if the host
// accepted the comment but never showed it, and otherwise the host's error.
func (c *Claim) CommentOnce(ctx context.Context, s Comment) (id domain.HostID, err error) {
	sent, age, err := c.worker.Store.PriorWrites(ctx, s.Tenant, s.Kind, s.ID, verbReply)
	if err != nil {
		return "", err
	}
	if sent > 0 {
		if id, err = s.find(ctx); err != nil || id != "" {
			return id, err
		}
		if age < codehost.ListLag {
			return "", &Snooze{For: codehost.ListLag - age, Why: "the host's word on an answer was lost, and its list may not show it yet"}
		}
	}
	if sent >= maxReplies {
		return "", &Fatal{Err: fmt.Errorf("the host took %d answers and shows none", sent)}
	}
	w := store.WriteAttempt{SubjectKind: s.Kind, SubjectID: s.ID, Verb: verbReply, Target: fmt.Sprint(s.At.Number)}
	err = c.Write(ctx, s.Tenant, w, func(ctx context.Context) error {
		made, err := s.Host.Reply(ctx, s.Repo, s.At, s.Body)
		id = made.ID
		return err
	})
	return id, err
}

// find looks for the comment among those written since the decision.
func (s Comment) find(ctx context.Context) (domain.HostID, error) {
	list, err := s.Host.Replies(ctx, s.Repo, s.At, s.Since.Add(-codehost.ListLag))
	for _, c := range list {
		if c.Mine && s.Ours(c.Body) {
			return c.ID, nil
		}
	}
	return "", err
}
