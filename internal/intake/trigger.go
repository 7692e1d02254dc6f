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

// pullEvent is a pull request event of a repository that is reviewed here.
type pullEvent struct {
	claim    *jobs.Claim
	delivery store.Delivery
	tenant   domain.Tenant
	repo     store.Repository
	policy   domain.Policy
	event    codehost.Event
}

// pullRequest turns a pull request event into a run, or records why not.
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
	if _, through := from.(connectionOrigin); through && s.needsHostData(p, ev) {
		now, err := s.currentPull(ctx, repo, ev.PullRequest.Number)
		switch {
		case err != nil:
			return s.disposeUnread(ctx, e, err)
		case ev.Action == "labeled", !codehost.IsCommit(ev.PullRequest.HeadSHA): // some hosts' payloads shorten commits
			e.event.PullRequest = &now
			return s.decide(ctx, e, s.Runs.UpsertPullRequest)
		}
		e.event.PullRequest = withHostAuthor(*ev.PullRequest, now)
	}
	if e.event.PullRequest.Author != "" { // some hosts' payloads do not name the author
		if err := s.decide(ctx, e, s.storeEventPull); !errors.Is(err, errContradicted) {
			return err
		}
	}
	now, err := s.currentPull(ctx, repo, ev.PullRequest.Number)
	if err != nil {
		return s.disposeUnread(ctx, e, err)
	}
	e.event.PullRequest = &now
	return s.decide(ctx, e, s.Runs.UpsertPullRequest)
}

