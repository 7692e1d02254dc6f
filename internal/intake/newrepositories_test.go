package intake_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// newcomer is an unknown repository with a pull request, on an installation that may be new too.
type newcomer struct {
	*reviewtest.Fixture
	repo         codehost.RepoInfo
	beside       []codehost.RepoInfo // repositories that appear with it
	installation int64               // an unused number
	number       int
}

func newNewcomer(f *reviewtest.Fixture, n int) *newcomer {
	v := &newcomer{Fixture: f, installation: int64(5000 + n), number: n}
	for i := range 7 {
		v.beside = append(v.beside, codehost.RepoInfo{ExternalID: domain.NumberID(int64(n*100 + i)), Owner: "octo", Name: fmt.Sprintf("new%d-%d", n, i)})
	}
	v.repo = v.beside[0]
	return v
}

// opened returns the event of its pull request, and adds the pull request to the host.
func (n *newcomer) opened() codehost.Event {
	ev := n.Event("opened", fmt.Sprint("head", n.number), func(pr *codehost.PullRequest) { pr.Number, pr.UpdatedAt = n.number, time.Now().Add(time.Hour) })
	ev.Repository = &n.repo
	return ev
}

// of moves an event to the new installation.
func (n *newcomer) of(ev codehost.Event) codehost.Event {
	ev.Installation = &codehost.Installation{ID: domain.NumberID(n.installation)}
	return ev
}

// arrives has the ways in which a repository and its pull request become known.
var arrives = map[string]func(n *newcomer){
	"with the installation's event": func(n *newcomer) {
		n.Place = n.World.Tenant.ID
		n.Deliver(installed("created", n.installation, n.beside...))
		n.Deliver(n.of(n.opened()))
	},
	"with an event about repositories": func(n *newcomer) {
		n.Deliver(codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: n.beside})
		n.Deliver(n.opened())
	},
	"with an event about itself": func(n *newcomer) {
		n.Deliver(codehost.Event{Kind: codehost.KindRepository, Action: "publicized", Repository: &n.repo})
		n.Deliver(n.opened())
	},
	"with the event that it was made": func(n *newcomer) {
		n.Deliver(codehost.Event{Kind: codehost.KindRepository, Action: "created", Repository: &n.repo})
		n.Deliver(n.opened())
	},
	"with its first pull request": func(n *newcomer) { n.Deliver(n.opened()) },
	"on an installation that was never announced": func(n *newcomer) {
		n.Place = n.World.Tenant.ID
		n.Host.Install = codehost.Installation{ID: domain.NumberID(n.installation), AccountID: "32", AccountLogin: "late", AccountType: "User"}
		n.Host.Repositories = n.beside
		n.Deliver(n.of(n.opened()))
	},
	"on an installation that comes back": func(n *newcomer) {
		n.Place = n.World.Tenant.ID
		n.Deliver(installed("created", n.installation))
		n.Host.Install.Suspended = true
		n.Deliver(installed("suspend", n.installation))
		n.Host.Install.Suspended = false
		n.Host.Repositories = n.beside
		n.Deliver(installed("unsuspend", n.installation))
		n.Deliver(n.of(n.opened()))
	},
	"on an installation that an operator places": func(n *newcomer) {
		n.Place = ""
		n.Deliver(installed("created", n.installation, n.beside...))
		placed, err := n.Store.PlaceInstallation(bg, n.World.Tenant, installation(n.Fixture, n.installation).ID)
		testkit.OK(n.T, err)
		testkit.Equal(n.T, "placed", placed, true)
		n.Deliver(n.of(n.opened()))
	},
	"with a command": func(n *newcomer) {
		ev := n.opened()
		n.Host.Roles["writer"] = "write"
		command := reviewtest.Comment(int64(n.number), "writer", "/assay resume")
		command.Repository, command.Comment.Number = &n.repo, n.number
		testkit.Equal(n.T, "the command", n.Deliver(command).Disposition, domain.DispositionApplied)
		n.Deliver(ev)
	},
	"with a pull request that the sweep finds": func(n *newcomer) {
		// The host in memory has one list of pull requests for all repositories, so that only this one may be
		// swept.
		testkit.OK(n.T, n.Store.DisconnectRepositories(bg, n.World.Tenant, n.World.Installation.ID))
		n.Deliver(codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: n.beside[:1]})
		clear(n.Host.Pulls)
		n.opened()
		testkit.OK(n.T, n.Services.Intake.SweepHeads(bg, store.Unswept{Installation: -time.Hour}, 0, 100))
		n.Settle()
	},
}

// A new repository is reviewed as its tenant's settings say, however it arrives.
func TestNewRepositoriesAreReviewedAsTheTenantSays(t *testing.T) {
	for way, arrive := range arrives {
		t.Run(way, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				for i, tt := range []struct {
					name, defaults, intake string
					state                  domain.RunState
				}{
					{"nothing said", `{}`, domain.IntakeOn, domain.RunCompleted},
					{"on", `{"reviewNewRepositories":"on"}`, domain.IntakeOn, domain.RunCompleted},
					{"off", `{"reviewNewRepositories":"off"}`, domain.IntakeOff, domain.RunSkipped},
					{"onboarding", `{"reviewNewRepositories":"onboarding"}`, domain.IntakeOnboarding, ""},
				} {
					f.Policy(tt.defaults)
					n := newNewcomer(f, i+1)
					arrive(n)
					n.expect(tt.name, tt.intake, tt.state)
				}
			})
		})
	}
}

// expect compares the repository's setting and the result of its pull request with the expected ones.
func (n *newcomer) expect(name, intake string, state domain.RunState) {
	n.T.Helper()
	all, err := n.Store.Repositories(bg, n.World.Tenant)
	testkit.OK(n.T, err)
	found := 0
	for _, r := range all {
		if r.ExternalID[:len(r.ExternalID)-2] != n.repo.ExternalID[:len(n.repo.ExternalID)-2] { // ids of another hundred
			continue
		}
		found++
		testkit.Equal(n.T, name+": the intake of "+r.Name, r.Intake, intake)
	}
	if found == 0 {
		n.T.Errorf("%s: the repository is not there", name)
	}
	var states []domain.RunState
	for _, r := range n.Runs() {
		if r.Number == n.number {
			states = append(states, r.State)
		}
	}
	want := []domain.RunState{state}
	if state == "" {
		want = nil
	}
	testkit.Equal(n.T, name+": runs", fmt.Sprint(states), fmt.Sprint(want))
}

// The pull requests of a repository that is tried out are listed, and none is reviewed.
func TestPullRequestsOfATrialAreListed(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(`{"reviewNewRepositories":"onboarding"}`)
		n := newNewcomer(f, 1)
		arrives["with a pull request that the sweep finds"](n)
		all, err := n.Store.Repositories(bg, n.World.Tenant)
		testkit.OK(t, err)
		listed := 0
		for _, r := range all {
			if r.ExternalID == n.repo.ExternalID {
				pulls, err := n.Store.PullRequests(bg, n.World.Tenant, r.ID, store.PullFilter{Limit: 10})
				testkit.OK(t, err)
				listed += len(pulls)
			}
		}
		testkit.Equal(t, "listed", listed, 1)
		testkit.Equal(t, "runs", len(n.Runs()), 0)
	})
}
