package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

const (
	uncheckedOld = "package x\n\nfunc one() {\n}\n\nfunc two() {\n}\n"
	uncheckedNow = "package x\n\nfunc one() {\n\treadAll(file, err)\n}\n\nfunc two() {\n\tcloseAll(file, err)\n}\n"
)

// unchecked is a report about line 4 of uncheckedNow.
func unchecked(also ...furtherPlace) candidate {
	return candidate{Path: "x.go", Side: "RIGHT", Start: 4, End: 4, Quote: "\treadAll(file, err)",
		Category: "bug", RuleKey: "error-ignored", Severity: "high",
		Title: "The error gets lost", Explanation: "An error of this call gets lost.", Trigger: "always", AlsoAt: also}
}

// confirmPlaces confirms all claims with their first further place.
func confirmPlaces(_ int, user string) (llm.Response, error) {
	list := verdicts(user, "confirmed")
	for i := range list {
		list[i].AlsoAt = []string{"p1"}
	}
	return say(map[string]any{"verdicts": list})
}

// reviewUnchecked reviews uncheckedNow with one report and returns the result.
func reviewUnchecked(t *testing.T, in *Input, c candidate) Result {
	t.Helper()
	in.Models = models(&scripted{generate: findings(c), verify: confirmPlaces})
	in.shows(enginetest.Tree{"x.go": uncheckedOld}, enginetest.Tree{"x.go": uncheckedNow}, nil)
	return review(t, *in, Deps{})
}

// A further place that an earlier finding does not have is a finding of its own, whatever became of the earlier one.
func TestANewPlaceOfAnEarlierFinding(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before []furtherPlace
		state  domain.FindingState
		want   int
	}{
		"open":                {nil, domain.FindingOpen, 1},
		"dismissed":           {nil, domain.FindingDismissed, 1},
		"suppressed":          {nil, domain.FindingSuppressed, 1},
		"it has the place":    {[]furtherPlace{{"x.go", 8}}, domain.FindingDismissed, 0},
		"it is back, as one":  {nil, domain.FindingResolved, 1},
		"back with the place": {[]furtherPlace{{"x.go", 8}}, domain.FindingResolved, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			k := reviewUnchecked(t, &in, unchecked(c.before...)).Findings[0]
			k.State, k.Known = c.state, true
			in.Known = []domain.Finding{k}
			if c.state == domain.FindingSuppressed {
				in.Suppressions = []domain.Suppression{fingerprintOf(k)}
			}
			res := reviewUnchecked(t, &in, unchecked(furtherPlace{"x.go", 8}))
			fresh := slices.DeleteFunc(slices.Clone(res.Findings), func(f domain.Finding) bool { return f.Known })
			if len(fresh) != c.want {
				t.Fatalf("%d new findings, want %d: %+v", len(fresh), c.want, res.Findings)
			}
			if back := c.state == domain.FindingResolved; c.want == 1 && ((fresh[0].ID == k.ID) != back || !back &&
				(fresh[0].Anchor.StartLine != 8 || fresh[0].Verdict != domain.VerdictConfirmed || len(fresh[0].AlsoAt()) > 0)) {
				t.Errorf("%+v", fresh[0])
			}
		})
	}
}

