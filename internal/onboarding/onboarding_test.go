package onboarding_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// From its arrival to its first review, a repository is neither reviewed nor written to before a person
// accepts it.
func TestANewRepositoryIsTriedOutAndAccepted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for n := 2; n <= 13; n++ {
			w.merged(n, fmt.Sprint("head", n))
		}
		w.Snapshots.Lines[storetest.SHA("head3")] = broken
		repo := w.appears(77)
		testkit.Equal(t, "intake", repo.Intake, domain.IntakeOnboarding)
		d := w.Deliver(w.Event("opened", "a"))
		w.Want(d, domain.DispositionIgnored, "")
		if !strings.Contains(d.Reason, "being tried out") {
			t.Errorf("the delivery says %q", d.Reason)
		}

		w.sweep()
		o := w.state(repo, domain.OnboardingProposed)
		testkit.Equal(t, "steps", fmt.Sprint(w.steps(o)), "[waiting trying proposed]")
		p := w.proposal(repo)
		testkit.Equal(t, "merged, looked at, failed, inline", fmt.Sprint(p.Merged, p.LookedAt, p.Failed, p.Inline), "12 10 0 1")
		if p.Note == "" || p.CostPerWeekMicros != nil || p.MedianLatencyMS == nil {
			t.Errorf("no model was called: %+v", p)
		}
		testkit.Equal(t, "pull requests in a week", *p.PullsPerWeek, 12.0)
		dry, err := w.Store.DryRun(bg, w.World.Tenant, repo.ID, o.DryRun)
		testkit.OK(t, err)
		testkit.Equal(t, "numbers", dry.Numbers, "[2,3,4,5,6,7,8,9,10,11]")
		testkit.Equal(t, "made by", dry.CreatedBy, "")
		testkit.Equal(t, "inbox of a person who manages", fmt.Sprint(w.inbox("manage"), w.inbox("review")), "[onboarding] []")
		w.Want(w.Deliver(w.Event("synchronize", "b")), domain.DispositionIgnored, "")
		testkit.Equal(t, "writes before it is accepted", len(w.Host.Writes), 0)

		accepted, err := w.Onboards.Accept(w.boss, w.World.Tenant, repo, onboarding.OnboardingAccept{Note: "Good.", Policy: &policy.RepositoryPolicyUpdate{Profile: new("quiet")}})
		testkit.OK(t, err)
		testkit.Equal(t, "state, person, way, note", fmt.Sprint(accepted.State, " ", accepted.DecidedName, " ", accepted.How, " ", accepted.Note), "accepted boss interface Good.")
		says, err := w.Tenant.Policy(bg, w.World.Tenant, repo.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "policy", store.JSON(says.RepositoryPolicyUpdate), `{"enabled":true,"profile":"quiet"}`)
		testkit.Equal(t, "inbox", fmt.Sprint(w.inbox("manage")), "[]")
		w.Want(w.Deliver(w.Event("synchronize", "c")), domain.DispositionRun, "completed")
	})
}

// inbox returns the kinds of items in the inbox of a person with a role on all repositories.
func (w *world) inbox(role string) (kinds []string) {
	w.T.Helper()
	rows, err := w.Store.Waiting(bg, w.World.Tenant, store.Viewer{User: "usr_x", Least: role}, store.Cursor{US: 1 << 60, ID: "z"}, 10)
	testkit.OK(w.T, err)
	for _, r := range rows {
		kinds = append(kinds, r.Kind)
	}
	return kinds
}

// The sweep for lost heads finds changes that were pushed before the decision.
func TestPushesBeforeTheDecisionAreReviewed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		repo := w.appears(77)
		w.sweep()
		w.Want(w.Deliver(w.Event("opened", "a", later)), domain.DispositionIgnored, "")
		lost := store.Unswept{Installation: 1 << 40, Connection: 1 << 40}
		testkit.OK(t, w.Services.Intake.SweepHeads(bg, store.Unswept{Installation: -1}, 0, 10))
		w.Settle()
		testkit.Equal(t, "runs before the decision", w.States(), "")
		testkit.OK(t, w.Services.Intake.SweepHeads(bg, lost, 0, 10))
		_, err := w.Onboards.Accept(w.boss, w.World.Tenant, repo, onboarding.OnboardingAccept{})
		testkit.OK(t, err)
		testkit.OK(t, w.Services.Intake.SweepHeads(bg, lost, 0, 10))
		w.Settle()
		testkit.Equal(t, "runs", w.States(), "completed")
		testkit.Equal(t, "asked by", w.Runs()[0].Asker, domain.Asker{How: domain.AskedBySweep})
	})
}

