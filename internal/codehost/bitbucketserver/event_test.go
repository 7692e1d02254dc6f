package bitbucketserver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/secret"
)

const (
	aRepo = `{"id":71,"slug":"demo","public":false,"project":{"id":3,"key":"OCTO","public":false}}`
	aPull = `{"id":7,"version":1,"title":"Halve","description":"text","state":"OPEN","draft":false,"createdDate":1730000000000,"updatedDate":1730000001000,` +
		`"author":{"user":{"id":12,"name":"ann","type":"NORMAL"}},"reviewers":[],` +
		`"fromRef":{"id":"refs/heads/topic","displayId":"topic","latestCommit":"1111111111111111111111111111111111111111","repository":` + aRepo + `},` +
		`"toRef":{"id":"refs/heads/main","displayId":"main","latestCommit":"2222222222222222222222222222222222222222","repository":` + aRepo + `}}`
	anActor = `"actor":{"id":12,"name":"ann","type":"NORMAL"}`
)

func delivery(event, more string) []byte {
	return []byte(`{"eventKey":"` + event + `",` + anActor + `,"pullRequest":` + aPull + more + `}`)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	draft := strings.Replace(aPull, `"draft":false`, `"draft":true`, 1)
	for name, tc := range map[string]struct {
		event, more  string
		kind         codehost.EventKind
		action, than string
	}{
		"opened":       {"pr:opened", "", codehost.KindPullRequest, "opened", ""},
		"pushed":       {"pr:from_ref_updated", `,"previousFromHash":"x"`, codehost.KindPullRequest, "synchronize", ""},
		"merged":       {"pr:merged", "", codehost.KindPullRequest, "closed", ""},
		"declined":     {"pr:declined", "", codehost.KindPullRequest, "closed", ""},
		"deleted":      {"pr:deleted", "", codehost.KindPullRequest, "closed", ""},
		"title":        {"pr:modified", `,"previousTitle":"Old","previousDescription":"text"`, codehost.KindPullRequest, "edited", ""},
		"same":         {"pr:modified", `,"previousTitle":"Halve","previousDescription":"text","previousDraft":false`, codehost.KindIgnored, "", codehost.ReasonUnusedEdit},
		"ready":        {"pr:modified", `,"previousTitle":"Halve","previousDraft":true`, codehost.KindPullRequest, "ready_for_review", ""},
		"target":       {"pr:modified", `,"previousTarget":{"id":"refs/heads/old"}`, codehost.KindPullRequest, "edited", ""},
		"reviewers":    {"pr:reviewer:updated", `,"addedReviewers":[{"id":13,"name":"rob"}]`, codehost.KindPullRequest, "review_requested", ""},
		"fewer":        {"pr:reviewer:updated", `,"addedReviewers":[]`, codehost.KindIgnored, "", codehost.ReasonUnusedEdit},
		"approved":     {"pr:reviewer:approved", `,"participant":{"user":{"id":13,"name":"rob"},"lastReviewedCommit":"c"}`, codehost.KindReview, "submitted", ""},
		"taken back":   {"pr:reviewer:unapproved", ``, codehost.KindReview, "dismissed", ""},
		"comment":      {"pr:comment:added", `,"comment":{"id":301,"text":"hi","author":{"id":12,"name":"ann"}},"commentParentId":300`, codehost.KindComment, "created", ""},
		"edited":       {"pr:comment:edited", `,"comment":{"id":301,"text":"hi","author":{"id":12,"name":"ann"}}`, codehost.KindComment, "edited", ""},
		"gone comment": {"pr:comment:deleted", ``, codehost.KindIgnored, "", codehost.ReasonUnusedEvent},
		"a tag": {pushEvent, `,"repository":{"id":71,"slug":"demo","project":{"key":"OCTO"}},"changes":[{"refId":"refs/tags/v1","toHash":"` + strings.Repeat("1", 40) + `"}]`,
			codehost.KindIgnored, "", codehost.ReasonUnusedAction},
		"ping":          {"diagnostics:ping", ``, codehost.KindIgnored, "", codehost.ReasonPing},
		"unknown":       {"pr:sung", ``, codehost.KindIgnored, "", codehost.ReasonUnknownEvent},
		"another event": {"pr:opened", `,"eventKey":"pr:merged"`, codehost.KindIgnored, "", codehost.ReasonOtherEvent},
	} {
		body := delivery(tc.event, tc.more)
		ev, err := Parse(Header{Event: tc.event, Delivery: "d"}, body)
		if err != nil || ev.Kind != tc.kind || ev.Reason != tc.than || tc.kind != codehost.KindIgnored && ev.Action != tc.action {
			t.Errorf("%s: %+v, %v", name, ev, err)
			continue
		}
		if tc.kind == codehost.KindIgnored {
			continue
		}
		if p := ev.PullRequest; p.Number != 7 || p.HeadSHA == "" || p.BaseRef != "main" || p.Author != "ann" || p.FromFork || ev.Repository.Owner != "OCTO" ||
			ev.Repository.ExternalID != "71" || !ev.Repository.Private || ev.Sender.Login != "ann" {
			t.Errorf("%s: %+v of %+v by %+v", name, p, ev.Repository, ev.Sender)
		}
		if RepositoryOf(body) != "71" {
			t.Errorf("%s: repository %q", name, RepositoryOf(body))
		}
	}
	ev, err := Parse(Header{Event: "pr:modified"}, []byte(`{"pullRequest":`+draft+`,"previousDraft":false}`))
	if err != nil || ev.Action != "converted_to_draft" {
		t.Errorf("%+v, %v", ev, err)
	}
	ev, err = Parse(Header{Event: "pr:comment:added"}, delivery("pr:comment:added", `,"comment":{"id":301,"text":"hi","author":{"id":12,"name":"ann"}},"commentParentId":300`))
	if err != nil || ev.Comment.ID != "7.301" || ev.Comment.InReplyTo != "7.300" || !ev.Comment.PlaceUnknown || ev.Comment.Author != "ann" {
		t.Errorf("%+v, %v", ev.Comment, err)
	}
	ev, err = Parse(Header{Event: "repo:modified"}, []byte(`{"eventKey":"repo:modified","new":`+aRepo+`}`))
	if err != nil || ev.Action != "renamed" || ev.Repository.Name != "demo" || ev.Repository.Owner != "OCTO" {
		t.Errorf("%+v, %v", ev.Repository, err)
	}
}

