package github_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/github/simclient"
)

const createPath = `^/repos/acme/shop/pulls/1/reviews$`

func (b *bundle) fault(f simapi.Fault) string {
	b.t.Helper()
	if f.Path == "" {
		f.Method, f.Path = "POST", createPath
	}
	return need(b.ctl.SetFault(b.t.Context(), f)).ID
}

func (b *bundle) reviews() []simapi.Review {
	b.t.Helper()
	return need(b.ctl.Reviews(b.t.Context(), "acme/shop", 1))
}

func TestFaultsThatApply(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		fault   simapi.Fault
		status  int // 0: the connection breaks
		applied bool
	}{
		{"latency", simapi.Fault{Action: simapi.Latency, DelayMS: 5}, 200, true},
		{"refuse", simapi.Fault{Action: simapi.Refuse}, 0, false},
		{"apply then 500", simapi.Fault{Action: simapi.ApplyThenStatus}, 500, true},
		{"apply then 502", simapi.Fault{Action: simapi.ApplyThenStatus, Status: 502}, 502, true},
		{"apply then reset", simapi.Fault{Action: simapi.ApplyThenReset}, 0, true},
		{"respond", simapi.Fault{Action: simapi.Respond, Status: 503, ReplyBody: "{}", Headers: map[string]string{"Retry-After": "7"}}, 503, false},
		{"forbidden", simapi.Fault{Action: simapi.Forbidden}, 403, false},
		{"secondary", simapi.Fault{Action: simapi.SecondaryRetryAfter, RetrySeconds: 45}, 403, false},
		{"secondary 429", simapi.Fault{Action: simapi.SecondaryBodyOnly, Status: 429}, 429, false},
		{"primary", simapi.Fault{Action: simapi.PrimaryLimit, RetrySeconds: 90}, 403, false},
		{"second request only", simapi.Fault{Action: simapi.Refuse, Nth: 2}, 200, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := b.fault(tt.fault)
			r, err := b.send(b.request(b.token, "POST", pr+"/reviews", draft(line(4))))
			if (err != nil) != (tt.status == 0) || r.status != tt.status {
				t.Fatalf("answer %d, error %v", r.status, err)
			}
			if (len(b.reviews()) == 1) != tt.applied {
				t.Errorf("%d reviews, applied should be %v", len(b.reviews()), tt.applied)
			}
			list := need(b.ctl.Requests(t.Context(), simclient.RequestFilter{Method: "POST", Route: "/repos/{owner}/{repo}/pulls/{pull_number}/reviews"}))
			if len(list) != 1 || list[0].Applied != tt.applied || !list[0].Write || list[0].BodySHA256 == "" || list[0].Actor != "assay[bot]" {
				t.Errorf("record: %+v", list)
			}
			if tt.fault.Nth == 0 && (list[0].FaultID != id || list[0].Status != tt.status) {
				t.Errorf("record: fault %q, status %d", list[0].FaultID, list[0].Status)
			}
		})
	}
}

func TestLimitHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	must(t, b.ctl.Configure(t.Context(), simapi.Settings{ClockOffsetSeconds: 120}))
	get := func(action string) response {
		b.fault(simapi.Fault{Method: "GET", Path: "^/repos/acme/shop$", Action: action, RetrySeconds: 90})
		return b.call(403, "GET", "/repos/acme/shop", nil)
	}
	if r := get(simapi.SecondaryRetryAfter); r.header.Get("Retry-After") != "90" {
		t.Errorf("Retry-After: %q", r.header.Get("Retry-After"))
	}
	at, err := http.ParseTime(get(simapi.SecondaryRetryDate).header.Get("Retry-After"))
	if d := time.Until(at); err != nil || d < 195*time.Second || d > 215*time.Second {
		t.Errorf("Retry-After date: in %v, want 90 s + 120 s of offset", d)
	}
	if r := get(simapi.SecondaryBodyOnly); r.header.Get("Retry-After") != "" || !strings.Contains(string(r.body), "secondary rate limit") || r.header.Get("X-RateLimit-Remaining") != "" {
		t.Errorf("body only: %v %s", r.header, r.body)
	}
	r := get(simapi.PrimaryLimit)
	reset, _ := strconv.ParseInt(r.header.Get("X-RateLimit-Reset"), 10, 64)
	if r.header.Get("X-RateLimit-Remaining") != "0" || reset < time.Now().Unix()+195 {
		t.Errorf("primary: %v", r.header)
	}
	date, _ := http.ParseTime(r.header.Get("Date"))
	if d := time.Until(date); d < 110*time.Second {
		t.Errorf("the Date header is only %v ahead", d)
	}
	b.fault(simapi.Fault{Method: "POST", Path: "^/graphql$", Action: simapi.GraphQLRateLimited})
	if r := b.graphql(b.token, "{ viewer { login } }", nil); dig(r["errors"].([]any)[0], "type") != "RATE_LIMITED" {
		t.Errorf("graphql: %v", r)
	}
	must(t, b.ctl.Configure(t.Context(), simapi.Settings{WritesPerMinute: 1}))
	b.call(201, "POST", "/repos/acme/shop/issues/1/comments", map[string]any{"body": "x"})
	b.call(403, "POST", "/repos/acme/shop/issues/1/comments", map[string]any{"body": "x"})
	must(t, b.ctl.Configure(t.Context(), simapi.Settings{PrimaryLimit: 1}))
	b.call(403, "GET", "/repos/acme/shop", nil)
}

