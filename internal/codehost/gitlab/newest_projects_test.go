package gitlab

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/host/simclient"
)

// TestNewestProjects: one request returns the newest projects of a group and its subgroups, newest first.
func TestNewestProjects(t *testing.T) {
	t.Parallel()
	s, ctx := newSim(t), t.Context()
	for i := range codehost.MaxNewest + 1 {
		must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "octo/team", Name: fmt.Sprintf("r%d", i)}))(t)
	}
	must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "ann", Name: "own", Public: true}))(t)
	h := s.host(&codehosttest.Gate{})
	before := len(must(s.ctl.Requests(ctx, simclient.RequestFilter{}))(t))
	got := must(h.Newest(ctx, "1"))(t)
	if len(got.Repositories) != codehost.MaxNewest || got.Repositories[0].Name != fmt.Sprintf("r%d", codehost.MaxNewest) || got.Repositories[0].CreatedAt.IsZero() || got.Total != codehost.MaxNewest+2 {
		t.Errorf("newest %+v", got)
	}
	if n := len(must(s.ctl.Requests(ctx, simclient.RequestFilter{}))(t)) - before; n != 1 {
		t.Errorf("%d requests", n)
	}
	for owner, first := range map[string]string{codehost.WholeInstance: fmt.Sprintf("r%d", codehost.MaxNewest), "ann": "own"} {
		h.instance.Owner = owner
		if got := must(h.Newest(ctx, "1"))(t); len(got.Repositories) == 0 || got.Repositories[0].Name != first {
			t.Errorf("%s: %+v", owner, got)
		}
	}
	h.instance.Owner = "unknown"
	if _, err := h.Newest(ctx, "1"); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("projects of an unknown owner: %v", err)
	}
}

// TestOwnerNow: a group that was renamed or moved is found by its number and by one of its projects, and a
// user by the number. A user with the number of a group is not taken for the group, nor is another group with
// the former path.
func TestOwnerNow(t *testing.T) {
	t.Parallel()
	s, ctx := newSim(t), t.Context()
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "parent", Type: "Organization", Members: map[string]string{"bot": "admin"}}))(t)
	own := must(s.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "ann", Name: "own", Public: true}))(t)
	h := s.host(&codehosttest.Gate{})
	project := func(id int64) []domain.HostID { return []domain.HostID{"999999", domain.NumberID(id)} }
	ownedBy := func(owner string) codehost.RepoOwner {
		h.instance.Owner = owner
		return must(h.readOwner(ctx, "test"))(t)
	}
	team, ann := ownedBy("octo/team"), ownedBy("ann")
	now := func(name string, id domain.HostID, known []domain.HostID, want codehost.RepoOwner) {
		t.Helper()
		got, err := h.OwnerNow(ctx, id, known)
		if want.ID == "" && codehost.ClassOf(err) != codehost.ClassNotFound || want.ID != "" && (err != nil || got != want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, want)
		}
	}
	demo := project(s.repo.ID)
	now("as it was", team.ID, demo, team)
	now("a user by a project of a group", ann.ID, demo, codehost.RepoOwner{})
	now("a group by a project of a user", team.ID, project(own.ID), codehost.RepoOwner{})
	now("with nothing known", team.ID, nil, codehost.RepoOwner{})
	for from, to := range map[string]string{"octo": "parent/octo", "ann": "anna"} {
		if err := s.ctl.UpdateUser(ctx, from, shared.UserUpdate{Login: to}); err != nil {
			t.Fatal(err)
		}
	}
	team.Login, ann.Login = "parent/octo/team", "anna"
	now("moved with the group above it", team.ID, demo, team)
	now("a renamed user", ann.ID, project(own.ID), ann)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo", Type: "Organization", Members: map[string]string{"bot": "admin"}}))(t)
	must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo/team", Type: "Organization"}))(t)
	now("with another group of the former path", team.ID, demo, team)
}
