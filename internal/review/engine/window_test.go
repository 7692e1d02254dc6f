package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// The parts of a call fit the window, with a fifth left for the answer, and no part takes all of a
// small window.
func TestShareOfAWindow(t *testing.T) {
	t.Parallel()
	everything := partSizes{rules: 50_000, earlier: 50_000, claims: 1_200}
	const fixed = 3_200
	for name, c := range map[string]struct {
		window        int
		want          partSizes
		diff, context int // 0: the remainder, which must be more than 0
	}{
		"large":                       {200_000, everything, change.ChunkTokens, contextCap},
		"large, with nothing beside":  {200_000, partSizes{}, change.ChunkTokens, contextCap},
		"unknown":                     {0, partSizes{}, 14_700, 5_880},
		"unknown, with all that goes": {0, everything, 0, 0},
		"small":                       {8_192, partSizes{}, 0, 0},
		"small, with all that goes":   {8_192, everything, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ask.Route{Window: c.window}
			got := roomsOf(r, fixed, c.want)
			sum := fixed + ask.MessageOverhead + got.diff + got.context + got.index + min(c.want.rules, got.rules) + min(c.want.earlier, got.earlier) + min(c.want.claims, got.claims)
			if sum > r.ContextWindow()*4/5+1 {
				t.Errorf("%d tokens of %d: %+v", sum, r.ContextWindow(), got)
			}
			if got.diff < leastDiff || got.context < got.diff/3 {
				t.Errorf("no room for the change: %+v", got)
			}
			if c.diff > 0 && (got.diff < c.diff*98/100 || got.diff > c.diff*102/100 || got.context < c.context*98/100 || got.context > c.context*102/100) {
				t.Errorf("%+v, want about %d of diff and %d of context", got, c.diff, c.context)
			}
		})
	}
	if got := roomsOf(ask.Route{Window: 4_096}, fixed, partSizes{}); got.diff >= leastDiff {
		t.Errorf("a window without room: %+v", got)
	}
}

// lengthy is a Go file of about that many tokens, as a prompt shows them.
func lengthy(tokens int) string {
	var code strings.Builder
	code.WriteString("package x\n")
	for i := 0; llm.EstimateTokens(code.Len()+9*4*i) < tokens; i++ {
		fmt.Fprintf(&code, "\nfunc f%d() int {\n\treturn compute(%d, \"a text that takes some room\")\n}\n", i, i)
	}
	return code.String()
}

// seenLines collects the numbers of the added lines that requests show.
type seenLines struct {
	mu    sync.Mutex
	lines map[string]bool
}

func (s *seenLines) add(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines == nil {
		s.lines = map[string]bool{}
	}
	for l := range strings.Lines(user) {
		if number, _, added := strings.Cut(l, " + "); added {
			s.lines[strings.TrimSpace(number)] = true
		}
	}
}