// A carried finding keeps the further places whose code stands, at their lines at the head.
func TestThePlacesOfACarriedFinding(t *testing.T) {
	t.Parallel()
	const place = "\n\tcloseAll(file, err)"
	for name, c := range map[string]struct {
		head    string
		exclude string
		want    string
	}{
		"as it was":     {uncheckedNow, "", "x.go:8-8 closeAll(file, err)"},
		"further down":  {strings.Replace(uncheckedNow, "two() {", "two() {\n\topenAll()", 1), "", "x.go:9-9 closeAll(file, err)"},
		"mended":        {strings.Replace(uncheckedNow, place, "\n\treturn closeAll(file)", 1), "", ""},
		"excluded now":  {uncheckedNow, "y.go", "x.go:8-8 closeAll(file, err)"},
		"removed":       {strings.Replace(uncheckedNow, place, "", 1), "", ""},
		"one of copies": {strings.Replace(uncheckedNow, place, place+place, 1), "", "x.go:8-8 closeAll(file, err)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			k := reviewUnchecked(t, &in, unchecked(furtherPlace{"x.go", 8})).Findings[0]
			k.Known = true
			if c.exclude != "" {
				k.Evidence = append(k.Evidence, domain.Evidence{Kind: domain.EvidencePlace, Path: c.exclude, Start: 1, End: 1, Quote: "package y"})
				in.Policy.Paths.Exclude = []string{c.exclude}
			}
			in.Known = []domain.Finding{k}
			in.Models = models(&scripted{generate: findings(), verify: confirmAll})
			in.shows(enginetest.Tree{"x.go": uncheckedOld}, enginetest.Tree{"x.go": c.head, "y.go": "package y\n"}, nil)
			res := review(t, in, Deps{})
			if len(res.Findings) != 1 || strings.Join(placesOf(res.Findings[0]), "\n") != c.want {
				t.Errorf("want %s: %+v", c.want, res.Findings)
			}
		})
	}
}

// A finding holds as long as the verifier sees its defect at one of its places, which becomes its own if its code is gone.
func TestAFindingIsResolvedWithAllItsPlaces(t *testing.T) {
	t.Parallel()
	const first, place = "\treadAll(file, err)", "\tcloseAll(file, err)"
	guard := strings.Replace(uncheckedNow, first, "\tif err != nil {\n\t\treturn\n\t}\n"+first, 1)
	edited := strings.Replace(uncheckedNow, first, "\treturn decode(body)", 1)
	mended := strings.NewReplacer(place, "\treturn closeAll(file)")
	one := enginetest.Tree{"x.go": uncheckedNow}
	both := enginetest.Tree{"x.go": uncheckedNow, "y.go": "package x\n\nfunc three() {\n\tcloseAll(file, err)\n}\n"}
	judge := func(_ int, user string) (llm.Response, error) {
		if !strings.Contains(user, "closeAll(file, err)") {
			return refuteAll(0, user)
		}
		list := verdicts(user, "confirmed")
		for i := range list {
			list[i].AlsoAt, list[i].ConfirmingQuotes = []string{"p1"}, []string{"closeAll(file, err)"}
		}
		return say(map[string]any{"verdicts": list})
	}
	for name, c := range map[string]struct {
		before, head enginetest.Tree
		also         furtherPlace
		judge        func(int, string) (llm.Response, error)
		path         string // of the finding that stays; "" if it is resolved
		line         int
	}{
		"the first is guarded":            {one, enginetest.Tree{"x.go": guard}, furtherPlace{"x.go", 8}, judge, "x.go", 7},
		"the first is edited":             {one, enginetest.Tree{"x.go": edited}, furtherPlace{"x.go", 8}, judge, "x.go", 8},
		"all places are mended elsewhere": {one, enginetest.Tree{"x.go": guard}, furtherPlace{"x.go", 8}, refuteAll, "", 0},
		"both are edited":                 {one, enginetest.Tree{"x.go": mended.Replace(edited)}, furtherPlace{"x.go", 8}, judge, "", 0},
		"a file is taken back":            {both, enginetest.Tree{"x.go": uncheckedOld, "y.go": both["y.go"]}, furtherPlace{"y.go", 4}, judge, "y.go", 4},
		"taken back, the other is mended": {both, enginetest.Tree{"x.go": uncheckedOld, "y.go": both["y.go"]}, furtherPlace{"y.go", 4}, refuteAll, "", 0},
		"all is taken back":               {both, enginetest.Tree{"x.go": uncheckedOld}, furtherPlace{"y.go", 4}, judge, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			base := enginetest.Tree{"x.go": uncheckedOld}
			in.Models = models(&scripted{generate: findings(unchecked(c.also)), verify: confirmPlaces})
			in.shows(base, c.before, nil)
			k := review(t, in, Deps{}).Findings[0]
			if k.Known = true; len(k.AlsoAt()) != 1 {
				t.Fatalf("%+v", k)
			}
			in.Models = models(&scripted{generate: findings(), verify: c.judge})
			in.shows(base, c.head, nil)
			in.Known = []domain.Finding{k}
			res := review(t, in, Deps{})
			if got := slices.Contains(res.Resolved, k.ID); got != (c.path == "") {
				t.Fatalf("resolved %v, findings %+v", got, res.Findings)
			}
			if c.path == "" {
				return
			}
			f := res.Findings[0]
			if own := f.Anchor.Path == c.also.Path && f.Anchor.StartLine == c.also.Line; f.ID != k.ID || f.Anchor.Path != c.path || f.Anchor.StartLine != c.line || own == (len(f.AlsoAt()) > 0) {
				t.Errorf("%+v", f)
			}
		})
	}
}

