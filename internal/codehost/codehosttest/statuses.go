package codehosttest

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
)

// testStatuses checks commit statuses. The newest status of a name counts, so a repeated name replaces the
// earlier status.
func testStatuses(t *testing.T, f *Fixture) {
	ctx := t.Context()
	c := codehost.Check{ExternalID: "run_1", Name: "assay", HeadSHA: f.Head, Status: "in_progress", Title: markdown.Const("Reviewing"),
		Summary: markdown.Const("…")}
	if ids := must[[]string](t)(f.Host.FindChecks(ctx, f.Repo, c)); len(ids) != 0 {
		t.Fatalf("found %v before anything was made", ids)
	}
	id := must[string](t)(f.Host.CreateCheck(ctx, f.Repo, c))
	first := f.Checks()
	if len(first) != 1 || first[0].Name != c.Name || first[0].Title != c.Title {
		t.Fatalf("statuses %+v", first)
	}
	c.Status, c.Conclusion, c.Title = "completed", "failure", markdown.Const("2 findings")
	for range 2 {
		if err := f.Host.UpdateCheck(ctx, f.Repo, id, c); err != nil {
			t.Fatal(err)
		}
		if got := f.Checks(); len(got) != 1 || got[0].Status == first[0].Status || got[0].Title != c.Title {
			t.Fatalf("statuses %+v", got)
		}
	}
	failed := f.Checks()[0].Status
	c.Conclusion = "success"
	if twin := must[string](t)(f.Host.CreateCheck(ctx, f.Repo, c)); twin != id {
		t.Errorf("a second create made %q, the first %q", twin, id)
	}
	if got := f.Checks(); len(got) != 1 || got[0].Status == failed {
		t.Fatalf("statuses %+v", got)
	}
	if ids := must[[]string](t)(f.Host.FindChecks(ctx, f.Repo, c)); len(ids) != 1 || ids[0] != id {
		t.Fatalf("found %v, want %s", ids, id)
	}
	c.Name = "assay other"
	if ids := must[[]string](t)(f.Host.FindChecks(ctx, f.Repo, c)); len(ids) != 0 {
		t.Fatalf("found %v of another name", ids)
	}
}
