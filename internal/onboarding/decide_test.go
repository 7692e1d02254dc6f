package onboarding_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Setting in the policy whether the repository is reviewed also counts as a decision.
func TestThePolicyDecides(t *testing.T) {
	for on, want := range map[bool]domain.OnboardingState{true: domain.OnboardingAccepted, false: domain.OnboardingDeclined} {
		t.Run(string(want), func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.merged(2, "two")
				began, _ := w.Hold("two")
				repo := w.appears(81)
				testkit.OK(t, w.Onboards.Sweep(bg))
				<-began
				_, err := w.Tenant.PutPolicy(w.boss, w.World.Tenant, repo, 0, policy.RepositoryPolicyUpdate{Profile: new("quiet")})
				testkit.OK(t, err)
				w.state(repo, domain.OnboardingTrying)
				_, err = w.Tenant.PutPolicy(w.boss, w.World.Tenant, repo, 0, policy.RepositoryPolicyUpdate{Enabled: &on})
				testkit.OK(t, err)
				o := w.state(repo, want)
				testkit.Equal(t, "person and way", o.DecidedName+" "+o.How, "boss policy")
				testkit.Equal(t, "reviewed", w.enabled(repo), on)
				refused(t, w.accept(repo), errs.Conflict, "onboarding_decided")
				testkit.OK(t, w.Onboards.Sweep(bg)) // does not wait for the trial
				w.Settle()
				dry, err := w.Store.DryRunForWork(bg, o.DryRun)
				testkit.OK(t, err)
				testkit.Equal(t, "state of the dry run", dry.State, domain.DryRunCancelled)
				w.sweep()
				w.state(repo, want)
			})
		})
	}
}

// An invalid decision changes nothing.
func TestWhatCannotBeDecided(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		repo := w.appears(81)
		refused(t, w.accept(repo), errs.NotFound, "not_found")
		w.sweep()
		for name, in := range map[string]onboarding.OnboardingAccept{
			"switched off": {Policy: &policy.RepositoryPolicyUpdate{Enabled: new(false)}},
			"locked":       {Policy: &policy.RepositoryPolicyUpdate{Profile: new("quiet")}},
		} {
			if name == "locked" {
				w.Policy(`{"reviewNewRepositories":"onboarding","locked":["profile"]}`)
			}
			_, err := w.Onboards.Accept(w.boss, w.World.Tenant, repo, in)
			if !errs.Is(err, errs.Invalid) || !strings.Contains(fmt.Sprint(err), "/policy/") {
				t.Errorf("%s: %v", name, err)
			}
		}
		w.Policy(`{"reviewNewRepositories":"onboarding","enabled":false,"locked":["enabled"]}`)
		refused(t, w.accept(repo), errs.Conflict, "locked")
		w.Policy(`{"reviewNewRepositories":"onboarding","enabled":true,"locked":["enabled"]}`)
		refused(t, w.decline(repo), errs.Conflict, "locked")
		w.state(repo, domain.OnboardingProposed)
		testkit.Equal(t, "intake", w.repository(81).Intake, domain.IntakeOnboarding)

		// A tenant that reviews no other repositories has this one reviewed.
		w.Policy(`{"reviewNewRepositories":"onboarding","enabled":false}`)
		testkit.OK(t, w.accept(repo))
		testkit.Equal(t, "reviewed", w.enabled(repo), true)
	})
}

