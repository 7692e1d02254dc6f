package gitea

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// Members of teams with separate rights for each kind of object have the rights of the team, although the
// host's answer about one person shows less.
func TestPermissionByTeam(t *testing.T) {
	t.Parallel()
	const units = `{"id":%d,"name":"t","permission":"none","units_map":{%s}}`
	writers, readers := fmt.Sprintf(units, 3, `"repo.code":"write","repo.pulls":"write"`), fmt.Sprintf(units, 4, `"repo.code":"read","repo.issues":"read"`)
	wiki, triage := fmt.Sprintf(units, 5, `"repo.wiki":"write"`), fmt.Sprintf(units, 6, `"repo.issues":"write"`)
	member := func(f *fake, team int) {
		f.json(fmt.Sprintf("GET /teams/%d/members/eve", team), `{"id":10,"login":"eve"}`)
	}
	hidden := func(f *fake, team int) {
		f.status(fmt.Sprintf("GET /teams/%d/members/eve", team), 403, `{"message":"Must be a team member"}`)
	}
	assignee := func(f *fake) { f.json("GET /repos/octo/demo/assignees", `[{"id":10,"login":"eve"}]`) }
	for name, tc := range map[string]struct {
		says    string
		teams   string
		arrange func(*fake)
		want    string
	}{
		"a writer by team":                              {"none", writers, func(f *fake) { member(f, 3) }, "write"},
		"a reader by team":                              {"none", readers, func(f *fake) { member(f, 4) }, "read"},
		"both teams":                                    {"read", readers + "," + writers, func(f *fake) { member(f, 3) }, "write"},
		"no team":                                       {"read", writers, func(*fake) {}, "read"},
		"the name belongs to another member":            {"none", writers, func(f *fake) { f.json("GET /teams/3/members/eve", `{"id":11,"login":"eve"}`) }, "none"},
		"the team writes the wiki only":                 {"read", wiki, func(f *fake) { member(f, 5) }, "read"},
		"the team is not seen, an assignee":             {"none", writers, func(f *fake) { hidden(f, 3); assignee(f) }, "write"},
		"the team is not seen, no assignee":             {"none", writers, func(f *fake) { hidden(f, 3) }, "none"},
		"an assignee, perhaps as a reader":              {"none", writers + "," + readers, func(f *fake) { hidden(f, 3); hidden(f, 4); assignee(f) }, "read"},
		"an assignee, perhaps for issues alone":         {"none", writers + "," + triage, func(f *fake) { hidden(f, 3); assignee(f) }, "none"},
		"an assignee, perhaps for the wiki":             {"none", writers + "," + wiki, func(f *fake) { hidden(f, 3); assignee(f) }, "none"},
		"the request is forbidden, a writer by team":    {"", writers, func(f *fake) { member(f, 3) }, "write"},
		"the request is forbidden, teams invisible":     {"", writers, func(f *fake) { hidden(f, 3); assignee(f) }, "write"},
		"a writer already, without a request for teams": {"write", "", func(f *fake) { f.status("GET /repos/octo/demo/teams", 500, "") }, "write"},
		"a team has a permission for everything":        {"none", `{"id":7,"permission":"write"}`, func(f *fake) { member(f, 7) }, "write"},
	} {
		f := newFake(t)
		f.json("GET /repositories/5", `{"id":5,"name":"demo","owner":{"id":1,"login":"octo"}}`)
		f.json("GET /repos/octo/demo/teams", "["+tc.teams+"]")
		f.json("GET /repos/octo/demo/assignees", "[]")
		if f.json("GET /repos/octo/demo/collaborators/eve/permission", fmt.Sprintf(`{"permission":%q,"user":{"id":10,"login":"eve"}}`, tc.says)); tc.says == "" {
			f.status("GET /repos/octo/demo/collaborators/eve/permission", 403, `{"message":"Only admins can query all permissions"}`)
		}
		tc.arrange(f)
		if got, err := f.host(domain.Gitea).PermissionOf(t.Context(), testRepo, "10", "eve"); err != nil || got != tc.want {
			t.Errorf("%s: %q, %v, want %q: %v", name, got, err, tc.want, f.requests("GET"))
		}
		f.json("GET /users/eve", `{"id":10,"login":"eve"}`)
		if got, err := f.host(domain.Gitea).Permission(t.Context(), testRepo, "eve"); err != nil || got != tc.want {
			t.Errorf("%s, by the name alone: %q, %v, want %q: %v", name, got, err, tc.want, f.requests("GET"))
		}
	}
	f := newFake(t)
	f.json("GET /repositories/5", `{"id":5,"name":"demo","owner":{"id":1,"login":"octo"}}`)
	f.json("GET /repos/octo/demo/collaborators/eve/permission", `{"permission":"none","user":{"id":10,"login":"eve"}}`)
	f.json("GET /repos/octo/demo/teams", "["+strings.Repeat(writers+",", maxTeams)+writers+"]")
	if _, err := f.host(domain.Gitea).PermissionOf(t.Context(), testRepo, "10", "eve"); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Errorf("more teams than the bound: %v", err)
	}
	f.json("GET /repos/octo/demo/teams", "["+writers+"]")
	f.status("GET /teams/3/members/eve", 502, "")
	if _, err := f.host(domain.Gitea).PermissionOf(t.Context(), testRepo, "10", "eve"); codehost.ClassOf(err) != codehost.ClassUnavailable {
		t.Errorf("the host is down: %v", err)
	}
}

// A team's member has the same rights in the list and in the single answer, both for an owner's account and
// for an administrator of the repository who cannot see teams.
func TestTeamsOfTheSimulatedHost(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		s := newSim(t, kind)
		h, ctx := s.host(&codehosttest.Gate{}, neededScopes...), t.Context()
		for _, login := range []string{"eve", "gus"} {
			must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: login}))(t)
		}
		repo := codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}
		team := func(permission string, people ...string) {
			if err := s.ctl.SetTeam(ctx, "octo", simapi.TeamSpec{Name: permission + "rs", Permission: permission, Members: people, Repositories: []string{"demo"}}); err != nil {
				t.Fatal(err)
			}
		}
		check := func(what string, want map[string]string) {
			t.Helper()
			for _, m := range must(h.Members(ctx, repo))(t) {
				single, err := h.PermissionOf(ctx, repo, m.ID, m.Login)
				if err != nil || single != m.Permission {
					t.Errorf("%s, %s: %s may %q, the list says %q, %v", kind, what, m.Login, single, m.Permission, err)
				}
				if named, err := h.Permission(ctx, repo, m.Login); err != nil || named != m.Permission {
					t.Errorf("%s, %s: %s may %q by the name, the list says %q, %v", kind, what, m.Login, named, m.Permission, err)
				}
				if w := want[m.Login]; w != "" && w != m.Permission {
					t.Errorf("%s, %s: %s may %q, want %q", kind, what, m.Login, m.Permission, w)
				}
				delete(want, m.Login)
			}
			if len(want) > 0 {
				t.Errorf("%s, %s: not listed: %v", kind, what, want)
			}
		}
		team("write", "eve")
		team("read", "gus")
		check("an account outside of the owners", map[string]string{"own": "admin", "ann": "write"})
		must(s.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo", Type: "Organization", Members: map[string]string{"bot": "admin"}}))(t)
		check("an owner", map[string]string{"eve": "write", "gus": "read", "own": "admin", "ann": "write"})
	}
}
