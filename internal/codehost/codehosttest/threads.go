package codehosttest

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

// testThreads checks that open threads are listed newest first with their authors, without resolved ones
// and within the port's bound.
func testThreads(t *testing.T, f *Fixture) {
	ctx := t.Context()
	if got := must[[]codehost.Thread](t)(f.Host.Threads(ctx, f.Repo, f.Number)); len(got) != 0 {
		t.Fatalf("threads before any comment: %+v", got)
	}
	f.publish(t, codehost.Draft{Commit: f.Head, Body: markdown.Const("a review"),
		Comments: []codehost.DraftComment{{Path: f.Path, Side: "RIGHT", Line: f.Line, Body: markdown.Const("ours")}}})
	f.Says(f.Line-1, f.Line, "on two lines", false)
	f.Says(f.Line, f.Line, "settled", true)
	got := must[[]codehost.Thread](t)(f.Host.Threads(ctx, f.Repo, f.Number))
	if len(got) != 2 {
		t.Fatalf("%d threads, want 2: %+v", len(got), got)
	}
	first := f.Line - 1
	if !f.Host.Capabilities().MultiLine {
		first = f.Line
	}
	want := codehost.Thread{Path: f.Path, Side: "RIGHT", StartLine: first, Line: f.Line, Author: f.Author, Body: "on two lines"}
	if got[0] != want {
		t.Errorf("thread %+v, want %+v", got[0], want)
	}
	if ours := got[1]; !ours.Mine || !ours.Bot || ours.Body != "ours" || ours.StartLine != f.Line || ours.Line != f.Line {
		t.Errorf("our own thread: %+v", ours)
	}
	for i := range codehost.MaxThreads {
		f.Says(f.Line, f.Line, fmt.Sprint("note ", i), false)
	}
	got = must[[]codehost.Thread](t)(f.Host.Threads(ctx, f.Repo, f.Number))
	if len(got) != codehost.MaxThreads || got[0].Body != fmt.Sprint("note ", codehost.MaxThreads-1) || got[len(got)-1].Body != "note 0" {
		t.Errorf("%d threads from %q to %q", len(got), got[0].Body, got[len(got)-1].Body)
	}
	if _, err := f.Host.Threads(ctx, f.Repo, 999_999); codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("a pull request that is not there: %v", err)
	}
}

// testResolve closes and reopens our thread, and repeats each step.
func testResolve(t *testing.T, f *Fixture) {
	ctx := t.Context()
	host, ok := codehost.ResolverOf(f.Host)
	if !ok {
		t.Skip("the adapter closes no threads")
	}
	d := f.draft("a review")
	d.Comments[1].StartLine, d.Comments[1].Line = 0, f.Line-1
	review := f.publish(t, d)
	comments := must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, review))
	if len(comments) != 2 || !comments[0].Open || !comments[1].Open {
		t.Fatalf("comments %+v", comments)
	}
	for _, step := range []struct {
		resolved bool
		open     int
	}{{true, 1}, {true, 1}, {false, 2}, {false, 2}, {true, 1}} {
		if err := host.SetResolved(ctx, f.Repo, f.Number, comments[0].ID, step.resolved); err != nil {
			t.Fatalf("resolved %v: %v", step.resolved, err)
		}
		got := must[[]codehost.Thread](t)(f.Host.Threads(ctx, f.Repo, f.Number))
		if len(got) != step.open || step.resolved && got[0].Body != d.Comments[1].Body.String() {
			t.Errorf("resolved %v: threads %+v", step.resolved, got)
		}
	}
	list := must[[]codehost.Comment](t)(f.Host.ReviewComments(ctx, f.Repo, f.Number, review))
	if list[0].Open || !list[1].Open {
		t.Errorf("comments %+v", list)
	}
	if f.Host.Capabilities().LineThreads {
		f.testLineThread(t, host)
	}
	isClass(t, "a comment that is not there", host.SetResolved(ctx, f.Repo, f.Number, "999999", true), codehost.ClassNotFound)
	f.Fault(Deny)
	isClass(t, "without the permission", host.SetResolved(ctx, f.Repo, f.Number, comments[1].ID, true), codehost.ClassForbidden)
	f.Fault(ApplyThen500)
	isClass(t, "without an answer", host.SetResolved(ctx, f.Repo, f.Number, comments[1].ID, true), codehost.ClassAmbiguous)
}

// testLineThread puts two comments on one line and checks that they form one thread, closed through its
// first comment.
func (f *Fixture) testLineThread(t *testing.T, host codehost.Resolver) {
	t.Helper()
	d := f.draft("one more review")
	before := must[[]codehost.Thread](t)(f.Host.Threads(t.Context(), f.Repo, f.Number))
	comments := must[[]codehost.Comment](t)(f.Host.ReviewComments(t.Context(), f.Repo, f.Number, f.publish(t, d)))
	if len(comments) != 2 || comments[0].Line != comments[1].Line {
		t.Fatalf("comments %+v", comments)
	}
	for _, step := range []struct {
		comment, threads int
	}{{1, len(before) + 1}, {0, len(before)}} {
		if err := host.SetResolved(t.Context(), f.Repo, f.Number, comments[step.comment].ID, true); err != nil {
			t.Fatal(err)
		}
		if got := must[[]codehost.Thread](t)(f.Host.Threads(t.Context(), f.Repo, f.Number)); len(got) != step.threads {
			t.Errorf("comment %d closed: %d threads, want %d", step.comment, len(got), step.threads)
		}
	}
}
