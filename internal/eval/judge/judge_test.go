package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// scripted answers each question of a call with a function of its text.
type scripted struct {
	mu       sync.Mutex
	requests []llm.Request
	same     func(question string) string // JSON of the member, "" to leave it out
	verdict  func(question string) string
	reason   string
	whole    func(r llm.Request) (llm.Response, error) // instead of both
}

func (s *scripted) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	s.mu.Unlock()
	if s.whole != nil {
		return s.whole(r)
	}
	list, member, of := "pairs", "same", s.same
	if strings.HasPrefix(r.System, "stage: judge-code\n") {
		list, member, of = "reports", "verdict", s.verdict
	}
	var out []string
	for _, block := range strings.Split(r.Messages[0].Text, "=== ")[1:] {
		id, text, _ := strings.Cut(block, "\n")
		if says := of(text); says != "" {
			out = append(out, fmt.Sprintf(`{"id": %q, "reason": %q, "%s": %s}`, id, s.reason, member, says))
		}
	}
	return llm.Response{Text: fmt.Sprintf(`{"%s": [%s]}`, list, strings.Join(out, ",")), StopReason: llm.StopEnd, Usage: llm.Usage{InputTokens: 10, CachedInputTokens: 4, OutputTokens: 2}}, nil
}

func (s *scripted) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

func (s *scripted) stages() (same, ties, code int) {
	for _, r := range s.requests {
		switch {
		case strings.HasPrefix(r.System, "stage: judge-code"):
			code++
		case strings.Contains(r.System, tieText):
			ties++
		default:
			same++
		}
	}
	return same, ties, code
}

// likeness returns a function that calls two reports the same if both contain the word.
func likeness(word string) func(string) string {
	return func(q string) string { return fmt.Sprint(strings.Count(q, word) >= 2) }
}

func always(says string) func(string) string { return func(string) string { return says } }

func route(c llm.Client, model string) ask.Route { return ask.Route{Client: c, Model: model} }

func finding(path, title string, line int) eval.Finding {
	return eval.Finding{Path: path, Side: domain.Right, StartLine: line, EndLine: line, Title: title}
}

// sampleOutcome has three findings, and two known defects in one of their files.
func sampleOutcome() eval.Outcome {
	return eval.Outcome{
		Case: eval.Case{Set: "martian", ID: "c", Golden: []eval.Golden{
			{Path: "a.go", Side: domain.Right, StartLine: 1, EndLine: 9, Text: "the LOCK is never released"},
			{Path: "a.go", Side: domain.Right, StartLine: 40, EndLine: 40, Text: "the INDEX is off by one"},
			{Path: "a.go", Side: domain.Right, StartLine: 60, EndLine: 60},
		}},
		Heads: []eval.Head{{Stages: map[eval.Stage][]eval.Finding{eval.Published: {
			finding("a.go", "LOCK stays taken", 3), finding("a.go", "a wrong unit", 4), finding("b.go", "INDEX is too large", 1),
		}}}},
	}
}

type files map[string]string

