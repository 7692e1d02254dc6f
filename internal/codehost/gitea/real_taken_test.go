package gitea

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// TestRealNameThatAnotherRepositoryTook: requests by name reach the other repository, and its pull requests
// name it. The number leads to the renamed repository and its webhook.
func TestRealNameThatAnotherRepositoryTook(t *testing.T) {
	r := newReal(t)
	ctx := t.Context()
	makeRepo := func() codehost.Repo {
		made := r.do("POST", "/orgs/"+r.name+"/repos", "", map[string]any{"name": "demo", "auto_init": true})
		for _, login := range []string{"ann", "bot"} {
			r.do("PUT", "/repos/"+r.name+"/demo/collaborators/"+login, "", map[string]any{"permission": "admin"})
		}
		return codehost.Repo{Access: "c1", ExternalID: domain.HostID(fmt.Sprint(int64(made["id"].(float64)))), Owner: r.name, Name: "demo"}
	}
	repo := makeRepo()
	h := r.host()
	key, address := secret.New("hook"+"-key"), codehost.RepositoryHook(ownerHookAddress, repo.ExternalID)
	must(h.EnsureHook(ctx, repo, address, key))(t)
	r.do("PATCH", "/repos/"+r.name+"/demo", "", map[string]any{"name": "demo-old"})
	other := makeRepo()
	r.put("topic", "main", "a.txt", "YQ==")
	opened := r.do("POST", "/repos/"+r.name+"/demo/pulls", "ann", map[string]any{"title": "Topic", "head": "topic", "base": "main"})
	pull := int(opened["number"].(float64))
	for what, ask := range map[string]func(codehost.Repo) error{
		"a pull request":     func(at codehost.Repo) error { _, err := h.PullRequest(ctx, at, pull); return err },
		"open pull requests": func(at codehost.Repo) error { _, err := h.OpenPullRequests(ctx, at); return err },
	} {
		if err := ask(repo); codehost.ClassOf(err) != codehost.ClassMoved {
			t.Errorf("%s by the former name: %v", what, err)
		}
		if err := ask(other); err != nil {
			t.Errorf("%s of the other repository: %v", what, err)
		}
	}
	old := repo
	old.Name = "demo-old"
	if got := must(h.Hook(ctx, old, address))(t); got.ID == "" {
		t.Error("the webhook did not go with its repository")
	}
	if err := h.RemoveHook(ctx, repo, address); err != nil {
		t.Error(err)
	}
	if got := must(h.Hook(ctx, old, address))(t); got.ID != "" {
		t.Errorf("it is still there: %+v", got)
	}
}

// TestRealOwnersWhoAreNotSeen: owners are administrators among the people of a repository, even if the lowest
// team may only read. Members of teams that the account cannot see have that lowest right.
func TestRealOwnersWhoAreNotSeen(t *testing.T) {
	for name, code := range map[string]string{"all teams write": "write", "a team has no right to the code": ""} {
		r := newReal(t)
		repo := r.do("POST", "/orgs/"+r.name+"/repos", "", map[string]any{"name": "demo", "auto_init": true})
		team := func(name, permission string, units map[string]string, people ...string) {
			body := map[string]any{"name": name, "includes_all_repositories": true, "permission": permission, "units_map": units}
			r.join(fmt.Sprint(int64(r.do("POST", "/orgs/"+r.name+"/teams", "", body)["id"].(float64))), people...)
		}
		team("bots", "admin", nil, "bot")
		team("writers", "write", map[string]string{"repo.code": "write", "repo.pulls": "write"}, "ann")
		units := map[string]string{"repo.issues": "write", "repo.pulls": "write"}
		if code != "" {
			units["repo.code"] = code
		}
		team("others", "write", units, "rob")
		r.join(r.owners(), "eve")
		h := r.host()
		ref := codehost.Repo{Access: "c1", ExternalID: domain.HostID(fmt.Sprint(int64(repo["id"].(float64)))), Owner: r.name, Name: "demo"}
		listed := map[string]string{}
		for _, m := range must(h.Members(t.Context(), ref))(t) {
			listed[m.Login] = m.Permission
		}
		want := map[string]string{"eve": "admin", "ann": code, "rob": code}
		for login, w := range want {
			id := domain.HostID(fmt.Sprint(int64(r.do("GET", "/users/"+login, "", nil)["id"].(float64))))
			single := must(h.PermissionOf(t.Context(), ref, id, login))(t)
			if w == "" && single == "read" { // the repository is public
				single = ""
			}
			if listed[login] != w || single != w {
				t.Errorf("%s: %s may %q by the list and %q by the number, want %q", name, login, listed[login], single, w)
			}
		}
	}
}

// host opens the organisation's host as the service's account.
func (r *real) host() *Host {
	r.t.Helper()
	return must(New(Config{Kind: domain.Gitea, BaseURL: r.url, Owner: r.name, Token: r.token("all"), Connection: "c1",
		HTTP: http.DefaultClient, Gate: &codehosttest.Gate{}}))(r.t)
}
