package gitea

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

func TestRefusals(t *testing.T) {
	t.Parallel()
	const jsonType, pageType, textType = "application/json", "text/html; charset=utf-8", "text/plain"
	for name, tc := range map[string]struct {
		status            int
		kind, body, extra string
		read, write       codehost.Class
	}{
		"no such thing":        {404, jsonType, `{"message":"not found"}`, "", codehost.ClassNotFound, codehost.ClassNotFound},
		"nothing said":         {404, "", "", "", codehost.ClassNotFound, codehost.ClassNotFound},
		"a proxy's 404":        {404, textType, "404 page not found", "", codehost.ClassUnavailable, codehost.ClassUnavailable},
		"a proxy's page":       {404, pageType, "<html>", "", codehost.ClassUnavailable, codehost.ClassUnavailable},
		"a proxy's 403":        {403, pageType, "<html>", "", codehost.ClassUnavailable, codehost.ClassUnavailable},
		"token refused":        {401, jsonType, `{"message":"invalid username, password or token"}`, "", codehost.ClassForbidden, codehost.ClassForbidden},
		"scope":                {403, jsonType, `{"message":"token does not have at least one of required scope(s)"}`, "", codehost.ClassForbidden, codehost.ClassForbidden},
		"locked":               {423, jsonType, `{"message":"locked"}`, "", codehost.ClassForbidden, codehost.ClassForbidden},
		"gone":                 {410, jsonType, `{}`, "", codehost.ClassNotFound, codehost.ClassNotFound},
		"conflict":             {409, jsonType, `{"message":"x"}`, "", codehost.ClassInvalid, codehost.ClassInvalid},
		"invalid":              {422, jsonType, `{"message":"x"}`, "", codehost.ClassInvalid, codehost.ClassInvalid},
		"renamed":              {307, jsonType, "", "Location: /api/v1/repos/octo/new", codehost.ClassMoved, codehost.ClassMoved},
		"renamed, with a page": {307, pageType, `<html><a href="/api/v1/repos/octo/new">`, "Location: /api/v1/repos/octo/new", codehost.ClassMoved, codehost.ClassMoved},
		"sent to a sign-in":    {302, pageType, "", "Location: /login", codehost.ClassUnavailable, codehost.ClassUnavailable},
		"body too large":       {413, pageType, "<html>", "", codehost.ClassTooLarge, codehost.ClassTooLarge},
		"failure":              {500, jsonType, `{"message":""}`, "", codehost.ClassUnavailable, codehost.ClassAmbiguous},
		"gateway":              {502, pageType, "<html>", "", codehost.ClassUnavailable, codehost.ClassAmbiguous},
		"maintenance":          {503, pageType, "<html>", "Retry-After: 30", codehost.ClassLimited, codehost.ClassAmbiguous},
		"limit":                {429, textType, "slow down", "Retry-After: 45", codehost.ClassLimited, codehost.ClassLimited},
		"limit without a time": {429, textType, "slow down", "", codehost.ClassLimited, codehost.ClassLimited},
		"a page as success":    {200, pageType, "<html>", "", codehost.ClassUnavailable, codehost.ClassAmbiguous},
		"no JSON as success":   {200, jsonType, "x", "", codehost.ClassUnavailable, codehost.ClassAmbiguous},
	} {
		f := newFake(t)
		h := f.host(domain.Gitea)
		headers := []string{"Content-Type: " + tc.kind}
		if tc.extra != "" {
			headers = append(headers, tc.extra)
		}
		f.status("GET /repos/octo/demo/pulls/7", tc.status, tc.body, headers...)
		f.status("POST /repos/octo/demo/issues/7/comments", tc.status, tc.body, headers...)
		if _, err := h.PullRequest(t.Context(), testRepo, 7); codehost.ClassOf(err) != tc.read {
			t.Errorf("%s: read: %v, want %s", name, err, tc.read)
		}
		_, err := h.Reply(t.Context(), testRepo, codehost.Spot{Number: 7}, markdown.Const("x"))
		if codehost.ClassOf(err) != tc.write {
			t.Errorf("%s: write: %v, want %s", name, err, tc.write)
		}
		if n := len(f.requests("GET", "POST")); n != 2 {
			t.Errorf("%s: %d requests were sent, want 2: nothing is repeated or followed", name, n)
		}
		if strings.Contains(fmt.Sprint(err), "<html>") {
			t.Errorf("%s: the page is repeated: %v", name, err)
		}
	}
}

