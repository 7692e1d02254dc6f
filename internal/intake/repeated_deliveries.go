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

// A host signs the body of a delivery, but not its id or a time. So a person who has seen a delivery, in
// the log of a proxy or in a support bundle, can send it again at any time under a new id. A repeated body
// therefore proves nothing about the present: the host is asked, or the delivery is ignored. A redelivery
// by the host keeps its id, and is answered at the ingest.

// repeated is the reason for ignoring the repeated body of an event that acts once.
const repeated = "repeated: the same body was delivered before under another id"

// history is our knowledge of a delivery beside its content.
type history struct {
	before bool          // the same source delivered the same body before
	age    time.Duration // since it was received
}

func (s *Service) history(ctx context.Context, d store.Delivery) (h history, err error) {
	h.before, h.age, err = s.Store.DeliveredBefore(ctx, d)
	return h, err
}

// requestsAction reports whether an event requests an action, such as a command, which its first delivery has
// done. Events about people, such as a withdrawn authorisation of the app, are excluded: their bodies are
// equal each time, and they only cause a question to the host.
func requestsAction(k codehost.EventKind) bool {
	switch k {
	case codehost.KindComment, codehost.KindCheck:
		return true
	}
	return false
}

// pullRequestAgain handles a repeated body of a pull request event like the sweep for lost heads: the
// host's present head gets a run if it has no run yet, and open work of a closed pull request ends. It
// connects no repository.
func (s *Service) pullRequestAgain(ctx context.Context, c *jobs.Claim, d store.Delivery, from origin, ev codehost.Event) error {
	t := from.tenant()
	if ev.Repository == nil || ev.PullRequest == nil {
		return s.dispose(ctx, c, d, ignored("no pull request"), nil)
	}
	repo, err := from.knownRepository(ctx, ev.Repository.ExternalID)
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

// catchUp starts or ends the runs that are due for a pull request in the host's present state, in the
// transaction that locks its row.
func (s *Service) catchUp(ctx context.Context, e pullEvent, outside bool) (decision, error) {
	t, pr := e.tenant, *e.event.PullRequest
	row, err := s.Runs.UpsertPullRequest(ctx, t, run.PullRow(e.repo.ID, pr))
	switch {
	case err != nil:
		return decision{}, err
	case row.State != "open":
		return ignored(repeated), s.Runs.CancelOpen(ctx, t, row)
	case row.HeadSHA != pr.HeadSHA, row.BaseRef != pr.BaseRef:
		return ignored(repeated), nil
	case isTriedOut(e.repo, e.policy):
		return ignored(undecided), nil
	}
	w := run.Request{Event: "pull_request." + e.delivery.Action, Delivery: e.delivery.ID, Asker: domain.Asker{How: domain.AskedByEvent}}
	out, err := s.Runs.First(ctx, t, row, completeRequest(e.policy, row, pr, "opened", outside, w))
	return decisionOf(out), err
}
