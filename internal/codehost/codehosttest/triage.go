package codehosttest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

var triageTests = map[string]func(*testing.T, *Fixture){
	"labels":              testLabels,
	"requested reviewers": testReviewers,
}

// verb is a repeatable write of triage, tested with every fault.
type verb struct {
	name string
	do   func(context.Context) error
	done func() bool // reports whether its effect is visible
}

// tries executes a verb with every fault. A lost request is ambiguous, and a refused one has no effect.
func (f *Fixture) tries(t *testing.T, v verb) {
	t.Helper()
	for _, tc := range []struct {
		fault Fault
		want  codehost.Class
	}{{Refuse, codehost.ClassAmbiguous}, {LimitHeader, codehost.ClassLimited}, {LimitText, codehost.ClassLimited},
		{Deny, codehost.ClassForbidden}} {
		f.Fault(tc.fault)
		isClass(t, v.name+": "+string(tc.fault), v.do(t.Context()), tc.want)
		if v.done() {
			t.Fatalf("%s: %s: it was done", v.name, tc.fault)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	isClass(t, v.name+": cancelled", v.do(ended), codehost.ClassUnavailable)
	f.Fault(ApplyThen500)
	isClass(t, v.name+": lost", v.do(t.Context()), codehost.ClassAmbiguous)
	for range 2 {
		if err := v.do(t.Context()); err != nil || !v.done() {
			t.Fatalf("%s: %v, done %v", v.name, err, v.done())
		}
	}
}

func testLabels(t *testing.T, f *Fixture) {
	l := offered(t, f.Host.Capabilities().Labels, codehost.LabelerOf, f.Host)
	ctx := t.Context()
	list := func() []string { return must[[]string](t)(l.Labels(ctx, f.Repo, f.Number)) }
	if got := list(); len(got) != 0 {
		t.Fatalf("labels before any was added: %q", got)
	}
	const odd = "needs: a/b? 100% #1 ü"
	f.tries(t, verb{"add", func(ctx context.Context) error { return l.AddLabels(ctx, f.Repo, f.Number, []string{"bug"}) },
		func() bool { return len(list()) == 1 }})
	if err := l.AddLabels(ctx, f.Repo, f.Number, []string{"BUG", odd}); err != nil {
		t.Fatal(err)
	}
	if got := list(); len(got) != 2 || !slices.Contains(got, "bug") || !slices.Contains(got, odd) {
		t.Fatalf("labels %q", got)
	}
	if p := must[codehost.PullRequest](t)(f.Host.PullRequest(ctx, f.Repo, f.Number)); len(p.Labels) != 2 {
		t.Errorf("the pull request has %q", p.Labels)
	}
	for _, name := range []string{"never made", odd, odd} {
		if err := l.RemoveLabel(ctx, f.Repo, f.Number, name); err != nil {
			t.Errorf("remove %q: %v", name, err)
		}
	}
	if got := list(); !slices.Equal(got, []string{"bug"}) {
		t.Errorf("labels %q", got)
	}
	f.FaultDelete(ApplyThenReset)
	isClass(t, "a removal whose answer was lost", l.RemoveLabel(ctx, f.Repo, f.Number, "Bug"), codehost.ClassAmbiguous)
	if got := list(); len(got) != 0 {
		t.Errorf("after the removal: %q", got)
	}
	known := must[[]string](t)(l.KnownLabels(ctx, f.Repo))
	if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, "bug") }) || !slices.Contains(known, odd) {
		t.Errorf("the repository knows %q", known)
	}
	absent := f.Repo
	absent.Name += "-absent"
	_, err := l.KnownLabels(ctx, absent)
	isClass(t, "in an absent repository", err, codehost.ClassNotFound)
	_, err = l.Labels(ctx, f.Repo, 9999)
	isClass(t, "labels of nothing", err, codehost.ClassNotFound)
	isClass(t, "add to nothing", l.AddLabels(ctx, f.Repo, 9999, []string{"bug"}), codehost.ClassNotFound)
	isClass(t, "remove from nothing", l.RemoveLabel(ctx, f.Repo, 9999, "bug"), codehost.ClassNotFound)
	f.Gate.Reset()
	var many []string
	for i := range codehost.MaxLabels + 1 {
		many = append(many, fmt.Sprint("label ", i))
	}
	for what, tc := range map[string]struct {
		names []string
		want  codehost.Class
	}{
		"none": {nil, codehost.ClassInvalid}, "too many": {many, codehost.ClassTooLarge},
		"too long": {[]string{strings.Repeat("ü", codehost.MaxLabelName+1)}, codehost.ClassTooLarge},
		"empty":    {[]string{""}, codehost.ClassInvalid}, "a break": {[]string{"a\nb"}, codehost.ClassInvalid},
		"spaces":   {[]string{" a"}, codehost.ClassInvalid},
		"climbing": {[]string{".."}, codehost.ClassInvalid}, "twice": {[]string{"a", "A"}, codehost.ClassInvalid},
	} {
		isClass(t, what, l.AddLabels(ctx, f.Repo, f.Number, tc.names), tc.want)
	}
	isClass(t, "remove what climbs", l.RemoveLabel(ctx, f.Repo, f.Number, ".."), codehost.ClassInvalid)
	if events := f.Gate.Events(); len(events) != 0 {
		t.Errorf("the host got requests: %+v", events)
	}
}