// Every repository gets a proposal, which says why it has less than usual.
func TestLittleIsProposedWithAReason(t *testing.T) {
	bot := func(pr *codehost.PullRequest) { pr.AuthorIsBot, pr.Author = true, "bot" }
	for name, c := range map[string]struct {
		host  func(w *world)
		looks int
		note  string
	}{
		"nothing merged": {func(*world) {}, 0, "no merged pull request"},
		"one":            {func(w *world) { w.merged(2, "two") }, 1, "No model is set up"},
		"only by bots":   {func(w *world) { w.merged(2, "two", bot) }, 0, "The policy would review none of the 1 pull requests that were merged last, so nothing was tried out. The newest is not reviewed because: the author is a bot."},
		"no budget": {func(w *world) {
			w.merged(2, "two")
			w.Models.Set(func(int) (llm.Response, error) { return llm.Response{Text: "{}"}, nil })
			w.models.Recorder = refusing{}
		}, 0, "The budget for models has no room"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				c.host(w)
				repo := w.appears(77)
				w.sweep()
				p := w.proposal(repo)
				testkit.Equal(t, "looked at", p.LookedAt, c.looks)
				if !strings.Contains(p.Note, c.note) {
					t.Errorf("the note %q does not say %q", p.Note, c.note)
				}
				testkit.Equal(t, "reviewed", w.enabled(repo), false)
			})
		})
	}
}

// refusing refuses every model call because the budget is used up.
type refusing struct{ ask.Recorder }

// Before implements [ask.Recorder].
func (refusing) Before(context.Context, ask.Call) (string, error) {
	return "", errs.Wrap(ask.ErrBudget, errs.Conflict, store.CodeBudget, "%s", "No room.")
}

// If many repositories arrive at once, as many trials run at once as one tenant may have. Two workers that
// promote at once do not start more.
func TestFewAreTriedOutAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.merged(2, "two")
		began, release := w.Hold("two")
		w.appears(81, 82, 83, 84, 85, 86)
		over := make(chan error, 4)
		for range cap(over) {
			go func() { over <- w.Onboards.Sweep(bg) }()
		}
		for range cap(over) {
			testkit.OK(t, <-over)
		}
		<-began
		testkit.Equal(t, "while the first is tried out", w.count(), "map[trying:2 waiting:4]")
		testkit.OK(t, w.Onboards.Sweep(bg))
		testkit.Equal(t, "after another sweep", w.count(), "map[trying:2 waiting:4]")
		release()
		w.Settle()
		testkit.Equal(t, "after their end", w.count(), "map[proposed:2 waiting:4]")
		w.sweep()
		w.sweep()
		testkit.Equal(t, "in the end", w.count(), "map[proposed:6]")
	})
}

// count counts the tenant's onboardings by state.
func (w *world) count() string {
	w.T.Helper()
	all, err := w.Store.Onboardings(bg, w.World.Tenant, store.OnboardingFilter{Before: store.Cursor{US: 1 << 60, ID: "z"}, Limit: 100})
	testkit.OK(w.T, err)
	n := map[domain.OnboardingState]int{}
	for _, o := range all {
		n[o.State]++
	}
	return fmt.Sprint(n)
}

