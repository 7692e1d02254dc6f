package codehosttest

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
)

// RequiredCheck checks whether a host that requires the check lets the pull request merge: after each end without a
// review, with each value of the policy, and after each end with a review. mergeable reports what the host decides.
func RequiredCheck(t *testing.T, f *Fixture, mergeable func() error) {
	t.Helper()
	ctx := t.Context()
	if mergeable() == nil {
		t.Error("the pull request can be merged without the check")
	}
	c := codehost.Check{ExternalID: "run_1", Name: "assay", Number: f.Number, HeadSHA: f.Head, Status: "in_progress",
		Title: markdown.Const("Reviewing"), Summary: markdown.Const("…")}
	id := must[string](t)(f.Host.CreateCheck(ctx, f.Repo, c))
	if mergeable() == nil {
		t.Error("the pull request can be merged while the check is open")
	}
	c.Status = "completed"
	merges := func(what, conclusion string, unread bool) {
		t.Helper()
		c.Conclusion, c.Unread, c.Title = conclusion, unread, markdown.Stored(what)
		if err := f.Host.UpdateCheck(ctx, f.Repo, id, c); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		err := mergeable()
		if want := conclusion != domain.CheckFailure; (err == nil) != want {
			t.Errorf("%s concludes %s: it merges: %v, want %v (%v)", what, conclusion, err == nil, want, err)
		}
	}
	for _, conclusion := range []string{domain.CheckFailure, domain.CheckSuccess, domain.CheckFailure, domain.CheckNeutral} {
		merges("a review", conclusion, false)
	}
	for _, end := range []struct {
		end    domain.UnreviewedEnd
		usual  string
		unread bool // without a publication
	}{
		{domain.UnreviewedFailed, domain.CheckNeutral, true}, {domain.UnreviewedCancelled, domain.CheckNeutral, true},
		{domain.UnreviewedSkipped, domain.CheckSkipped, true}, {domain.UnreviewedOutsider, domain.CheckSkipped, true},
		{domain.UnreviewedOutsider, domain.CheckNeutral, false}, {domain.UnreviewedBudget, domain.CheckNeutral, false},
		{domain.UnreviewedIncomplete, domain.CheckNeutral, false}, {domain.UnreviewedIncomplete, domain.CheckSuccess, false},
	} {
		merges(fmt.Sprintf("%s, default", end.end), (domain.Unreviewed{Preset: domain.PresetDefault}).Conclusion(end.end, end.usual), end.unread)
		merges(fmt.Sprintf("%s, strict", end.end), (domain.Unreviewed{Preset: domain.PresetStrict}).Conclusion(end.end, end.usual), end.unread)
		for _, value := range []string{domain.UnreviewedPass, domain.UnreviewedFail, domain.UnreviewedNeutral} {
			u := domain.Unreviewed{Failed: &value, Incomplete: &value, Budget: &value, Skipped: &value, Outsider: &value, Cancelled: &value}
			merges(fmt.Sprintf("%s is %s", end.end, value), u.Conclusion(end.end, end.usual), end.unread)
		}
	}
}
