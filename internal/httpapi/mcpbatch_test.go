package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// held is code that nobody gets before they go away.
type held struct{ begun chan struct{} }

func (h held) Newest(ctx context.Context, _ store.Repository, _ string) (*snapshot.Repo, string, error) {
	h.begun <- struct{}{}
	<-ctx.Done()
	return nil, "", context.Cause(ctx)
}

// callOf is a call of a tool as a message.
func callOf(id int, tool string, args map[string]any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, store.JSON(args))
}

func cancelOf(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

func batchOf(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

// post sends a body to /mcp with a token.
func (w *world) post(token, body string, with ...func(*http.Request)) reply {
	w.t.Helper()
	return w.call(anonymous, http.MethodPost, "/mcp", body, append([]func(*http.Request){bearing(token), header("Accept", "application/json, text/event-stream")}, with...)...)
}

// streamed sends a body to /mcp and hands each message of the answer on; the channel ends
// with the answer.
func (w *world) streamed(ctx context.Context, token, body string) <-chan map[string]any {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.base+"/mcp", strings.NewReader(body))
	must(w.t, err)
	bearing(token)(r)
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	out := make(chan map[string]any, 100)
	go func() {
		defer close(out)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return
		}
		defer func() { _ = resp.Body.Close() }()
		lines := bufio.NewScanner(resp.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			if text, is := strings.CutPrefix(lines.Text(), "data: "); is {
				var m map[string]any
				if json.Unmarshal([]byte(text), &m) == nil {
					out <- m
				}
			} else if strings.HasPrefix(lines.Text(), ":") {
				out <- map[string]any{"comment": true}
			}
		}
	}()
	return out
}

// A batch is answered whole: each request of it once, and what is no request not.
func TestABatchIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, everyTool()...)
	w.reviewed("A nil map is written to", "shop/cart.go")
	token := w.scoped(member, everyScope()...)
	here := map[string]any{"repository": w.Repository.ID}
	got := w.post(token, batchOf(callOf(1, "list_findings", here), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, callOf(2, "list_rules", here),
		`{"jsonrpc":"2.0","id":"three","method":"tools/list","params":{"_meta":{"assay.dev/place":0}}}`, `{"jsonrpc":"2.0","id":4,"method":"ping"}`))
	if got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	for _, want := range []string{`"id":1,`, `"id":2,`, `"id":"three",`, `"id":4,`} {
		testkit.Equal(t, want, strings.Count(got.body, want), 1)
	}
	if !strings.Contains(got.body, "A nil map is written to") || !strings.Contains(got.body, `"list_rules"`) || strings.Contains(got.body, `"error"`) {
		t.Errorf("answers: %s", got.body)
	}
	testkit.Equal(t, "calls in the log", strings.Count(w.call(admin, http.MethodGet, w.tenantPath()+"/mcp-calls", "").body, `"outcome":"ok"`), 2)
	testkit.Equal(t, "only what needs no answer", w.post(token, batchOf(cancelOf(7), cancelOf(8))).status, http.StatusAccepted)
	one := callOf(1, "list_rules", here)
	for what, body := range map[string]string{"one id twice": batchOf(one, one), "one id in two forms": batchOf(one, strings.Replace(one, `"id":1`, `"id":1.0`, 1))} {
		if got := w.post(token, body); got.status != 400 || problemOf(t, got) != "malformed_message" {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	many := make([]string, 17)
	for i := range many {
		many[i] = callOf(i, "list_rules", here)
	}
	if got := w.post(token, batchOf(many...)); got.status != 400 || problemOf(t, got) != "batch_size" {
		t.Errorf("more requests than run at once: %d %s", got.status, got.body)
	}
	if got := w.post(token, batchOf(one), header("Mcp-Protocol-Version", "2025-11-25")); got.status != 400 {
		t.Errorf("a batch in a version without: %d %s", got.status, got.body)
	}
}

// Every message of a batch costs what it would cost alone.
func TestEveryMessageOfABatchIsPaidFor(t *testing.T) {
	t.Parallel()
	for what, limit := range map[string]func(*httpapi.Limits, httpapi.Rate){
		"token": func(l *httpapi.Limits, r httpapi.Rate) { l.Token = r }, "person": func(l *httpapi.Limits, r httpapi.Rate) { l.Person = r }, "address": func(l *httpapi.Limits, r httpapi.Rate) { l.Address = r },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { limit(&o.Limits, httpapi.Rate{PerSecond: 1e-6, Burst: 30}) })
			w.assistants(false, everyTool()...)
			token := w.scoped(member, everyScope()...)
			ping := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }
			var all []string
			for i := range 12 {
				all = append(all, ping(i))
			}
			testkit.Equal(t, "the first batch", w.post(token, batchOf(all...)).status, 200)
			testkit.Equal(t, "the second batch", w.post(token, batchOf(all...)).status, 200)
			got := w.post(token, batchOf(all...))
			if got.status != 429 || problemOf(t, got) != "rate_limited" || got.header.Get("Retry-After") == "" {
				t.Errorf("the third batch: %d %s", got.status, got.body)
			}
		})
	}
}