func (f files) Blob(_ context.Context, _ domain.Side, path string) ([]byte, error) {
	if s, ok := f[path]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

func code(f files) Code { return func(int) change.Source { return f } }

func judged(t *testing.T, o Options, of eval.Outcome, c Code) (score.Judgement, *Judge) {
	t.Helper()
	j, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := j.Outcome(t.Context(), of, c)
	if err != nil {
		t.Fatal(err)
	}
	return out, j
}

func TestTwoJudges(t *testing.T) {
	t.Parallel()
	one := score.Same{Ref: score.Ref{Finding: 0}, Golden: 0}
	for name, c := range map[string]struct {
		first, second, third string // whether the judges call the pair that both name the lock the same; all other pairs are different
		same                 []score.Same
		undecided            int
		agreement            score.Agreement
		ties                 int
	}{
		"both say same":                     {"true", "true", "", []score.Same{one}, 0, score.Agreement{BothSame: 1, NeitherOne: 3}, 0},
		"both say different":                {"false", "false", "", nil, 0, score.Agreement{NeitherOne: 4}, 0},
		"a tie, decided for it":             {"true", "false", "true", []score.Same{one}, 0, score.Agreement{FirstOnly: 1, NeitherOne: 3}, 1},
		"a tie, decided against it":         {"false", "true", "false", nil, 0, score.Agreement{SecondOnly: 1, NeitherOne: 3}, 1},
		"a tie, and then an invalid answer": {"false", "true", `"perhaps"`, nil, 1, score.Agreement{SecondOnly: 1, NeitherOne: 3}, 1},
		"the first gives an invalid answer": {`"yes"`, "true", "", nil, 1, score.Agreement{NeitherOne: 3}, 0},
		"the second leaves it out":          {"true", "", "", nil, 1, score.Agreement{NeitherOne: 3}, 0},
		"neither can be read":               {"17", "null", "", nil, 1, score.Agreement{NeitherOne: 3}, 0},
		"the second answers an object":      {"true", `{"same": true}`, "", nil, 1, score.Agreement{NeitherOne: 3}, 0},
		"the first answers with a string":   {`"true"`, "true", "", nil, 1, score.Agreement{NeitherOne: 3}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			about := func(says, tie string) func(string) string {
				return func(q string) string {
					switch {
					case strings.Count(q, "LOCK") < 2:
						return "false"
					case strings.Contains(q, "opinion: "):
						return tie
					}
					return says
				}
			}
			first, second := &scripted{same: about(c.first, c.third)}, &scripted{same: about(c.second, "")}
			got, _ := judged(t, Options{First: route(first, "m1"), Second: route(second, "m2")}, sampleOutcome(), nil)
			// The file with two defects that have a text has two findings.
			if got.Pairs != 4 || got.Undecided != c.undecided || !slices.Equal(got.Same, c.same) || got.Agreement != c.agreement {
				t.Errorf("judged %+v", got)
			}
			if _, ties, _ := first.stages(); ties != c.ties {
				t.Errorf("%d ties were judged, want %d", ties, c.ties)
			}
			if _, ties, _ := second.stages(); ties != 0 {
				t.Error("the second judge got a tie")
			}
		})
	}
}

// TestComparedPairs: findings of a file are compared with its defects, under either name. Findings without a
// file are compared with all. Each defect is compared once, at one place, and not at all without a text.
func TestComparedPairs(t *testing.T) {
	t.Parallel()
	o := sampleOutcome()
	g := o.Case.Golden
	o.Case.Golden = append(g, eval.Golden{Text: "of no file"}, eval.Golden{Path: "old.go", Text: "of a renamed file"},
		eval.Golden{Path: "b.go", Side: domain.Right, StartLine: 90, EndLine: 90, Defect: "d", Text: "of two places"},
		eval.Golden{Path: "b.go", Side: domain.Right, StartLine: 2, EndLine: 2, Defect: "d"},
		eval.Golden{Path: "b.go", Text: "of a later head", Head: 1}, eval.Golden{Path: "b.go", Text: "rejected", False: true})
	o.Heads[0].Renames = map[string]string{"b.go": "old.go"}
	var got []string
	for _, p := range pairsOf(o) {
		got = append(got, fmt.Sprint(p.ref.Finding, "-", p.golden))
	}
	if want := strings.Fields("0-0 0-1 0-3 1-0 1-1 1-3 2-3 2-4 2-6 2-8"); !slices.Equal(got, want) {
		t.Errorf("compared %v, want %v", got, want)
	}
}

