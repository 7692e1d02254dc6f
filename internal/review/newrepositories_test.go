package review_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
)

// newcomer is a repository that nobody has seen, with a pull request, on an
// installation that may be new as well.
type newcomer struct {
	*fixture
	repo         codehost.RepoInfo
	beside       []codehost.RepoInfo // what appears with it
	installation int64               // a number that is not taken
	number       int
}

func (f *fixture) newcomer(n int) *newcomer {
	v := &newcomer{fixture: f, installation: int64(5000 + n), number: n}
	for i := range 7 {
		v.beside = append(v.beside, codehost.RepoInfo{ExternalID: int64(n*100 + i), Owner: "octo", Name: fmt.Sprintf("new%d-%d", n, i)})
	}
	v.repo = v.beside[0]
	return v
}

// opened is the event of its pull request, which the host has from then on.
func (n *newcomer) opened() codehost.Event {
	ev := n.event("opened", fmt.Sprint("head", n.number), func(pr *codehost.PullRequest) { pr.Number, pr.UpdatedAt = n.number, time.Now().Add(time.Hour) })
	ev.Repository = &n.repo
	return ev
}

// of makes an event one of the new installation.
func (n *newcomer) of(ev codehost.Event) codehost.Event {
	ev.Installation = &codehost.Installation{ID: n.installation}
	return ev
}

// arrives are the ways in which a repository and its pull request become known.
var arrives = map[string]func(n *newcomer){
	"with the installation's event": func(n *newcomer) {
		n.place = n.world.Tenant.ID
		n.deliver(n.installed("created", n.installation, n.beside...))
		n.deliver(n.of(n.opened()))
	},
	"with an event about repositories": func(n *newcomer) {
		n.deliver(codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: n.beside})
		n.deliver(n.opened())
	},
	"with an event about itself": func(n *newcomer) {
		n.deliver(codehost.Event{Kind: codehost.KindRepository, Action: "publicized", Repository: &n.repo})
		n.deliver(n.opened())
	},
	"with its first pull request": func(n *newcomer) { n.deliver(n.opened()) },
	"of an installation that was never announced": func(n *newcomer) {
		n.place = n.world.Tenant.ID
		n.host.Install = codehost.Installation{ID: n.installation, AccountID: 32, AccountLogin: "late", AccountType: "User"}
		n.host.Repositories = n.beside
		n.deliver(n.of(n.opened()))
	},
	"of an installation that comes back": func(n *newcomer) {
		n.place = n.world.Tenant.ID
		n.deliver(n.installed("created", n.installation))
		n.deliver(n.installed("suspend", n.installation))
		n.host.Repositories = n.beside
		n.deliver(n.installed("unsuspend", n.installation))
		n.deliver(n.of(n.opened()))
	},
	"of an installation that an operator places": func(n *newcomer) {
		n.place = ""
		n.deliver(n.installed("created", n.installation, n.beside...))
		placed, err := n.store.PlaceInstallation(bg, n.world.Tenant, n.fixture.installation(n.installation).ID)
		testkit.OK(n.t, err)
		testkit.Equal(n.t, "placed", placed, true)
		n.deliver(n.of(n.opened()))
	},
	"with a command": func(n *newcomer) {
		ev := n.opened()
		n.host.Roles["writer"] = "write"
		command := comment(int64(n.number), "writer", "/assay resume")
		command.Repository, command.Comment.Number = &n.repo, n.number
		testkit.Equal(n.t, "the command", n.deliver(command).Disposition, domain.DispositionApplied)
		n.deliver(ev)
	},
	"with a pull request that the sweep finds": func(n *newcomer) {
		// The host in memory has one list of pull requests for all: only this repository may be looked through.
		testkit.OK(n.t, n.store.DisconnectRepositories(bg, n.world.Tenant, n.world.Installation.ID))
		n.deliver(codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: n.beside[:1]})
		clear(n.host.Pulls)
		n.opened()
		testkit.OK(n.t, n.services.Intake.SweepHeads(bg, -time.Hour, 100))
		n.settle()
	},
}

// Whichever way a repository comes, it is reviewed as its tenant says.
func TestNewRepositoriesAreReviewedAsTheTenantSays(t *testing.T) {
	for way, arrive := range arrives {
		t.Run(way, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				for i, tt := range []struct {
					name, defaults, intake string
					state                  domain.RunState
				}{
					{"nothing said", `{}`, domain.IntakeOn, domain.RunCompleted},
					{"on", `{"reviewNewRepositories":"on"}`, domain.IntakeOn, domain.RunCompleted},
					{"off", `{"reviewNewRepositories":"off"}`, domain.IntakeOff, domain.RunSkipped},
					{"stored onboarding", `{"reviewNewRepositories":"onboarding"}`, domain.IntakeOn, domain.RunCompleted},
				} {
					f.policy(tt.defaults)
					n := f.newcomer(i + 1)
					arrive(n)
					n.expect(tt.name, tt.intake, tt.state)
				}
			})
		})
	}
}

// expect compares what the repository got and what became of its pull request.
func (n *newcomer) expect(name, intake string, state domain.RunState) {
	n.t.Helper()
	all, err := n.store.Repositories(bg, n.world.Tenant)
	testkit.OK(n.t, err)
	found := 0
	for _, r := range all {
		if r.ExternalID/100 != n.repo.ExternalID/100 {
			continue
		}
		found++
		testkit.Equal(n.t, name+": the intake of "+r.Name, r.Intake, intake)
	}
	if found == 0 {
		n.t.Errorf("%s: the repository is not there", name)
	}
	var states []domain.RunState
	for _, r := range n.runs() {
		if r.Number == n.number {
			states = append(states, r.State)
		}
	}
	testkit.Equal(n.t, name+": runs", fmt.Sprint(states), fmt.Sprint([]domain.RunState{state}))
}
