package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

// pullRequest turns an event of a pull request into a run, or says why not.
func (s *Service) pullRequest(ctx context.Context, c *jobs.Claim, d store.Delivery, inst store.Installation, ev codehost.Event) error {
	if ev.Repository == nil || ev.PullRequest == nil {
		return s.dispose(ctx, c, d, ignored("no pull request"), nil)
	}
	repo, err := s.seeRepository(ctx, inst, *ev.Repository)
	if err != nil {
		return err
	}
	t := domain.Tenant{ID: inst.Tenant}
	policy, err := s.Policy(ctx, t, repo.ID)
	if err != nil {
		return err
	}
	return s.dispose(ctx, c, d, decision{}, func(ctx context.Context) (decision, error) {
		dec, err := s.trigger(ctx, t, repo, policy, d, ev)
		dec.tenant = t.ID
		return dec, err
	})
}

// trigger decides in the transaction that holds the pull request's row, so that
// racing deliveries about the same head collapse into one run.
func (s *Service) trigger(ctx context.Context, t domain.Tenant, repo store.Repository, policy domain.Policy, d store.Delivery, ev codehost.Event) (decision, error) {
	pr := *ev.PullRequest
	row, err := s.Store.SeePullRequest(ctx, t, pullRow(repo, pr))
	if err != nil {
		return decision{}, err
	}
	switch {
	case row.HeadSHA != pr.HeadSHA,
		ev.Action == "closed" && row.State == "open", // it was reopened since
		ev.Action == "converted_to_draft" && !row.Draft:
		return ignored("outdated: the pull request has moved on"), nil
	case ev.Action == "closed":
		return applied, s.cancelOpen(ctx, t, row)
	case ev.Action == "converted_to_draft" && !policy.Triggers.Draft:
		return applied, s.cancelOpen(ctx, t, row)
	case !reviews(ev.Action):
		return ignored(codehost.ReasonUnusedAction), nil
	case ev.Action == "labeled" && !asksForReview(policy, ev.Label, pr.Labels):
		return ignored("a label changes nothing here"), nil
	}
	why := skip(policy, row, pr, ev.Action)
	if ev.Action == "labeled" && why != "" {
		return ignored(why), nil // labels come and go; each need not leave a run behind
	}
	key, dec, err := s.key(ctx, t, row)
	if err != nil || dec.disposition != "" {
		return dec, err
	}
	return s.start(ctx, t, row, store.Run{TriggerKey: key, TriggerEvent: "pull_request." + ev.Action, Delivery: d.ID}, why)
}

// asksForReview reports whether the label that was added is one that the policy
// waits for. An event that does not name its label speaks of all that are set.
func asksForReview(p domain.Policy, added string, set []string) bool {
	if added != "" {
		set = []string{added}
	}
	return hasLabel(set, p.Triggers.Labels)
}

// reviews reports whether an action can start a review.
func reviews(action string) bool {
	return slices.Contains([]string{"opened", "reopened", "synchronize", "ready_for_review", "labeled"}, action)
}

// key chooses the trigger key: one run for a head, and one more
// only where the last one ended unpublished.
func (s *Service) key(ctx context.Context, t domain.Tenant, row store.PullRequest) (string, decision, error) {
	last, err := s.Store.LastRunOfHead(ctx, t, row.ID, row.HeadSHA)
	switch {
	case errs.Is(err, errs.NotFound):
		return "auto", decision{}, nil
	case err != nil:
		return "", decision{}, err
	case !last.State.Unpublished():
		return "", decision{disposition: domain.DispositionCoalesced, run: last.ID, reason: "this head has its run"}, nil
	case strings.HasPrefix(last.Reason, reasonCrashed):
		return "", decision{disposition: domain.DispositionIgnored, run: last.ID, reason: "quarantined: the review of this head crashed its workers"}, nil
	}
	return "auto:after:" + last.ID, decision{}, nil
}