func TestOpinions(t *testing.T) {
	t.Parallel()
	says := func(q string) string {
		switch {
		case strings.Contains(q, "a wrong unit") && strings.Contains(q, "    4  line 4\n"):
			return `"FABRICATED"`
		case strings.Contains(q, "INDEX is too large") && strings.Contains(q, "    1  only\n"):
			return `"CONFIRMED"`
		}
		return `"GOOD"`
	}
	m := &scripted{same: likeness("LOCK"), verdict: says}
	var text strings.Builder
	for n := range 100 {
		fmt.Fprintf(&text, "line %d\n", n+1)
	}
	got, _ := judged(t, Options{First: route(m, "m")}, sampleOutcome(), code(files{"a.go": text.String(), "b.go": "only"}))
	want := []score.Opinion{{Ref: score.Ref{Finding: 1}, Verdict: score.Fabricated}, {Ref: score.Ref{Finding: 2}, Verdict: score.Confirmed}}
	if !slices.Equal(got.Opinions, want) || got.Unjudged != 0 || got.Agreement != (score.Agreement{}) {
		t.Errorf("judged %+v", got)
	}
	prompt := m.requests[len(m.requests)-1].Messages[0].Text
	if strings.Contains(prompt, "line 35\n") || !strings.Contains(prompt, "line 34\n") {
		t.Errorf("the code shown is not that around:\n%s", prompt)
	}
	t.Run("no code, and an invalid answer", func(t *testing.T) {
		t.Parallel()
		got, _ := judged(t, Options{First: route(&scripted{same: always("false"), verdict: always(`"GOOD"`)}, "m")}, sampleOutcome(), code(files{"a.go": "x"}))
		if got.Unjudged != 3 || len(got.Opinions) != 0 {
			t.Errorf("judged %+v", got)
		}
	})
}

// TestAnswersAreKept: an answered question is not put again, not even by a new judge. A question with an
// invalid answer is.
func TestAnswersAreKept(t *testing.T) {
	t.Parallel()
	first, second := &scripted{same: likeness("LOCK"), verdict: always(`"PLAUSIBLE"`)}, &scripted{same: always("false")}
	o := Options{First: route(first, "m1"), Second: route(second, "m2")}
	c := code(files{"a.go": "x", "b.go": "y"})
	got, j := judged(t, o, sampleOutcome(), c)
	calls := len(first.requests) + len(second.requests)
	if cost := j.Cost(); cost.Calls != calls || cost.InputTokens != int64(10*calls) || cost.CachedTokens != int64(4*calls) || cost.OutputTokens != int64(2*calls) {
		t.Errorf("%d calls cost %+v", calls, cost)
	}
	raw, err := json.Marshal(j.Answers())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &o.Answers); err != nil {
		t.Fatal(err)
	}
	again, j := judged(t, o, sampleOutcome(), c)
	if a, b := fmt.Sprint(got), fmt.Sprint(again); a != b || j.Cost().Calls != 0 {
		t.Errorf("judged again, with %d calls: %s, before: %s", j.Cost().Calls, b, a)
	}
	t.Run("another model is called", func(t *testing.T) {
		t.Parallel()
		o := o
		o.Second = route(second, "m3")
		if _, j := judged(t, o, sampleOutcome(), c); j.Cost().Calls == 0 {
			t.Error("no judge was called")
		}
	})
	t.Run("a tie with other reasons is broken again", func(t *testing.T) {
		t.Parallel()
		first := &scripted{same: likeness("LOCK")}
		_, j := judged(t, Options{First: route(first, "m1"), Second: route(&scripted{same: always("false")}, "m2")}, sampleOutcome(), nil)
		judged(t, Options{First: route(first, "m1"), Second: route(&scripted{same: always("false"), reason: "the lock is another"}, "m3"), Answers: j.Answers()}, sampleOutcome(), nil)
		if _, ties, _ := first.stages(); ties != 2 || !strings.Contains(first.requests[len(first.requests)-1].Messages[0].Text, "opinion: the lock is another\n") {
			t.Errorf("%d ties were asked", ties)
		}
	})
	t.Run("an invalid answer is requested again", func(t *testing.T) {
		t.Parallel()
		m := &scripted{same: always(`"perhaps"`)}
		_, j := judged(t, Options{First: route(m, "m")}, sampleOutcome(), nil)
		if _, j := judged(t, Options{First: route(m, "m"), Answers: j.Answers()}, sampleOutcome(), nil); j.Cost().Calls != 1 {
			t.Errorf("%d calls", j.Cost().Calls)
		}
	})
}

