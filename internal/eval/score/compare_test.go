package score

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/eval"
)

// runOf returns n cases with five defects each. A review finds finds(i) of the i-th case.
func runOf(n int, finds func(i int) int) (out []eval.Outcome) {
	for i := range n {
		var golden []eval.Golden
		var list []eval.Finding
		for k := range 5 {
			golden = append(golden, gold("a.go", 100*k+1, 100*k+2))
			if k < finds(i) {
				list = append(list, say("a.go", 100*k+1, 100*k+2))
			}
		}
		list = append(list, say("b.go", 1, 1))
		o := reviewed(fmt.Sprintf("%03d", i), golden, list...)
		o.Heads[0].Cost.Micros = int64(1000 * len(list))
		out = append(out, o)
	}
	return out
}

func differ(c Comparison, name Measure) *Difference {
	for i := range c.Differences {
		if c.Differences[i].Measure == name {
			return &c.Differences[i]
		}
	}
	return nil
}

func TestCompare(t *testing.T) {
	t.Parallel()
	two := func(int) int { return 2 }
	for name, c := range map[string]struct {
		n      int
		b      func(i int) int
		value  float64
		doubt  bool // the run is too small for a decision
		says   string
		belief bool
	}{
		"the same":                    {60, two, 0, false, "recall is the same in both runs (40.0 %).", false},
		"more everywhere":             {60, func(int) int { return 3 }, 0.2, false, "recall is better by 20.0 points", true},
		"more in nearly all":          {60, func(i int) int { return 3 - i%10/9 }, 0.18, false, "this may be believed", true},
		"less everywhere":             {60, func(int) int { return 1 }, -0.2, false, "recall is worse by 20.0 points", true},
		"more and less equally often": {60, func(i int) int { return 2 + 2*(i%2) - 1 }, 0, false, "the same", false},
		"more in two of sixty":        {60, func(i int) int { return 2 + 1 - min(i/2, 1) }, 2.0 / 300, false, "this may be chance", false},
		"few cases, but all equal":    {12, func(int) int { return 3 }, 0.2, true, "12 cases): this may be believed", true},
		"more in four of ten":         {10, func(i int) int { return 3 - min(i/4, 1) }, 0.08, true, "p = 0.125, 10 cases): this may be chance", false},
		"five cases":                  {5, func(int) int { return 3 }, 0.2, true, "too few cases for an interval; p = 0.062, 5 cases): this may be chance", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Compare(runOf(c.n, two), runOf(c.n, c.b), Options{Seed: 1}, Made{})
			d := differ(got, Recall)
			near(t, "the difference", d.Value, c.value, 1e-9)
			if d.Believe != c.belief || !strings.Contains(d.Says, c.says) {
				t.Errorf("it says %q (p = %g, %+v)", d.Says, d.P, d.Within)
			}
			warned := strings.Contains(strings.Join(got.Warnings, " "), "below 200 no difference decides anything by itself")
			if warned != c.doubt || got.Golden != 5*c.n {
				t.Errorf("%d golden, warnings %q", got.Golden, got.Warnings)
			}
		})
	}
}

// TestCompareMeasures: the second run finds one more defect in each case, reports as many false findings, and
// costs more by the stated amount.
func TestCompareMeasures(t *testing.T) {
	t.Parallel()
	got := Compare(runOf(60, func(int) int { return 1 }), runOf(60, func(int) int { return 3 }), Options{}, Made{})
	for name, want := range map[Measure][2]float64{Recall: {0.2, 0.6}, Precision: {0.5, 0.75}, PrecisionDecided: {1, 1}, Noise: {1, 1}, Micros: {2000, 4000}} {
		d := differ(got, name)
		if d == nil {
			t.Fatalf("there is no %s", name)
		}
		near(t, string(name)+" of the first", d.A, want[0], 1e-9)
		near(t, string(name)+" of the second", d.B, want[1], 1e-9)
	}
	if says := differ(got, Micros).Says; !strings.HasPrefix(says, "cost per review is worse by 0.0020 USD") {
		t.Errorf("it says %q", says)
	}
	var text, md bytes.Buffer
	if err := got.Text(&text); err != nil {
		t.Fatal(err)
	}
	if err := got.Markdown(&md); err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(text.String(), "\n") {
		if len([]rune(l)) > width {
			t.Errorf("a line is too long: %s", l)
		}
	}
	if !strings.Contains(md.String(), "| recall | ") {
		t.Errorf("the table is missing:\n%s", md.String())
	}
}

