package gitlab

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const deliveryID = "f6266f16-1bf3-46a5-9ea4-602e06ead473"

// plainHeader returns the header of a delivery with the secret in clear text.
func plainHeader(event, token string) http.Header {
	h := http.Header{}
	h.Set(headerEvent, event)
	h.Set(headerKey, deliveryID)
	h.Set("X-Gitlab-Webhook-UUID", "another")
	if token != "" {
		h.Set(headerToken, token)
	}
	return h
}

func signature(key []byte, id, stamp, body string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "." + body))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// signedHeader returns the header of a signed delivery.
func signedHeader(line string) http.Header {
	h := plainHeader("Push Hook", "")
	h.Set(headerID, "msg_1")
	h.Set(headerStamp, "1795000000")
	h.Set(headerSignature, line)
	return h
}

func TestVerify(t *testing.T) {
	t.Parallel()
	const body = `{"object_kind":"push"}`
	one, two := secret.New("hook"+"-one"), secret.New("hook"+"-two")
	own := []byte(strings.Repeat("k", 32))
	token := secret.New("whs" + "ec_" + base64.StdEncoding.EncodeToString(own))
	right := signature(signingKey(one), "msg_1", "1795000000", body)
	change := func(name, value string) http.Header { h := signedHeader(right); h.Set(name, value); return h }
	twice := plainHeader("Push Hook", one.Reveal())
	twice.Add(headerToken, two.Reveal())
	both := change(headerToken, one.Reveal())
	both.Set(headerSignature, "v1,"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	for name, tc := range map[string]struct {
		header  http.Header
		secrets []secret.Secret
		ok      bool
	}{
		"the token":                            {plainHeader("Push Hook", one.Reveal()), []secret.Secret{one}, true},
		"the older of two tokens":              {plainHeader("Push Hook", one.Reveal()), []secret.Secret{two, one}, true},
		"another token":                        {plainHeader("Push Hook", two.Reveal()), []secret.Secret{one}, false},
		"no token":                             {plainHeader("Push Hook", ""), []secret.Secret{one}, false},
		"no token, unset secret":               {plainHeader("Push Hook", ""), []secret.Secret{{}}, false},
		"two tokens":                           {twice, []secret.Secret{one, two}, false},
		"no secrets":                           {plainHeader("Push Hook", one.Reveal()), nil, false},
		"the beginning of a token":             {plainHeader("Push Hook", one.Reveal()[:6]), []secret.Secret{one}, false},
		"signed":                               {signedHeader(right), []secret.Secret{two, one}, true},
		"signed by a signing token of people":  {signedHeader(signature(own, "msg_1", "1795000000", body)), []secret.Secret{token}, true},
		"the second of two signatures":         {signedHeader("v1,AAAA " + right), []secret.Secret{one}, true},
		"another version too":                  {signedHeader("v1a,xyz " + right), []secret.Secret{one}, true},
		"signed by another":                    {signedHeader(signature(signingKey(two), "msg_1", "1795000000", body)), []secret.Secret{one}, false},
		"signed by the secret itself":          {signedHeader(signature([]byte(one.Reveal()), "msg_1", "1795000000", body)), []secret.Secret{one}, false},
		"another body":                         {signedHeader(signature(signingKey(one), "msg_1", "1795000000", body+" ")), []secret.Secret{one}, false},
		"another id":                           {change(headerID, "msg_2"), []secret.Secret{one}, false},
		"another time":                         {change(headerStamp, "1795000001"), []secret.Secret{one}, false},
		"an invalid time":                      {change(headerStamp, "now"), []secret.Secret{one}, false},
		"a wrong signature and a right token":  {both, []secret.Secret{one}, false},
		"signed, unset secret":                 {signedHeader(signature(signingKey(secret.Secret{}), "msg_1", "1795000000", body)), []secret.Secret{{}}, false},
		"a signature behind too many":          {signedHeader(strings.Repeat("v1,"+base64.StdEncoding.EncodeToString(make([]byte, 32))+" ", maxSignatures) + right), []secret.Secret{one}, false},
		"a signature that is too long a value": {signedHeader(right + strings.Repeat(" ", maxHeader)), []secret.Secret{one}, false},
		"no event":                             {http.Header{headerToken: {one.Reveal()}, headerKey: {"d"}}, []secret.Secret{one}, false},
	} {
		if err := Verify(tc.header, []byte(body), tc.secrets); (err == nil) != tc.ok || err != nil && !errors.Is(err, errSignature) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReadHeader(t *testing.T) {
	t.Parallel()
	if h, err := ReadHeader(plainHeader("Merge Request Hook", "")); err != nil || h != (Header{Event: "Merge Request Hook", Delivery: deliveryID}) {
		t.Errorf("%+v, %v", h, err)
	}
	if h, err := ReadHeader(signedHeader("v1,x")); err != nil || h != (Header{Event: "Push Hook", Delivery: "msg_1", Signed: true}) {
		t.Errorf("signed: %+v, %v", h, err)
	}
	old := plainHeader("Note Hook", "")
	old.Del(headerKey)
	if h, err := ReadHeader(old); err != nil || h != (Header{Event: "Note Hook"}) {
		t.Errorf("from an older version: %+v, %v", h, err)
	}
	for name, value := range map[string]string{headerEvent: "push", headerKey: "a/b"} {
		h := plainHeader("Push Hook", "")
		h.Set(name, value)
		if _, err := ReadHeader(h); err == nil || strings.Contains(err.Error(), value) {
			t.Errorf("%s: %v", name, err)
		}
	}
	nameless := signedHeader("v1,x")
	nameless.Del(headerID)
	if _, err := ReadHeader(nameless); err == nil {
		t.Error("a signed delivery without an id is accepted")
	}
	long := plainHeader("Push Hook", "")
	long.Set(headerKey, strings.Repeat("a", maxHeader+1))
	if _, err := ReadHeader(long); err == nil {
		t.Error("a header without a bound is accepted")
	}
}

func FuzzVerify(f *testing.F) {
	f.Add("Push Hook", "d", "", "1", "x")
	f.Add("Push Hook", "d", "v1,AAAA v1,", "1795000000", "")
	f.Add("Note Hook", "d", signature(signingKey(secret.New("fuzz"+"-key")), "d", "12", "x"), "12", "")
	f.Fuzz(func(t *testing.T, event, delivery, line, stamp, token string) {
		h := http.Header{headerEvent: {event}, headerKey: {delivery}, headerID: {delivery}, headerSignature: {line}, headerStamp: {stamp}, headerToken: {token}}
		key := secret.New("fuzz" + "-key")
		want := strings.Contains(line, signature(signingKey(key), delivery, stamp, "x")) || line == "" && token == key.Reveal()
		if err := Verify(h, []byte("x"), []secret.Secret{key}); err == nil && !want {
			t.Fatalf("%q, %q verifies", line, token)
		}
	})
}

// Deliveries of the simulated host are verified and parsed with both kinds of proof, and in the form of an
// older version.
func TestDeliveriesOfTheSimulatedHost(t *testing.T) {
	t.Parallel()
	for _, doubt := range []simapi.Doubt{"", simapi.SigningTokens, simapi.NoIdempotencyKey} {
		var doubts []simapi.Doubt
		if doubt != "" {
			doubts = append(doubts, doubt)
		}
		signed := doubt == simapi.SigningTokens
		s := newSim(t, doubts...)
		ctx := t.Context()
		type delivery struct {
			header http.Header
			body   []byte
		}
		var mu sync.Mutex
		var got []delivery
		receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			got = append(got, delivery{r.Header.Clone(), body})
		}))
		t.Cleanup(receiver.Close)
		h, key := s.host(&codehosttest.Gate{}), secret.New("hook"+"-key")
		repo := codehost.Repo{Access: "c1", Owner: "octo/team", Name: "demo"}
		state := must(h.EnsureHook(ctx, repo, receiver.URL, key))(t)
		if state.ID == "" || !state.Active || len(state.Missing) != 0 {
			t.Fatalf("%+v", state)
		}
		if again := must(h.EnsureHook(ctx, repo, receiver.URL, key))(t); again.ID != state.ID {
			t.Fatalf("made again: %+v", again)
		}
		pull := s.open("topic", "half.go", simFile)
		must(s.ctl.Comment(ctx, named, pull.Number, shared.CommentSpec{Author: "ann", Body: "/assay review"}))(t)
		must(s.ctl.Note(ctx, named, pull.Number, simapi.NoteSpec{Author: "ann", Path: "half.go", NewLine: 4, Body: "hm"}))(t)
		s.push("topic", map[string]string{"half.go": simFile + "// more\n"})
		yes, no := true, false
		for _, u := range []shared.PullUpdate{{Draft: &yes}, {Draft: &no}, {Label: []string{"bug"}}, {State: "closed"}, {State: "open"}, {State: "merged"}} {
			must(s.ctl.UpdatePull(ctx, named, pull.Number, u))(t)
		}
		must(s.ctl.AddRun(ctx, named, shared.RunSpec{Workflow: "ci", Commit: pull.HeadSHA, Jobs: []shared.JobSpec{{Name: "test", Conclusion: "failure"}}}))(t)
		if err := s.ctl.WaitDeliveries(ctx, 30*time.Second); err != nil {
			t.Fatal(err)
		}
		mu.Lock()
		seen := map[string]bool{}
		for _, d := range got {
			if (d.header.Get(headerSignature) != "") != signed {
				t.Errorf("signature %q", d.header.Get(headerSignature))
			}
			if err := Verify(d.header, d.body, []secret.Secret{key}); err != nil {
				t.Errorf("%s: %v", d.header.Get(headerEvent), err)
			}
			head := must(ReadHeader(d.header))(t)
			if (head.Delivery == "") != (doubt == simapi.NoIdempotencyKey) {
				t.Errorf("%q: the id is %q", doubt, head.Delivery)
			}
			ev, err := Parse(head, d.body)
			if err != nil {
				t.Errorf("%v: %s", err, d.body)
			}
			seen[string(ev.Kind)+" "+ev.Action] = true
			if ev.Kind == codehost.KindPullRequest && (ev.PullRequest.Number != pull.Number || ev.PullRequest.Author != "ann" || ev.PullRequest.FromFork ||
				ev.Repository.ExternalID != domain.NumberID(s.repo.ID) || ev.Repository.Owner != "octo/team" || ev.PullRequest.UpdatedAt.IsZero()) {
				t.Errorf("%+v of %+v", ev.PullRequest, ev.Repository)
			}
			if ev.Kind == codehost.KindComment && ev.Comment.Inline {
				c := must(h.Reply(ctx, repo, codehost.Spot{Number: pull.Number, Thread: ev.Comment.ID}, markdown.Const("in the thread")))(t)
				if !strings.HasSuffix(string(c.ID), string(ev.Comment.ID)[strings.LastIndexByte(string(ev.Comment.ID), '.'):]) {
					t.Errorf("answered %s with %s", ev.Comment.ID, c.ID)
				}
			}
		}
		mu.Unlock()
		for _, want := range []string{"pull_request opened", "pull_request synchronize", "pull_request closed", "pull_request reopened", "pull_request converted_to_draft",
			"pull_request ready_for_review", "pull_request labeled", "comment created", "check completed"} {
			if !seen[want] {
				t.Errorf("signed %v: no %q among %v", signed, want, seen)
			}
		}
	}
}