func TestPayloadsThatDoNotFit(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"no object":       `[]`,
		"no pull request": `{"eventKey":"pr:opened"}`,
		"no number":       `{"eventKey":"pr:opened","pullRequest":{}}`,
		"no repository":   `{"eventKey":"pr:opened","pullRequest":{"id":7}}`,
		"no head":         strings.Replace(string(delivery("pr:opened", "")), strings.Repeat("1", 40), "", 1),
		"a text":          `{"eventKey":"pr:opened","pullRequest":"x"}`,
		"deep":            strings.Repeat("[", 200) + strings.Repeat("]", 200),
		"large":           `{"a":"` + strings.Repeat("x", maxPayload) + `"}`,
	} {
		if ev, err := Parse(Header{Event: "pr:opened"}, []byte(body)); !errors.Is(err, codehost.ErrPayload) {
			t.Errorf("%s: %+v, %v", name, ev, err)
		}
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	body := delivery("pr:opened", "")
	sign := func(key string) http.Header {
		mac := hmac.New(sha256.New, []byte(key))
		_, _ = mac.Write(body)
		return http.Header{"X-Event-Key": {"pr:opened"}, "X-Request-Id": {"6f1f2f7c-0000-4000-8000-000000000001"}, "X-Hub-Signature": {"sha256=" + hex.EncodeToString(mac.Sum(nil))}}
	}
	keys := []secret.Secret{secret.New("old-secret"), secret.New("new-secret")}
	for _, key := range []string{"old-secret", "new-secret"} { // both during a rotation
		if err := Verify(sign(key), body, keys); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	twice := sign("new-secret")
	twice.Add("X-Hub-Signature", twice.Get("X-Hub-Signature"))
	for name, h := range map[string]http.Header{"another key": sign("other"), "no key": sign(""), "none": {}, "twice": twice,
		"short": {"X-Hub-Signature": {"sha256=00"}}, "sha1": {"X-Hub-Signature": {"sha1=" + strings.Repeat("0", 40)}}} {
		if err := Verify(h, body, append(keys, secret.Secret{})); err == nil {
			t.Errorf("%s: verified", name)
		}
	}
	if err := Verify(sign("new-secret"), append(body, ' '), keys); err == nil {
		t.Error("a changed body was verified")
	}
	if h, err := ReadHeader(sign("x")); err != nil || h.Event != "pr:opened" || h.Delivery == "" || !h.Signed {
		t.Errorf("%+v, %v", h, err)
	}
	for _, name := range []string{"X-Event-Key", "X-Request-Id"} {
		h := sign("x")
		h.Set(name, "pr:opened\nx")
		if _, err := ReadHeader(h); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	for event := range kinds {
		f.Add(event, string(delivery(event, `,"comment":{"id":301}`)))
	}
	f.Fuzz(func(t *testing.T, event, body string) {
		ev, err := Parse(Header{Event: event}, []byte(body))
		if err != nil && !errors.Is(err, codehost.ErrPayload) {
			t.Fatal(err)
		}
		if err == nil && ev.Kind == codehost.KindPullRequest && (ev.PullRequest == nil || ev.Repository == nil || ev.PullRequest.Number <= 0) {
			t.Fatalf("%+v", ev)
		}
	})
}

func FuzzGitPrefixes(f *testing.F) {
	f.Add("diff --git src://a dst://a\n--- src://a\n+++ dst://a\n@@ -1,2 +1,2 @@\n--- src://x\n+++ dst://y\n same\n")
	f.Fuzz(func(t *testing.T, text string) {
		if out := gitPrefixes([]byte(text)); len(out) > len(text) {
			t.Fatalf("%q", out)
		}
	})
}

// Lines of a hunk that look like the heads of files stay.
func TestGitPrefixes(t *testing.T) {
	t.Parallel()
	in := "diff --git src://a.sql dst://a.sql\nindex 1..2\n--- src://a.sql\n+++ dst://a.sql\n@@ -1,2 +1,2 @@\n--- src://x\n+++ dst://y\n same\n"
	want := "diff --git a/a.sql b/a.sql\nindex 1..2\n--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1,2 @@\n--- src://x\n+++ dst://y\n same\n"
	if got := string(gitPrefixes([]byte(in))); got != want {
		t.Errorf("%q", got)
	}
}