func TestCompareUsesCommonCases(t *testing.T) {
	t.Parallel()
	a, b := runOf(60, func(int) int { return 2 }), runOf(62, func(int) int { return 2 })
	a[0].Error = "no answer" // the same case of the other run must not count either
	c := Compare(a, b, Options{}, Made{})
	if c.Cases != 59 || c.OnlyA != 0 || c.OnlyB != 3 || len(c.Warnings) != 1 {
		t.Errorf("%+v", c)
	}
	if d := differ(c, Recall); d.Value != 0 || d.Cases != 59 {
		t.Errorf("the difference is %+v", d)
	}
	if c := Compare(a[:3], b[50:], Options{}, Made{}); c.Cases != 0 || len(c.Differences) != 0 || !strings.Contains(strings.Join(c.Warnings, " "), "no case in common") {
		t.Errorf("runs without a common case: %+v", c)
	}
}

// A case whose golden findings differ between the two runs does not count in the comparison.
func TestCompareLeavesOutCasesThatChanged(t *testing.T) {
	t.Parallel()
	two := func(int) int { return 2 }
	for name, change := range map[string]func(c *eval.Case){
		"a golden finding is missing": func(c *eval.Case) { c.Golden = c.Golden[:2] },
		"one was added":               func(c *eval.Case) { c.Golden = append(c.Golden, gold("z.go", 1, 1)) },
		"one has other lines":         func(c *eval.Case) { c.Golden[4].EndLine++ },
		"one was rejected":            func(c *eval.Case) { c.Golden[4].False = true },
		"it is a clean case":          func(c *eval.Case) { c.Kind = eval.Clean },
		"two have one defect":         func(c *eval.Case) { c.Golden[3].Defect, c.Golden[4].Defect = "d", "d" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := runOf(60, two), runOf(60, two)
			change(&b[7].Case)
			c := Compare(a, b, Options{}, Made{})
			if c.Cases != 59 || c.Changed != 1 || c.OnlyA+c.OnlyB != 0 || c.Golden != 59*5 || !strings.Contains(strings.Join(c.Warnings, " "), "1 cases have other golden findings") {
				t.Errorf("%+v", c)
			}
			if d := differ(c, Recall); d.Value != 0 || d.Cases != 59 {
				t.Errorf("the difference is %+v", d)
			}
		})
	}
	a, b := runOf(60, two), runOf(60, two)
	slices.Reverse(b[7].Case.Golden)
	if c := Compare(a, b, Options{}, Made{}); c.Changed != 0 || c.Cases != 60 || len(c.Warnings) != 0 {
		t.Errorf("another order is another case: %+v", c)
	}
}

// The comparison names all other differences between the runs before it shows numbers.
func TestCompareWarnsOfWhatElseDiffers(t *testing.T) {
	t.Parallel()
	a := runOf(60, func(int) int { return 2 })
	again := runOf(60, func(int) int { return 2 })[0]
	again.Run = 1
	for name, c := range map[string]struct {
		b     []eval.Outcome
		flags map[string]string
		want  string
	}{
		"nothing":          {a, map[string]string{"context": "repository", "held": "with"}, ""},
		"runs":             {append(slices.Clone(a), again), map[string]string{"context": "repository"}, "1 cases were reviewed a different number of times"},
		"context":          {a, map[string]string{"context": "none"}, "context: repository in the first run, none in the second"},
		"depth":            {a, map[string]string{"context": "repository", "depth": "thorough"}, "depth: the default in the first run, thorough in the second"},
		"panel":            {a, map[string]string{"context": "repository", "panel": "noisy"}, "panel: the default in the first run, noisy in the second"},
		"look-ups":         {a, map[string]string{"context": "repository", "lookups": "true"}, "lookups: the default in the first run, true in the second"},
		"tier":             {a, map[string]string{"context": "repository", "tier": "T3"}, "tier: the default in the first run, T3 in the second"},
		"no context level": {a, nil, "context: repository in the first run, the default in the second"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Compare(a, c.b, Options{Made: Made{Flags: map[string]string{"context": "repository"}}}, Made{Flags: c.flags}).Warnings
			if c.want == "" && len(got) != 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("the warnings are %q, want %q", got, c.want)
			}
		})
	}
}
