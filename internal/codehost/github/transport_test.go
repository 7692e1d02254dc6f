package github

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

const (
	pullPath   = "/repos/octo/demo/pulls/7"
	reviewPath = pullPath + "/reviews"
)

var draft = codehost.Draft{Commit: headSHA, Body: markdown.Const("b"), Comments: []codehost.DraftComment{
	{Path: "a.go", Side: "RIGHT", Line: 3, Body: markdown.Const("one")}, {Path: "a.go", Side: "LEFT", StartLine: 3, Line: 5, Body: markdown.Const("two")}}}

func gateWords(g *codehosttest.Gate, key string) string {
	var out []string
	for _, e := range g.Events() {
		if e.Key == key {
			out = append(out, e.Act)
		}
	}
	return strings.Join(out, " ")
}

func TestEveryRequestPassesTheGate(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET "+pullPath, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, map[string]any{"number": 7}) })
	f.on("POST "+reviewPath, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"id": 1, "state": "PENDING"})
	})
	h, gate := newHost(t, f)
	if _, err := h.PullRequest(t.Context(), testRepo, 7); err != nil {
		t.Fatal(err)
	}
	if _, err := h.CreateDraft(t.Context(), testRepo, 7, draft); err != nil {
		t.Fatal(err)
	}
	host := strings.TrimPrefix(f.URL, "http://")
	inst, app := "github|"+host+"|99", "github|"+host+"|app:4711"
	want := []codehosttest.GateEvent{
		{Act: "acquire", Key: app}, {Act: "release", Key: app, OK: true},
		{Act: "acquire", Key: inst}, {Act: "release", Key: inst, OK: true},
		{Act: "acquire", Key: app}, {Act: "release", Key: app, OK: true}, // for a token with another scope
		{Act: "acquire", Key: inst, Write: true}, {Act: "release", Key: inst, OK: true},
	}
	got := gate.Events()
	if len(got) != len(want) {
		t.Fatalf("gate events %+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("gate event %d is %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestABlockIsRecordedBeforeTheRelease(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET "+pullPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "45")
		reply(w, 403, map[string]any{"message": "secondary rate limit"})
	})
	h, gate := newHost(t, f)
	_, err := h.PullRequest(t.Context(), testRepo, 7)
	if codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) != 45*time.Second {
		t.Fatalf("err = %v", err)
	}
	if got := gateWords(gate, h.installationKey(domain.NumberID(testInst))); got != "acquire block release" {
		t.Fatalf("gate: %s", got)
	}
	last := gate.Events()[len(gate.Events())-1]
	if last.OK {
		t.Fatal("a limit was released as healthy")
	}
	if f.count("GET "+pullPath) != 1 {
		t.Fatal("the request was repeated")
	}
}

func TestWhatTheGateRefusesIsNotSent(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	limited := &codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Minute}
	h, gate := newHost(t, f)
	gate.Refuse = limited
	_, err := h.CreateDraft(t.Context(), testRepo, 7, draft)
	if codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) != time.Minute {
		t.Fatalf("err = %v", err)
	}
	gate.Refuse = errors.New("database is down")
	if _, err = h.CreateDraft(t.Context(), testRepo, 7, draft); codehost.ClassOf(err) != codehost.ClassUnavailable || !errors.Is(err, gate.Refuse) {
		t.Fatalf("err = %v", err)
	}
	if f.total() != 0 {
		t.Fatal("something was sent")
	}
}

// A permit whose block could not be recorded must expire instead of being released. Otherwise the next holder
// would send requests during the host's block.
func TestAPermitIsKeptWhenItsBlockIsNotRecorded(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET /app", func(w http.ResponseWriter, _ *http.Request) { reply(w, 429, nil) })
	h, gate := newHost(t, f)
	gate.Broken = errors.New("database is down")
	if _, err := h.App(t.Context()); codehost.ClassOf(err) != codehost.ClassLimited {
		t.Fatalf("err = %v", err)
	}
	if got := gateWords(gate, h.appKey()); got != "acquire block" {
		t.Fatalf("gate: %s", got)
	}
}

