package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// bomb is a change whose author wants to spend our memory and time; n is its size.
type bomb struct {
	path string
	text func(n int) string
	n    int
	why  string // the reason that the coverage gives for the file, "" for no reason
}

const workflowPath = ".github/workflows/x.yml"

var bombs = map[string]bomb{
	"brackets in a workflow": {workflowPath, func(n int) string { return "jobs: " + strings.Repeat("[", n) + "\n" }, 2000, check.WhyWorkflow},
	"entries in a workflow":  {workflowPath, func(n int) string { return strings.Repeat("- ", n) + "a\n" }, 2000, check.WhyWorkflow},
	"a long key in a workflow": {workflowPath, func(n int) string {
		return strings.Repeat("k", n) + ":\n" + strings.Repeat("  - a\n", n/4)
	}, 8000, check.WhyWorkflow},
	"expressions in a workflow": {workflowPath, func(n int) string {
		var b strings.Builder
		b.WriteString("on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n")
		for i := range n {
			fmt.Fprintf(&b, "    - {id: a%d, run: x}\n    - run: ${{steps.x}}\n", i)
		}
		return b.String()
	}, 600, check.WhyWorkflow},
	"flags in a Dockerfile": {"Dockerfile", func(n int) string {
		return "FROM a:1\nRUN " + strings.Repeat("--a ", n) + strings.Repeat("\\\n", n/12) + "x\n"
	}, 20_000, check.WhyUnparsed},
	"values in a Dockerfile": {"Dockerfile", func(n int) string {
		return "ARG A=" + strings.Repeat("a", 999) + "\nFROM " + strings.Repeat("$A", n) + "\n"
	}, 20_000, ""},
	"parentheses in Go":      {"x.go", func(n int) string { return "package x\n\nvar a = " + strings.Repeat("(", n) + "\n" }, 20_000, check.WhyUnparsed},
	"errors in a Go comment": {"x.go", func(n int) string { return "package x\n\n/*\n" + strings.Repeat("\x01\x02\xff\n", n) + "*/\n" }, 40_000, check.WhyUnparsed},
	"words in Java":          {"X.java", func(n int) string { return strings.Repeat("a ", n) + "\u202e\n" }, 20_000, ""},
	"keys in Go": {"x.go", func(n int) string {
		var b strings.Builder
		b.WriteString("package x\n\n")
		for i := range n {
			fmt.Fprintf(&b, "var k%d = %q\n", i, fakeToken(i))
		}
		return b.String()
	}, 400, check.WhyCut},
}

// fakeToken is a value like a token of GitHub; no scanner of this repository sees it.
func fakeToken(i int) string {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	b := []byte("ghp" + "_")
	for j := range 36 {
		b = append(b, letters[(i*31+j*17+j*j*7+i/(j+1))%len(letters)])
	}
	return string(b)
}

func (b bomb) input(t testing.TB, n int) Input {
	t.Helper()
	in := sampleChange(t)
	text := b.text(n)
	in.Diff, in.Source = []byte(enginetest.Unified(b.path, "", text)), enginetest.Files{"RIGHT:" + b.path: text}
	return in
}

// allocated returns the bytes that a function allocates in sum. The test must not be parallel.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A change of twice the size must not cost four times as much, and parts that were not looked at are
// reported.
func TestBombsCostAsMuchAsTheyAreLong(t *testing.T) { //nolint:paralleltest // it counts what is allocated
	e := New(Deps{Checks: newChecker(t)})
	for name, b := range bombs {
		t.Run(name, func(t *testing.T) {
			cost := func(n int) uint64 {
				in := b.input(t, n)
				return allocated(func() {
					res, err := e.Review(t.Context(), in)
					if err != nil {
						t.Fatal(err)
					}
					notes := slices.Concat(res.Coverage.Skimmed, res.Coverage.Reviewed)
					if b.why != "" && n >= b.n && (len(notes) != 1 || bare(notes[0]) != (FileNote{Path: b.path, Why: b.why})) {
						t.Errorf("coverage %+v", res.Coverage)
					}
				})
			}
			cost(b.n / 4) // leave one-time allocations out of the measurement
			once, twice := cost(b.n), cost(2*b.n)
			if twice > 3*once {
				t.Errorf("%d bytes for one, %d for twice as much", once, twice)
			}
		})
	}
}

