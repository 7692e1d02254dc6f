package gitea

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
)

// A member of a team has the rights of the team as far as the account can see the team: in the list, by the
// person's number and by name. If the account cannot see the members, each of them counts with the lowest
// right of all teams.
func TestTeamsOnARealHost(t *testing.T) {
	for name, tc := range map[string]struct {
		owner, each bool
		want        map[string]string
	}{
		"in Owners":          {true, false, map[string]string{"ann": "write", "rob": "read", "eve": ""}},
		"in each team":       {false, true, map[string]string{"ann": "write", "rob": "read", "eve": ""}},
		"in a separate team": {false, false, map[string]string{"ann": "read", "rob": "read", "eve": ""}},
	} {
		r := newReal(t)
		repo := r.do("POST", "/orgs/"+r.name+"/repos", "", map[string]any{"name": "demo", "private": true, "auto_init": true})
		team := func(word string, people ...string) {
			if tc.each {
				people = append(people, "bot")
			}
			body := map[string]any{"name": word + "-team", "includes_all_repositories": true, "permission": word}
			if word != "admin" {
				body["units_map"] = map[string]string{"repo.code": word, "repo.pulls": word, "repo.issues": word}
			}
			r.join(fmt.Sprint(int64(r.do("POST", "/orgs/"+r.name+"/teams", "", body)["id"].(float64))), people...)
		}
		team("write", "ann")
		team("read", "rob")
		team("admin", "bot")
		if tc.owner {
			r.join(r.owners(), "bot")
		}
		h := must(New(Config{Kind: domain.Gitea, BaseURL: r.url, Owner: r.name, Token: r.token("all"), Connection: "c1",
			HTTP: http.DefaultClient, Gate: &codehosttest.Gate{}}))(t)
		ref := codehost.Repo{Access: "c1", ExternalID: domain.HostID(fmt.Sprint(int64(repo["id"].(float64)))), Owner: r.name, Name: "demo"}
		listed := map[string]string{}
		for _, m := range must(h.Members(t.Context(), ref))(t) {
			listed[m.Login] = m.Permission
		}
		for login, want := range tc.want {
			id := domain.HostID(fmt.Sprint(int64(r.do("GET", "/users/"+login, "", nil)["id"].(float64))))
			none := func(s string) string {
				if s == "none" {
					return ""
				}
				return s
			}
			testkit.Equal(t, name+": "+login+" by the list", listed[login], want)
			testkit.Equal(t, name+": "+login+" by the number", none(must(h.PermissionOf(t.Context(), ref, id, login))(t)), want)
			testkit.Equal(t, name+": "+login+" by the name", none(must(h.Permission(t.Context(), ref, login))(t)), want)
		}
	}
}

// owners returns the number of the team Owners.
func (r *real) owners() (id string) {
	r.t.Helper()
	list, _ := r.do("GET", "/orgs/"+r.name+"/teams/search?q=Owners", "", nil)["data"].([]any)
	testkit.Require(r.t, "teams of owners", len(list), 1)
	return fmt.Sprint(int64(list[0].(map[string]any)["id"].(float64)))
}

// join adds people to a team.
func (r *real) join(team string, people ...string) {
	r.t.Helper()
	for _, login := range people {
		r.do("PUT", "/teams/"+team+"/members/"+login, "", nil)
	}
}
