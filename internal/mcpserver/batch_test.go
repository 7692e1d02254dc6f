package mcpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/testkit"
)

func cancelOf(id int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
}

func batchOf(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

// accepted checks that a body without a call is accepted.
func (o *office) accepted(what string, c mcpserver.Caller, body string) {
	o.t.Helper()
	if status, answer, err := o.post(c, body); err != nil || status != http.StatusAccepted {
		o.t.Errorf("%s: %v, %d %s", what, err, status, answer)
	}
}

// A batch gets one answer to each of its requests, and none to other messages.
func TestABatchIsAnswered(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	o.reviewed("A nil map is written to", "shop/cart.go")
	c := o.caller(o.mona)
	here := map[string]any{"repository": o.Repository.ID}
	status, answer, err := o.post(c, batchOf(callOf(1, "list_findings", here), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, callOf(2, "list_rules", here),
		`{"jsonrpc":"2.0","id":"three","method":"tools/list","params":{"_meta":{"assay.dev/place":0}}}`, `{"jsonrpc":"2.0","id":4,"method":"ping"}`))
	if err != nil || status != 200 {
		t.Fatalf("%v, %d %s", err, status, answer)
	}
	for _, want := range []string{`"id":1,`, `"id":2,`, `"id":"three",`, `"id":4,`} {
		testkit.Equal(t, want, strings.Count(answer, want), 1)
	}
	if !strings.Contains(answer, "A nil map is written to") || !strings.Contains(answer, `"list_rules"`) || strings.Contains(answer, `"error"`) {
		t.Errorf("answers: %s", answer)
	}
	log := o.log()
	if len(log) != 2 || log[0].Outcome != "ok" || log[1].Outcome != "ok" {
		t.Errorf("log: %+v", log)
	}
	o.accepted("only what needs no answer", c, batchOf(cancelOf(7), cancelOf(8)))
	one := callOf(1, "list_rules", here)
	o.refused("one id twice", c, batchOf(one, one), errs.Malformed, "malformed_message")
	o.refused("one id in two forms", c, batchOf(one, strings.Replace(one, `"id":1`, `"id":1.0`, 1)), errs.Malformed, "malformed_message")
	many := make([]string, 17)
	for i := range many {
		many[i] = callOf(i, "list_rules", here)
	}
	o.refused("more requests than run at once", c, batchOf(many...), errs.Malformed, "batch_size")
	if status, answer, err := o.post(c, batchOf(one), "Mcp-Protocol-Version", "2025-11-25"); err == nil && status != 400 {
		t.Errorf("a batch in a version without: %d %s", status, answer)
	}
}

// Every message of a batch beyond the first counts against the limit before any of them is processed.
func TestEveryMessageOfABatchIsPaidFor(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	c, paid := o.caller(o.mona), 0
	c.Take = func(more int) error {
		if paid += more; paid > 10 {
			return errs.New(errs.RateLimited, "rate_limited", "Too many.")
		}
		return nil
	}
	here := map[string]any{"repository": o.Repository.ID}
	three := batchOf(o.call("list_rules", here), cancelOf(7), o.call("list_rules", here))
	for range 5 {
		_, _, err := o.post(c, three)
		testkit.OK(t, err)
	}
	testkit.Equal(t, "paid", paid, 10)
	o.refused("one batch more", c, three, errs.RateLimited, "rate_limited")
	testkit.Equal(t, "calls", len(o.log()), 10)
	_, _, err := o.post(c, o.call("list_rules", here)) // a single message was counted
	testkit.OK(t, err)
}

// Every request of a batch takes a place. Each can be cancelled by its id if one call has it, even if all
// places are taken.
func TestBatchesTakePlacesAndAreCancelled(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	code, c := o.hold(), o.caller(o.mona)
	search := func(id int) string {
		return callOf(id, "search_code", map[string]any{"repository": o.Repository.ID, "text": "a"})
	}
	ctx, leave := context.WithCancel(bg)
	defer leave()
	var all []string
	for i := range 14 {
		all = append(all, search(i))
	}
	answers := o.begin(ctx, c, batchOf(all...))
	for range all {
		<-code.begun
	}
	o.refused("fourteen and three", c, batchOf(search(20), search(21), search(22)), errs.RateLimited, "too_many_at_once")
	other := o.begin(ctx, c, batchOf(search(5), search(30)))
	<-code.begun
	<-code.begun
	o.refused("one more", c, search(40), errs.RateLimited, "too_many_at_once")
	o.accepted("a cancel of two", c, cancelOf(5))
	for id, from := range map[int]<-chan map[string]any{7: answers, 30: other} {
		o.accepted("a cancel", c, cancelOf(id))
		got := <-from
		if got["id"] != float64(id) || !strings.Contains(fmt.Sprint(got["result"]), "The call was cancelled.") {
			t.Errorf("the answer to %d: %v", id, got)
		}
	}
	o.accepted("a cancel by another token", o.caller(o.mona), cancelOf(8))
	for what, from := range map[string]<-chan map[string]any{"the first": answers, "the second": other} {
		select {
		case got := <-from:
			t.Errorf("%s batch says %v", what, got)
		default:
		}
	}
	leave()
	o.cancelled(16)
}

// A waiting client gets comments, whatever it waits for, and then its answer.
func TestAClientThatWaitsHearsSomething(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	code, c := o.hold(), o.caller(o.mona)
	o.service.KeepAlive = time.Millisecond
	answer := o.begin(bg, c, callOf(7, "review_diff", map[string]any{"repository": o.Repository.ID, "diff": "diff"}))
	<-code.begun
	for range 3 {
		if got := <-answer; got["comment"] != true {
			t.Fatalf("it gets %v", got)
		}
	}
	o.accepted("the cancel", c, cancelOf(7))
	last := map[string]any{}
	for got := range answer {
		if got["comment"] == nil {
			last = got
		}
	}
	if last["id"] != 7.0 || !strings.Contains(fmt.Sprint(last["result"]), "The call was cancelled.") {
		t.Errorf("the last message is %v", last)
	}
}

// Reviews of diffs have places by token, person and tenant, and in the process, which also handles webhooks.
// A caller without a place learns when to retry.
func TestReviewsOfDiffsHavePlaces(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	o.offer(o.Other.Tenant, false, "review_diff")
	third := o.Person("third", domain.RoleAdmin)
	foreign, err := o.Store.CreateUser(bg, "foreign", false)
	testkit.OK(t, err)
	testkit.OK(t, o.Store.SetMember(bg, o.Other.Tenant, foreign.ID, domain.RoleAdmin, "hand"))
	code := o.hold()
	ctx, leave := context.WithCancel(bg)
	defer leave()
	review := func(repository string) string {
		return o.call("review_diff", map[string]any{"repository": repository, "diff": "diff"})
	}
	begin := func(c mcpserver.Caller, repository string, n int) {
		t.Helper()
		for range n {
			o.begin(ctx, c, review(repository))
			<-code.begun
		}
	}
	full := func(c mcpserver.Caller, repository, who string) {
		t.Helper()
		status, answer, err := o.post(c, review(repository))
		if err != nil || status != 200 || !strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, who) || !strings.Contains(answer, "Try again in 30 seconds.") {
			t.Errorf("%s: %v, %d %s", who, err, status, answer)
		}
	}
	token := func(person string) mcpserver.Caller { return o.caller(person, "diffs:review") }
	here, there := o.Repository.ID, o.Other.Repository.ID
	first := token(o.mona)
	begin(first, here, 2)
	full(first, here, "This token has 2 reviews under way.")
	begin(token(o.mona), here, 1)
	full(token(o.mona), here, "The owner of this token has 3 reviews under way.")
	begin(token(o.olga), here, 2)
	begin(token(o.olga), here, 1)
	full(token(third), here, "The tenant has 6 reviews under way.")
	begin(o.callerOf(o.Other.Tenant, foreign.ID, "diffs:review"), there, 2)
	full(o.callerOf(o.Other.Tenant, foreign.ID, "diffs:review"), there, "This process has 8 reviews under way.")
	leave()
	testkit.Eventually(t, patience, func() (bool, string) {
		_, answer, err := o.post(first, review("rep_never"))
		return err == nil && strings.Contains(answer, "There is nothing here."), answer
	})
}

// Fifty concurrent calls are answered or told to wait, and afterwards all places are free.
func TestManyAssistantsAtOnce(t *testing.T) {
	t.Parallel()
	o := sqlite(t)
	c := o.caller(o.mona)
	body := callOf(1, "list_rules", map[string]any{"repository": o.Repository.ID})
	var all sync.WaitGroup
	var good, wait atomic.Int64
	for range 50 {
		all.Go(func() {
			switch status, answer, err := o.post(c, body); {
			case err == nil && status == 200 && strings.Contains(answer, `"items"`):
				good.Add(1)
			case errs.Is(err, errs.RateLimited):
				wait.Add(1)
			default:
				t.Errorf("%v, %d %s", err, status, answer)
			}
		})
	}
	all.Wait()
	if good.Load() < 16 {
		t.Errorf("%d were answered, %d told to wait", good.Load(), wait.Load())
	}
	_, _, err := o.post(c, body)
	testkit.OK(t, err)
}
