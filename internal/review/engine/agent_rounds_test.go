package engine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// agentHistories returns the number of histories to play: a default, or the number in ASSAY_AGENTS.
func agentHistories() int {
	if n, err := strconv.Atoi(os.Getenv("ASSAY_AGENTS")); err == nil {
		return n
	}
	return 20
}

// playedAgent is a pull request of an agent that answers each comment with a patch, and a noisy model that reviews it. A line that calls
// "wrong" has a defect of High, one that calls "weak" one of Medium; about every other line the model has an opinion now and then.
type playedAgent struct {
	rng     *rand.Rand
	lines   []string   // the statement of each function
	before  [][]string // its earlier statements
	patches int
	refused map[string]bool // ids of findings that the agent's owner has dismissed
	rounds  bool            // reviews know their round
}

func newPlayedAgent(seed uint64, rounds bool) *playedAgent {
	a := &playedAgent{rng: rand.New(rand.NewPCG(seed, 7)), refused: map[string]bool{}, rounds: rounds}
	for i := range 10 {
		a.lines = append(a.lines, fmt.Sprintf("return %s%d(%d)", []string{"wrong", "weak", "right", "right", "right"}[a.rng.IntN(5)], i, i))
	}
	a.before = make([][]string, len(a.lines))
	return a
}

// text is the file at the head.
func (a *playedAgent) text() string {
	var b strings.Builder
	b.WriteString("package x\n")
	for i, l := range a.lines {
		fmt.Fprintf(&b, "\nfunc f%d() int {\n\t%s\n}\n", i, l)
	}
	return b.String()
}

// severityOf is the severity of a statement.
func severityOf(line string) string {
	if strings.Contains(line, "wrong") {
		return "high"
	}
	return "medium"
}

// model reports each defect of the code with a chance of 0.7, and an opinion about other lines with one of 0.08.
func (a *playedAgent) model() *scripted {
	return &scripted{
		generate: func(_ int, user string) (llm.Response, error) {
			var list []candidate
			for i, l := range a.lines {
				l = l[strings.LastIndex(l, "return"):]
				chance := 0.7
				if strings.Contains(l, "right") {
					chance = 0.08
				}
				if a.rng.Float64() < chance && strings.Contains(user, "\t"+l) {
					list = append(list, candidate{Path: "a.go", Side: "RIGHT", Quote: "\t" + l, Category: "bug", RuleKey: "wrong-argument", Severity: severityOf(l),
						Title: fmt.Sprintf("The call of function %d is off: %s", i, l), Explanation: fmt.Sprintf("Number %d goes astray.", i), Trigger: "always", Evidence: []citation{}})
				}
			}
			return findings(list...)(0, "")
		},
		verify: func(_ int, user string) (llm.Response, error) {
			list := verdicts(user, "confirmed")
			for i := range list {
				if len(list[i].ConfirmingQuotes) > 0 {
					list[i].Severity = severityOf(list[i].ConfirmingQuotes[0])
				}
			}
			return say(map[string]any{"verdicts": list})
		},
	}
}

// answer patches the statement of a finding: mostly well, else badly, only in its looks, or back to an earlier statement.
func (a *playedAgent) answer(f domain.Finding) {
	i := slices.IndexFunc(a.lines, func(l string) bool { return strings.Contains(f.Anchor.Quote, l[strings.LastIndex(l, "return"):]) })
	if i < 0 {
		return
	}
	a.patches++
	now := a.lines[i]
	switch n := a.rng.IntN(10); {
	case n == 0:
		a.lines[i] = fmt.Sprintf("return %s%d(%d)", []string{"wrong", "weak"}[a.rng.IntN(2)], i, 100*a.patches)
	case n == 1:
		a.lines[i] = "// Checked.\n\t" + now[strings.LastIndex(now, "return"):]
	case n == 2 && len(a.before[i]) > 0:
		a.lines[i] = a.before[i][0]
	case n == 3:
		a.refused[f.ID] = true
		return
	default:
		a.lines[i] = fmt.Sprintf("return right%d(%d)", i, 100*a.patches)
	}
	a.before[i] = append(a.before[i], now)
}

// play reviews and answers until a review has no new comment, and returns the number of reviews that had one.
func (a *playedAgent) play(t *testing.T) (commented int) {
	t.Helper()
	in := sampleChange(t)
	in.Policy.Check.FailOn = nil
	in.Models, in.ReviewedHunks = models(a.model()), map[string]bool{}
	said := map[string]bool{}
	for round := 1; round <= 12; round++ {
		head := a.text()
		in.shows(enginetest.Tree{"a.go": "package x\n"}, enginetest.Tree{"a.go": head}, nil)
		if a.rounds {
			in.Round = round
		}
		res := review(t, in, Deps{})
		var comments []domain.Finding
		for _, f := range res.Findings {
			if f.State == domain.FindingOpen && a.refused[f.ID] {
				t.Errorf("round %d: %q was refused and is open again", round, f.Title)
			}
			if f.State == domain.FindingOpen && f.Verdict == domain.VerdictConfirmed && f.Severity >= domain.High && Waits(f) {
				t.Errorf("round %d: %q is High and waits", round, f.Title)
			}
			if f.Route == domain.RouteInline && f.State == domain.FindingOpen && !said[f.ID] {
				said[f.ID] = true
				comments = append(comments, f)
			}
		}
		in.publish(res)
		if len(comments) == 0 {
			return commented
		}
		commented++
		for _, f := range comments {
			a.answer(f)
		}
		for i := range in.Known {
			if a.refused[in.Known[i].ID] {
				in.Known[i].State = domain.FindingDismissed
			}
		}
		in.Previous = base{"a.go": head}
	}
	return commented
}

// TestAnAgentThatAnswersEveryFindingBecomesQuiet plays histories of an agent that answers every comment.
func TestAnAgentThatAnswersEveryFindingBecomesQuiet(t *testing.T) {
	t.Parallel()
	counts := map[bool][]int{}
	for _, rounds := range []bool{true, false} {
		for seed := range agentHistories() {
			counts[rounds] = append(counts[rounds], newPlayedAgent(uint64(seed), rounds).play(t))
		}
		slices.Sort(counts[rounds])
	}
	t.Logf("reviews with comments: %v; without rounds: %v", counts[true], counts[false])
	all := counts[true]
	if most := all[len(all)*9/10-1]; most > 3 {
		t.Errorf("nine of ten are quiet after %d reviews with comments, want 3 at most: %v", most, all)
	}
	if most := all[len(all)-1]; most > 5 {
		t.Errorf("one is quiet after %d reviews with comments, want 5 at most: %v", most, all)
	}
}