// stopping is a context that ends at the n-th call of Err.
type stopping struct {
	context.Context
	n     int
	asked *int
	done  chan struct{}
}

func (c stopping) Err() error {
	if *c.asked++; *c.asked == c.n {
		close(c.done)
	}
	if *c.asked >= c.n {
		return context.Canceled
	}
	return nil
}

func (c stopping) Done() <-chan struct{} { return c.done }

// A review stops when its context ends, at any point: it checks the context a few times more and
// returns its error.
func TestReviewStopsWhereverItIs(t *testing.T) {
	t.Parallel()
	e := New(Deps{Checks: newChecker(t)})
	in := bombs["keys in Go"].input(t, 60)
	other := bombs["words in Java"].input(t, 300)
	in.Diff = append(in.Diff, other.Diff...)
	for path, text := range other.Source.(enginetest.Files) {
		in.Source.(enginetest.Files)[path] = text
	}
	res, err := e.Review(t.Context(), in)
	if err != nil || len(res.Findings) != 61 {
		t.Fatalf("%d findings, %v", len(res.Findings), err)
	}
	in.Known = slices.Clone(res.Findings)
	in.ReviewedHunks = map[string]bool{}
	run := func(n int) (asked int, err error) {
		_, err = e.Review(stopping{t.Context(), n, &asked, make(chan struct{})}, in)
		return asked, err
	}
	all, err := run(1 << 30)
	if err != nil {
		t.Fatal(err)
	}
	if least := 3 * len(res.Findings); all < least { // deterministic, reconcile and absent check once for each finding
		t.Errorf("the context is asked %d times, want at least %d", all, least)
	}
	for n := 1; n <= all; n += 1 + all/60 {
		if asked, err := run(n); !errors.Is(err, context.Canceled) || asked > n+4 {
			t.Errorf("stopped at %d of %d: asked %d more times, %v", n, all, asked-n, err)
		}
	}
}

// Findings beyond the number that one review lists are counted and mentioned. Secrets come first, and
// earlier findings are not called fixed because of the limit.
func TestFindingsBeyondTheLimit(t *testing.T) {
	t.Parallel()
	in := bombs["keys in Go"].input(t, 250)
	var text strings.Builder
	for i := range 5 {
		fmt.Fprintf(&text, "x%d = 'a\u202eb'\n", i)
	}
	in.Diff = append([]byte(enginetest.Unified("a.py", "", text.String())), in.Diff...)
	in.Source.(enginetest.Files)["RIGHT:a.py"] = text.String()
	in.Known = []domain.Finding{{ID: "fnd_1", Origin: domain.OriginStatic, RuleID: "assay/unicode-bidi", State: domain.FindingOpen, Route: domain.RouteInline, Known: true,
		Fingerprints: domain.Fingerprints{Exact: "v1:other", Context: "v1:other"}, Anchor: domain.Anchor{Path: "a.py", Side: domain.Right, StartLine: 1, EndLine: 1, Level: domain.AnchorLine, Quote: "gone"}}}
	res := review(t, in, Deps{})
	secrets := 0
	for _, f := range res.Findings {
		if f.Origin == domain.OriginSecret {
			secrets++
		}
	}
	if secrets != check.MaxFindings || len(res.Findings) != check.MaxFindings+1 || len(res.Resolved) != 0 {
		t.Errorf("%d findings, %d of them secrets, resolved %v", len(res.Findings), secrets, res.Resolved)
	}
	if got := res.Stats.Dropped[check.WhyCut]; got != 55 {
		t.Errorf("%d are counted as left out", got)
	}
	if len(res.Notices) == 0 || !strings.Contains(res.Notices[0], "55 more than the 200") {
		t.Errorf("notices %q", res.Notices)
	}
	for _, path := range []string{"a.py", "x.go"} {
		if !slices.Contains(res.Coverage.Skimmed, FileNote{Path: path, Why: check.WhyCut, Extent: ExtentPart}) {
			t.Errorf("the coverage does not name %s: %+v", path, res.Coverage)
		}
	}
}
