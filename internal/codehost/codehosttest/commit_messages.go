package codehosttest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

// testMessages checks that the messages are those of the pull request's commits alone, within the bound and
// in the host's order.
func testMessages(t *testing.T, f *Fixture) {
	m, ok := codehost.MessengerOf(f.Host)
	if !ok {
		t.Fatal("the adapter does not return commit messages, in which issues are found")
	}
	c, ctx := committer(t, f), t.Context()
	before := must[[]string](t)(m.Messages(ctx, f.Repo, f.Number))
	if len(before) == 0 || len(before) > 5 {
		t.Fatalf("messages %q", before)
	}
	next := f.commit(write("new/one.go", "package one\n"))
	next.Message = "PAY-1: add the sum\n\nAs ENG-4 asks for."
	must[codehost.MadeCommit](t)(c.Commit(ctx, f.Repo, next))
	got := must[[]string](t)(m.Messages(ctx, f.Repo, f.Number))
	if len(got) != len(before)+1 || !slices.ContainsFunc(got, func(s string) bool { return trimmed(s) == next.Message }) {
		t.Errorf("messages %q, before %q", got, before)
	}
	next = f.commit(write("new/two.go", "package two\n"))
	next.Head, next.Message = must[string](t)(c.BranchHead(ctx, f.Repo, f.Branches.Head)), strings.Repeat("x", 2*codehost.MaxMessage)
	must[codehost.MadeCommit](t)(c.Commit(ctx, f.Repo, next))
	if got := must[[]string](t)(m.Messages(ctx, f.Repo, f.Number)); !slices.ContainsFunc(got,
		func(s string) bool { return s == next.Message[:codehost.MaxMessage] }) {
		t.Errorf("a long message is not cut: %d messages", len(got))
	}
	for i := range codehost.MaxMessages {
		f.Branches.Push(f.Branches.Head, map[string]string{"new/many.go": fmt.Sprintf("package many // %d\n", i)})
	}
	if got := must[[]string](t)(m.Messages(ctx, f.Repo, f.Number)); len(got) != codehost.MaxMessages {
		t.Errorf("%d messages of more than that", len(got))
	}
	_, err := m.Messages(ctx, f.Repo, 9999)
	isClass(t, "no pull request", err, codehost.ClassNotFound)
	_, err = m.Messages(ctx, f.Repo, 0)
	isClass(t, "no number", err, codehost.ClassInvalid)
}

// trimmed returns a message without the line breaks that hosts append.
func trimmed(s string) string { return strings.TrimRight(s, "\n") }
