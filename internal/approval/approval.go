// Package approval decides on finished reviews that wait for a person: who may
// decide, what is published of the review, and what is recorded of the decision.
//
// A decision is about the digest of an output, so that nobody approves what they
// have not seen. It moves the run, the output and the audit log in one transaction;
// of two people who decide at once, one does. How a run moves is in package run, how
// its text is made again in package review, which is given.
package approval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// Config is what the service is made of.
type Config struct {
	Store *store.Store
	Runs  *run.Runs
	Audit *audit.Log
	// Render makes the output of a review again of what is kept of it.
	Render func(kept string, c domain.ApprovalChanges) (domain.Rendered, error)
}

// Service decides. It is safe for concurrent use.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service { return &Service{c} }

// Decision is what somebody wants to happen to an output that waits.
type Decision struct {
	To      domain.ApprovalState // approved or rejected
	Digest  string               // of the output that was looked at
	Note    string               // why; at most 2,000 characters
	Changes domain.ApprovalChanges
	How     string // [domain.ByInterface] and its like
	UserID  string // ours, of who decides; the role on the repository was asked before
	Name    string // of them
}

// Decide approves or rejects what waits in a repository, by the id of the output that
// was shown, and returns what became of it. Errors: [errs.NotFound] where the
// repository has no such output; [errs.Conflict] where it waits no more, which says
// who decided, and where the digest is another one, which names the right one;
// [errs.Forbidden] for the author of the pull request, where the tenant does not let
// authors decide; [errs.Invalid] for changes that do not fit.
func (s *Service) Decide(ctx context.Context, t domain.Tenant, repository store.Repository, output string, d Decision) (store.Approval, error) {
	a, err := s.Store.Approval(ctx, t, output)
	if err == nil && a.Repository != repository.ID {
		err = errs.Absent()
	}
	if err != nil {
		return store.Approval{}, err
	}
	row, err := s.Store.Run(ctx, t, a.Run)
	if err != nil {
		return a, err
	}
	own, err := s.Own(ctx, t, repository, row.PullRequest, d.UserID)
	if err != nil {
		return a, err
	}
	if own {
		return a, errs.New(errs.Forbidden, "own_pull_request", "The author of a pull request cannot decide on its review here. Ask another person with review permission.")
	}
	if err := d.check(); err != nil {
		return a, err
	}
	return s.decide(ctx, t, a, d, move{By: d.UserID, Name: d.Name})
}

// check says what the schema cannot say of a decision.
func (d Decision) check() error {
	var c field.Check
	c.Text("/note", d.Note)
	c.That(d.To == domain.ApprovalApproved || len(d.Changes.Drop) == 0, "/drop", "must be absent where the review is rejected: nothing of it is published")
	c.That(d.To == domain.ApprovalApproved || len(d.Changes.Edit) == 0, "/edit", "must be absent where the review is rejected: nothing of it is published")
	return c.Err()
}

// Own reports whether a person is the author of a pull request who may not decide on
// its review: authors are told by the host's id of them, and by their login name only
// where the host gave no id.
func (s *Service) Own(ctx context.Context, t domain.Tenant, repository store.Repository, pull, person string) (bool, error) {
	settings, err := policy.Settings(ctx, s.Store, t)
	if err != nil || settings.AuthorMayApprove {
		return false, err
	}
	row, err := s.Store.PullRequest(ctx, t, pull)
	if err != nil {
		return false, err
	}
	return s.Store.IsHostUser(ctx, t, repository.Access, person, row.AuthorID, row.Author)
}

// Viewer is somebody who looks at a review that waits.
type Viewer struct {
	ID     string
	Allows func(perm.Permission) bool // in the repository
}

// WhyNot says in a sentence why somebody may not decide on the review of a pull request
// that waits, as far as what is known of them tells; "" where they may.
func (s *Service) WhyNot(ctx context.Context, t domain.Tenant, repository store.Repository, pull string, who Viewer) (string, error) {
	if !who.Allows(perm.RepoReview) {
		return "A person with review permission in this repository decides on it.", nil
	}
	own, err := s.Own(ctx, t, repository, pull, who.ID)
	if err != nil || !own {
		return "", err
	}
	return "A person other than the author of the pull request decides on it.", nil
}

// move is who decides, and where.
type move struct {
	By, Name string
	Comment  domain.HostID
}

