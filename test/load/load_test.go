package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var secret = []byte("s" + "3cret")

func secretFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, append(secret, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// receiver checks each delivery like an ingest and remembers its id.
type receiver struct {
	t    *testing.T
	size int
	mu   sync.Mutex
	seen map[string]string // GUID -> body
	head map[string]bool
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		r.t.Errorf("body: %v", err)
	}
	if got := req.Header.Get("X-Hub-Signature-256"); got != sign(secret, body) {
		r.t.Errorf("signature %q does not fit the body", got)
	}
	if len(body) != r.size || req.Header.Get("X-GitHub-Event") != "pull_request" {
		r.t.Errorf("%d bytes of event %q", len(body), req.Header.Get("X-GitHub-Event"))
	}
	var p struct {
		Action       string
		After        string
		Pull_request struct{ Head struct{ SHA string } }
	}
	if err := json.Unmarshal(body, &p); err != nil || p.Action != "synchronize" || len(p.After) != 40 || p.After != p.Pull_request.Head.SHA {
		r.t.Errorf("payload %+v, %v", p, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	guid := req.Header.Get("X-GitHub-Delivery")
	old, again := r.seen[guid]
	if again && old != string(body) {
		r.t.Error("a repeated delivery has other bytes")
	}
	if !again && r.head[p.After] {
		r.t.Error("two deliveries have one head")
	}
	r.seen[guid], r.head[p.After] = string(body), true
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprintf(w, `{"duplicate": %v}`, again)
}

func TestARunIsSignedPaddedAndRepeatsItsShare(t *testing.T) {
	r := &receiver{t: t, size: 16384, seen: map[string]string{}, head: map[string]bool{}}
	srv := httptest.NewServer(r)
	defer srv.Close()
	var out strings.Builder
	err := run(t.Context(), []string{"-rate", "1000", "-duration", "300ms", "-connections", "1", "-size", "16384",
		"-url", srv.URL, "-secret-file", secretFile(t), "-duplicates", "0.01"}, &out)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if len(r.seen) != 297 {
		t.Errorf("%d distinct deliveries, want 297 of 300", len(r.seen))
	}
	for _, want := range []string{
		"| 1000 | 300ms | 1 | 16384 | 300 | 0 | ",
		"Answers: 202: 300. Repeated deliveries: 3, answered as duplicate: 3; distinct deliveries: 297.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}

func TestAStallIsNotHidden(t *testing.T) {
	const stall = 300 * time.Millisecond
	var once sync.Once
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		once.Do(func() { <-time.After(stall) })
		w.WriteHeader(http.StatusAccepted)
	}))
	defer srv.Close()
	c := config{rate: 200, duration: 200 * time.Millisecond, connections: 1, timeout: time.Minute, url: srv.URL, secret: secret, repositories: 1, seed: "s"}
	r := summarise(c, send(t.Context(), c))
	// The last of the 40 was due 195 ms after the first, and could start only after the stall, so it
	// waited at least 105 ms.
	if got := r.latencies[0]; got < stall-200*time.Millisecond {
		t.Errorf("the fastest of all took %v: waiting was not counted", got)
	}
}

func TestFailuresCountAsInfinite(t *testing.T) {
	tests := []struct {
		name   string
		answer http.HandlerFunc
		status string
	}{
		{"refused by status", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }, "503: 20"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/x", 302) }, "302: 20"},
		{"cut connection", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "connection: 20"},
		{"no answer", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		}, "timeout: 20"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewServer(tt.answer)
			defer srv.Close()
			var out strings.Builder
			err := run(t.Context(), []string{"-rate", "200", "-duration", "100ms", "-timeout", "200ms", "-url", srv.URL, "-secret-file", secretFile(t)}, &out)
			if err == nil || !strings.Contains(err.Error(), "20 of 20") {
				t.Errorf("run = %v, want all 20 failed", err)
			}
			if s := out.String(); !strings.Contains(s, "| 20 | 20 | ∞ | ∞ | ∞ | ∞ |") || !strings.Contains(s, tt.status) {
				t.Errorf("report:\n%s\nwant ∞ and %q", s, tt.status)
			}
		})
	}
}

func TestInterruptedRunReportsWhatWasSent(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.WriteHeader(http.StatusAccepted)
	}))
	defer srv.Close()
	var out strings.Builder
	err := run(ctx, []string{"-rate", "10", "-duration", "10m", "-url", srv.URL, "-secret-file", secretFile(t)}, &out)
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Errorf("run = %v, want interrupted", err)
	}
	if !strings.Contains(out.String(), "| rate/s |") {
		t.Error("no report")
	}
}

func TestDiskBaseline(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) }))
	defer srv.Close()
	dir := t.TempDir()
	var out strings.Builder
	err := run(t.Context(), []string{"-rate", "100", "-duration", "10ms", "-url", srv.URL, "-secret-file", secretFile(t), "-fsync-dir", dir}, &out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{syncName + " before", syncName + " after"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Error("a file is left in the folder")
	}
	if _, err := measureDisk(t.Context(), filepath.Join(dir, "absent"), "x"); err == nil {
		t.Error("an absent folder was measured")
	}
}

func TestBadFlags(t *testing.T) {
	good := func() []string {
		return []string{"-url", "http://127.0.0.1:1/webhooks/codehost", "-secret-file", secretFile(t)}
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := parse(good(), io.Discard); err != nil {
		t.Fatalf("good flags: %v", err)
	}
	if _, err := parse([]string{"-url", "http://[::1]:1/", "-secret-file", secretFile(t)}, io.Discard); err != nil {
		t.Fatalf("good flags: %v", err)
	}
	for _, bad := range [][]string{
		{"-rate", "0"}, {"-rate", "NaN"}, {"-rate", "-1"}, {"-duration", "0s"}, {"-rate", "1e9"}, {"-rate", "0.001"},
		{"-connections", "0"}, {"-connections", "100000"}, {"-size", "10"}, {"-size", "99999999"}, {"-duplicates", "0.9"},
		{"-duplicates", "-1"}, {"-timeout", "0s"}, {"-timeout", "1h"}, {"-repositories", "0"}, {"-url", ""}, {"-url", "http://example.com/"},
		{"-url", "https://127.0.0.1/"}, {"-url", "http://10.0.0.1/"}, {"-url", "http://127.0.0.1.example.com/"}, {"-secret-file", ""},
		{"-secret-file", "/nonexistent"}, {"-secret-file", empty}, {"stray"}, {"-unknown"},
	} {
		if _, err := parse(append(good(), bad...), io.Discard); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestPercentile(t *testing.T) {
	var v []time.Duration
	for i := range 1000 {
		v = append(v, time.Duration(i+1))
	}
	for p, want := range map[float64]time.Duration{0: 1, 50: 500, 99: 990, 99.9: 999, 100: 1000} {
		if got := percentile(v, p); got != want {
			t.Errorf("percentile %g = %d, want %d", p, got, want)
		}
	}
	if percentile(nil, 50) != 0 {
		t.Error("no values, no percentile")
	}
}
