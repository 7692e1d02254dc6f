package gitea

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestRealWebhookOfAnOrganisation checks that only owners manage such a webhook, that it reports new and
// deleted repositories and their pull requests, and that it does not report renaming. One request lists the
// newest repositories.
func TestRealWebhookOfAnOrganisation(t *testing.T) {
	r := newReal(t)
	ctx := t.Context()
	type event struct{ name, repo string }
	events := make(chan event, 50)
	key := secret.New("hook" + "-one")
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		head, err := ReadHeader(domain.Gitea, req.Header)
		if err == nil {
			err = Verify(domain.Gitea, req.Header, body, []secret.Secret{key})
		}
		var ev codehost.Event
		if err == nil {
			ev, err = Parse(head, body)
		}
		if err != nil || ev.Repository == nil {
			t.Errorf("a delivery: %v", err)
			return
		}
		events <- event{string(ev.Kind) + " " + ev.Action, ev.Repository.Name}
	}))
	t.Cleanup(receiver.Close)
	host := func(scopes ...string) *Host {
		tr := &http.Transport{Proxy: nil}
		t.Cleanup(tr.CloseIdleConnections)
		return must(New(Config{Kind: domain.Gitea, BaseURL: r.url, Owner: r.name, Token: r.token(scopes...), Connection: "c1", HTTP: &http.Client{Transport: tr}, Gate: &codehosttest.Gate{}}))(t)
	}
	scopes := []string{"write:repository", "write:organization", "read:user"}
	h := host(scopes...)
	if _, err := h.EnsureOwnerHook(ctx, receiver.URL, key); !codehost.IsAccessLost(err) {
		t.Errorf("a stranger: %v", err)
	}
	r.join(r.owners(), "bot")
	if _, err := host("write:repository", "read:organization", "read:user", "read:issue").EnsureOwnerHook(ctx, receiver.URL, key); !codehost.IsAccessLost(err) {
		t.Errorf("a token that may only read: %v", err)
	}
	made := must(h.EnsureOwnerHook(ctx, receiver.URL, key))(t)
	if again := must(h.EnsureOwnerHook(ctx, receiver.URL, key))(t); made.ID == "" || !made.Active || len(made.Missing) > 0 || again.ID != made.ID {
		t.Errorf("made %+v, again %+v", made, again)
	}
	next := func(want event) {
		t.Helper()
		select {
		case got := <-events:
			testkit.Equal(t, "event", got, want)
		case <-time.After(30 * time.Second):
			t.Fatalf("no event %v", want)
		}
	}
	repo := r.do("POST", "/orgs/"+r.name+"/repos", "", map[string]any{"name": "demo", "auto_init": true, "private": true})
	next(event{"repository created", "demo"})
	owner := must(h.readOwner(ctx, "test", nil))(t)
	newest := must(h.Newest(ctx, owner.ID))(t)
	if len(newest.Repositories) != 1 || newest.Total != 1 || newest.Repositories[0].Name != "demo" || newest.Repositories[0].CreatedAt.IsZero() || newest.Repositories[0].ExternalID != domain.HostID(fmt.Sprint(int64(repo["id"].(float64)))) {
		t.Errorf("newest: %+v", newest)
	}
	r.do("PUT", "/repos/"+r.name+"/demo/collaborators/ann", "", map[string]any{"permission": "write"})
	r.put("topic", "main", "a.txt", "YQ==")
	r.do("POST", "/repos/"+r.name+"/demo/pulls", "ann", map[string]any{"title": "Topic", "head": "topic", "base": "main"})
	next(event{"pull_request opened", "demo"})
	r.do("PATCH", "/repos/"+r.name+"/demo", "", map[string]any{"name": "renamed"}) // the host sends no event
	r.do("DELETE", "/repos/"+r.name+"/renamed", "", nil)
	next(event{"repository deleted", "renamed"})
	for range 2 {
		if err := h.RemoveOwnerHook(ctx, receiver.URL, false); err != nil {
			t.Errorf("removed: %v", err)
		}
	}
	if got := must(h.OwnerHook(ctx, receiver.URL))(t); got.ID != "" {
		t.Errorf("it is still there: %+v", got)
	}
}