// decide decides on an event and ends its delivery. keep stores the event's data about the pull request.
func (s *Service) decide(ctx context.Context, e pullEvent, keep storePull) (err error) {
	if e.event.Action, err = s.actionOf(ctx, e.tenant, e.repo, e.policy, e.event); err != nil {
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

// disposeUnread ends the delivery if the host no longer shows the pull request; other errors have the job
// tried again.
func (s *Service) disposeUnread(ctx context.Context, e pullEvent, err error) error {
	if codehost.IsAccessLost(err) {
		return s.dispose(ctx, e.claim, e.delivery, ignored(unreachable), nil)
	}
	return jobs.Waiting(err)
}

// withHostAuthor returns a pull request with the event's data, but with the author and origin that the host
// names. Those never change, while the rest of the event may be newer than the host's answer.
func withHostAuthor(told, now codehost.PullRequest) *codehost.PullRequest {
	told.Author, told.AuthorID, told.AuthorIsBot, told.Association = now.Author, now.AuthorID, now.AuthorIsBot, now.Association
	told.FromFork, told.Branchless = now.FromFork, now.Branchless
	return &told
}

// needsHostData reports whether the start or depth of a review depends on data that a person with a webhook's secret
// could forge: a label, or the author of the pull request.
func (s *Service) needsHostData(p domain.Policy, ev codehost.Event) bool {
	pr := ev.PullRequest
	if ev.Action == "labeled" {
		return pr.Open && asksForReview(p, ev.Label, pr.Labels)
	}
	return pr.Open && canStartReview(ev.Action) && p.OutsideContributors != domain.OutsideFull
}

// currentPull reads a pull request from the host.
func (s *Service) currentPull(ctx context.Context, repo store.Repository, number int) (codehost.PullRequest, error) {
	host, ref, err := s.Hosts.Repository(ctx, repo)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	return host.PullRequest(ctx, ref, number)
}

// The reasons for ignoring an event or a command.
const (
	unreachable    = "the pull request cannot be reached on the host any more"
	repositoryGone = "the repository cannot be reached on the host any more"
)

// undecided is the reason for ignoring an event of a repository that is being tried out.
const undecided = "the repository is new and being tried out: there is no decision yet whether it is reviewed"

// isTriedOut reports whether a repository is new and waits for a decision whether it is reviewed. It gets no
// runs, not even skipped ones, and nothing is written to the host.
func isTriedOut(repo store.Repository, p domain.Policy) bool {
	return repo.Intake == domain.IntakeOnboarding && !p.Enabled
}

// errContradicted means that another event of the same second contradicts this one, so that the host must
// be asked.
var errContradicted = errors.New("events of one second contradict each other")

// storePull stores an event's or the host's data about a pull request.
type storePull func(ctx context.Context, t domain.Tenant, p store.PullRequest) (store.PullRequest, error)

// storeEventPull is a [storePull] for event data. It returns [errContradicted] if another event of the same second
// disagrees.
func (s *Service) storeEventPull(ctx context.Context, t domain.Tenant, p store.PullRequest) (store.PullRequest, error) {
	row, contradicted, err := s.Runs.RecordPullRequestEvent(ctx, t, p)
	if err == nil && contradicted {
		err = errContradicted
	}
	return row, err
}

// trigger decides in the transaction that locks the pull request's row, so that concurrent deliveries about
// the same head result in one run.
func (s *Service) trigger(ctx context.Context, e pullEvent, keep storePull, outside bool) (decision, error) {
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
		if pr.Merged && (e.repo.DefaultBranch == "" || pr.BaseRef == e.repo.DefaultBranch) { // the branch moved: its index follows
			if _, err := s.Store.EnqueueIndex(ctx, t, e.repo.ID); err != nil {
				return decision{}, err
			}
		}
		return applied, s.Runs.CancelOpen(ctx, t, row)
	case ev.Action == "converted_to_draft" && !p.Triggers.Draft:
		return applied, s.Runs.CancelOpen(ctx, t, row)
	case !canStartReview(ev.Action):
		return ignored(codehost.ReasonUnusedAction), nil
	case ev.Action == "labeled" && !(asksForReview(p, ev.Label, pr.Labels) && (ev.Label == "" || run.HasLabel(pr.Labels, []string{ev.Label}))):
		return ignored("a label changes nothing here"), nil
	}
	if isTriedOut(e.repo, p) {
		return ignored(undecided), nil
	}
	event := "pull_request." + ev.Action
	if ev.Action == run.ActionRetargeted {
		event = "pull_request.edited"
	}
	w := completeRequest(p, row, pr, ev.Action, outside, run.Request{Event: event, Delivery: e.delivery.ID,
		Asker: domain.Asker{How: domain.AskedByEvent, Name: ev.Sender.Login}})
	if ev.Action == "labeled" && w.Skip != "" {
		return ignored(w.Skip), nil // labels come and go; not each needs a run
	}
	out, err := s.Runs.Auto(ctx, t, row, w)
	if err != nil {
		return decision{}, err
	}
	return decisionOf(out), nil
}

// actionOf returns the action of an event. It returns [run.ActionRetargeted] if the event starts no review
// by itself and names another target branch than the head's newest run, because hosts report the branch
// with other changes, and an earlier event may be lost. For [codehost.ActionUpdated] it finds out what has changed.
func (s *Service) actionOf(ctx context.Context, t domain.Tenant, repo store.Repository, p domain.Policy,
	ev codehost.Event) (string, error) {
	pr := *ev.PullRequest
	if !pr.Open || canStartReview(ev.Action) && ev.Action != "labeled" {
		return ev.Action, nil
	}
	row, err := s.Store.PullRequestNumbered(ctx, t, repo.ID, pr.Number)
	if errs.Is(err, errs.NotFound) {
		if ev.Action == codehost.ActionUpdated {
			return "opened", nil
		}
		return ev.Action, nil
	}
	if err != nil {
		return "", err
	}
	moved, err := s.Runs.Retargeted(ctx, t, row.ID, pr.HeadSHA, pr.BaseRef)
	switch {
	case moved:
		return run.ActionRetargeted, err
	case err == nil && ev.Action == codehost.ActionUpdated:
		return s.updateOf(ctx, t, row, p, pr)
	}
	return ev.Action, err
}

// updateOf returns the action of an update whose event does not say what has changed: a push if the head has no run, and otherwise the
// change that the head's last run waits for, if it has happened.
func (s *Service) updateOf(ctx context.Context, t domain.Tenant, row store.PullRequest, p domain.Policy,
	pr codehost.PullRequest) (string, error) {
	last, err := s.Store.LastRunOfHead(ctx, t, row.ID, pr.HeadSHA)
	if errs.Is(err, errs.NotFound) {
		return "synchronize", nil
	}
	if err != nil {
		return "", err
	}
	if action, _ := run.Missed(last, p, pr); action != "" {
		return action, nil
	}
	if pr.Draft && !row.Draft {
		return "converted_to_draft", nil
	}
	return "edited", nil
}

// asksForReview reports whether the added label is one that the policy waits for. An event that does not
// name its label counts for all labels that are set.
func asksForReview(p domain.Policy, added string, set []string) bool {
	if added != "" {
		set = []string{added}
	}
	return run.HasLabel(set, p.Triggers.Labels)
}

// canStartReview reports whether an action can start a review.
func canStartReview(action string) bool {
	return slices.Contains([]string{"opened", "reopened", "synchronize", "ready_for_review", "labeled", run.ActionRetargeted}, action)
}
