package wire

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/testkit"
)

// judgeStatus treats 2xx as success, 429 as a limit, and the rest as refused.
func judgeStatus(a Answer) Verdict {
	if a.Resp == nil || a.Err != nil {
		return brokenVerdict(a)
	}
	switch status := a.Resp.StatusCode; {
	case status < 300:
		return Verdict{Healthy: true}
	case status == http.StatusTooManyRequests:
		return Verdict{Err: &codehost.Error{Class: codehost.ClassLimited, Status: status}, Block: time.Minute}
	default:
		return Verdict{Err: &codehost.Error{Class: codehost.ClassInvalid, Status: status}, Healthy: true}
	}
}

type seen []codehost.Exchange

func (s *seen) ObserveExchange(_ context.Context, a codehost.Exchange) { *s = append(*s, a) }

func transport(t *testing.T, gate *codehosttest.Gate, watch codehost.Observer) *Transport {
	t.Helper()
	tr := &http.Transport{Proxy: nil}
	t.Cleanup(tr.CloseIdleConnections)
	return &Transport{Kind: "test", Client: Sender(&http.Client{Transport: tr}), Gate: gate, Timeout: 5 * time.Second, MaxBytes: 100, Judge: judgeStatus, Now: time.Now,
		Log: slog.New(slog.DiscardHandler), Watch: watch}
}

func alwaysAllowed(context.Context) (string, error) { return "", nil }

// send makes one request of the call.
func send(tr *Transport, c *Call, method, url string) error {
	return Run(context.Background(), c, func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader("{}"))
		if err != nil {
			return err
		}
		req.Header.Set("Idempotency-Key", "k")
		resp, err := tr.RoundTrip(req)
		if err != nil {
			return err
		}
		_, err = io.ReadAll(resp.Body)
		return err
	})
}

func TestOutcomesOfRequests(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for name, tc := range map[string]struct {
		answer http.HandlerFunc // without a handler no server listens
		effect bool
		class  codehost.Class
		sent   int32
	}{
		"success":              {func(http.ResponseWriter, *http.Request) {}, true, "", 1},
		"refused":              {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(422) }, true, codehost.ClassInvalid, 1},
		"redirect":             {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", 302) }, true, codehost.ClassInvalid, 1},
		"too large":            {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, strings.Repeat("x", 101)) }, true, codehost.ClassAmbiguous, 1},
		"no listener, a write": {nil, true, codehost.ClassUnavailable, 0},
		"broken off, a write":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, true, codehost.ClassAmbiguous, 1},
		"cut, a write": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "50")
			_, _ = io.WriteString(w, "x")
		}, true, codehost.ClassAmbiguous, 1},
		"cut, a read": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "50")
			_, _ = io.WriteString(w, "x")
		}, false, codehost.ClassUnavailable, 1},
	} {
		var count atomic.Int32
		url := "http://" + closed.Addr().String()
		if tc.answer != nil {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				count.Add(1)
				if r.Header.Get("Idempotency-Key") != "" {
					t.Error("a write has a header by which net/http may send it twice")
				}
				tc.answer(w, r)
			}))
			t.Cleanup(srv.Close)
			url = srv.URL
		}
		gate, watch := &codehosttest.Gate{}, &seen{}
		c := &Call{Op: "try", Key: "k", Write: true, Effect: true, Authorize: alwaysAllowed}
		if !tc.effect {
			c.Effect = false
		}
		method := "POST"
		err := func() error {
			if !tc.effect {
				return Run(context.Background(), c, func(ctx context.Context) error {
					req, _ := http.NewRequestWithContext(ctx, "GET", url, nil)
					_, err := transport(t, gate, watch).RoundTrip(req)
					return err
				})
			}
			return send(transport(t, gate, watch), c, method, url)
		}()
		if codehost.ClassOf(err) != tc.class || count.Load() != tc.sent {
			t.Errorf("%s: %v after %d requests, want %q after %d", name, err, count.Load(), tc.class, tc.sent)
		}
		events := gate.Events()
		if len(events) != 2 || events[0].Act != "acquire" || !events[0].Write || events[1].Act != "release" {
			t.Errorf("%s: gate %+v", name, events)
		}
		if len(*watch) != 1 || (*watch)[0].Op != "try" || (*watch)[0].Host != "test" || (*watch)[0].Class != tc.class {
			t.Errorf("%s: observed %+v", name, *watch)
		}
	}
}

func TestBlocksAreRecordedBeforeThePermitGoesBack(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }))
	t.Cleanup(srv.Close)
	gate := &codehosttest.Gate{}
	if err := send(transport(t, gate, nil), &Call{Op: "try", Key: "k", Authorize: alwaysAllowed}, "POST", srv.URL); codehost.ClassOf(err) != codehost.ClassLimited {
		t.Fatal(err)
	}
	if e := gate.Events(); len(e) != 3 || e[1].Act != "block" || e[1].For != time.Minute || e[2].Act != "release" || e[2].OK {
		t.Errorf("%+v", e)
	}
	broken := &codehosttest.Gate{Broken: errors.New("no database")}
	if err := send(transport(t, broken, nil), &Call{Op: "try", Key: "k", Authorize: alwaysAllowed}, "POST", srv.URL); codehost.ClassOf(err) != codehost.ClassLimited {
		t.Fatal(err)
	}
	if e := broken.Events(); len(e) != 2 || e[1].Act != "block" {
		t.Errorf("a permit whose block is not recorded was given back: %+v", e)
	}
}

