package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/eval"
)

func near(t *testing.T, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by || math.IsNaN(got) {
		t.Errorf("%s is %.6g, want %.6g", what, got, want)
	}
}

// TestWilson: R. G. Newcombe, "Two-sided confidence intervals for the single
// proportion", Statistics in Medicine 17 (1998), table I, method 3.
func TestWilson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ hits, n, low, high float64 }{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
	} {
		t.Run(fmt.Sprintf("%g of %g", c.hits, c.n), func(t *testing.T) {
			t.Parallel()
			i := wilson(c.hits, c.n)
			near(t, "low", i.Low, c.low, 0.00005)
			near(t, "high", i.High, c.high, 0.00005)
		})
	}
}

// TestBootstrapOfAMean: the mean of n draws from n numbers with replacement has the
// standard error s/√n (with n as the divisor in s), and is nearly normal.
func TestBootstrapOfAMean(t *testing.T) {
	t.Parallel()
	const n = 400
	parts := make([]part, n)
	for i := range parts {
		parts[i] = part{float64(i % 5), 1} // mean 2, variance 2
	}
	r := ratio(7, amount, parts)
	half := 1.96 * math.Sqrt(2.0/n)
	near(t, "low", r.Interval.Low, 2-half, 0.02)
	near(t, "high", r.Interval.High, 2+half, 0.02)
	if again := ratio(7, amount, parts); *again.Interval != *r.Interval {
		t.Error("the same seed gives another interval")
	}
}

// TestIntervalsFollowCases: forty findings of ten changes, whose findings are all right or all wrong, carry
// the information of ten findings. The interval is twice as wide as that of forty changes.
func TestIntervalsFollowCases(t *testing.T) {
	t.Parallel()
	var few, many []part
	for i := range 40 {
		many = append(many, part{float64(2 * (i % 2)), 2})
		if i < 10 {
			few = append(few, part{float64(8 * (i % 2)), 8})
		}
	}
	wide := func(r *Ratio) float64 { return r.Interval.High - r.Interval.Low }
	a, b := ratio(1, share, few), ratio(1, share, many)
	if a.Value != b.Value || a.Den != b.Den {
		t.Fatalf("the shares differ: %+v, %+v", a, b)
	}
	near(t, "the ratio of widths", wide(a)/wide(b), 2, 0.35)
}

func TestRatio(t *testing.T) {
	t.Parallel()
	repeat := func(p part, n int) []part { return slices.Repeat([]part{p}, n) }
	for name, c := range map[string]struct {
		parts     []part
		unit      unit
		absent    bool
		low, high float64 // bounds of the interval; both 0 without one
	}{
		"a share of nothing":             {parts: repeat(part{}, 20), absent: true},
		"too few cases":                  {parts: append(repeat(part{1, 2}, 5), repeat(part{2, 2}, 4)...)},
		"cases without a part":           {parts: append(repeat(part{1, 2}, 5), append(repeat(part{2, 2}, 4), repeat(part{}, 30)...)...)},
		"yes or no":                      {parts: append(repeat(part{1, 1}, 10), repeat(part{0, 1}, 10)...), low: 0.2993, high: 0.7007},
		"none, of cases with many parts": {parts: repeat(part{0, 50}, 20), low: 0, high: 0.1611}, // like 0 of 20 cases
		"all":                            {parts: repeat(part{50, 50}, 20), low: 0.8389, high: 1},
		"an amount of nothing":           {parts: repeat(part{0, 1}, 20), unit: amount},
		"an amount, always the same":     {parts: repeat(part{1, 1}, 20), unit: amount},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := ratio(1, c.unit, c.parts)
			switch {
			case c.absent != (r == nil):
				t.Fatalf("it is %+v", r)
			case r == nil:
			case (c.high == 0) != (r.Interval == nil):
				t.Fatalf("the interval is %+v", r.Interval)
			case r.Interval != nil:
				near(t, "low", r.Interval.Low, c.low, 0.0001)
				near(t, "high", r.Interval.High, c.high, 0.0001)
			}
		})
	}
}

