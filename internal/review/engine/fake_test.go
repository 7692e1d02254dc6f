package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
)

// files is a snapshot in memory: side and path to content.
type files map[string]string

func (f files) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	s, ok := f[string(side)+":"+path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(s), nil
}

// scripted answers each stage by a function and remembers the requests.
type scripted struct {
	mu       sync.Mutex
	requests []llm.Request
	generate func(n int, user string) (llm.Response, error)
	verify   func(n int, user string) (llm.Response, error)
	intent   func(user string) (llm.Response, error) // nil: no summary
	counts   map[string]int

	guidelines func(user string) (llm.Response, error) // nil: no sentence is one
}

func (s *scripted) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	system, user := prompt(r)
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
	return reply(string(b)), nil
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
	s, err := scanner()
	if err != nil {
		t.Fatal(err)
	}
	return &check.Checker{Scanner: s}
}

// scanner is one for all tests: it takes longer to make than most of them.
var scanner = sync.OnceValues(check.NewScanner)

func models(c llm.Client) *ask.Models {
	return &ask.Models{Strong: ask.Route{Client: c, Model: "test-strong", Tier: "strong", Window: largeWindow}, Standard: ask.Route{Client: c, Model: "test-standard", Tier: "standard", Window: largeWindow}}
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

// change is a small change to one Go file: a removed guard and a division.
func sampleChange(t testing.TB) Input {
	t.Helper()
	return Input{
		Repository: "rep_1", PullRequest: PullRequest{Number: 7, Title: "Add average"},
		BaseSHA: "aaa", MergeBase: "aaa", HeadSHA: "bbb", Policy: domain.DefaultPolicy(),
		Diff: []byte(unified("shop/shop.go", oldGo, newGo)),
		Source: files{
			"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": newGo,
		},
	}
}

// unified writes a diff with one hunk that shows both whole files. It is no
// diff that git would write, but a valid one.
func unified(path, before, after string) string {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	a, b = a[:len(a)-1], b[:len(b)-1]
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	tail := 0
	for tail < len(a)-same && tail < len(b)-same && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	from := max(same-3, 0)
	to := min(tail, 3)
	var out strings.Builder
	fmt.Fprintf(&out, "diff --git a/%[1]s b/%[1]s\n--- a/%[1]s\n+++ b/%[1]s\n", path)
	fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n", from+1, len(a)-from-tail+to, from+1, len(b)-from-tail+to)
	for _, l := range a[from:same] {
		out.WriteString(" " + l)
	}
	for _, l := range a[same : len(a)-tail] {
		out.WriteString("-" + l)
	}
	for _, l := range b[same : len(b)-tail] {
		out.WriteString("+" + l)
	}
	for _, l := range a[len(a)-tail : len(a)-tail+to] {
		out.WriteString(" " + l)
	}
	return out.String()
}

// division is the candidate for the division by zero in newGo.
func division() candidate {
	return candidate{Path: "shop/shop.go", Side: "RIGHT", Start: 20, End: 20, Quote: "	return Total(items) / len(items)", Category: domain.CategoryBug,
		RuleKey: "division-by-zero", Severity: "high", Title: "Average divides by zero for no items", Trigger: "Average(nil) panics",
		Explanation: "len(items) is 0 for an empty list, and the division panics.", Evidence: []citation{}, SelfDoubt: 0.1,
		Fix: &fix{Old: "	return Total(items) / len(items)", New: "	if len(items) == 0 {\n		return 0\n	}\n	return Total(items) / len(items)"}}
}

// bare is a note without how much was looked at.
func bare(n FileNote) FileNote {
	n.Extent = ""
	return n
}
