package intake

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// pullEvent is an event of a pull request of a repository that is reviewed here.
type pullEvent struct {
	claim    *jobs.Claim
	delivery store.Delivery
	tenant   domain.Tenant
	repo     store.Repository
	policy   domain.Policy
	event    codehost.Event
}

// pullRequest turns an event of a pull request into a run, or says why not.
func (s *Service) pullRequest(ctx context.Context, c *jobs.Claim, d store.Delivery, from origin, ev codehost.Event) error {
	if ev.Repository == nil || ev.PullRequest == nil {
		return s.dispose(ctx, c, d, ignored("no pull request"), nil)
	}
	repo, why, err := from.find(ctx, *ev.Repository)
	if err != nil || why != "" {
		return s.disposeOr(ctx, c, d, ignored(why), err)
	}
	p, _, err := policy.Effective(ctx, s.Store, from.tenant(), repo.ID)
	if err != nil {
		return err
	}
	e := pullEvent{c, d, from.tenant(), repo, p, ev}
	if _, through := from.(connected); through && s.asks(p, ev) {
		now, err := s.currentPull(ctx, repo, ev.PullRequest.Number)
		switch {
		case err != nil:
			return s.disposeUnread(ctx, e, err)
		case ev.Action == "labeled":
			e.event.PullRequest = &now
			return s.decide(ctx, e, s.Runs.See)
		}
		e.event.PullRequest = authoredAs(*ev.PullRequest, now)
	}
	if e.event.PullRequest.Author != "" { // else the host's payloads do not say whose it is
		if err := s.decide(ctx, e, s.hear); !errors.Is(err, errContradicted) {
			return err
		}
	}
	now, err := s.currentPull(ctx, repo, ev.PullRequest.Number)
	if err != nil {
		return s.disposeUnread(ctx, e, err)
	}
	e.event.PullRequest = &now
	return s.decide(ctx, e, s.Runs.See)
}

// decide decides what comes of an event and ends its delivery. keep stores the pull request as the event has it.
func (s *Service) decide(ctx context.Context, e pullEvent, keep keepPull) (err error) {
	if e.event.Action, err = s.meaning(ctx, e.tenant, e.repo, e.event); err != nil {
		return err
	}
	outside, err := s.outside(ctx, e.repo, e.policy, *e.event.PullRequest, e.event.Action)
	if err != nil {
		return jobs.Waiting(err)
	}
	return s.dispose(ctx, e.claim, e.delivery, decision{}, func(ctx context.Context) (decision, error) {
		dec, err := s.trigger(ctx, e, keep, outside)
		dec.tenant = e.tenant.ID
		return dec, err
	})
}

// disposeUnread ends the delivery of a pull request that the host does not show any more; any other error has the job
// tried again.
func (s *Service) disposeUnread(ctx context.Context, e pullEvent, err error) error {
	if codehost.Gone(err) {
		return s.dispose(ctx, e.claim, e.delivery, ignored(unreachable), nil)
	}
	return jobs.Waiting(err)
}

// authoredAs is a pull request as an event tells it, with the author and the origin that the host names: those stay the
// same, and the rest of the event may be newer than the answer of the host.
func authoredAs(told, now codehost.PullRequest) *codehost.PullRequest {
	told.Author, told.AuthorID, told.AuthorIsBot, told.Association = now.Author, now.AuthorID, now.AuthorIsBot, now.Association
	told.FromFork, told.Branchless = now.FromFork, now.Branchless
	return &told
}

// asks reports whether a review starts, or how deep it looks is decided, by what people with the secret
// of a webhook could write into a body: a label, or whose the pull request is.
func (s *Service) asks(p domain.Policy, ev codehost.Event) bool {
	pr := ev.PullRequest
	if ev.Action == "labeled" {
		return pr.Open && asksForReview(p, ev.Label, pr.Labels)
	}
	return pr.Open && reviews(ev.Action) && p.OutsideContributors != domain.OutsideFull
}

// currentPull asks the host for a pull request.
func (s *Service) currentPull(ctx context.Context, repo store.Repository, number int) (codehost.PullRequest, error) {
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	return host.PullRequest(ctx, ref, number)
}

// Why nothing comes of an event or a command.
const (
	unreachable    = "the pull request cannot be reached on the host any more"
	repositoryGone = "the repository cannot be reached on the host any more"
)

// undecided is why nothing comes of an event of a repository that is tried out.
const undecided = "the repository is new and being tried out: there is no decision yet whether it is reviewed"

