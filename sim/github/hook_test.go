package github_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host/demo"
)

func (b *bundle) settle() {
	b.t.Helper()
	must(b.t, b.ctl.WaitDeliveries(b.t.Context(), 10*time.Second))
}

func events(hooks []hook) string {
	var out []string
	for _, h := range hooks {
		out = append(out, h.event())
	}
	return strings.Join(out, ", ")
}

func TestWebhookForm(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.settle()
	got := b.hooks.all()
	if list := events(got); list != "installation created, push, pull_request opened" {
		t.Fatalf("events: %s", list)
	}
	h := got[2]
	mac := hmac.New(sha256.New, []byte(hookSecret))
	mac.Write(h.body)
	for k, want := range map[string]string{"Content-Type": "application/json", "X-Github-Event": "pull_request", "X-Github-Hook-Id": fmt.Sprint(b.app.HookID),
		"X-Github-Hook-Installation-Target-Id": fmt.Sprint(b.app.ID), "X-Github-Hook-Installation-Target-Type": "integration",
		"X-Hub-Signature-256": "sha256=" + hex.EncodeToString(mac.Sum(nil))} {
		if h.header.Get(k) != want {
			t.Errorf("%s: %q, want %q", k, h.header.Get(k), want)
		}
	}
	if !strings.HasPrefix(h.header.Get("User-Agent"), "GitHub-Hookshot/") || len(h.header.Get("X-GitHub-Delivery")) != 36 || !strings.HasPrefix(h.header.Get("X-Hub-Signature"), "sha1=") {
		t.Errorf("headers: %v", h.header)
	}
	var p map[string]any
	must(t, json.Unmarshal(h.body, &p))
	if dig(p, "pull_request", "head", "sha") != b.pull.HeadSHA || dig(p, "installation", "id") != float64(b.inst.ID) || dig(p, "pull_request", "additions") != float64(3) {
		t.Errorf("payload: %v", p["pull_request"])
	}
}

func TestRedelivery(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.settle()
	b.hooks.reset(503)
	need(b.ctl.Comment(t.Context(), "acme/shop", 1, simapi.CommentSpec{Author: "bob", Body: "/assay review"}))
	b.settle()
	if n := len(b.hooks.all()); n != 1 {
		t.Fatalf("%d deliveries: a failed one must not be repeated", n)
	}
	guid := b.hooks.all()[0].header.Get("X-GitHub-Delivery")
	failed := b.callAs(b.appJWT(), 200, "GET", "/app/hook/deliveries?status=failure", nil).list()
	if len(failed) != 1 || failed[0]["guid"] != guid || failed[0]["status_code"] != float64(503) || failed[0]["redelivery"] != false {
		t.Fatalf("failed deliveries: %v", failed)
	}
	b.hooks.reset(202)
	b.callAs(b.appJWT(), 202, "POST", fmt.Sprintf("/app/hook/deliveries/%.0f/attempts", failed[0]["id"]), nil)
	b.settle()
	if got := b.hooks.all(); len(got) != 1 || got[0].header.Get("X-GitHub-Delivery") != guid {
		t.Fatalf("redelivered: %s", events(got))
	}
	all := b.callAs(b.appJWT(), 200, "GET", "/app/hook/deliveries?per_page=2", nil)
	if list := all.list(); len(list) != 2 || list[0]["redelivery"] != true || list[0]["guid"] != guid || list[0]["status"] != "OK" {
		t.Errorf("deliveries: %v", list)
	}
	seen, link := 2, all.header.Get("Link")
	for strings.Contains(link, `rel="next"`) {
		next, _, _ := strings.Cut(strings.TrimPrefix(link, "<"+b.base+"/api/v3"), ">")
		r := b.callAs(b.appJWT(), 200, "GET", next, nil)
		seen, link = seen+len(r.list()), r.header.Get("Link")
	}
	if seen != 5 {
		t.Errorf("%d deliveries over all pages, want 5", seen)
	}
	one := b.callAs(b.appJWT(), 200, "GET", fmt.Sprintf("/app/hook/deliveries/%.0f", failed[0]["id"]), nil).object()
	if dig(one, "request", "payload", "action") != "created" || dig(one, "request", "headers", "X-GitHub-Event") != "issue_comment" {
		t.Errorf("delivery: %v", one)
	}
	b.hooks.reset(202)
	must(t, b.ctl.Redeliver(t.Context(), int64(failed[0]["id"].(float64)), 50))
	b.settle()
	if n := len(b.hooks.all()); n != 50 {
		t.Errorf("%d copies, want 50", n)
	}
}

func TestDeliveryFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.settle()
	b.hooks.reset(202)
	yes, no := true, false
	held := need(b.ctl.SetDeliveryFault(ctx, simapi.DeliveryFault{Event: "pull_request", EventAction: "converted_to_draft", Action: simapi.HoldDelivery}))
	need(b.ctl.SetDeliveryFault(ctx, simapi.DeliveryFault{Event: "pull_request", EventAction: "ready_for_review", Action: simapi.Duplicate, Copies: 2}))
	need(b.ctl.SetDeliveryFault(ctx, simapi.DeliveryFault{Event: "issue_comment", Action: simapi.DropDelivery}))
	need(b.ctl.UpdatePull(ctx, "acme/shop", 1, simapi.PullUpdate{Draft: &yes}))
	need(b.ctl.UpdatePull(ctx, "acme/shop", 1, simapi.PullUpdate{Draft: &no}))
	need(b.ctl.Comment(ctx, "acme/shop", 1, simapi.CommentSpec{Author: "bob", Body: "lost"}))
	b.hooks.await(3)
	must(t, b.ctl.Release(ctx, held.ID, ""))
	b.settle()
	got := b.hooks.all()
	if list := events(got); list != "pull_request ready_for_review, pull_request ready_for_review, pull_request ready_for_review, pull_request converted_to_draft" {
		t.Errorf("events: %s", list)
	}
	if got[0].header.Get("X-GitHub-Delivery") != got[2].header.Get("X-GitHub-Delivery") {
		t.Error("the copies have different ids")
	}
}

func TestForcePush(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	b.settle()
	b.hooks.reset(202)
	second := need(b.ctl.Commit(ctx, "acme/shop", simapi.CommitSpec{Branch: "feature", Author: "bob", Files: map[string]string{"a.txt": "a\n"}}))
	third := need(b.ctl.Commit(ctx, "acme/shop", simapi.CommitSpec{Branch: "feature", From: "main", Author: "bob", Files: map[string]string{"b.txt": "b\n"}}))
	back := need(b.ctl.Commit(ctx, "acme/shop", simapi.CommitSpec{Branch: "feature", MoveTo: b.pull.HeadSHA, Author: "bob"}))
	if second.Forced || !third.Forced || !back.Forced || back.SHA != b.pull.HeadSHA {
		t.Errorf("pushes: %+v %+v %+v", second, third, back)
	}
	b.settle()
	if list := events(b.hooks.all()); list != strings.TrimSuffix(strings.Repeat("push, pull_request synchronize, ", 3), ", ") {
		t.Errorf("events: %s", list)
	}
	var p map[string]any
	must(t, json.Unmarshal(b.hooks.all()[5].body, &p))
	if p["before"] != third.SHA || p["after"] != back.SHA || dig(p, "pull_request", "head", "sha") != back.SHA {
		t.Errorf("synchronize: %v to %v", p["before"], p["after"])
	}
}

func TestStateSurvives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func() *github.Server {
		return need(github.New(github.Options{DataDir: dir, BaseURL: "http://sim.test"}))
	}
	s := open()
	must(t, demo.Seed(t.Context(), s, "demo"))
	before, token := need(s.GetPull(t.Context(), "acme/storefront", 2)), s.ControlToken()
	must(t, s.Close())
	s = open()
	defer func() { must(t, s.Close()) }()
	must(t, demo.Seed(t.Context(), s, "demo"))
	if after := need(s.GetPull(t.Context(), "acme/storefront", 2)); after != before || s.ControlToken() != token {
		t.Errorf("before %+v, after %+v", before, after)
	}
	other := need(github.New(github.Options{DataDir: t.TempDir()}))
	defer func() { must(t, other.Close()) }()
	must(t, demo.Seed(t.Context(), other, "demo"))
	if again := need(other.GetPull(t.Context(), "acme/storefront", 2)); again.HeadSHA != before.HeadSHA || again.Number != 2 {
		t.Errorf("the seed is not the same every time: %+v", again)
	}
}