// TestHold proves that a request can be held back, that its client may disconnect, and that the request
// can then be applied or dropped.
func TestHold(t *testing.T) {
	t.Parallel()
	for _, decision := range []string{simapi.Apply, simapi.Drop, simapi.Reset} {
		t.Run(decision, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := b.fault(simapi.Fault{Action: simapi.Hold})
			failed := make(chan error, 1)
			client := &http.Transport{}
			go func() {
				resp, err := client.RoundTrip(b.request(b.token, "POST", pr+"/reviews", draft(line(4))))
				if err == nil {
					_ = resp.Body.Close()
				}
				failed <- err
			}()
			need(b.ctl.AwaitFault(t.Context(), id, 1, 1, 5*time.Second))
			if n := len(b.reviews()); n != 0 {
				t.Fatalf("%d reviews while held", n)
			}
			must(t, b.ctl.Release(t.Context(), id, decision))
			need(b.ctl.AwaitFault(t.Context(), id, 1, -1, 5*time.Second))
			if err := <-failed; (err == nil) != (decision == simapi.Apply) {
				t.Errorf("client: %v", err)
			}
			if applied := len(b.reviews()) == 1; applied != (decision != simapi.Drop) {
				t.Errorf("applied: %v", applied)
			}
			b.callAs(b.token, map[bool]int{true: 200, false: 422}[decision == simapi.Drop], "POST", pr+"/reviews", draft(line(4)))
		})
	}
}

// TestApplyLate: the client gets an error or no answer, a second attempt comes first, and the late one
// finds the slot occupied.
func TestApplyLate(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.fault(simapi.Fault{Action: simapi.ApplyLate, Status: 504})
	b.call(504, "POST", pr+"/reviews", draft(line(4)))
	if n := len(b.call(200, "GET", pr+"/reviews", nil).list()); n != 0 {
		t.Fatalf("%d reviews before it is applied", n)
	}
	must(t, b.ctl.Release(t.Context(), id, ""))
	need(b.ctl.AwaitFault(t.Context(), id, 1, -1, 5*time.Second))
	b.call(422, "POST", pr+"/reviews", draft(line(4)))
	writes := need(b.ctl.Writes(t.Context(), 0))
	created := 0
	for _, w := range writes {
		if w.Kind == "review" && w.Verb == "create" && w.AtUS > 0 && w.Number == 1 {
			created++
		}
	}
	if created != 1 {
		t.Errorf("writes: %+v", writes)
	}
}

func TestListLag(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.fault(simapi.Fault{Action: simapi.ListLag})
	made := b.call(200, "POST", pr+"/reviews", draft(line(4))).object()
	if n := len(b.call(200, "GET", pr+"/reviews", nil).list()); n != 0 {
		t.Errorf("%d reviews are listed", n)
	}
	b.call(422, "POST", pr+"/reviews", draft(line(4)))
	b.call(200, "GET", pr+"/reviews/"+strconv.FormatInt(int64(made["id"].(float64)), 10), nil)
	must(t, b.ctl.Release(t.Context(), id, ""))
	if n := len(b.call(200, "GET", pr+"/reviews", nil).list()); n != 1 {
		t.Errorf("%d reviews are listed after the release", n)
	}
}

func TestFaultInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, f := range map[string]simapi.Fault{"action": {Action: "explode"}, "path": {Action: simapi.Refuse, Path: "("}, "body": {Action: simapi.Refuse, Body: "("},
		"status": {Action: simapi.Respond, Status: 7}, "delay": {Action: simapi.Latency, DelayMS: -1}} {
		if _, err := b.ctl.SetFault(t.Context(), f); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := b.ctl.Release(t.Context(), "none", ""); err == nil {
		t.Error("released a fault that is not there")
	}
	if _, err := simclient.New(b.base, "wrong").Faults(t.Context()); err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("the control interface took a wrong token: %v", err)
	}
}
