package codehosttest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

func testLostAnswers(t *testing.T, f *Fixture) {
	ctx := t.Context()
	f.Fault(ApplyThen500)
	if _, err := f.Host.CreateDraft(ctx, f.Repo, f.Number, f.draft("lost and found")); codehost.ClassOf(err) != codehost.ClassAmbiguous {
		t.Fatalf("create: %v", err)
	}
	list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number))
	if len(list) != 1 || !list[0].Mine || list[0].State != codehost.ReviewPending || list[0].Body != "lost and found" {
		t.Fatalf("the lost draft is not found: %+v", list)
	}
	f.Fault(ApplyThenReset)
	if _, err := f.Host.SubmitDraft(ctx, f.Repo, f.Number, list[0].ID,
		markdown.Const("lost and found")); codehost.ClassOf(err) != codehost.ClassAmbiguous {
		t.Fatalf("submit: %v", err)
	}
	if r := must[codehost.Review](t)(f.Host.Review(ctx, f.Repo, f.Number, list[0].ID)); r.State != codehost.ReviewSubmitted {
		t.Fatalf("after the lost submit: %+v", r)
	}
	f.testLostCheck(t)
}

func (f *Fixture) testLostCheck(t *testing.T) {
	t.Helper()
	ctx := t.Context()
	c := codehost.Check{ExternalID: "run_1", Name: "assay", HeadSHA: f.Head, Status: "completed", Conclusion: "success",
		Title: markdown.Const("t"), Summary: markdown.Const("s")}
	f.Fault(ApplyThen500)
	if _, err := f.Host.CreateCheck(ctx, f.Repo, c); codehost.ClassOf(err) != codehost.ClassAmbiguous {
		t.Fatalf("check: %v", err)
	}
	if ids := must[[]string](t)(f.Host.FindChecks(ctx, f.Repo, c)); len(ids) != 1 {
		t.Fatalf("the lost check run is not found: %v", ids)
	}
}

func testRefused(t *testing.T, f *Fixture) {
	ctx := t.Context()
	f.Fault(Refuse)
	if _, err := f.create(ctx, f.draft("refused")); codehost.ClassOf(err) != codehost.ClassAmbiguous {
		t.Fatalf("create: %v", err)
	}
	if list := must[[]codehost.Review](t)(f.Host.Reviews(ctx, f.Repo, f.Number)); len(list) != 0 {
		t.Fatalf("something was written: the adapter repeated it, or the fault had no effect: %+v", list)
	}
}

func testLimits(t *testing.T, f *Fixture) {
	ctx := t.Context()
	for fault, want := range map[Fault]GateEvent{
		LimitHeader: {Act: "block", For: 45 * time.Second},
		LimitText:   {Act: "block", For: time.Minute, Grow: true},
	} {
		f.Gate.Reset()
		f.Fault(fault)
		err := f.prepare(ctx, "limited")
		if codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) != want.For {
			t.Fatalf("%s: %v, retry after %v", fault, err, codehost.RetryAfter(err))
		}
		events := f.Gate.Events()
		n := len(events)
		if n < 3 || events[n-1].Act != "release" || events[n-1].OK {
			t.Fatalf("%s: gate %+v", fault, events)
		}
		got := events[n-2]
		want.Key = events[n-1].Key
		if got != want {
			t.Fatalf("%s: gate %+v, want %+v before the release", fault, got, want)
		}
	}
	if n := f.left(t); n != 0 {
		t.Fatalf("limited writes left %d drafts", n)
	}
}

func testDenied(t *testing.T, f *Fixture) {
	f.Fault(Deny)
	f.Gate.Reset()
	if err := f.prepare(t.Context(), "denied"); codehost.ClassOf(err) != codehost.ClassForbidden {
		t.Fatalf("err = %v", err)
	}
	if slices.ContainsFunc(f.Gate.Events(), func(e GateEvent) bool { return e.Act == "block" }) {
		t.Fatal("a lack of permission blocked the key")
	}
}

func testCancelled(t *testing.T, f *Fixture) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.prepare(ctx, "cancelled"); !errors.Is(err, context.Canceled) || codehost.ClassOf(err) != codehost.ClassUnavailable {
		t.Fatalf("err = %v", err)
	}
	if n := f.left(t); n != 0 {
		t.Fatalf("a cancelled call left %d drafts", n)
	}
}
