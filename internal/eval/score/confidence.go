package score

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/eval"
)

// bins is the number of classes of confidence, each a tenth wide (Guo et al. 2017 use 15; ten contain more
// findings each).
const bins = 10

// Calibration compares the confidence of findings with their share of right ones.
type Calibration struct {
	Findings int `json:"findings"` // a model's published findings with a confidence that are known to be true or false
	// ECE is the expected calibration error: the distance between mean confidence and the share of right
	// findings, averaged over findings (Naeini et al. 2015).
	ECE  float64 `json:"ece"`
	Bins []Bin   `json:"bins"` // bins with findings
}

// Bin is one class of confidence.
type Bin struct {
	From       float64 `json:"from"`
	Findings   int     `json:"findings"`
	Confidence float64 `json:"confidence"` // mean
	Right      float64 `json:"right"`      // share
}

func calibration(list []*review) *Calibration {
	var all [bins]struct{ n, claimed, right float64 }
	out := &Calibration{}
	for _, v := range list {
		for i := range v.found {
			if !v.hasConfidence(i) {
				continue
			}
			c := v.found[i].Confidence
			b := &all[min(max(int(c*bins), 0), bins-1)]
			b.n++
			b.claimed += c
			b.right += float64(boolToInt(v.isTrue(i)))
			out.Findings++
		}
	}
	if out.Findings == 0 {
		return nil
	}
	for k, b := range all {
		if b.n == 0 {
			continue
		}
		out.ECE += max(b.claimed-b.right, b.right-b.claimed) / float64(out.Findings)
		out.Bins = append(out.Bins, Bin{From: float64(k) / bins, Findings: int(b.n), Confidence: b.claimed / b.n, Right: b.right / b.n})
	}
	return out
}

// claim is a finding that people have judged, with a verifier's confidence.
type claim struct {
	Set, Case  string // claims of one case are drawn together
	Confidence float64
	True       bool
}

// Verifier measures how well confidence separates right claims from wrong ones.
type Verifier struct {
	Stage eval.Stage `json:"stage"` // stage of the confidence
	True  int        `json:"true"`
	False int        `json:"false"`
	// Base is the precision of accepting every claim.
	Base float64 `json:"base"`
	// AUC is the area under the ROC curve: how often a right claim has more confidence than a wrong one,
	// with ties as half (Hanley and McNeil 1982).
	AUC      float64   `json:"auc"`
	Interval *Interval `json:"interval,omitempty"`
	// PrecisionAt is the best precision of a threshold that keeps nine of ten right claims. Threshold is
	// that confidence.
	PrecisionAt Ratio   `json:"precisionAt90"`
	Threshold   float64 `json:"threshold"`
}

// minKeptTenths is the share of right claims that a threshold must keep, in tenths.
const minKeptTenths = 9

// measureVerifier measures claims. It returns nil without both right and wrong claims.
func measureVerifier(claims []claim, seed uint64) *Verifier {
	claims = slices.SortedFunc(slices.Values(claims), func(a, b claim) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Case, b.Case), cmp.Compare(a.Confidence, b.Confidence),
			cmp.Compare(boolToInt(a.True), boolToInt(b.True)))
	})
	v := &Verifier{}
	for _, c := range claims {
		v.True += boolToInt(c.True)
	}
	v.False = len(claims) - v.True
	if v.True == 0 || v.False == 0 {
		return nil
	}
	v.Base = float64(v.True) / float64(len(claims))
	v.AUC, _ = auc(claims)
	v.PrecisionAt, v.Threshold = precisionAt(claims, v.True)
	v.Interval = aucInterval(claims, seed)
	v.PrecisionAt.Cases = len(byCase(claims))
	return v
}

// auc returns the share of pairs in which the right claim has more confidence (Mann and Whitney 1947). ok
// is false without both right and wrong claims.
func auc(claims []claim) (area float64, ok bool) {
	sorted := slices.SortedFunc(slices.Values(claims), func(a, b claim) int { return cmp.Compare(a.Confidence, b.Confidence) })
	var below, right, wrong, won float64
	for i := 0; i < len(sorted); {
		j, t, f := i, 0.0, 0.0
		for ; j < len(sorted) && sorted[j].Confidence == sorted[i].Confidence; j++ {
			t += float64(boolToInt(sorted[j].True))
			f += float64(boolToInt(!sorted[j].True))
		}
		won += t * (below + f/2)
		below, right, wrong, i = below+f, right+t, wrong+f, j
	}
	if right == 0 || wrong == 0 {
		return 0, false
	}
	return won / (right * wrong), true
}

// precisionAt tries every threshold that keeps enough of the right claims.
func precisionAt(claims []claim, right int) (best Ratio, threshold float64) {
	sorted := slices.SortedFunc(slices.Values(claims), func(a, b claim) int { return cmp.Compare(b.Confidence, a.Confidence) })
	kept := 0
	for i, c := range sorted {
		kept += boolToInt(c.True)
		last := i+1 == len(sorted) || sorted[i+1].Confidence != c.Confidence
		if p := float64(kept) / float64(i+1); last && 10*kept >= minKeptTenths*right && (best.Den == 0 || p > best.Value) {
			best, threshold = Ratio{Num: float64(kept), Den: float64(i + 1), Value: p}, c.Confidence
		}
	}
	return best, threshold
}

// byCase splits sorted claims by case.
func byCase(claims []claim) (out [][]claim) {
	for i, c := range claims {
		if i == 0 || c.Set != claims[i-1].Set || c.Case != claims[i-1].Case {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], c)
	}
	return out
}

func aucInterval(claims []claim, seed uint64) *Interval {
	cases := byCase(claims)
	if len(cases) < fewCases {
		return nil
	}
	return bootstrap(seed, len(cases), func(pick []int) (float64, bool) {
		var drawn []claim
		for _, i := range pick {
			drawn = append(drawn, cases[i]...)
		}
		return auc(drawn)
	})
}

// claimsOf lists the findings that a true or rejected place explains, with their confidence. It takes them
// from the stage before the verifier dropped any, or from the next stage with a confidence.
func claimsOf(outs []*eval.Outcome) (claims []claim, stage eval.Stage) {
	for _, stage = range stages[1:] {
		for _, o := range outs {
			claims = append(claims, claimsAt(o, stage)...)
		}
		if len(claims) > 0 {
			return claims, stage
		}
	}
	return nil, ""
}

func claimsAt(o *eval.Outcome, stage eval.Stage) (out []claim) {
	list, _ := foundAt(o, stage, func(f eval.Finding) bool { return f.Model && f.Confidence > 0 })
	defects := defectsOf(o.Case, false)
	both := append(defects, defectsOf(o.Case, true)...)
	for i, j := range assign(len(list), edges(list, both, looseGap)).of {
		if j >= 0 {
			out = append(out, claim{Set: o.Case.Set, Case: o.Case.ID, Confidence: list[i].Confidence, True: j < len(defects)})
		}
	}
	return out
}