// A model with a context of 8,192 tokens reviews a new file of 24,000 tokens completely, in pieces that
// fit with the rest of the prompt. A model without any room is not asked, and the review says so.
func TestASmallContext(t *testing.T) {
	t.Parallel()
	code := lengthy(24_000)
	for name, c := range map[string]struct {
		window, output, rules, known int
		body                         string
		asked                        bool
	}{
		"the file alone":               {window: 8_192, asked: true},
		"with all that goes beside it": {window: 8_192, rules: 60, known: 40, body: strings.Repeat("It is needed for many reasons. ", 60), asked: true},
		"an answer with reasoning":     {window: 8_192, output: 32_768, asked: true},
		"unknown":                      {rules: 60, known: 40, asked: true},
		"no room":                      {window: 4_096},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen seenLines
			m := &scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
				seen.add(user)
				return findings()(0, "")
			}}
			in := sampleChange(t)
			in.PullRequest.Body = c.body
			in.Models = models(m)
			in.Models.Strong.Window, in.Models.Strong.MaxOutputTokens = c.window, c.output
			in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": code}, nil)
			for i := range c.rules {
				in.Rules = append(in.Rules, Rule{ID: fmt.Sprint("R", i), Title: fmt.Sprint("Rule ", i), Instruction: strings.Repeat("Return errors. ", 12), Severity: domain.High})
			}
			for i := range c.known {
				in.Known = append(in.Known, domain.Finding{ID: fmt.Sprint("fnd_", i), Origin: domain.OriginModel, State: domain.FindingOpen, Title: strings.Repeat("long words ", 7), RuleID: "llm/x",
					Anchor: domain.Anchor{Path: "a.go", Level: domain.AnchorFile}})
			}
			res := review(t, in, Deps{})
			if !c.asked {
				if len(m.requests) != 0 || res.ModelState != ModelUnavailable || len(res.Coverage.Skimmed) != 1 || res.Coverage.Skimmed[0].Why != whyTooLong {
					t.Errorf("%d calls, %s: %s, %+v", len(m.requests), res.ModelState, res.ModelNote, res.Coverage)
				}
				return
			}
			if want := strings.Count(code, "\n"); len(seen.lines) != want || res.ModelState != ModelComplete || len(res.Hunks) != 1 {
				t.Errorf("%d lines of %d were seen, %s: %s, hunks %v", len(seen.lines), want, res.ModelState, res.ModelNote, res.Hunks)
			}
			for i, r := range m.requests {
				if r.Model != in.Models.Strong.Model {
					continue
				}
				window := in.Models.Strong.ContextWindow()
				input := ask.Size(r.System, r.Schema.JSON, r.Messages)
				if input > window*4/5 || input+r.MaxOutputTokens > window || r.MaxOutputTokens < window/ask.AnswerShare {
					t.Errorf("call %d of %d: %d tokens of input and %d of output in %d", i, len(m.requests), input, r.MaxOutputTokens, window)
				}
			}
			if c.rules > 0 && !strings.Contains(m.requests[0].Messages[0].Text, "repo/R0") {
				t.Error("no rule was given")
			}
			if c.known > 0 && !strings.Contains(m.requests[0].Messages[0].Text, " open a.go") {
				t.Error("no earlier finding was given")
			}
		})
	}
}

// An endpoint that counts far fewer tokens than it was sent has read only a part: its answer does not
// count, and smaller parts are sent. Servers that count nothing or report impossible numbers are
// trusted.
func TestSilentCutting(t *testing.T) {
	t.Parallel()
	code := lengthy(24_000)
	for name, c := range map[string]struct {
		counts func(bytes int) llm.Usage
		cut    bool
	}{
		"cut at 4,096 tokens": {func(n int) llm.Usage { return llm.Usage{InputTokens: int64(min(n/4, 4096)), OutputTokens: 5} }, true},
		"counted":             {func(n int) llm.Usage { return llm.Usage{InputTokens: int64(n / 5), OutputTokens: 5} }, false},
		"not counted":         {func(int) llm.Usage { return llm.Usage{} }, false},
		"nonsense":            {func(int) llm.Usage { return llm.Usage{InputTokens: 12, OutputTokens: 5} }, false},
		"estimated":           {func(int) llm.Usage { return llm.Usage{InputTokens: 1_500, OutputTokens: 5, Estimated: true} }, false},
		"without its cached tokens": {func(n int) llm.Usage {
			return llm.Usage{InputTokens: 1_200, CachedInputTokens: int64(n / 5), OutputTokens: 5}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var whole, partial seenLines
			m := &scripted{verify: confirmAll}
			m.generate = func(_ int, user string) (llm.Response, error) {
				system := generateSystem(ask.NewGuard(strings.NewReader(strings.Repeat("x", 24))), "en")
				r, err := findings()(0, "")
				if r.Usage = c.counts(len(user) + len(system)); c.cut && llm.Partial(r.Usage, system, user) {
					partial.add(user)
					return r, err
				}
				whole.add(user)
				return r, err
			}
			in := sampleChange(t)
			in.Models = models(m)
			in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": code}, nil)
			rec := &outcomes{}
			res := review(t, in, Deps{Recorder: rec})
			if want := strings.Count(code, "\n"); len(whole.lines) != want || res.ModelState != ModelComplete {
				t.Errorf("%d lines of %d were read, %s: %s", len(whole.lines), want, res.ModelState, res.ModelNote)
			}
			if (len(partial.lines) > 0) != c.cut || (rec.failed("context_length") > 0) != c.cut {
				t.Errorf("%d lines were in calls that were cut, %d calls failed for it", len(partial.lines), rec.failed("context_length"))
			}
		})
	}
}