// Every request of a batch takes a place, and each can be cancelled: by its id, where
// one call has it, and although all places are taken.
func TestBatchesTakePlacesAndAreCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, everyTool()...)
	code := held{make(chan struct{}, 100)}
	w.Features.MCP.Code = code
	token := w.scoped(member, everyScope()...)
	search := func(id int) string {
		return callOf(id, "search_code", map[string]any{"repository": w.Repository.ID, "text": "a"})
	}
	ctx, leave := context.WithCancel(bg)
	defer leave()
	var all []string
	for i := range 14 {
		all = append(all, search(i))
	}
	answers := w.streamed(ctx, token, batchOf(all...))
	for range all {
		<-code.begun
	}
	if got := w.post(token, batchOf(search(20), search(21), search(22))); got.status != 429 || problemOf(t, got) != "too_many_at_once" {
		t.Errorf("fourteen and three: %d %s", got.status, got.body)
	}
	other := w.streamed(ctx, token, batchOf(search(5), search(30)))
	<-code.begun
	<-code.begun
	testkit.Equal(t, "one more", w.post(token, search(40)).status, 429)
	testkit.Equal(t, "a cancel of two", w.post(token, cancelOf(5)).status, http.StatusAccepted)
	for id, from := range map[int]<-chan map[string]any{7: answers, 30: other} {
		testkit.Equal(t, "a cancel", w.post(token, cancelOf(id)).status, http.StatusAccepted)
		got := <-from
		if got["id"] != float64(id) || !strings.Contains(fmt.Sprint(got["result"]), "The call was cancelled.") {
			t.Errorf("the answer to %d: %v", id, got)
		}
	}
	testkit.Equal(t, "a cancel by another token", w.post(w.scoped(member, everyScope()...), cancelOf(8)).status, http.StatusAccepted)
	for what, from := range map[string]<-chan map[string]any{"the first": answers, "the second": other} {
		select {
		case got := <-from:
			t.Errorf("%s batch says %v", what, got)
		default:
		}
	}
	leave()
	testkit.Eventually(t, 10*time.Second, func() (bool, string) {
		got := w.call(admin, http.MethodGet, w.tenantPath()+"/mcp-calls?limit=100", "").body
		return strings.Count(got, `"outcome":"cancelled"`) == 16, got
	})
}

// A client that waits hears something, whatever it waits for, and then its answer.
func TestAClientThatWaitsHearsSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, everyTool()...)
	code := held{make(chan struct{}, 100)}
	w.Features.MCP.Code, w.Features.MCP.KeepAlive = code, time.Millisecond
	token := w.scoped(member, everyScope()...)
	answer := w.streamed(bg, token, callOf(7, "review_diff", map[string]any{"repository": w.Repository.ID, "diff": "diff"}))
	<-code.begun
	for range 3 {
		if got := <-answer; got["comment"] != true {
			t.Fatalf("it hears %v", got)
		}
	}
	testkit.Equal(t, "the cancel", w.post(token, cancelOf(7)).status, http.StatusAccepted)
	last := map[string]any{}
	for got := range answer {
		if got["comment"] == nil {
			last = got
		}
	}
	if last["id"] != 7.0 || !strings.Contains(fmt.Sprint(last["result"]), "The call was cancelled.") {
		t.Errorf("at the end it hears %v", last)
	}
}

