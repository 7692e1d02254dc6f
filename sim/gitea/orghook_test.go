package gitea_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// orgHook creates a webhook of the bundle's organisation for the given events, and returns its path and
// its receiver. The account ada owns the organisation.
func (b *bundle) orgHook(admin string, events ...string) (path string, got *receiver) {
	b.t.Helper()
	got = &receiver{status: 204}
	srv := httptest.NewServer(got)
	b.t.Cleanup(srv.Close)
	h := b.callAs(admin, 201, "POST", "/orgs/acme/hooks", map[string]any{"type": "gitea", "active": true, "events": events, "authorization_header": "mark",
		"config": map[string]string{"url": srv.URL, "content_type": "json", "secret": hookSecret}})
	return fmt.Sprintf("/orgs/acme/hooks/%d", h.id()), got
}

// TestHooksOfOrganisations: only owners read, create, edit and delete them, as measured on Gitea
// 1.26.4.
func TestHooksOfOrganisations(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	ctx := t.Context()
	admin := need(b.ctl.NewToken(ctx, "ada", simapi.TokenSpec{})).Text
	path, _ := b.orgHook(admin, "repository")
	must(t, b.ctl.SetTeam(ctx, "acme", simapi.TeamSpec{Name: "admins", Permission: "admin", Members: []string{"robot"}}))
	body := map[string]any{"type": "gitea", "config": map[string]string{"url": "http://127.0.0.1:1/", "content_type": "json"}}
	for _, of := range []struct{ method, path string }{{"GET", "/orgs/acme/hooks"}, {"POST", "/orgs/acme/hooks"}, {"GET", path}, {"PATCH", path}, {"DELETE", path}} {
		b.call(403, of.method, of.path, body) // administrators by a team are not owners
	}
	b.callAs(admin, 404, "GET", "/orgs/nobody/hooks", nil)
	b.callAs(admin, 404, "GET", "/orgs/acme/hooks/9999", nil)
	narrow := need(b.ctl.NewToken(ctx, "ada", simapi.TokenSpec{Scopes: []string{"read:organization"}})).Text
	b.callAs(narrow, 200, "GET", "/orgs/acme/hooks", nil)
	b.callAs(narrow, 403, "POST", "/orgs/acme/hooks", body)
	edited := b.callAs(admin, 200, "PATCH", path, map[string]any{"active": false, "events": []string{"push"}}).object()
	if edited["active"] != false || fmt.Sprint(edited["events"]) != "[push]" {
		t.Errorf("edited: %v", edited)
	}
	list := need(b.ctl.Hooks(ctx))
	if len(list) != 2 || list[1].Organization != "acme" || list[1].Repository != "" || list[0].Repository != "acme/shop" || list[0].Organization != "" {
		t.Errorf("webhooks: %+v", list)
	}
	b.callAs(admin, 204, "DELETE", path, nil)
	b.callAs(admin, 404, "GET", path, nil)
}

// TestRepositoryEvents: the webhook of an organisation gets events of repositories that are created,
// forked or deleted there. The host sends no event for a new name, owner or visibility (measured on
// Gitea 1.26.4).
func TestRepositoryEvents(t *testing.T) {
	t.Parallel()
	for _, forgejo := range []bool{false, true} {
		b := setup(t, gitea.Options{Forgejo: forgejo})
		ctx := t.Context()
		admin := need(b.ctl.NewToken(ctx, "ada", simapi.TokenSpec{})).Text
		b.settle()
		_, got := b.orgHook(admin, "repository", "pull_request")
		var own []delivery // deliveries to the webhook of the repository acme/shop
		heard := func(what, want string) []delivery {
			t.Helper()
			own = b.settle()
			list := got.take(204)
			if events(list) != want {
				t.Fatalf("forgejo %v: %s: %s, want %s", forgejo, what, events(list), want)
			}
			return list
		}
		need(b.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "acme", Name: "fresh"}))
		made := heard("made", "repository created")[0]
		repo := made.object()["repository"].(map[string]any)
		if repo["full_name"] != "acme/fresh" || made.object()["organization"].(map[string]any)["login"] != "acme" || made.header.Get("X-Gitea-Hook-Installation-Target-Type") != "organization" ||
			made.header.Get("Authorization") != "mark" || made.header.Get("X-Gitea-Signature") == "" {
			t.Errorf("made: %v %v", made.header, repo)
		}
		need(b.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "bob", Name: "tool", Public: true}))
		heard("made elsewhere", "")
		b.callAs(admin, 202, "POST", "/repos/bob/tool/forks", map[string]any{"organization": "acme"})
		heard("forked", "repository created")
		must(t, b.ctl.ChangeRepo(ctx, "acme/fresh", simapi.RepoChange{Name: "renamed"}))
		must(t, b.ctl.ChangeRepo(ctx, "acme/renamed", simapi.RepoChange{Owner: "bob"}))
		must(t, b.ctl.ChangeRepo(ctx, "bob/renamed", simapi.RepoChange{Owner: "acme"}))
		b.callAs(admin, 200, "PATCH", "/repos/acme/renamed", map[string]any{"private": false, "archived": true})
		heard("renamed and transferred", "")
		b.callAs(admin, 204, "DELETE", "/repos/acme/renamed", nil)
		heard("deleted", "repository deleted")
		// The webhooks of repository and organisation send the same body with different ids.
		need(b.ctl.Comment(ctx, "acme/shop", 1, shared.CommentSpec{Author: "bob", Body: "x"}))
		org := heard("comment", "pull_request_comment created")
		if len(own) != 1 || string(own[0].body) != string(org[0].body) || own[0].header.Get("X-Gitea-Delivery") == org[0].header.Get("X-Gitea-Delivery") ||
			own[0].header.Get("X-Gitea-Signature") != org[0].header.Get("X-Gitea-Signature") {
			t.Errorf("forgejo %v: the webhook of the repository got %s", forgejo, events(own))
		}
	}
}

// TestNewestRepositories: the search sorts by time of creation, and counts the repositories of one
// owner.
func TestNewestRepositories(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	ctx := t.Context()
	for _, name := range []string{"zebra", "ant"} {
		need(b.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "acme", Name: name}))
	}
	need(b.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "bob", Name: "own", Public: true}))
	admin := need(b.ctl.NewToken(ctx, "ada", simapi.TokenSpec{})).Text
	uid := b.callAs(admin, 200, "GET", "/orgs/acme", nil).id()
	r := b.callAs(admin, 200, "GET", fmt.Sprintf("/repos/search?sort=created&order=desc&limit=2&uid=%d&exclusive=true", uid), nil)
	var names []any
	for _, x := range r.object()["data"].([]any) {
		names = append(names, x.(map[string]any)["name"])
	}
	if fmt.Sprint(names) != "[ant zebra]" || r.header.Get("X-Total-Count") != "3" {
		t.Errorf("newest: %v of %s", names, r.header.Get("X-Total-Count"))
	}
	if r := b.callAs(admin, 200, "GET", "/repos/search?uid=99999&exclusive=true", nil); string(r.body) != `{"ok":true,"data":[]}` && len(r.object()["data"].([]any)) != 0 {
		t.Errorf("an unknown organisation: %s", r.body)
	}
}