func testReviewers(t *testing.T, f *Fixture) {
	able := f.Host.Capabilities().Reviewers
	a := offered(t, able, func(h codehost.Host) (a codehost.Assigner, ok bool) {
		if able {
			a, ok = h.(codehost.Assigner)
		}
		return a, ok
	}, f.Host)
	ctx := t.Context()
	list := func() (logins []string) {
		for _, p := range must[[]codehost.Person](t)(a.Requested(ctx, f.Repo, f.Number)) {
			if p.ID == "" {
				t.Errorf("a person without an id: %+v", p)
			}
			logins = append(logins, p.Login)
		}
		return logins
	}
	rob := []string{f.Reviewer}
	f.tries(t, verb{"request", func(ctx context.Context) error { return a.RequestReviews(ctx, f.Repo, f.Number, rob) },
		func() bool { return slices.Equal(list(), rob) }})
	for what, logins := range map[string][]string{"an unknown person": {"no-such-person"}, "the author": {f.Author}, "a person without access": {f.Stranger}} {
		isClass(t, what, a.RequestReviews(ctx, f.Repo, f.Number, logins), codehost.ClassInvalid)
	}
	if got := list(); !slices.Equal(got, rob) {
		t.Errorf("asked %q", got)
	}
	for _, logins := range [][]string{{f.Author}, {"no-such-person"}} {
		if err := a.CancelRequests(ctx, f.Repo, f.Number, logins); err != nil {
			t.Errorf("cancel for %q: %v", logins, err)
		}
	}
	f.FaultDelete(ApplyThen500)
	both := []string{f.Reviewer, f.Stranger}
	isClass(t, "a cancellation whose answer was lost", a.CancelRequests(ctx, f.Repo, f.Number, both), codehost.ClassAmbiguous)
	if err := a.CancelRequests(ctx, f.Repo, f.Number, both); err != nil || len(list()) != 0 {
		t.Errorf("cancelled: %v, asked %q", err, list())
	}
	_, err := a.Requested(ctx, f.Repo, 9999)
	isClass(t, "an absent pull request", err, codehost.ClassNotFound)
	isClass(t, "a request for an absent pull request", a.RequestReviews(ctx, f.Repo, 9999, rob), codehost.ClassNotFound)
	isClass(t, "a cancellation for an absent pull request", a.CancelRequests(ctx, f.Repo, 9999, rob), codehost.ClassNotFound)
	f.Gate.Reset()
	var many []string
	for i := range codehost.MaxReviewers + 1 {
		many = append(many, fmt.Sprint("person", i))
	}
	for what, tc := range map[string]struct {
		logins []string
		want   codehost.Class
	}{
		"none": {nil, codehost.ClassInvalid}, "too many": {many, codehost.ClassTooLarge},
		"twice":  {[]string{"rob", "Rob"}, codehost.ClassInvalid},
		"a path": {[]string{"a/b"}, codehost.ClassInvalid}, "an address": {[]string{"rob@example.org"}, codehost.ClassInvalid},
	} {
		if what == "an address" && f.lacks(t, LackPlainLogins) {
			continue
		}
		isClass(t, what, a.RequestReviews(ctx, f.Repo, f.Number, tc.logins), tc.want)
	}
	if events := f.Gate.Events(); len(events) != 0 {
		t.Errorf("the host got requests: %+v", events)
	}
}