// A place of several lines stands as a whole, and equal lines elsewhere are not the ones that were checked.
func TestPlacesThatStand(t *testing.T) {
	t.Parallel()
	const two = "\tf, err := open(name)\n\tuse(f)"
	for name, c := range map[string]struct {
		head string
		want int // 0 if it does not stand
	}{
		"as it was":            {"package x\n" + two + "\n", 2},
		"further down":         {"package x\n\n\n" + two + "\n", 4},
		"its second line gone": {"package x\n\tf, err := open(name)\n", 0},
		"a copy further down":  {"package x\n" + two + "\n\n" + two + "\n", 2},
		"two copies elsewhere": {"package x\n\n\n" + two + "\n\n" + two + "\n", 0},
	} {
		w := &work{prepared: prepared{set: &diff.Set{}, src: anchor.NewFiles(enginetest.Files{"RIGHT:x.go": c.head})}}
		e, ok := w.standing(t.Context(), domain.Evidence{Kind: domain.EvidencePlace, Path: "x.go", Start: 2, End: 3, Quote: two})
		if ok != (c.want > 0) || ok && (e.Start != c.want || e.End != c.want+1) {
			t.Errorf("%s: %d to %d, %v", name, e.Start, e.End, ok)
		}
	}
}

// A report of a model that a check stands for leaves its further places as reports.
func TestThePlacesOfAReportThatACheckStandsFor(t *testing.T) {
	t.Parallel()
	set, err := diff.Parse([]byte(enginetest.Unified("x.go", uncheckedOld, uncheckedNow)))
	if err != nil {
		t.Fatal(err)
	}
	src := anchor.NewFiles(enginetest.Files{"LEFT:x.go": uncheckedOld, "RIGHT:x.go": uncheckedNow})
	w := &work{prepared: prepared{set: set, src: src, redact: func(s string) string { return s }},
		result:     Result{Stats: Stats{Dropped: map[string]int{}}},
		reconciler: &reconcile.Reconciler{Set: set, Source: src, Locate: func(context.Context, *finding.Item) {}}}
	at := domain.Anchor{Path: "x.go", Side: domain.Right, Level: domain.AnchorLine, StartLine: 4, EndLine: 4}
	static := finding.Item{Finding: domain.Finding{Origin: domain.OriginStatic, Category: domain.CategoryBug, Anchor: at}}
	model := static
	model.Origin, model.RuleID, model.Title = domain.OriginModel, "llm/x", "It gets lost"
	model.AddPlaces(domain.Evidence{Kind: domain.EvidencePlace, Path: "x.go", Start: 8, End: 8, Quote: "\tcloseAll(file, err)"})
	kept, err := w.merge(t.Context(), []*finding.Item{&static, &model})
	if err != nil || len(kept) != 2 || kept[0] != &static || len(static.AlsoAt()) > 0 ||
		kept[1].Anchor.StartLine != 8 || kept[1].Title != model.Title {
		t.Errorf("%+v, %v", kept, err)
	}
}