func TestLostAnswersOfWritesAreAmbiguous(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]http.HandlerFunc{
		"reset": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			conn, _, _ := w.(http.Hijacker).Hijack()
			_ = conn.(*net.TCPConn).SetLinger(0)
			conn.Close()
		},
		"half an answer": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte(`{"id":`))
		},
		"not JSON":      func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"without an id": func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, map[string]any{}) },
		"null":          func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, nil) },
		"500":           func(w http.ResponseWriter, _ *http.Request) { reply(w, 500, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.on("POST "+reviewPath, handle)
			h, _ := newHost(t, f)
			_, err := h.CreateDraft(t.Context(), testRepo, 7, draft)
			if codehost.ClassOf(err) != codehost.ClassAmbiguous {
				t.Fatalf("err = %v", err)
			}
			if n := f.count("POST " + reviewPath); n != 1 {
				t.Fatalf("the write was sent %d times", n)
			}
		})
	}
}

// If a reused connection dies during a write, net/http would normally send the request again.
func TestAWriteOnADeadConnectionIsNotRepeated(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	var posts atomic.Int32
	f.on("GET "+pullPath, func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, map[string]any{"number": 7}) })
	f.on("POST "+reviewPath, func(w http.ResponseWriter, r *http.Request) {
		posts.Add(1)
		if r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != "" {
			t.Error("an idempotency header was sent")
		}
		conn, _, _ := w.(http.Hijacker).Hijack()
		conn.Close()
	})
	h, _ := newHost(t, f)
	for range 3 {
		if _, err := h.PullRequest(t.Context(), testRepo, 7); err != nil {
			t.Fatal(err)
		}
		before := posts.Load()
		_, err := h.CreateDraft(t.Context(), testRepo, 7, draft)
		if codehost.ClassOf(err) != codehost.ClassAmbiguous {
			t.Fatalf("err = %v", err)
		}
		if n := posts.Load() - before; n != 1 {
			t.Fatalf("the write was sent %d times", n)
		}
	}
}

// requestSpy inspects requests as the injected client receives them.
type requestSpy struct {
	next http.RoundTripper
	mu   sync.Mutex
	bad  []string
}

func (s *requestSpy) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet && r.GetBody != nil && !strings.HasSuffix(r.URL.Path, "/access_tokens") {
		s.mu.Lock()
		s.bad = append(s.bad, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
	}
	return s.next.RoundTrip(r)
}

func TestWritesCannotBeReplayed(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	spy := &requestSpy{next: http.DefaultTransport}
	h, _ := newHost(t, f, func(c *Config) { c.HTTP = &http.Client{Transport: spy} })
	ctx := t.Context()
	_, _ = h.CreateDraft(ctx, testRepo, 7, draft)
	_, _ = h.SubmitDraft(ctx, testRepo, 7, "1", markdown.Const("b"))
	_ = h.DeleteDraft(ctx, testRepo, 7, "1")
	_ = h.EditReview(ctx, testRepo, 7, "1", markdown.Const("b"))
	_ = h.EditComment(ctx, testRepo, "1", markdown.Const("b"))
	_, _ = h.Reply(ctx, testRepo, codehost.Spot{Number: 7}, markdown.Const("b"))
	_, _ = h.Reply(ctx, testRepo, codehost.Spot{Number: 7, Thread: "3"}, markdown.Const("b"))
	check := codehost.Check{Name: "n", ExternalID: "e", HeadSHA: headSHA, Status: "queued"}
	_, _ = h.CreateCheck(ctx, testRepo, check)
	_ = h.UpdateCheck(ctx, testRepo, "1", check)
	if len(spy.bad) != 0 {
		t.Fatalf("replayable writes: %v", spy.bad)
	}
}