// TestPermutation: Darwin's plants, 15 pairs, 13 of them in favour of crossing (R. A. Fisher, The Design of
// Experiments, 1935, section 21). Among 32,768 exchanges of signs, 863 give a sum of at least 314 to one
// side, and 1,726 to both sides (p = 0.0527).
func TestPermutation(t *testing.T) {
	t.Parallel()
	eighths := []float64{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48}
	pairsOf := func(list []float64) (out []casePair) {
		for _, d := range list {
			out = append(out, casePair{part{0, 1}, part{d, 1}})
		}
		return out
	}
	t.Run("drawn", func(t *testing.T) {
		t.Parallel()
		pairs := pairsOf(eighths)
		p, exact := permute(pairs, 314.0/15, 11)
		if exact {
			t.Error("32,768 exchanges were tried")
		}
		near(t, "p", p, 1726.0/32768, 0.008) // four standard errors of 10,000 draws
		again, _ := permute(pairs, 314.0/15, 11)
		near(t, "p again", again, p, 0)
	})
	t.Run("exact", func(t *testing.T) {
		t.Parallel()
		// Five cases all favour one side by the same amount: 2 of 32 exchanges are as large.
		p, exact := permute(pairsOf([]float64{1, 1, 1, 1, 1}), 1, 1)
		if !exact {
			t.Error("32 exchanges were not all tried")
		}
		near(t, "p", p, 2.0/32, 0)
	})
	t.Run("no difference", func(t *testing.T) {
		t.Parallel()
		p, _ := permute(pairsOf([]float64{1, -1, 2, -2}), 0, 1)
		near(t, "p", p, 1, 0)
	})
	t.Run("more than a word of bits", func(t *testing.T) {
		t.Parallel()
		// The sum of 128 signs differs from 0 by at least 24 in 0.0416 of all cases (binomial).
		p, _ := permute(pairsOf(slices.Repeat([]float64{1}, 128)), 24.0/128, 1)
		near(t, "p", p, 0.0416, 0.008)
	})
	t.Run("many", func(t *testing.T) {
		t.Parallel()
		p, _ := permute(pairsOf(slices.Repeat([]float64{1}, 200)), 1, 1)
		near(t, "p", p, 1.0/10001, 1e-12)
	})
}

// TestVerifier: J. A. Hanley and B. J. McNeil, "The meaning and use of the area under a
// receiver operating characteristic curve", Radiology 143 (1982), table I: 109 images
// rated 1 to 5, area 0.893 by the Wilcoxon statistic.
func TestVerifier(t *testing.T) {
	t.Parallel()
	normal, abnormal := []int{33, 6, 6, 11, 2}, []int{3, 2, 2, 11, 33}
	var claims []claim
	for r := range 5 {
		for k := range normal[r] {
			claims = append(claims, claim{Case: fmt.Sprint("n", r, k), Confidence: float64(r+1) / 5})
		}
		for k := range abnormal[r] {
			claims = append(claims, claim{Case: fmt.Sprint("a", r, k), Confidence: float64(r+1) / 5, True: true})
		}
	}
	v := measureVerifier(claims, 1)
	near(t, "the area", v.AUC, 0.893, 0.0005)
	near(t, "the share of true ones", v.Base, 51.0/109, 1e-9)
	// From a rating of 3 on, 46 of 51 abnormal images are kept (0.902), and 19 normal ones. From 4 on, only
	// 44 (0.863).
	near(t, "precision", v.PrecisionAt.Value, 46.0/65, 1e-9)
	near(t, "threshold", v.Threshold, 0.6, 1e-9)
	// The paper gives a standard error of 0.032.
	near(t, "half of the interval", (v.Interval.High-v.Interval.Low)/2, 1.96*0.032, 0.01)
	if one := measureVerifier(claims[:3], 1); one != nil {
		t.Errorf("claims of one kind have an area: %+v", one)
	}
}

func TestVerifierOfOutcomes(t *testing.T) {
	t.Parallel()
	golden := []eval.Golden{gold("a.go", 1, 1), gold("a.go", 20, 20), gold("a.go", 40, 40, rejected), gold("a.go", 60, 60, rejected)}
	o := reviewed("v", golden)
	// Right: 0.9 and 0.5. Wrong: 0.6 and 0.2. Three of the four pairs are in order. A finding without a known
	// place does not count.
	list := []eval.Finding{say("a.go", 1, 1, sure(0.9)), say("a.go", 20, 20, sure(0.5)), say("a.go", 40, 40, sure(0.6)), say("a.go", 60, 60, sure(0.2)), say("b.go", 1, 1, sure(0.9))}
	o.Heads[0].Stages[eval.Verified] = list[:2]
	o.Heads[0].Stages[eval.Anchored] = list
	v := Score([]eval.Outcome{o}, Options{}).Verifier
	if v == nil || v.Stage != eval.Anchored || v.True != 2 || v.False != 2 {
		t.Fatalf("the verifier's measure is %+v", v)
	}
	near(t, "the area", v.AUC, 0.75, 0)
	near(t, "precision", v.PrecisionAt.Value, 2.0/3, 1e-9)
}

