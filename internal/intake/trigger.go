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

// pullRequest turns an event of a pull request into a run, or says why not.
func (s *Service) pullRequest(ctx context.Context, c *jobs.Claim, d store.Delivery, from origin, ev codehost.Event) error {
	if ev.Repository == nil || ev.PullRequest == nil {
		return s.dispose(ctx, c, d, ignored("no pull request"), nil)
	}
	repo, why, err := from.see(ctx, *ev.Repository)
	if err != nil || why != "" {
		return s.disposeOr(ctx, c, d, ignored(why), err)
	}
	t := from.tenant()
	p, _, err := policy.Effective(ctx, s.Store, t, repo.ID)
	if err != nil {
		return err
	}
	decide := func(see seer) error {
		if ev.Action, err = s.meaning(ctx, t, repo, ev); err != nil {
			return err
		}
		outside, err := s.outside(ctx, repo, p, *ev.PullRequest, ev.Action)
		if err != nil {
			return jobs.Waiting(err)
		}
		return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) {
			dec, err := s.trigger(ctx, see, t, repo, p, d, ev, outside)
			dec.tenant = t.ID
			return dec, err
		})
	}
	if _, through := from.(connected); through && s.asks(p, ev) {
		now, err := s.asked(ctx, repo, ev.PullRequest.Number)
		if codehost.Gone(err) {
			return s.dispose(ctx, c, d, ignored(unreachable), nil)
		}
		if err != nil {
			return jobs.Waiting(err)
		}
		if ev.Action == "labeled" {
			ev.PullRequest = &now
			return decide(s.Runs.See)
		}
		told := *ev.PullRequest // whose it is stays the same; what it shows may be newer than what the host answers
		told.Author, told.AuthorID, told.AuthorIsBot, told.Association = now.Author, now.AuthorID, now.AuthorIsBot, now.Association
		told.FromFork, told.Branchless = now.FromFork, now.Branchless
		ev.PullRequest = &told
	}
	if ev.PullRequest.Author != "" { // else the host's payloads do not say whose it is
		if err := decide(s.heard); !errors.Is(err, errContradicted) {
			return err
		}
	}
	pr, err := s.asked(ctx, repo, ev.PullRequest.Number)
	if codehost.Gone(err) {
		return s.dispose(ctx, c, d, ignored(unreachable), nil)
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	ev.PullRequest = &pr
	return decide(s.Runs.See)
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

// asked is what the host says of a pull request now.
func (s *Service) asked(ctx context.Context, repo store.Repository, number int) (codehost.PullRequest, error) {
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
const undecided = "the repository is new and being tried out: nobody has decided yet whether it is reviewed"

// triedOut reports whether a repository is new, and waits until somebody decides
// whether it is reviewed: not even a run that is skipped is made for it, and nothing is
// written to the host.
func triedOut(repo store.Repository, p domain.Policy) bool {
	return repo.Intake == domain.IntakeOnboarding && !p.Enabled
}

// errContradicted says that another event of the same second tells otherwise of
// the pull request, so that the host has to be asked.
var errContradicted = errors.New("events of one second contradict each other")

// seer keeps what was heard or read of a pull request.
type seer func(ctx context.Context, t domain.Tenant, p store.PullRequest) (store.PullRequest, error)

// heard keeps what an event tells, unless another one of its second contradicts.
func (s *Service) heard(ctx context.Context, t domain.Tenant, p store.PullRequest) (store.PullRequest, error) {
	row, contradicted, err := s.Runs.Hear(ctx, t, p)
	if err == nil && contradicted {
		err = errContradicted
	}
	return row, err
}

// trigger decides in the transaction that holds the pull request's row, so that
// racing deliveries about the same head collapse into one run.
func (s *Service) trigger(ctx context.Context, see seer, t domain.Tenant, repo store.Repository, p domain.Policy, d store.Delivery, ev codehost.Event, outside bool) (decision, error) {
	pr := *ev.PullRequest
	row, err := see(ctx, t, run.PullRow(repo.ID, pr))
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
	if triedOut(repo, p) {
		return ignored(undecided), nil
	}
	event := "pull_request." + ev.Action
	if ev.Action == run.ActionRetargeted {
		event = "pull_request.edited"
	}
	w := wish(p, row, pr, ev.Action, outside, run.Wish{Event: event, Delivery: d.ID, Asker: domain.Asker{How: domain.AskedByEvent, Name: ev.Sender.Login}})
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
