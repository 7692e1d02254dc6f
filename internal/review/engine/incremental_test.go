package engine

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

var bugLine = regexp.MustCompile(`(?m)^ *(\d+) \+ (.*BUG(\w)\(.*)$`)

// byLine is a model that reports every added line with a call of BUG…(), and
// refutes an earlier report whose line is gone.
func byLine() *scripted {
	return &scripted{
		generate: func(_ int, user string) (llm.Response, error) {
			var list []candidate
			path := ""
			for l := range strings.Lines(user) {
				if p, ok := strings.CutPrefix(strings.TrimSpace(l), "=== "); ok {
					path = p
				}
				if m := bugLine.FindStringSubmatch(l); m != nil {
					list = append(list, candidate{Path: path, Side: "RIGHT", Quote: strings.TrimSpace(m[2]), Category: "bug", RuleKey: "wrong-argument",
						Severity: "high", Title: "Bug " + m[3] + " is bad", Explanation: "Calling BUG" + m[3] + " breaks invariant number " + m[3] + m[3] + m[3] + "."})
				}
			}
			return findings(list...)(0, "")
		},
		verify: func(_ int, user string) (llm.Response, error) {
			list := verdicts(user, "confirmed")
			for i, block := range claimBlocks(user) {
				if strings.Contains(block, "\nquestion:") && strings.Count(block, list[i].ConfirmingQuotes[0]) < 2 {
					list[i].Verdict = "unproven"
				}
			}
			return say(map[string]any{"verdicts": list})
		},
	}
}

// After three findings, a push fixes two and adds one: the third stays one thread, and nothing is
// posted twice.
func TestIncrementalPush(t *testing.T) {
	t.Parallel()
	function := func(name, body string) string { return "func " + name + "() {\n\t" + body + "\n}\n\n" }
	base := "package x\n\n" + strings.Repeat("var _ = 1\n", 20)
	first := base + function("A", "BUGa(1)") + strings.Repeat("// filler\n", 12) + function("B", "BUGb(2)") + strings.Repeat("// filler\n", 12) + function("C", "BUGc(3)")
	second := strings.NewReplacer("BUGa(1)", "fine(1)", "BUGb(2)", "fine(2)").Replace(first) + function("D", "BUGd(4)")
	m := byLine()
	in := sampleChange(t)
	in.Models = models(m)
	look := func(after string) Result {
		in.Diff, in.Source = []byte(enginetest.Unified("x.go", base, after)), enginetest.Files{"LEFT:x.go": base, "RIGHT:x.go": after}
		return review(t, in, Deps{})
	}
	res := look(first)
	if len(res.Findings) != 3 || res.Stats.Published != 3 {
		t.Fatalf("first run: %d findings, dropped %v", len(res.Findings), res.Stats.Dropped)
	}
	in.Known, in.ReviewedHunks = slices.Clone(res.Findings), map[string]bool{}
	for i := range in.Known {
		in.Known[i].Known = true // its review was published
	}
	for _, h := range res.Hunks {
		in.ReviewedHunks[h] = true
	}
	res = look(second)
	var fresh, known []string
	for _, f := range res.Findings {
		if f.Known {
			known = append(known, f.Title)
		} else {
			fresh = append(fresh, f.Title)
		}
	}
	if strings.Join(fresh, ",") != "Bug d is bad" || strings.Join(known, ",") != "Bug c is bad" || len(res.Resolved) != 2 {
		t.Errorf("new %v, known %v, resolved %d", fresh, known, len(res.Resolved))
	}
	if res.Stats.Earlier != 3 || res.Stats.EarlierResolved != 2 || res.Stats.Published != 1 {
		t.Errorf("stats %+v", res.Stats)
	}
	again := in
	again.Known = append(res.Findings, closed(in.Known, res.Resolved)...)
	again.ReviewedHunks = map[string]bool{}
	for _, h := range res.Hunks {
		again.ReviewedHunks[h] = true
	}
	in = again
	if res = look(second); res.Stats.Published != 0 || len(res.Resolved) != 0 || len(res.Findings) != 2 {
		t.Errorf("the same head again: published %d, resolved %d, findings %d", res.Stats.Published, len(res.Resolved), len(res.Findings))
	}
}

// closed returns the findings with the ids, resolved.
func closed(known []domain.Finding, ids []string) []domain.Finding {
	var out []domain.Finding
	for _, k := range known {
		for _, id := range ids {
			if k.ID == id {
				k.State = domain.FindingResolved
				out = append(out, k)
			}
		}
	}
	return out
}