func TestRequestsThatAreNotSent(t *testing.T) {
	t.Parallel()
	limited := &codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Hour}
	for name, tc := range map[string]struct {
		gate      *codehosttest.Gate
		authorize func(context.Context) (string, error)
		class     codehost.Class
	}{
		"the gate refuses":    {&codehosttest.Gate{Refuse: limited}, alwaysAllowed, codehost.ClassLimited},
		"the permit is short": {&codehosttest.Gate{Life: time.Millisecond}, alwaysAllowed, codehost.ClassUnavailable},
		"no authorisation":    {&codehosttest.Gate{}, func(context.Context) (string, error) { return "", errors.New("no token") }, codehost.ClassUnavailable},
	} {
		var count atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { count.Add(1) }))
		t.Cleanup(srv.Close)
		err := send(transport(t, tc.gate, nil), &Call{Op: "try", Key: "k", Effect: true, Authorize: tc.authorize}, "POST", srv.URL)
		if codehost.ClassOf(err) != tc.class || count.Load() != 0 {
			t.Errorf("%s: %v after %d requests", name, err, count.Load())
		}
	}
}

// A write to a host that the operator does not allow any more is not one whose answer was lost.
func TestARefusedDestinationIsNotAsked(t *testing.T) {
	t.Parallel()
	factory := outbound.New(outbound.Policy{})
	t.Cleanup(factory.Close)
	tr := transport(t, &codehosttest.Gate{}, nil)
	tr.Client = Sender(factory.Client(outbound.Purpose{Name: "test", KeepRedirects: true}))
	for _, where := range []string{"http://host.example/", "https://10.0.0.7/", "https://localhost/"} {
		err := Run(t.Context(), &Call{Op: "try", Key: "k", Effect: true, Authorize: alwaysAllowed}, func(ctx context.Context) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, where, strings.NewReader("{}"))
			if err != nil {
				return err
			}
			_, err = tr.RoundTrip(req) //nolint:bodyclose // there is no answer
			return err
		})
		testkit.Equal(t, where, codehost.ClassOf(err), codehost.ClassUnavailable)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{"": 0, "x": 0, "-1": 0, "0": time.Second, "45": 45 * time.Second, "999999999": 24 * time.Hour,
		"Sat, 21 Nov 2026 10:00:30 GMT": 30 * time.Second, "Sat, 21 Nov 2020 10:00:30 GMT": time.Second} {
		if got, ok := RetryAfter(http.Header{"Retry-After": {value}}, now); got != want || ok != (want != 0) {
			t.Errorf("%q: %v, %v", value, got, ok)
		}
	}
	slow := http.Header{"Retry-After": {"Sat, 21 Nov 2026 12:00:30 GMT"}, "Date": {"Sat, 21 Nov 2026 12:00:00 GMT"}}
	if got, _ := RetryAfter(slow, now); got != 30*time.Second {
		t.Errorf("with a host that has another clock: %v", got)
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("45")
	f.Add("Sat, 21 Nov 2026 10:00:30 GMT")
	f.Fuzz(func(t *testing.T, value string) {
		d, ok := RetryAfter(http.Header{"Retry-After": {value}}, time.Now())
		if ok != (d != 0) || ok && (d < MinBlock || d > MaxBlock) {
			t.Fatalf("%q: %v, %v", value, d, ok)
		}
	})
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	if got := OneLine("a\r\nb\x00\xff"+strings.Repeat("é", 10), 8); strings.ContainsAny(got, "\r\n\x00") || len([]rune(got)) > 8 {
		t.Errorf("%q", got)
	}
}

// A body is read while it arrives, up to the bound and one byte more. The error of the reader is the error of the call.
func TestRead(t *testing.T) {
	t.Parallel()
	stop := errors.New("stop")
	for _, c := range []struct {
		body, want string
		err        error
	}{{"", "", nil}, {"0123456789", "0123456789", nil}, {strings.Repeat("x", 100), strings.Repeat("x", 11), nil}, {"0", "0", stop}} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.body) }))
		var got []byte
		err := send(transport(t, &codehosttest.Gate{}, nil), &Call{Op: "log", Key: "k", Authorize: alwaysAllowed, Bytes: 10,
			Read: func(r io.Reader) (err error) {
				if got, err = io.ReadAll(r); err == nil {
					err = c.err
				}
				return err
			}}, http.MethodGet, srv.URL)
		srv.Close()
		if string(got) != c.want || !errors.Is(err, c.err) || c.err != nil && codehost.ClassOf(err) != codehost.ClassUnavailable {
			t.Errorf("%d bytes: %d read, %v", len(c.body), len(got), err)
		}
	}
}

// If the body is at another address, the answer has that address and the redirect is not followed. Without
// the caller's permission, the adapter judges the answer.
func TestFound(t *testing.T) {
	t.Parallel()
	asked := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(http.StatusFound)
	}))
	defer srv.Close()
	tr := transport(t, &codehosttest.Gate{}, nil)
	if err := send(tr, &Call{Op: "log", Key: "k", Authorize: alwaysAllowed, Found: true}, http.MethodGet, srv.URL); err != nil || asked != 1 {
		t.Errorf("%v after %d requests", err, asked)
	}
	if err := send(tr, &Call{Op: "log", Key: "k", Authorize: alwaysAllowed}, http.MethodGet, srv.URL); codehost.ClassOf(err) != codehost.ClassInvalid {
		t.Errorf("%v", err)
	}
}
