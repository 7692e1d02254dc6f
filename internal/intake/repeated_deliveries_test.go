package intake_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

const repeated = "repeated: the same body was delivered before under another id"

// paused reports whether automatic reviews of pull request 1 are stopped.
func paused(f *reviewtest.Fixture) bool {
	f.T.Helper()
	row, err := f.Store.PullRequest(bg, f.World.Tenant, f.Runs()[0].PullRequest)
	testkit.OK(f.T, err)
	return row.Paused
}

func TestACommandActsOnce(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles["writer"] = "write"
		f.Deliver(f.Event("opened", "a"))
		pause := reviewtest.Comment(1, "writer", "/assay pause")
		f.Want(f.Deliver(pause), domain.DispositionApplied, "completed")
		f.Want(f.Deliver(reviewtest.Comment(2, "writer", "/assay resume")), domain.DispositionApplied, "completed")
		d := f.Deliver(pause)
		f.Want(d, domain.DispositionIgnored, "completed")
		testkit.Equal(t, "reason", d.Reason, repeated)
		testkit.Equal(t, "paused", paused(f), false)
	})
}

func TestAPressedButtonActsOnce(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles["writer"] = "write"
		f.Deliver(f.Event("opened", "a"))
		again := rerequested("writer", f.Runs()[0])
		f.Want(f.Deliver(again), domain.DispositionRun, "completed completed")
		d := f.Deliver(again)
		f.Want(d, domain.DispositionIgnored, "completed completed")
		testkit.Equal(t, "reason", d.Reason, repeated)
	})
}

// An event whose head ended without a review starts one more run. Its body, sent again by anyone, starts
// none.
func TestAnEventOfAPullRequestStartsOneRun(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		opened := f.Event("opened", "a", reviewtest.Drafted)
		f.Want(f.Deliver(opened), domain.DispositionRun, "skipped")
		for range 3 {
			f.Want(f.Deliver(opened), domain.DispositionCoalesced, "skipped")
		}
		f.Want(f.Deliver(f.Event("ready_for_review", "a")), domain.DispositionRun, "skipped completed")
	})
}

// For a repeated body only the host's present state of the pull request counts.
func TestARepeatedBodyActsOnWhatTheHostSays(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		opened := f.Event("opened", "a")
		f.Want(f.Deliver(opened), domain.DispositionRun, "completed")
		f.Event("synchronize", "b") // the host has it, but its event is lost
		d := f.Deliver(opened)
		f.Want(d, domain.DispositionRun, "completed completed")
		testkit.Equal(t, "head", f.Runs()[1].HeadSHA, f.Host.Pulls[1].HeadSHA)

		closed := f.Event("closed", "b")
		f.Want(f.Deliver(closed), domain.DispositionApplied, "completed completed")
		began, release := f.Hold("c")
		f.Processed(f.Event("reopened", "c"))
		reviewtest.Receive(t, began)
		d = f.Processed(closed)
		testkit.Equal(t, "disposition", d.Disposition, domain.DispositionCoalesced)
		release()
		f.Settle()
		testkit.Equal(t, "runs", f.States(), "completed completed completed")
	})
}

func TestARepeatedBodyConnectsNoRepository(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		opened := f.Event("opened", "a")
		f.Want(f.Deliver(opened), domain.DispositionRun, "completed")
		f.Want(f.Deliver(codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "removed", RepositoriesRemoved: []codehost.RepoInfo{reviewtest.Repository()}}), domain.DispositionApplied, "completed")
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:disconnected ")
		d := f.Deliver(opened)
		f.Want(d, domain.DispositionIgnored, "completed")
		testkit.Equal(t, "reason", d.Reason, repeated)
		testkit.Equal(t, "repositories", repositoryStates(f), "repo:disconnected ")
	})
}

// A body whose job was given up may be processed again.
func TestABodyThatFailedMayComeAgain(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles["writer"] = "write"
		f.Deliver(f.Event("opened", "a"))
		f.Stop()
		f.Settings.Attempts = 1
		f.Start()
		pause := reviewtest.Comment(1, "writer", "/assay pause")
		f.Host.Fail("permission", &codehost.Error{Class: codehost.ClassUnavailable})
		f.Want(f.Deliver(pause), domain.DispositionFailed, "completed")
		f.Host.Fail("permission", nil)
		f.Want(f.Deliver(pause), domain.DispositionApplied, "completed")
		testkit.Equal(t, "paused", paused(f), true)
	})
}

// Each event about people queries the host again, because its body is the same when the same happens again.
// No event removes a member by itself.
func TestEventsAboutPeopleRemoveNoMember(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		user, err := f.Store.CreateUser(bg, "mona", false)
		testkit.OK(t, err)
		testkit.OK(t, f.Store.SetMember(bg, f.World.Tenant, user.ID, domain.RoleMember, "host"))
		removed := codehost.Event{Kind: codehost.KindMembership, Name: "organization", Action: "member_removed"}
		for range 2 {
			f.Want(f.Deliver(removed), domain.DispositionApplied, "")
		}
		role, err := f.Store.RoleOf(bg, f.World.Tenant, user.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "role of the person", role, domain.RoleMember)
	})
}

// Each withdrawal of the app's authorisation by a person queries the host again, because its body is always
// the same.
func TestAWithdrawnAuthorisationCountsEachTime(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		withdrawn := codehost.Event{Kind: codehost.KindAuthorization, Name: "github_app_authorization", Action: "revoked", Sender: codehost.Sender{ID: "5", Login: "mona"}}
		for range 2 {
			f.Want(f.Deliver(withdrawn), domain.DispositionApplied, "")
		}
	})
}