// Reviews of diffs have places by token, person and tenant, and in the process: webhooks
// are taken there, too. Who finds none is told when to come back.
func TestReviewsOfDiffsHavePlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, everyTool()...)
	w.call(stranger, http.MethodPut, "/api/tenants/"+w.other.Tenant.ID+"/mcp-settings", `{"enabled":true,"exposedTools":["review_diff"],"allowWrites":false}`)
	w.person("third", false, w.Tenant, domain.RoleAdmin)
	code := held{make(chan struct{}, 100)}
	w.Features.MCP.Code = code
	ctx, leave := context.WithCancel(bg)
	defer leave()
	id := 0
	review := func(repository string) string {
		id++
		return callOf(id, "review_diff", map[string]any{"repository": repository, "diff": "diff"})
	}
	begin := func(token, repository string, n int) {
		t.Helper()
		for range n {
			w.streamed(ctx, token, review(repository))
			<-code.begun
		}
	}
	full := func(token, repository, who string) {
		t.Helper()
		got := w.post(token, review(repository))
		if got.status != 200 || !strings.Contains(got.body, `"isError":true`) || !strings.Contains(got.body, who) || !strings.Contains(got.body, "Try again in 30 seconds.") {
			t.Errorf("%s: %d %s", who, got.status, got.body)
		}
	}
	here, there := w.Repository.ID, w.other.Repository.ID
	first := w.scoped(member, "diffs:review")
	begin(first, here, 2)
	full(first, here, "This token has 2 reviews under way.")
	begin(w.scoped(member, "diffs:review"), here, 1)
	full(w.scoped(member, "diffs:review"), here, "The owner of this token has 3 reviews under way.")
	begin(w.scoped(admin, "diffs:review"), here, 2)
	begin(w.scoped(admin, "diffs:review"), here, 1)
	full(w.scoped("third", "diffs:review"), here, "The tenant has 6 reviews under way.")
	var made struct{ Secret string }
	w.made(&made, stranger, "/api/tenants/"+w.other.Tenant.ID+"/mcp-tokens", strings.Replace(tokenBody("x", 3600e9), `["reviews:read"]`, `["diffs:review"]`, 1))
	begin(made.Secret, there, 2)
	w.made(&made, stranger, "/api/tenants/"+w.other.Tenant.ID+"/mcp-tokens", strings.Replace(tokenBody("y", 3600e9), `["reviews:read"]`, `["diffs:review"]`, 1))
	full(made.Secret, there, "This process has 8 reviews under way.")
	testkit.Equal(t, "what else the process does", w.call(admin, http.MethodGet, w.repo()+"/findings", "").status, 200)
	leave()
	testkit.Eventually(t, 10*time.Second, func() (bool, string) {
		got := w.post(first, review("rep_never")).body
		return strings.Contains(got, "There is nothing here."), got
	})
}

// The longest diff arrives, however its bytes are written; a longer body does not.
func TestTheLongestDiffArrives(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.assistants(false, everyTool()...)
	token := w.scoped(member, everyScope()...)
	body := func(n int) string {
		return strings.Replace(callOf(1, "review_diff", map[string]any{"repository": w.Repository.ID, "diff": "DIFF"}), "DIFF", strings.Repeat(`\u0001`, n), 1)
	}
	if got := w.post(token, body(900_000)); got.status != 200 || !strings.Contains(got.body, "This process cannot read code.") {
		t.Errorf("the longest: %d %.300s", got.status, got.body)
	}
	if got := w.post(token, body(900_001)); got.status != 200 || !strings.Contains(got.body, "at most 900000 bytes") {
		t.Errorf("one byte more: %d %.300s", got.status, got.body)
	}
	if got := w.post(token, body(1_100_000)); got.status != 413 {
		t.Errorf("a longer body: %d %.300s", got.status, got.body)
	}
	testkit.Equal(t, "elsewhere", w.call(admin, http.MethodPost, w.tenantPath()+"/mcp-tokens", `{"name":"`+strings.Repeat("x", 2<<20)+`"}`).status, 413)
}