// TestKappa: two readers judge 50 grant proposals. Both say yes to 20 and both say no to 15
// (en.wikipedia.org/wiki/Cohen's_kappa, "Simple example"): 0.4.
func TestKappa(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a    Agreement
		want float64
		ok   bool
	}{
		"grants":       {Agreement{20, 5, 10, 15}, 0.4, true},
		"always":       {Agreement{5, 0, 0, 5}, 1, true},
		"never":        {Agreement{0, 5, 5, 0}, -1, true},
		"one word":     {Agreement{9, 0, 0, 0}, 0, false},
		"nothing said": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, ok := c.a.Kappa()
			if ok != c.ok {
				t.Errorf("there is one: %v", ok)
			}
			near(t, "kappa", k, c.want, 1e-9)
		})
	}
}

// tryAll finds the greatest number of pairs, and among those the greatest sum of weights, by trying all.
func tryAll(list []edge, row, rows int, used map[int]bool) (pairs int, weight float64) {
	if row == rows {
		return 0, 0
	}
	pairs, weight = tryAll(list, row+1, rows, used)
	for _, e := range list {
		if e.row != row || used[e.col] {
			continue
		}
		used[e.col] = true
		p, w := tryAll(list, row+1, rows, used)
		delete(used, e.col)
		if p++; p > pairs || p == pairs && w+e.weight() > weight {
			pairs, weight = p, w+e.weight()
		}
	}
	return pairs, weight
}

func TestAssignIsBest(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows, cols := 1+rng.IntN(6), 1+rng.IntN(6)
		var list []edge
		for i := range rows {
			for j := range cols {
				if rng.IntN(3) == 0 {
					list = append(list, edge{i, j, likeness{iou: float64(rng.IntN(11)) / 10, words: float64(rng.IntN(11)) / 10}})
				}
			}
		}
		pairs, weight := tryAll(list, 0, rows, map[int]bool{})
		got, sum, used := 0, 0.0, map[int]bool{}
		for i, j := range assign(rows, list).of {
			if j < 0 {
				continue
			}
			at := slices.IndexFunc(list, func(e edge) bool { return e.row == i && e.col == j })
			if at < 0 || used[j] {
				t.Fatalf("seed %d: row %d has column %d", seed, i, j)
			}
			used[j] = true
			got, sum = got+1, sum+list[at].weight()
		}
		if got != pairs || math.Abs(sum-weight) > 1e-9 {
			t.Fatalf("seed %d: %d pairs of %g, want %d of %g", seed, got, sum, pairs, weight)
		}
	}
}

// TestLargeGroupsArePairedGreedily: a group that is too large for the best pairing gets one to which no pair
// can be added, and the report says so.
func TestLargeGroupsArePairedGreedily(t *testing.T) {
	t.Parallel()
	var list []edge
	for i := range 400 {
		for j := range 400 {
			list = append(list, edge{i, j, likeness{words: float64((i+j)%7) / 7}})
		}
	}
	a := assign(400, list)
	if a.greedy != 1 || slices.Contains(a.of, -1) {
		t.Errorf("%d groups were paired greedily, and a node has no pair: %v", a.greedy, slices.Contains(a.of, -1))
	}
	var golden []eval.Golden
	var said []eval.Finding
	for range 400 {
		golden, said = append(golden, gold("a.go", 1, 1)), append(said, say("a.go", 1, 1))
	}
	r := Score([]eval.Outcome{reviewed("large", golden, said...)}, Options{})
	if q := r.QualityBy("loose"); q.Greedy == 0 || q.Measures[Recall].Value != 1 {
		t.Errorf("%d groups, recall %+v", q.Greedy, q.Measures[Recall])
	}
	if first := strings.Join(r.heading(), " "); !strings.Contains(first, "too large to be paired in the best way") {
		t.Errorf("the report does not say so: %s", first)
	}
}

func TestFindingsBeyondTheBoundCountAsFalse(t *testing.T) {
	t.Parallel()
	said := make([]eval.Finding, maxFindings+3)
	for i := range said {
		said[i] = say(fmt.Sprint(i, ".go"), 1, 1)
	}
	r := Score([]eval.Outcome{reviewed("many", nil, said...)}, Options{})
	is(t, r.QualityBy("loose").Measures, map[Measure][2]float64{Precision: {0, maxFindings + 3}, Noise: {maxFindings + 3, 1}, CleanFalse: {maxFindings + 3, 1}})
	if first := strings.Join(r.heading(), " "); r.QualityBy("loose").Uncompared != 3 || !strings.Contains(first, "3 findings above 2000") {
		t.Errorf("the report does not say so: %s", first)
	}
}
