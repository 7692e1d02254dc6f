package reconcile

import (
	"context"
	"log/slog"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
)

// A new place of a report that another finding stands for is a report of its own, unless an item reports the same defect on these
// lines of the head.
func TestPlacesThatOthersReport(t *testing.T) {
	t.Parallel()
	const before = "package x\n\nfunc one() {\n}\n\nfunc two() {\n\told(file)\n}\n"
	const now = "package x\n\nfunc one() {\n\treadAll(file, err)\n}\n\nfunc two() {\n\tcloseAll(file, err)\n}\n"
	set, err := diff.Parse([]byte(enginetest.Unified("a.go", before, now)))
	if err != nil {
		t.Fatal(err)
	}
	said := about("An error gets lost", "error-ignored", 4, 4)
	said.Anchor.Quote = "\treadAll(file, err)"
	said.Evidence = []domain.Evidence{place("a.go", 8, "\tcloseAll(file, err)")}
	with := func(change func(*domain.Finding)) domain.Finding {
		f := about("Names tell nothing of their purpose", "naming", 8, 8)
		f.Anchor.Quote = "\tcloseAll(file, err)"
		change(&f)
		return f
	}
	for name, c := range map[string]struct {
		other domain.Finding
		want  int
	}{
		"another defect there": {with(func(*domain.Finding) {}), 1},
		"its rule":             {with(func(f *domain.Finding) { f.RuleID = said.RuleID }), 0},
		"a further rule":       {with(func(f *domain.Finding) { f.AddRule(said.RuleID) }), 0},
		"its words":            {with(func(f *domain.Finding) { f.Title, f.Explanation = said.Title, said.Explanation }), 0},
		"its rule, on removed lines": {with(func(f *domain.Finding) {
			f.RuleID, f.Anchor.Side, f.Anchor.Quote = said.RuleID, domain.Left, "\told(file)"
		}), 1},
		"a check of its category":   {with(func(f *domain.Finding) { f.Origin, f.Category = domain.OriginStatic, domain.CategoryStaticAnalysis }), 0},
		"a check of another one":    {with(func(f *domain.Finding) { f.Origin, f.Category = domain.OriginStatic, domain.CategoryDocs }), 1},
		"its rule, in another file": {with(func(f *domain.Finding) { f.RuleID, f.Anchor.Path = said.RuleID, "b.go" }), 1},
	} {
		src := anchor.NewFiles(enginetest.Files{"LEFT:a.go": before, "RIGHT:a.go": now})
		r := &Reconciler{Set: set, Source: src, Prints: anchor.NewFingerprinter("rep_1", set, src), Locate: func(context.Context, *finding.Item) {},
			Unseen: func(string) bool { return false }, Logger: slog.New(slog.DiscardHandler)}
		it, other := &finding.Item{Finding: said}, &finding.Item{Finding: c.other}
		if got := r.Apart(t.Context(), it, domain.Finding{}, []*finding.Item{it, other}); len(got) != c.want {
			t.Errorf("beside an item, %s: %d reports, want %d", name, len(got), c.want)
		}
		// the other one is an earlier finding that this run has recognised
		k, o := said, c.other
		k.ID, k.State, k.Route, k.Evidence = "fnd_k", domain.FindingOpen, domain.RouteInline, nil
		o.ID, o.State, o.Route = "fnd_o", domain.FindingDismissed, domain.RouteStored
		res, err := r.Reconcile(t.Context(), []*finding.Item{it, other}, []domain.Finding{k, o})
		if err != nil || len(res.Fresh) != c.want || len(res.Carried) != 2 {
			t.Errorf("beside an earlier finding, %s: %d reports, %d carried, want %d: %v", name, len(res.Fresh), len(res.Carried), c.want, err)
		}
	}
}