// The trial of a repository that leaves ends, and starts again when it comes back. A proposal stays, and can
// be decided after the return.
func TestARepositoryThatLeaves(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.merged(2, "two")
		began, release := w.Hold("two")
		repo := w.appears(81)
		testkit.OK(t, w.Onboards.Sweep(bg))
		<-began
		w.leaves(81)
		testkit.OK(t, w.Onboards.Sweep(bg))
		first := w.state(repo, domain.OnboardingFailed)
		testkit.Equal(t, "why", first.Failure, domain.OnboardingLeft)
		_, err := w.Onboards.Accept(w.boss, w.World.Tenant, repo, onboarding.OnboardingAccept{})
		refused(t, err, errs.Conflict, "disconnected")
		_, err = w.Onboards.Retry(w.boss, w.World.Tenant, repo)
		refused(t, err, errs.Conflict, "disconnected")
		release()
		w.Settle()
		w.returns(81)
		w.sweep()
		second := w.state(repo, domain.OnboardingProposed)
		testkit.Equal(t, "another one", second.ID != first.ID, true)

		w.leaves(81)
		w.sweep()
		w.state(repo, domain.OnboardingProposed)
		for _, err := range []error{w.accept(repo), w.decline(repo)} {
			refused(t, err, errs.Conflict, "disconnected")
		}
		testkit.Equal(t, "inbox", fmt.Sprint(w.inbox("manage")), "[]")
		w.returns(81)
		testkit.OK(t, w.decline(repo))
		testkit.Equal(t, "intake", w.repository(81).Intake, domain.IntakeOff)
	})
}

func (w *world) accept(r store.Repository) error {
	_, err := w.Onboards.Accept(w.boss, w.World.Tenant, r, onboarding.OnboardingAccept{})
	return err
}

func (w *world) decline(r store.Repository) error {
	_, err := w.Onboards.Decline(w.boss, w.World.Tenant, r, onboarding.OnboardingDecline{Note: "No."})
	return err
}

// A failed trial can be repeated, and the repository can be decided without one.
func TestAFailedTrialIsTriedAgain(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.merged(2, "two", func(pr *codehost.PullRequest) { pr.BaseSHA = pr.HeadSHA })
		repo := w.appears(81)
		_, err := w.Onboards.Retry(w.boss, w.World.Tenant, repo)
		refused(t, err, errs.NotFound, "not_found")
		w.sweep()
		o := w.state(repo, domain.OnboardingFailed)
		if o.Failure != domain.OnboardingBroken || !strings.Contains(o.Reason, "already contained the head") {
			t.Errorf("it failed: %s %q", o.Failure, o.Reason)
		}
		w.sweep()
		w.state(repo, domain.OnboardingFailed)
		w.merged(2, "two")
		again, err := w.Onboards.Retry(w.boss, w.World.Tenant, repo)
		testkit.OK(t, err)
		testkit.Equal(t, "state, dry run, reason", fmt.Sprint(again.State, again.DryRun, again.Reason), "waiting")
		w.sweep()
		o = w.state(repo, domain.OnboardingProposed)
		testkit.Equal(t, "steps", fmt.Sprint(w.steps(o)), "[waiting trying failed waiting trying proposed]")
		_, err = w.Onboards.Retry(w.boss, w.World.Tenant, repo)
		refused(t, err, errs.Conflict, "not_failed")
		testkit.OK(t, w.accept(repo))
		_, err = w.Onboards.Retry(w.boss, w.World.Tenant, repo)
		refused(t, err, errs.Conflict, "onboarding_decided")
	})
}

// Cancelling the dry run of a trial ends the trial and not the onboarding.
func TestACancelledTrial(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.merged(2, "two")
		began, _ := w.Hold("two")
		repo := w.appears(81)
		testkit.OK(t, w.Onboards.Sweep(bg))
		<-began
		_, err := w.Dry.Cancel(w.boss, w.World.Tenant, repo.ID, w.read(repo).DryRun)
		testkit.OK(t, err)
		w.Settle()
		o := w.state(repo, domain.OnboardingFailed)
		if !strings.Contains(o.Reason, "cancelled") {
			t.Errorf("it says %q", o.Reason)
		}
		testkit.OK(t, w.accept(repo))
	})
}

func later(pr *codehost.PullRequest) { pr.UpdatedAt = pr.UpdatedAt.AddDate(100, 0, 0) }
