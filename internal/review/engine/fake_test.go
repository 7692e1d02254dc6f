package engine

import (
	"context"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// scripted answers each stage by a function and remembers the requests.
type scripted struct {
	mu       sync.Mutex
	requests []llm.Request
	generate func(n int, user string) (llm.Response, error)
	verify   func(n int, user string) (llm.Response, error)
	intent   func(user string) (llm.Response, error) // nil: no summary
	counts   map[string]int

	guidelines func(user string) (llm.Response, error) // nil: it picks no sentence
}

func (s *scripted) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	system, user := enginetest.Prompt(r)
	stage := regexp.MustCompile(`(?m)^stage: (\w+)$`).FindStringSubmatch(system)[1]
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	n := s.counts[stage]
	s.counts[stage]++
	s.mu.Unlock()
	switch {
	case stage == "verify":
		return s.verify(n, user)
	case stage == "guidelines" && s.guidelines == nil:
		return say(map[string]any{"sentences": []picked{}})
	case stage == "guidelines":
		return s.guidelines(user)
	case stage == "intent" && s.intent == nil:
		return say(intent{})
	case stage == "intent":
		return s.intent(user)
	}
	return s.generate(n, user)
}

func (s *scripted) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

func (s *scripted) count(stage string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[stage]
}

func say(v any) (llm.Response, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return llm.Response{}, err
	}
	return enginetest.Reply(string(b)), nil
}

func findings(list ...candidate) func(int, string) (llm.Response, error) {
	return func(int, string) (llm.Response, error) {
		if list == nil {
			list = []candidate{}
		}
		return say(map[string]any{"findings": list})
	}
}

// confirmAll confirms every claim with the claim's own quote.
func confirmAll(_ int, user string) (llm.Response, error) {
	return say(map[string]any{"verdicts": verdicts(user, "confirmed")})
}

func refuteAll(_ int, user string) (llm.Response, error) {
	return say(map[string]any{"verdicts": verdicts(user, "refuted")})
}

var claimBlock = regexp.MustCompile("(?s)=== claim (\\w+)\n.*?quote:\n(`+)\n(.*?)\n`+")

func verdicts(user, word string) []verdict {
	var out []verdict
	for _, m := range claimBlock.FindAllStringSubmatch(user, -1) {
		v := verdict{Claim: m[1], Verdict: word, Scope: "introduced", Reachable: "yes", Severity: "high", WouldSeniorBlock: true}
		if word == "confirmed" {
			v.ConfirmingQuotes = []string{m[3]}
		} else {
			v.RefutationQuote = m[3]
		}
		out = append(out, v)
	}
	return out
}

func newChecker(t testing.TB) *check.Checker {
	t.Helper()
	s, err := enginetest.Scanner()
	if err != nil {
		t.Fatal(err)
	}
	return &check.Checker{Scanner: s}
}

// review reviews a change with the deterministic checks.
func review(t *testing.T, in Input, d Deps) Result {
	t.Helper()
	if d.Checks == nil {
		d.Checks = newChecker(t)
	}
	res, err := New(d).Review(t.Context(), in)
	if err != nil {
		t.Fatalf("Review: %v", err)
	}
	return res
}

func models(c llm.Client) *ask.Models {
	return &ask.Models{Strong: ask.Route{Client: c, Model: "test-strong", Tier: "strong", Window: enginetest.LargeWindow}, Standard: ask.Route{Client: c, Model: "test-standard", Tier: "standard", Window: enginetest.LargeWindow}}
}

const oldGo = `package shop

type Item struct {
	Price int
	Count int
}

func Total(items []Item) int {
	sum := 0
	for _, it := range items {
		sum += it.Price * it.Count
	}
	return sum
}

func First(items []Item) *Item {
	if len(items) == 0 {
		return nil
	}
	return &items[0]
}
`

var newGo = strings.Replace(oldGo, "	if len(items) == 0 {\n		return nil\n	}\n	return &items[0]", "	return &items[0]", 1) + `
func Average(items []Item) int {
	return Total(items) / len(items)
}
`

// sampleChange is a small change to one Go file: a removed guard and a division.
func sampleChange(t testing.TB) Input {
	t.Helper()
	return Input{
		Repository: "rep_1", PullRequest: PullRequest{Number: 7, Title: "Add average"},
		BaseSHA: "aaa", MergeBase: "aaa", HeadSHA: "bbb", Policy: domain.DefaultPolicy(),
		Diff: []byte(enginetest.Unified("shop/shop.go", oldGo, newGo)),
		Source: enginetest.Files{
			"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": newGo,
		},
	}
}

// division is the candidate for the division by zero in newGo.
func division() candidate {
	return candidate{Path: "shop/shop.go", Side: "RIGHT", Start: 20, End: 20, Quote: "	return Total(items) / len(items)", Category: domain.CategoryBug,
		RuleKey: "division-by-zero", Severity: "high", Title: "Average divides by zero for no items", Trigger: "Average(nil) panics",
		Explanation: "len(items) is 0 for an empty list, and the division panics.", Evidence: []citation{}, SelfDoubt: 0.1,
		Fix: &fix{Old: "	return Total(items) / len(items)", New: "	if len(items) == 0 {\n		return 0\n	}\n	return Total(items) / len(items)"}}
}

// bare returns a note without the figures of how much was looked at.
func bare(n FileNote) FileNote {
	n.Extent = ""
	return n
}

var sharedCode = regexp.MustCompile(`(?m)^code: with its removed lines as at claim c(\d+)$`)

// claimBlocks returns the blocks of the claims in a prompt, each with the code that an earlier claim shows for it.
func claimBlocks(user string) []string {
	blocks := strings.Split(user, "=== claim ")[1:]
	for i, b := range blocks {
		if m := sharedCode.FindStringSubmatch(b); m != nil {
			n, _ := strconv.Atoi(m[1])
			_, code, _ := strings.Cut(blocks[n-1], "\ncode:\n")
			blocks[i] = strings.Replace(b, m[0]+"\n", "code:\n"+code, 1)
		}
	}
	return blocks
}