// errLost says that somebody else was faster; the transaction must not commit.
var errLost = errors.New("approval: it was decided meanwhile")

// shown is what the audit log gets of an output that waits.
type shown struct {
	State       string                 `json:"state" audit:"track"`
	RunID       string                 `json:"runId" audit:"track"`
	Digest      string                 `json:"digest" audit:"track"`
	Published   string                 `json:"publishedDigest" audit:"track"`
	How         string                 `json:"how" audit:"track"`
	Changes     domain.ApprovalChanges `json:"changes" audit:"track"`
	DecidedNote string                 `json:"note" audit:"track"`
}

func (s *Service) decide(ctx context.Context, t domain.Tenant, a store.Approval, d Decision, who move) (store.Approval, error) {
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		now, err := s.Store.Approval(ctx, t, a.Output)
		switch {
		case err != nil:
			return audit.Act{}, err
		case now.State != domain.ApprovalPending:
			return audit.Act{}, errLost
		case d.Digest != now.Digest:
			return audit.Act{}, errs.New(errs.Conflict, "approval_digest", "Another review waits than the one that was looked at: its digest is %s.", now.Digest)
		}
		row, err := s.Store.Run(ctx, t, now.Run)
		if err != nil {
			return audit.Act{}, err
		}
		m := store.ApprovalMove{By: who.By, Name: who.Name, Comment: who.Comment, How: d.How, Note: d.Note, CauseWords: string(d.To) + " by " + who.Name}
		after := shown{State: string(d.To), RunID: now.Run, Digest: now.Digest, How: d.How, DecidedNote: d.Note}
		done := false
		if d.To == domain.ApprovalApproved {
			if after.Published, err = s.child(ctx, t, now, d.Changes, &m); err != nil {
				return audit.Act{}, err
			}
			after.Changes = store.FromJSON[domain.ApprovalChanges](m.Changes)
			done, err = s.Runs.Approve(ctx, row, m)
		} else {
			done, err = s.Runs.Reject(ctx, row, m)
		}
		if err == nil && !done {
			err = errLost
		}
		// What differs is recorded: the run and both digests, too.
		return audit.Act{Tenant: t, Action: "approval." + verb(d.To), Target: audit.Target{Kind: "approval", ID: now.Output},
			Before: shown{State: string(now.State)}, After: after}, err
	})
	if errors.Is(err, errLost) {
		err = s.lost(ctx, t, a.Output)
	}
	if err != nil {
		return a, err
	}
	return s.Store.Approval(ctx, t, a.Output)
}

// child makes the output that is published instead of the one that was shown, where
// something of it is changed, and returns the digest of what is published.
func (s *Service) child(ctx context.Context, t domain.Tenant, a store.Approval, c domain.ApprovalChanges, m *store.ApprovalMove) (digest string, err error) {
	if c.None() {
		return a.Digest, nil
	}
	made, err := s.Render(a.Draft, c)
	if err != nil {
		return "", err
	}
	row, err := s.Store.CreateOutput(ctx, t, a.Run, a.Output, made.Body, made.Digest)
	m.Child, m.Changes = row.ID, store.JSON(made.Changes)
	return row.Digest, err
}

// lost says who has decided before.
func (s *Service) lost(ctx context.Context, t domain.Tenant, output string) error {
	a, err := s.Store.Approval(ctx, t, output)
	if err != nil {
		return err
	}
	if a.State == domain.ApprovalPending { // its run has ended in between, and what waits is about to follow
		return errs.New(errs.Conflict, "approval_decided", "This review waits no more.")
	}
	return errs.New(errs.Conflict, "approval_decided", "%s", Told(a))
}

// Told says in a sentence who has decided, and when; "" while nobody has.
func Told(a store.Approval) string {
	at := store.Time(a.DecidedUS).UTC().Format("2006-01-02 15:04:05 UTC")
	switch a.State {
	case domain.ApprovalApproved, domain.ApprovalPublished:
		return fmt.Sprintf("%s approved this review at %s.", a.DecidedName, at)
	case domain.ApprovalRejected:
		return fmt.Sprintf("%s rejected this review at %s.", a.DecidedName, at)
	case domain.ApprovalExpired:
		return fmt.Sprintf("This review expired at %s: %s.", at, strings.TrimRight(a.Note, "."))
	}
	return ""
}

func verb(to domain.ApprovalState) string {
	if to == domain.ApprovalApproved {
		return "approve"
	}
	return "reject"
}
