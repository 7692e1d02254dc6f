package fixrun

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// The reasons why a fix run ends without a delivery, in sentences for people. Those of [wording.FixEnds] are also told in a comment.
var (
	headMoved  = wording.English(wording.FixEndMoved)
	pullClosed = wording.English(wording.FixEndClosed)
	fixesOff   = wording.English(wording.FixEndOff)
	notOpen    = wording.English(wording.FixEndNotOpen)
	decided    = wording.English(wording.FixEndDecided)
	givenUp    = wording.English(wording.FixEndGivenUp)
	crashed    = wording.English(wording.FixEndCrashed)
)

const (
	disconnected = "The repository is not connected to its host any more."
	noFixPassed  = "No fix passed the checks; each finding names its reason."
)

const (
	// maxAnswers is the most answers of a pull request and UTC day after which the end of a fix run is not told. Answers to commands and
	// replies count. It leaves room for all fix runs of a pull request (design choice).
	maxAnswers = 50

	maxDetail = 300 // characters of a message of a model in a comment (design choice)
)

// ending is the end of a fix run before its delivery.
type ending struct {
	to  domain.FixState
	why string
}

// Error returns the reason.
func (e ending) Error() string { return e.why }

// dead ends a fix run whose job was given up.
func (s *Service) dead(ctx context.Context, j store.Job, d jobs.Death) error {
	row, err := s.Store.FixRunForWork(ctx, j.Subject)
	if errs.Is(err, errs.NotFound) || err == nil && row.State.Terminal() {
		return nil
	}
	if err != nil {
		return err
	}
	why := givenUp
	if d.Crashed {
		why = crashed
	}
	_, err = s.move(ctx, row, domain.FixFailed, why, "")
	return err
}

// move ends a fix run with its event, the answer to the person who asked in a comment, and the job that deletes an empty branch of
// ours. It returns false if the fix run has changed its state meanwhile.
func (s *Service) move(ctx context.Context, row store.FixRun, to domain.FixState, why, url string) (moved bool, err error) {
	t := row.Owner()
	err = s.Store.Atomically(ctx, func(ctx context.Context) error {
		moved, err = s.Store.MoveFixRun(ctx, t, row.ID, store.FixMove{From: row.State, To: to, Reason: s.Scan(why), URL: url})
		if err != nil || !moved {
			return err
		}
		if row, err = s.Store.FixRunForWork(ctx, row.ID); err != nil {
			return err
		}
		if err := s.Store.DropFixStages(ctx, t, row.ID); err != nil {
			return err
		}
		if err := s.tell(ctx, row); err != nil {
			return err
		}
		if row.Delivery == domain.FixBranch && row.Branch != "" && row.CommitSHA == "" {
			if _, err := s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindFixClean, FairKey: t.ID, Subject: row.ID, Tenant: t.ID,
				Dedup: string(domain.KindFixClean) + ":" + row.ID}); err != nil {
				return err
			}
		}
		return s.Store.AddEvent(ctx, t, domain.EventFixCompleted, row.ID, store.JSON(domain.FixCompletedBody{FixRunID: row.ID,
			RunID: row.Run, RepositoryID: row.Repository, PullRequest: row.Number, HeadSHA: row.HeadSHA, State: row.State,
			Delivery: row.Delivery, Findings: len(store.FromJSON[[]string](row.FindingIDs)), Passed: row.Passed, CommitSHA: row.CommitSHA,
			URL: row.URL, Reason: row.Reason}))
	})
	return moved && err == nil, err
}

// tell stores the answer that names the end of a fix run: where the command stands, and for a moved head of another fix run in the
// thread of its finding. The comments of a completed fix run are its answers. A silent policy allows no answers.
func (s *Service) tell(ctx context.Context, row store.FixRun) error {
	if row.State == domain.FixCompleted || !wording.FixEnds.Knows(row.Reason) {
		return nil
	}
	p, _, err := policy.Effective(ctx, s.Store, row.Owner(), row.Repository)
	if err != nil || p.PublishMode == domain.PublishSilent {
		return err
	}
	comment, thread := readAskedKey(row.AskedKey)
	if comment == "" {
		if row.Reason != headMoved {
			return nil
		}
		if thread, err = s.threadOf(ctx, row); err != nil {
			return err
		}
		comment = domain.HostID(row.ID)
	}
	words := wording.In(p.Language)
	detail := func(text string) markdown.Text { return words.Reader().Line(s.Scan(text), maxDetail) }
	say := words.Say(wording.FixNotMade, words.Translate(row.Reason, wording.FixEnds, wording.Show{Words: detail, Name: detail}))
	id, added, err := s.Store.AddAnswer(ctx, row.Owner(), store.CommandAnswer{PullRequest: row.PullRequest, Comment: comment,
		Thread: thread, Body: say.Scan(s.Scan).String(), MarkKey: s.Marker.Key()}, maxAnswers)
	if err != nil || added != store.AddedNew {
		return err
	}
	_, err = s.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindAnswer, FairKey: row.Tenant, Subject: id, Tenant: row.Tenant,
		Dedup: string(domain.KindAnswer) + ":" + id})
	return err
}

// threadOf returns the thread of the only finding of a fix run, or "" for the conversation.
func (s *Service) threadOf(ctx context.Context, row store.FixRun) (domain.HostID, error) {
	chosen := store.FromJSON[[]string](row.FindingIDs)
	known, err := s.Store.KnownFindings(ctx, row.Owner(), row.PullRequest)
	for _, k := range known {
		if len(chosen) == 1 && k.ID == chosen[0] {
			return k.CommentID, err
		}
	}
	return "", err
}

// askedKey names the comment of a command with its thread, because hosts may number comments of threads separately.
func askedKey(c domain.FixAsked) string { return string(c.Comment) + " " + string(c.Thread) }

// readAskedKey returns the comment and the thread of an [askedKey]; "" for the conversation. The comment is "" if no command asked.
func readAskedKey(key string) (comment, thread domain.HostID) {
	c, t, _ := strings.Cut(key, " ")
	return domain.HostID(c), domain.HostID(t)
}
