package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// A fault of the program while one part is reviewed does not end the others, and the review names the part as not checked.
func TestAFaultInOnePart(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	var diff strings.Builder
	source := enginetest.Files{}
	for _, name := range []string{"a", "b", "c"} {
		before := "package x\n"
		after := before + strings.Repeat("var _ = 1 // a line that takes some room in the prompt of this test\n", 900)
		diff.WriteString(enginetest.Unified(name+".go", before, after))
		source["LEFT:"+name+".go"], source["RIGHT:"+name+".go"] = before, after
	}
	in.Diff, in.Source = []byte(diff.String()), source
	in.Models = models(&scripted{verify: confirmAll, generate: func(n int, user string) (llm.Response, error) {
		if strings.Contains(user, "=== b.go") {
			panic("a parser met text that it does not expect")
		}
		return findings()(n, user)
	}})
	res := review(t, in, Deps{})
	if res.ModelState != ModelPartial || !strings.Contains(res.ModelNote, "2 of 3 parts") {
		t.Errorf("state %s, note %q", res.ModelState, res.ModelNote)
	}
	if len(res.Coverage.Skimmed) != 1 || res.Coverage.Skimmed[0].Path != "b.go" || res.Coverage.Skimmed[0].Why != whyFault {
		t.Errorf("coverage %+v", res.Coverage)
	}
}

// A fault while findings are verified leaves them unproven, and the review says that it is incomplete.
func TestAFaultOfTheVerification(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(division()), verify: func(int, string) (llm.Response, error) { panic("unexpected text") }})
	res := review(t, in, Deps{})
	if res.ModelState != ModelPartial || len(res.Findings) == 0 || res.Stats.Verified != 0 {
		t.Errorf("state %s, note %q, %d findings", res.ModelState, res.ModelNote, len(res.Findings))
	}
}

// A fault while a guideline file is read names the file.
func TestAFaultInAGuidelineFile(t *testing.T) {
	t.Parallel()
	in, m := guided(t, base{"AGENTS.md": noDivision})
	m.generate, m.guidelines = findings(division()), func(string) (llm.Response, error) { panic("unexpected text") }
	res := review(t, in, Deps{})
	if len(res.Findings) != 1 || !slices.ContainsFunc(res.Notices, func(n string) bool { return strings.Contains(n, "AGENTS.md") }) {
		t.Errorf("%d findings, notices %q", len(res.Findings), res.Notices)
	}
}