func TestNotSentIsNotAmbiguous(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	l.Close()
	f := newFake(t)
	h, _ := newHost(t, f)
	// The token exists already, and then the host goes down.
	if _, _, err := h.installationToken(t.Context(), tokenKey{installation: domain.NumberID(testInst), scope: scopePublish}, tokenRest); err != nil {
		t.Fatal(err)
	}
	u, _ := baseURL(closed)
	gone, _ := newHost(t, f, func(c *Config) { c.APIURL = u.String() })
	gone.tokens.entries = h.tokens.entries
	if _, err := gone.CreateDraft(t.Context(), testRepo, 7, draft); codehost.ClassOf(err) != codehost.ClassUnavailable {
		t.Fatalf("err = %v", err)
	}
}

// mute is a transport that reports nothing about connections and therefore cannot prove that nothing was
// sent.
type mute struct{}

func (mute) RoundTrip(*http.Request) (*http.Response, error) { return nil, errors.New("broken pipe") }

func TestUnknownTransportErrorsOfWritesAreAmbiguous(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	h, _ := newHost(t, f)
	if _, _, err := h.installationToken(t.Context(), tokenKey{installation: domain.NumberID(testInst), scope: scopePublish}, tokenRest); err != nil {
		t.Fatal(err)
	}
	broken, _ := newHost(t, f, func(c *Config) { c.HTTP = &http.Client{Transport: mute{}} })
	broken.tokens.entries = h.tokens.entries
	if _, err := broken.CreateDraft(t.Context(), testRepo, 7, draft); codehost.ClassOf(err) != codehost.ClassAmbiguous {
		t.Fatalf("err = %v", err)
	}
}

func TestACancelledWriteIsAmbiguousAndReleases(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	arrived := make(chan struct{})
	done := make(chan struct{})
	f.on("POST "+reviewPath, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-done
	})
	h, gate := newHost(t, f)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err := h.CreateDraft(ctx, testRepo, 7, draft)
	close(done)
	if codehost.ClassOf(err) != codehost.ClassAmbiguous || !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v", err)
	}
	if got := gateWords(gate, h.installationKey(domain.NumberID(testInst))); got != "acquire release" {
		t.Fatalf("gate: %s", got)
	}
}

func TestARequestEndsBeforeItsPermit(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	done := make(chan struct{})
	f.on("GET "+pullPath, func(http.ResponseWriter, *http.Request) { <-done })
	h, gate := newHost(t, f)
	if _, err := h.App(t.Context()); err != nil {
		t.Fatal(err)
	}
	gate.Life = wire.PermitMargin + 100*time.Millisecond
	_, err := h.PullRequest(t.Context(), testRepo, 7)
	close(done)
	if codehost.ClassOf(err) != codehost.ClassUnavailable || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("err = %v", err)
	}
	gate.Life = wire.PermitMargin
	n := f.total()
	if _, err := h.App(t.Context()); codehost.ClassOf(err) != codehost.ClassUnavailable || f.total() != n {
		t.Fatalf("a permit without time: err = %v, %d requests", err, f.total()-n)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("GET "+pullPath, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", f.URL+"/elsewhere")
		reply(w, 301, map[string]any{"message": "Moved Permanently"})
	})
	h, _ := newHost(t, f)
	if _, err := h.PullRequest(t.Context(), testRepo, 7); codehost.ClassOf(err) != codehost.ClassMoved {
		t.Fatalf("err = %v", err)
	}
	if f.count("GET /elsewhere") != 0 {
		t.Fatal("the redirect was followed")
	}
}

func TestLogsHoldNoTokens(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.on("POST "+reviewPath, func(w http.ResponseWriter, r *http.Request) {
		reply(w, 403, map[string]any{"message": "no: " + r.Header.Get("Authorization")})
	})
	var log bytes.Buffer
	h, _ := newHost(t, f, func(c *Config) {
		c.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	_, err := h.CreateDraft(t.Context(), testRepo, 7, draft)
	if codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Fatalf("err = %v", err)
	}
	for _, text := range []string{log.String(), err.Error()} {
		if text == "" || strings.Contains(text, "a1B2a1B2") || strings.Contains(text, "Bearer ey") {
			t.Fatalf("a credential, or nothing, in %q", text)
		}
	}
}
