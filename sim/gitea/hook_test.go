package gitea_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

func mac(f func() hash.Hash, body []byte) string {
	m := hmac.New(f, []byte(hookSecret))
	m.Write(body)
	return hex.EncodeToString(m.Sum(nil))
}

func TestDeliveryForm(t *testing.T) {
	t.Parallel()
	for _, forgejo := range []bool{false, true} {
		b := setup(t, gitea.Options{Forgejo: forgejo})
		got := b.settle()
		if list := events(got); list != "create, push, pull_request opened" {
			t.Fatalf("events: %s", list)
		}
		h := got[2]
		id := h.header.Get("X-Gitea-Delivery")
		want := map[string]string{"X-Gitea-Event": "pull_request", "X-Gitea-Event-Type": "pull_request", "X-Gitea-Signature": mac(sha256.New, h.body), "X-Gogs-Event": "pull_request",
			"X-GitHub-Event": "pull_request", "X-GitHub-Delivery": id, "X-Hub-Signature-256": "sha256=" + mac(sha256.New, h.body), "X-Hub-Signature": "sha1=" + mac(sha1.New, h.body),
			"X-Forgejo-Event": "", "X-Forgejo-Signature": "", "Content-Type": "application/json"}
		if forgejo {
			want["X-Forgejo-Event"], want["X-Forgejo-Event-Type"], want["X-Forgejo-Delivery"], want["X-Forgejo-Signature"] = "pull_request", "pull_request", id, mac(sha256.New, h.body)
		}
		for k, v := range want {
			if h.header.Get(k) != v {
				t.Errorf("forgejo %v: %s: %q, want %q", forgejo, k, h.header.Get(k), v)
			}
		}
		if len(id) != 36 || !strings.HasPrefix(string(h.body), "{\n  \"") {
			t.Errorf("id %q, body %.20s", id, h.body)
		}
	}
}

func TestEmptySignature(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	b.settle()
	need(b.ctl.AddHook(t.Context(), "acme/shop", simapi.HookSpec{URL: b.hook.URL, Events: []string{"pull_request_comment"}}))
	need(b.ctl.Comment(t.Context(), "acme/shop", 1, shared.CommentSpec{Author: "bob", Body: "x"}))
	got := b.settle()
	if len(got) != 2 {
		t.Fatalf("events: %s", events(got))
	}
	unsigned := 0
	for _, h := range got {
		if v, given := h.header["X-Gitea-Signature"]; given && v[0] == "" && h.header.Get("X-Hub-Signature-256") == "sha256=" && h.header.Get("X-Hub-Signature") == "sha1=" {
			unsigned++
		}
	}
	if unsigned != 1 {
		t.Errorf("%d deliveries have empty signatures", unsigned)
	}
}

// TestReplay: a failed delivery is not repeated; a replay has the same body and a new id.
func TestReplay(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	b.settle()
	b.hooks.take(500)
	need(b.ctl.Comment(t.Context(), "acme/shop", 1, shared.CommentSpec{Author: "bob", Body: "/assay review"}))
	first := b.settle()
	all := need(b.ctl.Deliveries(t.Context(), true))
	last := all[len(all)-1]
	if len(first) != 1 || last.StatusCode != 500 || last.Event != "pull_request_comment" {
		t.Fatalf("%d deliveries, the last %+v", len(first), last)
	}
	must(t, b.ctl.Replay(t.Context(), last.ID))
	again := b.settle()
	if len(again) != 1 || string(again[0].body) != string(first[0].body) || again[0].header.Get("X-Gitea-Delivery") == first[0].header.Get("X-Gitea-Delivery") {
		t.Errorf("replayed: %s", events(again))
	}
	if err := b.ctl.Replay(t.Context(), 9999); err == nil {
		t.Error("replayed a missing delivery")
	}
}