// If two people decide at once, one succeeds, and the other learns who decided.
func TestOneDecides(t *testing.T) {
	eachOf(t, storetest.Both, func(t *testing.T, w *world) {
		for id := range int64(5) {
			repo := w.appears(90 + id)
			w.sweep()
			w.state(repo, domain.OnboardingProposed)
			anna, ben := w.as("Anna"), w.as("Ben")
			over := make(chan error, 2)
			go func() {
				_, err := w.Onboards.Accept(anna, w.World.Tenant, repo, onboarding.OnboardingAccept{})
				over <- err
			}()
			go func() {
				_, err := w.Onboards.Decline(ben, w.World.Tenant, repo, onboarding.OnboardingDecline{})
				over <- err
			}()
			won, lost := <-over, <-over
			if won != nil {
				won, lost = lost, won
			}
			testkit.OK(t, won)
			refused(t, lost, errs.Conflict, "onboarding_decided")
			o := w.read(repo)
			if !o.State.Decided() || !strings.Contains(lost.Error(), o.DecidedName+" "+string(o.State)) {
				t.Errorf("%s by %s, and the other person got: %v", o.State, o.DecidedName, lost)
			}
			testkit.Equal(t, "reviewed", w.enabled(repo), o.State == domain.OnboardingAccepted)
			testkit.Equal(t, "steps", len(w.steps(o)), 4)
		}
	})
}

// If a person accepts while the repository leaves, either the decision comes first or the person gets an
// error that it has left.
func TestAcceptedOrLeft(t *testing.T) {
	eachOf(t, storetest.Both, func(t *testing.T, w *world) {
		for id := range int64(5) {
			repo := w.appears(90 + id)
			w.sweep()
			over := make(chan error, 1)
			go func() { over <- w.accept(repo) }()
			w.leaves(90 + id)
			switch err := <-over; {
			case err == nil:
				w.state(repo, domain.OnboardingAccepted)
			default:
				refused(t, err, errs.Conflict, "disconnected")
				w.state(repo, domain.OnboardingProposed)
				testkit.Equal(t, "intake", w.repository(90+id).Intake, domain.IntakeOnboarding)
			}
		}
	})
}

// If a person declines while the trial ends, the decision stands, and there is no further request for one.
func TestDeclinedWhileTheTrialEnds(t *testing.T) {
	eachOf(t, storetest.Both, func(t *testing.T, w *world) {
		w.merged(2, "two")
		for id := range int64(4) {
			began, release := w.Hold("two")
			repo := w.appears(90 + id)
			testkit.OK(t, w.Onboards.Sweep(bg))
			<-began
			over := make(chan error, 1)
			go func() { over <- w.decline(repo) }()
			release()
			testkit.OK(t, <-over)
			w.Settle()
			o := w.state(repo, domain.OnboardingDeclined)
			testkit.Equal(t, "reviewed", w.enabled(repo), false)
			dry, err := w.Store.DryRunForWork(bg, o.DryRun)
			testkit.OK(t, err)
			testkit.Equal(t, "the trial is over", dry.State.Terminal(), true)
		}
		testkit.Equal(t, "inbox", len(w.inbox("manage")), 0)
	})
}

// Decisions and their changes are in the audit log.
func TestDecisionsAreRecorded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		repo, other := w.appears(81, 82), w.repository(82)
		w.sweep()
		_, err := w.Onboards.Accept(w.boss, w.World.Tenant, repo, onboarding.OnboardingAccept{Note: "Good.", Policy: &policy.RepositoryPolicyUpdate{MinSeverity: new("low")}})
		testkit.OK(t, err)
		testkit.OK(t, w.decline(other))
		rows, err := w.Store.AuditEntries(bg, w.World.Tenant, store.AuditFilter{Limit: 10})
		testkit.OK(t, err)
		var seen []string
		for _, r := range rows {
			seen = append(seen, r.Action)
		}
		testkit.Equal(t, "acts", fmt.Sprint(seen), "[onboarding.decline onboarding.accept]")
	})
}

// Retrying is recorded as an act of a person too.
func TestRetriesAreRecorded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.merged(2, "two", func(pr *codehost.PullRequest) { pr.HeadSHA = "" })
		repo := w.appears(81)
		w.sweep()
		w.state(repo, domain.OnboardingFailed)
		_, err := w.Onboards.Retry(w.boss, w.World.Tenant, repo)
		testkit.OK(t, err)
		rows, err := w.Store.AuditEntries(bg, w.World.Tenant, store.AuditFilter{Limit: 10})
		testkit.OK(t, err)
		testkit.Require(t, "acts", len(rows), 1)
		testkit.Equal(t, "act", rows[0].Action, "onboarding.retry")
	})
}