// The error about a renamed owner has the new name, cleaned, and does not take the redirect for a proxy's
// page.
func TestARenamedOwner(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"/api/v1/orgs/acme-new":                        "the owner is called acme-new now",
		"https://git.example/api/v1/users/mona":        "the owner is called mona now",
		"/git/api/v1/orgs/acme-new":                    "the owner is called acme-new now",
		"/api/v1/orgs/x%0Ay/repos":                     "the owner is called x y now",
		"/login":                                       "",
		"/api/v1/orgs/" + strings.Repeat("a", 100_000): "the owner is called aaa",
	} {
		f := newFake(t)
		h := f.host(domain.Gitea)
		f.status("GET /user", 200, `{"id":1,"login":"bot"}`, "Content-Type: application/json")
		f.status("GET /version", 200, `{"version":"1.26.4"}`, "Content-Type: application/json")
		f.status("GET /orgs/octo", 307, `<a href="/">Temporary Redirect</a>`, "Content-Type: text/html; charset=utf-8", "Location: "+to)
		_, err := h.Probe(t.Context())
		e, _ := errors.AsType[*codehost.Error](err)
		if e == nil || e.Class != codehost.ClassMoved || !strings.HasPrefix(e.Message, want) || len(e.Message) > 1000 {
			t.Errorf("%.60s: %.200v", to, err)
		}
	}
}

func TestLimitsAreBlocks(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	h := f.host(domain.Forgejo)
	f.status("GET /repos/octo/demo/pulls/7", 429, "", "Retry-After: 45")
	_, err := h.PullRequest(t.Context(), testRepo, 7)
	if codehost.RetryAfter(err) != 45*time.Second {
		t.Errorf("%v", err)
	}
	events := f.gate.Events()
	if len(events) != 3 || events[1].Act != "block" || events[1].For != 45*time.Second || events[1].Grow || events[2].OK {
		t.Errorf("gate %+v", events)
	}
	if key := events[0].Key; !strings.HasPrefix(key, "forgejo|127.0.0.1:") || !strings.HasSuffix(key, "|c1") {
		t.Errorf("budget key %q", key)
	}
}

// Messages of the host are shortened to one line, and possible credentials are removed.
func TestHostsWordsAreCleaned(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.status("GET /repos/octo/demo/pulls/7", 422, encode(t, map[string]any{"message": "a\nb " + testToken() + strings.Repeat("é", 5000), "errors": []string{"c"}}))
	_, err := f.host(domain.Gitea).PullRequest(t.Context(), testRepo, 7)
	e, ok := errors.AsType[*codehost.Error](err)
	if !ok || strings.Contains(e.Message, "\n") || len([]rune(e.Message)) > wire.MaxMessage || !strings.HasPrefix(e.Message, "a b ") {
		t.Errorf("%v", err)
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET /repos/octo/demo/raw/big", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		block := make([]byte, 1<<20)
		for range wire.MaxRaw>>20 + 1 {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	if _, err := f.host(domain.Gitea).Content(t.Context(), testRepo, "big", headSHA); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Errorf("%v", err)
	}
}

func TestInvalidRequestsAreNotSent(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	h := f.host(domain.Gitea)
	ctx := t.Context()
	bad := codehost.Repo{Owner: "octo", Name: "../x"}
	for name, call := range map[string]func() error{
		"name":        func() error { _, err := h.PullRequest(ctx, bad, 1); return err },
		"number":      func() error { _, err := h.PullRequest(ctx, testRepo, 0); return err },
		"path":        func() error { _, err := h.Content(ctx, testRepo, "a/../b", headSHA); return err },
		"commit":      func() error { _, err := h.Content(ctx, testRepo, "a", "main"); return err },
		"comparison":  func() error { _, err := h.Compare(ctx, testRepo, "main", headSHA); return err },
		"login":       func() error { _, err := h.Permission(ctx, testRepo, "a/b"); return err },
		"id":          func() error { _, err := h.SubmitDraft(ctx, testRepo, 7, "x", markdown.Const("x")); return err },
		"id in words": func() error { return h.EditComment(ctx, testRepo, "007", markdown.Const("x")) },
		"check": func() error {
			_, err := h.CreateCheck(ctx, testRepo, codehost.Check{Name: "a", HeadSHA: headSHA})
			return err
		},
		"clone": func() error { _, err := h.Clone(ctx, bad); return err },
	} {
		if err := call(); codehost.ClassOf(err) != codehost.ClassInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	if asked := f.requests("GET", "POST", "PATCH", "DELETE"); len(asked) != 0 {
		t.Errorf("asked %v", asked)
	}
}

func TestACancelledCallSendsNothing(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.host(domain.Gitea).PullRequest(ctx, testRepo, 7); codehost.ClassOf(err) != codehost.ClassUnavailable || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if asked := f.requests("GET"); len(asked) != 0 {
		t.Errorf("asked %v", asked)
	}
}