func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	o := sampleOutcome()
	for i := range 30 {
		o.Case.Golden = append(o.Case.Golden, eval.Golden{Path: "a.go", Text: fmt.Sprint("defect ", i)})
	}
	m := &scripted{same: always("false")}
	got, j := judged(t, Options{First: route(m, "m"), MaxCalls: 2}, o, nil)
	// Two findings with 32 defects make 64 pairs, and two calls hold 20 of them.
	if len(m.requests) != 2 || got.Pairs != 64 || got.Undecided != 44 || j.Unasked() != 44 {
		t.Errorf("%d calls, %d unasked: %+v", len(m.requests), j.Unasked(), got)
	}
}

// TestOrderIsDrawn: the seed and the pair decide which report comes first, not its author. The same seed
// makes the same requests.
func TestOrderIsDrawn(t *testing.T) {
	t.Parallel()
	first := map[bool]int{}
	for i := range 100 {
		p := pair{finding: fmt.Sprint("ours ", i), known: fmt.Sprint("theirs ", i)}
		if p.write(1) != p.write(1) {
			t.Fatal("the same seed writes another text")
		}
		first[strings.HasPrefix(p.write(1), "report 1: ours")]++
	}
	if first[true] < 30 || first[false] < 30 {
		t.Errorf("ours comes first in %d of 100 pairs", first[true])
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	if _, err := New(Options{}); err == nil {
		t.Error("a judge without a model was made")
	}
	fail := func(class llm.Class) func(llm.Request) (llm.Response, error) {
		return func(llm.Request) (llm.Response, error) { return llm.Response{}, &llm.Error{Class: class} }
	}
	for class, ends := range map[llm.Class]bool{llm.ClassCredential: true, llm.ClassQuota: true, llm.ClassRetryable: true, llm.ClassFinal: false, llm.ClassContextLength: false, llm.ClassInvalidResponse: false} {
		t.Run(string(class), func(t *testing.T) {
			t.Parallel()
			j, err := New(Options{First: route(&scripted{whole: fail(class)}, "m")})
			if err != nil {
				t.Fatal(err)
			}
			got, err := j.Outcome(t.Context(), sampleOutcome(), nil)
			if (err != nil) != ends || !ends && got.Undecided != 4 {
				t.Errorf("judged %+v, %v", got, err)
			}
		})
	}
	t.Run("ended", func(t *testing.T) {
		t.Parallel()
		ctx, stop := context.WithCancel(t.Context())
		m := &scripted{whole: func(llm.Request) (llm.Response, error) {
			stop()
			return llm.Response{}, context.Canceled
		}}
		j, err := New(Options{First: route(m, "m")})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := j.Outcome(ctx, sampleOutcome(), nil); !errors.Is(err, context.Canceled) {
			t.Errorf("the error is %v", err)
		}
	})
}

// TestTheSchemaIsSentOnce: the schema is a field of the request, and not in its instructions again.
func TestTheSchemaIsSentOnce(t *testing.T) {
	t.Parallel()
	m := &scripted{same: always("false"), verdict: always(`"PLAUSIBLE"`)}
	judged(t, Options{First: route(m, "m1")}, sampleOutcome(), code(files{"a.go": "one\n", "b.go": "two\n"}))
	if _, _, asked := m.stages(); asked == 0 {
		t.Error("no finding was judged by its code")
	}
	for _, r := range m.requests {
		if r.Schema == nil || len(r.Schema.JSON) == 0 || strings.Contains(r.System, "additionalProperties") {
			t.Errorf("the schema is %+v, and the instructions are\n%s", r.Schema, r.System)
		}
	}
}
