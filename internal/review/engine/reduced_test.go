package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/testkit"
)

// A reduced review takes the riskiest files up to its bound and names the others.
func TestAReducedPlanHasTheRiskiestFiles(t *testing.T) {
	t.Parallel()
	files := []*diff.File{file("internal/auth/login.go", diff.ClassSource, 200)}
	for i := range 10 {
		files = append(files, file(fmt.Sprintf("f%d.go", i), diff.ClassSource, 90))
	}
	p := triage(&diff.Set{Files: files}, domain.DefaultPolicy(), nil, false, true)
	testkit.Equal(t, "depth before", p.tier, tierT3)
	p.reduce()
	testkit.Equal(t, "depth", p.tier, tierT2)
	lines := 0
	for _, m := range p.model {
		lines += m.File.Additions
	}
	testkit.Equal(t, "lines for a model", lines, 470)
	testkit.Equal(t, "the sensitive file is one of them", p.model[0].File.Path, "internal/auth/login.go")
	testkit.Equal(t, "named", len(p.skimmed), 7)
	for _, n := range p.skimmed {
		testkit.Equal(t, n.Path, n.Why, whyReduced)
	}
}

// A reduced review uses no strong model, neither to find nor to verify, unless no other is routed, and
// says that it is reduced.
func TestAReducedReviewSparesTheStrongModel(t *testing.T) {
	t.Parallel()
	for name, only := range map[string]struct{ strong bool }{"all are routed": {false}, "only the strong one": {true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &scripted{generate: findings(division()), verify: confirmAll}
			in := sampleChange(t)
			in.Depth, in.Models = domain.DepthReduced, models(m)
			want := "test-standard"
			if only.strong {
				in.Models.Standard, want = ask.Route{}, "test-strong"
			}
			res := review(t, in, Deps{})
			testkit.Equal(t, "findings", len(res.Findings), 1)
			testkit.Equal(t, "depth", res.Depth, domain.DepthReduced)
			if m.count("generate") == 0 || m.count("verify") == 0 {
				t.Error("the model did not both find and verify")
			}
			for _, r := range m.requests {
				testkit.Equal(t, "model", r.Model, want)
			}
		})
	}
}

// A limit that is used up is not a failure: the findings of the checks, if any, are published with a
// note on how to get more.
func TestALimitIsNotAFailure(t *testing.T) {
	t.Parallel()
	for _, note := range []string{NoteAuthorLimit, NoteOutsideLimit} {
		in := sampleChange(t)
		in.ModelNote = note
		res := review(t, in, Deps{})
		testkit.Equal(t, "state", res.ModelState, ModelUnavailable)
		testkit.Equal(t, "fruitless", res.Fruitless(), false)
		if said := Incomplete(res.ModelState, res.ModelNote).English(); !strings.Contains(said, "/assay review") || !strings.Contains(said, "within an hour") {
			t.Errorf("said: %s", said)
		}
	}
}
