package codehosttest

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

func testMerged(t *testing.T, f *Fixture) {
	ctx := t.Context()
	list := func(most int) []codehost.PullRequest {
		t.Helper()
		return must[[]codehost.PullRequest](t)(f.Host.MergedPullRequests(ctx, f.Repo, most))
	}
	if got := list(codehost.MaxMerged); len(got) != 0 {
		t.Fatalf("nothing is merged: %+v", got)
	}
	const odd = "Größe — 標題 👩‍👩‍👧 \"quoted\" <b>"
	first := f.Ended(odd, true)
	f.Ended("closed without a merge", false)
	second := f.Ended("second", true)
	// A comment after the merge moves the first one up in the host's own order.
	must[codehost.Comment](t)(f.Host.Reply(ctx, f.Repo, codehost.Spot{Number: first}, markdown.Const("still of interest")))
	got := list(codehost.MaxMerged)
	var numbers []int
	for i, p := range got {
		numbers = append(numbers, p.Number)
		if !p.Merged || p.Open || p.Draft || p.MergedAt.IsZero() || !codehost.IsCommit(p.MergeCommit) || p.MergeCommit == p.HeadSHA ||
			p.MergedAt.After(p.UpdatedAt) {
			t.Errorf("merged pull request %+v", p)
		}
		if i > 0 && p.MergedAt.After(got[i-1].MergedAt) {
			t.Errorf("%d was merged before %d", got[i-1].Number, p.Number)
		}
	}
	if !slices.Equal(numbers, []int{second, first}) {
		t.Fatalf("merged %v, want %d and %d", numbers, second, first)
	}
	if one := list(1); len(one) != 1 || one[0].Number != second {
		t.Errorf("the newest is %+v", one)
	}
	if got[1].Title != odd {
		t.Errorf("title %q", got[1].Title)
	}
	// The base branch contains the head by now, but the merged change must still be comparable.
	for _, p := range append(got, must[codehost.PullRequest](t)(f.Host.PullRequest(ctx, f.Repo, first))) {
		cmp := must[codehost.Comparison](t)(f.Host.Compare(ctx, f.Repo, p.BaseSHA, p.HeadSHA))
		if cmp.MergeBase == p.HeadSHA || cmp.AheadBy != 1 {
			t.Errorf("%d: from its base %s there is %+v to its head", p.Number, p.BaseSHA, cmp)
		}
		if after := must[codehost.Comparison](t)(f.Host.Compare(ctx, f.Repo, p.MergeCommit, p.HeadSHA)); after.AheadBy != 0 {
			t.Errorf("%d: the merge lacks its head: %+v", p.Number, after)
		}
	}
	f.Gate.Reset()
	for _, most := range []int{-1, 0, codehost.MaxMerged + 1} {
		_, err := f.Host.MergedPullRequests(ctx, f.Repo, most)
		isClass(t, "more than the maximum", err, codehost.ClassInvalid)
	}
	if events := f.Gate.Events(); len(events) != 0 {
		t.Errorf("the host got requests: %+v", events)
	}
	other := f.Repo
	other.Name += "-absent"
	_, err := f.Host.MergedPullRequests(ctx, other, 1)
	isClass(t, "in an absent repository", err, codehost.ClassNotFound)
}