// outcomes records how calls ended.
type outcomes struct {
	ask.NopRecorder
	mu   sync.Mutex
	list []ask.Outcome
}

// After implements [Recorder].
func (o *outcomes) After(_ context.Context, _ string, out ask.Outcome) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, out)
}

func (o *outcomes) failed(class string) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, out := range o.list {
		if out.Class == class {
			n++
		}
	}
	return n
}

// The first call about a change is made alone, so that the shared beginning is cached before the others
// read it.
func TestTheFirstCallGoesAlone(t *testing.T) {
	t.Parallel()
	in := wide(t, 4)
	checks := newChecker(t)
	synctest.Test(t, func(t *testing.T) {
		var open, first, later atomic.Int64
		m := &scripted{verify: confirmAll, generate: func(n int, _ string) (llm.Response, error) {
			open.Add(1)
			time.Sleep(time.Second) // of the bubble: until the others wait
			if beside := open.Load() - 1; n == 0 {
				first.Store(beside)
			} else {
				later.Store(max(later.Load(), beside))
			}
			time.Sleep(time.Second)
			open.Add(-1)
			return findings()(0, "")
		}}
		in.Models = models(m)
		if res := review(t, in, Deps{Checks: checks}); res.Stats.ChunksDone != 4 || first.Load() != 0 || later.Load() != ask.ParallelCalls-1 {
			t.Errorf("%d of 4 parts, %d calls beside the first, %d beside others", res.Stats.ChunksDone, first.Load(), later.Load())
		}
	})
}

// If a piece of a hunk continues a function that began before it, the first lines of the function stand
// before the piece as unchanged lines. Each line of the hunk is in the pieces once.
func TestPiecesRepeatTheSignature(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	code.WriteString("package x\n\nfunc handle(\n\tfirst string,\n\tsecond int,\n) error {\n")
	for i := range 3000 {
		fmt.Fprintf(&code, "\tcompute(%d, \"a text that takes some room\")\n", i)
	}
	code.WriteString("\treturn nil\n}\n")
	var users []string
	var mu sync.Mutex
	m := &scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		users = append(users, user)
		return findings()(0, "")
	}}
	in := sampleChange(t)
	in.Models, in.Tier = models(m), tierT2 // one pass over each part
	in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": code.String()}, nil)
	review(t, in, Deps{})
	if len(users) < 2 {
		t.Fatalf("%d calls", len(users))
	}
	const head = "@@ handle continues\n    3   func handle(\n    4   \tfirst string,\n    5   \tsecond int,\n    6   ) error {\n      …\nnew:\n"
	added := map[string]int{}
	for _, u := range users {
		body := u[strings.Index(u, "=== a.go"):]
		if first := strings.Contains(body, "    1 + package x"); strings.Contains(body, head) == first {
			t.Errorf("the first piece: %v, and it begins:\n%.300s", first, body)
		}
		for l := range strings.Lines(body) {
			if number, _, ok := strings.Cut(l, " + "); ok {
				added[strings.TrimSpace(number)]++
			}
		}
	}
	for number, n := range added {
		if n != 1 {
			t.Errorf("line %s is %d times in the pieces", number, n)
		}
	}
	if want := strings.Count(code.String(), "\n"); len(added) != want {
		t.Errorf("%d lines of %d", len(added), want)
	}
}

// A hunk that is not cut has no such repeated lines.
func TestWholeHunksRepeatNothing(t *testing.T) {
	t.Parallel()
	target := enginetest.TargetOf("a.go", 10)
	var p prompts
	if head, _ := p.continued(t.Context(), target, target.Hunks[0]); head != nil {
		t.Errorf("%q", head)
	}
	if head, _ := p.continued(t.Context(), target, &diff.Hunk{}); head != nil {
		t.Errorf("an empty piece: %q", head)
	}
}