// start makes the run, supersedes older ones, and hands it to the worker.
func (s *Service) start(ctx context.Context, t domain.Tenant, row store.PullRequest, want store.Run, why string) (decision, error) {
	want.Repository, want.PullRequest, want.Number, want.HeadSHA = row.Repository, row.ID, row.Number, row.HeadSHA
	run, made, err := s.Store.CreateRun(ctx, t, want)
	if err != nil {
		return decision{}, err
	}
	if !made {
		return decision{disposition: domain.DispositionCoalesced, run: run.ID, reason: "this head has its run"}, nil
	}
	s.Observer.RunEntered(string(domain.RunQueued))
	dec := decision{disposition: domain.DispositionRun, run: run.ID}
	if why != "" {
		return dec, s.end(ctx, run, store.RunMove{From: domain.RunQueued, To: domain.RunSkipped, Cause: "policy: " + why, Reason: why})
	}
	open, err := s.Store.OpenRuns(ctx, t, row.ID, run.ID)
	if err != nil {
		return dec, err
	}
	for _, old := range open {
		if old.HeadSHA == run.HeadSHA || old.State == domain.RunPublishing {
			continue // one that publishes decides for itself, at its cancel point
		}
		if err := s.end(ctx, old, store.RunMove{From: old.State, To: domain.RunSuperseded, Cause: "a newer head arrived", Reason: "a newer head arrived", SupersededBy: run.ID}); err != nil {
			return dec, err
		}
	}
	return dec, s.enqueue(ctx, run, domain.KindReview)
}

// cancelOpen ends the runs of a pull request that was closed or became a draft.
func (s *Service) cancelOpen(ctx context.Context, t domain.Tenant, row store.PullRequest) error {
	open, err := s.Store.OpenRuns(ctx, t, row.ID, "")
	for _, run := range open {
		if run.State == domain.RunPublishing {
			continue
		}
		if err := s.end(ctx, run, store.RunMove{From: run.State, To: domain.RunCancelled, Cause: "the pull request was closed or became a draft", Reason: "pull request " + row.State}); err != nil {
			return err
		}
	}
	return err
}

// skip says why the policy wants no review, "" if it wants one.
func skip(p domain.Policy, row store.PullRequest, pr codehost.PullRequest, action string) string {
	tr := p.Triggers
	switch {
	case !p.Enabled:
		return "reviews are off for this repository"
	case row.Paused:
		return "reviews of this pull request are paused"
	case !pr.Open, row.State != "open":
		return "the pull request is not open"
	case row.Draft && !tr.Draft:
		return "the pull request is a draft"
	case action == "opened" && !tr.Opened, action == "reopened" && !tr.Opened:
		return "opening a pull request does not start a review here"
	case action == "synchronize" && !tr.Push:
		return "a push does not start a review here"
	case action == "ready_for_review" && !tr.Ready:
		return "becoming ready does not start a review here"
	case pr.AuthorIsBot && !tr.IncludeBots:
		return "the author is a bot"
	case slices.ContainsFunc(tr.ExcludedAuthors, func(a string) bool { return strings.EqualFold(a, pr.Author) }):
		return "the author is excluded"
	case len(tr.Labels) > 0 && !hasLabel(pr.Labels, tr.Labels):
		return "none of the labels that ask for a review is set"
	case len(tr.TargetBranches) > 0 && !matchesAny(tr.TargetBranches, pr.BaseRef):
		return "the target branch is not one that is reviewed"
	}
	return ""
}

func matchesAny(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { ok, err := doublestar.Match(g, name); return err == nil && ok })
}

func pullRow(repo store.Repository, pr codehost.PullRequest) store.PullRequest {
	state := "closed"
	switch {
	case pr.Open:
		state = "open"
	case pr.Merged:
		state = "merged"
	}
	return store.PullRequest{Repository: repo.ID, Number: pr.Number, Title: pr.Title, Author: pr.Author, AuthorID: pr.AuthorID, HeadSHA: pr.HeadSHA, BaseRef: pr.BaseRef,
		State: state, Draft: pr.Draft, HostUpdatedUS: pr.UpdatedAt.UnixMicro()}
}

// Rerun starts one more review of the current head of a run's pull request, of
// all of it: who asks for it may have changed the models, and does not ask for
// what is known. request makes it unique: the same request twice is one run.
func (s *Service) Rerun(ctx context.Context, run store.Run, request string) (store.Run, error) {
	return s.again(ctx, run, request, eventRerun)
}

func (s *Service) again(ctx context.Context, run store.Run, request, event string) (store.Run, error) {
	var id string
	err := s.Store.Atomically(ctx, func(ctx context.Context) error {
		row, err := s.Store.PullRequest(ctx, scope(run), run.PullRequest)
		if err != nil {
			return err
		}
		if row.State != "open" {
			return errs.New(errs.Conflict, "pull_request_closed", "The pull request is not open any more.")
		}
		dec, err := s.start(ctx, scope(run), row, store.Run{TriggerKey: "rerun:" + request, TriggerEvent: event, Delivery: ""}, "")
		id = dec.run
		return err
	})
	if err != nil {
		return store.Run{}, err
	}
	return s.Store.Run(ctx, scope(run), id)
}

func commandKey(comment int64) string { return fmt.Sprintf("cmd:%d", comment) }