// triedOut reports whether a repository is new, and waits until somebody decides
// whether it is reviewed: not even a run that is skipped is made for it, and nothing is
// written to the host.
func triedOut(repo store.Repository, p domain.Policy) bool {
	return repo.Intake == domain.IntakeOnboarding && !p.Enabled
}

// errContradicted says that another event of the same second tells otherwise of
// the pull request, so that the host has to be asked.
var errContradicted = errors.New("events of one second contradict each other")

// keepPull stores what an event or the host says of a pull request.
type keepPull func(ctx context.Context, t domain.Tenant, p store.PullRequest) (store.PullRequest, error)

// hear is a [keepPull] for what an event says; [errContradicted] where another event of its second says otherwise.
func (s *Service) hear(ctx context.Context, t domain.Tenant, p store.PullRequest) (store.PullRequest, error) {
	row, contradicted, err := s.Runs.Hear(ctx, t, p)
	if err == nil && contradicted {
		err = errContradicted
	}
	return row, err
}

// trigger decides in the transaction that holds the pull request's row, so that
// racing deliveries about the same head collapse into one run.
func (s *Service) trigger(ctx context.Context, e pullEvent, keep keepPull, outside bool) (decision, error) {
	t, p, ev, pr := e.tenant, e.policy, e.event, *e.event.PullRequest
	row, err := keep(ctx, t, run.PullRow(e.repo.ID, pr))
	if err != nil {
		return decision{}, err
	}
	switch {
	case row.HeadSHA != pr.HeadSHA, row.BaseRef != pr.BaseRef,
		ev.Action == "closed" && row.State == "open", // it was reopened since
		ev.Action == "converted_to_draft" && !row.Draft:
		return ignored("outdated: the pull request has moved on"), nil
	case ev.Action == "closed":
		return applied, s.Runs.CancelOpen(ctx, t, row)
	case ev.Action == "converted_to_draft" && !p.Triggers.Draft:
		return applied, s.Runs.CancelOpen(ctx, t, row)
	case !reviews(ev.Action):
		return ignored(codehost.ReasonUnusedAction), nil
	case ev.Action == "labeled" && !(asksForReview(p, ev.Label, pr.Labels) && (ev.Label == "" || run.HasLabel(pr.Labels, []string{ev.Label}))):
		return ignored("a label changes nothing here"), nil
	}
	if triedOut(e.repo, p) {
		return ignored(undecided), nil
	}
	event := "pull_request." + ev.Action
	if ev.Action == run.ActionRetargeted {
		event = "pull_request.edited"
	}
	w := wish(p, row, pr, ev.Action, outside, run.Wish{Event: event, Delivery: e.delivery.ID, Asker: domain.Asker{How: domain.AskedByEvent, Name: ev.Sender.Login}})
	if ev.Action == "labeled" && w.Skip != "" {
		return ignored(w.Skip), nil // labels come and go; each need not leave a run behind
	}
	out, err := s.Runs.Auto(ctx, t, row, w)
	if err != nil {
		return decision{}, err
	}
	return of(out), nil
}

// meaning is the action of an event, or [run.ActionRetargeted] where it starts no review
// by itself and tells another target branch than that of the newest run of the head:
// hosts tell that beside other changes, and an event that told it before may be lost.
func (s *Service) meaning(ctx context.Context, t domain.Tenant, repo store.Repository, ev codehost.Event) (string, error) {
	pr := *ev.PullRequest
	if !pr.Open || reviews(ev.Action) && ev.Action != "labeled" {
		return ev.Action, nil
	}
	row, err := s.Store.PullRequestNumbered(ctx, t, repo.ID, pr.Number)
	if errs.Is(err, errs.NotFound) {
		return ev.Action, nil
	}
	if err != nil {
		return "", err
	}
	moved, err := s.Runs.Retargeted(ctx, t, row.ID, pr.HeadSHA, pr.BaseRef)
	if moved {
		return run.ActionRetargeted, err
	}
	return ev.Action, err
}

// asksForReview reports whether the label that was added is one that the policy
// waits for. An event that does not name its label speaks of all that are set.
func asksForReview(p domain.Policy, added string, set []string) bool {
	if added != "" {
		set = []string{added}
	}
	return run.HasLabel(set, p.Triggers.Labels)
}

// reviews reports whether an action can start a review.
func reviews(action string) bool {
	return slices.Contains([]string{"opened", "reopened", "synchronize", "ready_for_review", "labeled", run.ActionRetargeted}, action)
}
