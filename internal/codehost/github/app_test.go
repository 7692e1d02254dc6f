package github

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

func TestAppMissingAndSurplus(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET /app", func(w http.ResponseWriter, _ *http.Request) {
		perms := Permissions()
		delete(perms, "members")
		perms["checks"], perms["contents"], perms["secrets"] = "read", "write", "read"
		events := slices.DeleteFunc(Events(), func(e string) bool { return e == "team" })
		reply(w, 200, map[string]any{"id": testApp, "slug": "assay", "name": "Assay", "owner": map[string]any{"login": "octo", "id": 1},
			"permissions": perms, "events": append(events, "fork")})
	})
	h, _ := newHost(t, f)
	a, err := h.App(t.Context())
	if err != nil || a.ID != domain.NumberID(testApp) || a.Slug != "assay" || a.OwnerLogin != "octo" || a.OwnerID != "1" {
		t.Fatalf("%+v, %v", a, err)
	}
	if got, want := Missing(a), []string{"event team", "permission checks: write", "permission members: read"}; !slices.Equal(got, want) {
		t.Errorf("missing %q, want %q", got, want)
	}
	if got, want := Surplus(a), []string{"event fork", "permission secrets: read"}; !slices.Equal(got, want) {
		t.Errorf("surplus %q, want %q", got, want)
	}
	if a := (App{Permissions: Permissions(), Events: Events()}); len(Missing(a)) != 0 || len(Surplus(a)) != 0 {
		t.Error("the requested app is not correct")
	}
	for _, e := range Events() {
		if usedEvents[e].kind == "" && !unusedEvents[e] {
			t.Errorf("the parser does not know %s", e)
		}
	}
}

func TestInstallationsAndTheirRepositories(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET /app/installations", paged(t, f.URL, 130, func(i int) any {
		v := map[string]any{"id": i + 1, "app_slug": "assay", "account": map[string]any{"login": fmt.Sprint("org", i), "id": i + 1000, "type": "Organization"}}
		if i == 129 {
			v["suspended_at"] = "2026-11-21T10:00:00Z"
		}
		return v
	}, plain))
	f.on("GET /installation/repositories", paged(t, f.URL, 201, func(i int) any {
		return map[string]any{"id": i + 1, "name": fmt.Sprint("r", i), "owner": map[string]any{"login": "octo"}, "default_branch": "trunk", "private": true, "archived": true}
	}, func(list []any) any { return map[string]any{"total_count": 201, "repositories": list} }))
	f.on("GET /app/installations/9", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"id": 9, "account": map[string]any{"login": "octo", "id": 1, "type": "User"}})
	})
	h, _ := newHost(t, f)
	list, err := h.Installations(t.Context())
	if err != nil || len(list) != 130 || list[0].Suspended || list[129] != (codehost.Installation{ID: "130", AccountLogin: "org129", AccountID: "1129", AccountType: "Organization", Suspended: true, AppSlug: "assay"}) {
		t.Fatalf("%d installations, %v", len(list), err)
	}
	repos, err := h.InstallationRepositories(t.Context(), domain.NumberID(testInst))
	if err != nil || len(repos) != 201 || repos[200] != (codehost.RepoInfo{ExternalID: "201", Owner: "octo", Name: "r200", DefaultBranch: "trunk", Private: true, Archived: true}) {
		t.Fatalf("%d repositories, %v", len(repos), err)
	}
	if one, err := h.Installation(t.Context(), "9"); err != nil || one.AccountID != "1" {
		t.Fatalf("%+v, %v", one, err)
	}
	if _, err := h.Installation(t.Context(), "10"); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Fatalf("absent: %v", err)
	}
}

func TestHookDeliveries(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET /app/hook/deliveries", func(w http.ResponseWriter, r *http.Request) {
		from := 0
		if c := r.URL.Query().Get("cursor"); c != "" {
			_, _ = fmt.Sscanf(c, "v1_%d", &from)
		}
		list := []any{}
		for i := from; i < from+100; i++ {
			list = append(list, map[string]any{"id": 1000 - i, "guid": fmt.Sprint("g", i), "status_code": 200 + 300*(i%2), "event": "pull_request", "action": "opened",
				"delivered_at": at.Add(-time.Duration(i) * time.Minute), "installation_id": 9})
		}
		w.Header().Set("Link", fmt.Sprintf(`<%s/app/hook/deliveries?per_page=100&cursor=v1_%d>; rel="next"`, f.URL, from+100))
		reply(w, 200, list)
	})
	f.on("POST /app/hook/deliveries/999/attempts", func(w http.ResponseWriter, _ *http.Request) { reply(w, 202, map[string]any{}) })
	h, gate := newHost(t, f)
	list, err := h.HookDeliveries(t.Context(), at.Add(-149*time.Minute-30*time.Second))
	if err != nil || len(list) != 150 || list[149].GUID != "g149" || list[1].OK() || !list[0].OK() || f.count("GET /app/hook/deliveries") != 2 {
		t.Fatalf("%d deliveries, %v", len(list), err)
	}
	gate.Reset()
	if err := h.Redeliver(t.Context(), 999); err != nil {
		t.Fatal(err)
	}
	if e := gate.Events(); len(e) != 2 || e[0].Write || e[0].Key != h.appKey() {
		t.Fatalf("gate %+v", e)
	}
	if err := h.Redeliver(t.Context(), 998); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Fatalf("absent: %v", err)
	}
}

func TestUndelivered(t *testing.T) {
	t.Parallel()
	attempts := []HookDelivery{ // newest first
		{ID: 6, GUID: "a", StatusCode: 200}, {ID: 5, GUID: "b", StatusCode: 503}, {ID: 4, GUID: "c"},
		{ID: 3, GUID: "b", StatusCode: 500}, {ID: 2, GUID: "a", StatusCode: 500}, {ID: 1, StatusCode: 500},
	}
	var ids []int64
	for _, d := range Undelivered(attempts) {
		ids = append(ids, d.ID)
	}
	if !slices.Equal(ids, []int64{4, 5}) {
		t.Fatalf("undelivered %v", ids)
	}
}
