package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// publish takes over the findings of a published review, as the store would for the next run.
func (in *Input) publish(res Result) {
	for _, h := range res.Hunks {
		in.ReviewedHunks[h] = true
	}
	for _, f := range res.Findings {
		f.Known = f.Known || f.Route == domain.RouteInline || f.Route == domain.RouteSummary
		if i := slices.IndexFunc(in.Known, func(k domain.Finding) bool { return k.ID == f.ID }); i >= 0 {
			f.Names = append(in.Known[i].Names, in.Known[i].Fingerprints.Exact)
			in.Known[i] = f
		} else {
			in.Known = append(in.Known, f)
		}
	}
	for i := range in.Known {
		if slices.Contains(res.Resolved, in.Known[i].ID) {
			in.Known[i].State = domain.FindingResolved
		}
	}
}

// While people push to other places, a model that finds every second defect each time reports nothing
// new about reviewed code that has not changed. Late findings are only confirmed serious ones, and
// those of a review that a person asked for.
func TestNothingNewOnUnchangedCode(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"a.go": "package x\n", "b.go": "package x\n"}
	var code strings.Builder
	code.WriteString("package x\n")
	type defect struct {
		severity, verdict string
	}
	var defects []defect
	for i := range 24 {
		d := defect{[]string{"high", "medium", "low"}[i%3], []string{"confirmed", "unproven"}[i/3%2]}
		defects = append(defects, d)
		fmt.Fprintf(&code, "\nfunc f%d() int {\n\treturn wrong%d(%d)\n}\n", i, i, i)
	}
	late := map[bool]int{} // by whether a person asked
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 0))
			m := &scripted{
				generate: func(_ int, user string) (llm.Response, error) {
					var list []candidate
					for _, i := range rng.Perm(len(defects)) {
						quote := fmt.Sprintf("return wrong%d(%d)", i, i)
						if rng.IntN(2) == 0 || !strings.Contains(user, quote) || len(list) == minFindings {
							continue
						}
						list = append(list, candidate{Path: "a.go", Side: "RIGHT", Quote: quote, Category: "bug", RuleKey: "wrong-argument", Severity: defects[i].severity,
							Title: fmt.Sprintf("Defect %d is there", i), Explanation: fmt.Sprintf("Number %d is wrong.", i), Trigger: "always"})
					}
					return findings(list...)(0, "")
				},
				verify: func(_ int, user string) (llm.Response, error) {
					list := verdicts(user, "confirmed")
					for i, block := range claimBlocks(user) {
						var n int
						if _, err := fmt.Sscanf(block[strings.Index(block, "title: "):], "title: Defect %d", &n); err != nil {
							return llm.Response{}, err
						}
						list[i].Verdict, list[i].Severity = defects[n].verdict, defects[n].severity
					}
					return say(map[string]any{"verdicts": list})
				},
			}
			in := sampleChange(t)
			in.Models, in.ReviewedHunks = models(m), map[string]bool{}
			for push := range 7 {
				in.shows(base, enginetest.Tree{"a.go": code.String(), "b.go": "package x\n" + strings.Repeat("\nvar _ = 1\n", push+1)}, nil)
				in.Full, in.Asked = push >= 4, push == 6 // from the fifth push on the whole change is reviewed, the last time because a person asked
				res := review(t, in, Deps{})
				for _, f := range res.Findings {
					if push == 0 || f.Known || f.Route == domain.RouteStored || f.Anchor.Path != "a.go" {
						continue
					}
					late[in.Asked]++
					if !in.Asked && (f.Severity < domain.High || f.Verdict != domain.VerdictConfirmed) {
						t.Errorf("push %d: %s %s %q is new", push, f.Severity, f.Verdict, f.Title)
					}
				}
				in.publish(res)
			}
		})
	}
	if late[false] == 0 || late[true] == 0 {
		t.Errorf("said late: %v: the test shows nothing", late)
	}
}