func TestPullEvents(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	ctx := t.Context()
	b.settle()
	need(b.ctl.Commit(ctx, "acme/shop", shared.CommitSpec{Branch: "second", Author: "bob", Files: map[string]string{"second.go": "package cart\n"}}))
	b.settle()
	p := need(b.ctl.OpenPull(ctx, "acme/shop", shared.PullSpec{Title: "Second", Head: "second", Author: "bob", Draft: true, Reviewers: []string{"robot"}, Labels: []string{"bug"}}))
	got := b.settle()
	if events(got) != "pull_request_review_request review_requested, pull_request opened" || got[0].header.Get("X-Gitea-Event") != "pull_request" {
		t.Fatalf("events: %s", events(got))
	}
	opened := got[1].object()["pull_request"].(map[string]any)
	if opened["title"] != "WIP: Second" || opened["draft"] != true || !p.Draft {
		t.Errorf("opened: %v", opened["title"])
	}
	yes := false
	need(b.ctl.UpdatePull(ctx, "acme/shop", p.Number, shared.PullUpdate{Draft: &yes}))
	got = b.settle()
	ready := got[0].object()
	if events(got) != "pull_request edited" || ready["pull_request"].(map[string]any)["draft"] != false || fmt.Sprint(ready["changes"]) != "map[title:map[from:WIP: Second]]" {
		t.Errorf("ready: %s %v", events(got), ready["changes"])
	}
	c := need(b.ctl.Commit(ctx, "acme/shop", shared.CommitSpec{Branch: "second", Author: "bob", Files: map[string]string{"second.go": "package shop\n"}}))
	got = b.settle()
	if events(got) != "push, pull_request_sync synchronized" || got[1].header.Get("X-Gitea-Event") != "pull_request" || got[1].object()["commit_id"] != c.SHA {
		t.Errorf("pushed: %s", events(got))
	}
	states := b.call(200, "GET", repo+"/pulls/2/reviews", nil).list()
	if len(states) != 1 || states[0]["state"] != "REQUEST_REVIEW" {
		t.Errorf("reviews: %v", states)
	}
}

func TestHookSettings(t *testing.T) {
	t.Parallel()
	b := setup(t, gitea.Options{})
	admin := need(b.ctl.NewToken(t.Context(), "ada", simapi.TokenSpec{})).Text
	config := map[string]string{"url": b.hook.URL, "content_type": "json"}
	make := func(events ...string) response {
		return b.callAs(admin, 201, "POST", repo+"/hooks", map[string]any{"type": "gitea", "config": config, "events": events})
	}
	for want, given := range map[string][]string{"[push]": nil, "[pull_request]": {"pull_request_only"},
		"[pull_request pull_request_assign pull_request_label pull_request_milestone pull_request_comment pull_request_review_approved pull_request_review_rejected pull_request_review_comment pull_request_sync pull_request_review_request]": {"pull_request"},
		"[pull_request_review_approved pull_request_review_rejected pull_request_review_comment]": {"pull_request_review"}} {
		if got := fmt.Sprint(make(given...).object()["events"]); got != want {
			t.Errorf("%v became %s", given, got)
		}
	}
	h := make("pull_request")
	if h.object()["active"] != false {
		t.Error("a webhook is active unasked")
	}
	one := fmt.Sprintf("%s/hooks/%d", repo, h.id())
	if e := b.callAs(admin, 200, "PATCH", one, map[string]any{"active": true}).object(); fmt.Sprint(e["events"]) != "[push]" || e["active"] != true {
		t.Errorf("edited: %v", e)
	}
	b.settle()
	b.callAs(admin, 204, "POST", one+"/tests", nil)
	if got := b.settle(); events(got) != "push" {
		t.Errorf("test: %s", events(got))
	}
	for _, bad := range []map[string]any{{}, {"type": "slack", "config": config}, {"type": "gitea", "config": map[string]string{"url": "x", "content_type": "json"}}, {"type": "gitea"}} {
		b.callAs(admin, 422, "POST", repo+"/hooks", bad)
	}
	org := b.callAs(admin, 201, "POST", "/orgs/acme/hooks", map[string]any{"type": "gitea", "active": true, "config": config, "events": []string{"pull_request_comment"}})
	b.settle()
	need(b.ctl.Comment(t.Context(), "acme/shop", 1, shared.CommentSpec{Author: "bob", Body: "x"}))
	if got := b.settle(); len(got) != 2 {
		t.Errorf("webhooks of repository and organisation: %s", events(got))
	}
	b.callAs(admin, 204, "DELETE", fmt.Sprintf("/orgs/acme/hooks/%d", org.id()), nil)
	b.call(403, "GET", "/orgs/acme/hooks", nil)
}
