package intake

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// A host signs the body of a delivery, and neither its id nor a time. So who has
// seen one, in the log of a proxy or in a bundle for the support, can send it
// again under a new id whenever it suits. A body that was delivered before is
// proof of nothing that holds now: the host is asked, or nothing comes of it. A
// host that redelivers keeps the id, and is answered at the ingest.

// repeated says why nothing comes of a body that acts once.
const repeated = "repeated: the same body was delivered before under another id"

// history is what is known of a delivery beside what it says.
type history struct {
	before bool          // its source delivered the same body before
	age    time.Duration // since it was received
}

func (s *Service) history(ctx context.Context, d store.Delivery) (h history, err error) {
	h.before, h.age, err = s.Store.DeliveredBefore(ctx, d)
	return h, err
}

// actsOnce reports whether an event asks for something, such as a command: the
// first delivery did that. Events of people are not among them, such as that
// somebody has withdrawn the app's authorisation: their bodies are alike whenever
// the same happens again, and all that follows is that the host is asked.
func actsOnce(k codehost.EventKind) bool {
	switch k {
	case codehost.KindComment, codehost.KindCheck:
		return true
	}
	return false
}

// pullRequestAgain does for the body of an event that was delivered before what
// the sweep for lost heads does: the head that the host has now gets its run
// where it has none, and what is open of a closed pull request ends. It connects
// no repository.
func (s *Service) pullRequestAgain(ctx context.Context, c *jobs.Claim, d store.Delivery, from origin, ev codehost.Event) error {
	t := from.tenant()
	if ev.Repository == nil || ev.PullRequest == nil {
		return s.dispose(ctx, c, d, ignored("no pull request"), nil)
	}
	repo, err := from.known(ctx, ev.Repository.ExternalID)
	if errs.Is(err, errs.NotFound) || err == nil && repo.State != "active" {
		return s.dispose(ctx, c, d, ignored(repeated), nil)
	}
	if err != nil {
		return err
	}
	p, _, err := policy.Effective(ctx, s.Store, t, repo.ID)
	if err != nil {
		return err
	}
	e := pullEvent{c, d, t, repo, p, ev}
	pr, err := s.currentPull(ctx, repo, ev.PullRequest.Number)
	if err != nil {
		return s.disposeUnread(ctx, e, err)
	}
	e.event.PullRequest = &pr
	outside, err := s.outside(ctx, repo, p, pr, "opened")
	if err != nil {
		return jobs.Waiting(err)
	}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) {
		dec, err := s.catchUp(ctx, e, outside)
		dec.tenant = t.ID
		return dec, err
	})
}

// catchUp does what is due of a pull request as the host shows it, in the
// transaction that holds its row.
func (s *Service) catchUp(ctx context.Context, e pullEvent, outside bool) (decision, error) {
	t, pr := e.tenant, *e.event.PullRequest
	row, err := s.Runs.See(ctx, t, run.PullRow(e.repo.ID, pr))
	switch {
	case err != nil:
		return decision{}, err
	case row.State != "open":
		return ignored(repeated), s.Runs.CancelOpen(ctx, t, row)
	case row.HeadSHA != pr.HeadSHA, row.BaseRef != pr.BaseRef:
		return ignored(repeated), nil
	case triedOut(e.repo, e.policy):
		return ignored(undecided), nil
	}
	w := run.Wish{Event: "pull_request." + e.delivery.Action, Delivery: e.delivery.ID, Asker: domain.Asker{How: domain.AskedByEvent}}
	out, err := s.Runs.First(ctx, t, row, wish(e.policy, row, pr, "opened", outside, w))
	return of(out), err
}
