package score

// Ref identifies a published finding of an outcome by its head and its position in that stage, both from 0.
type Ref struct {
	Head    int `json:"head"`
	Finding int `json:"finding"`
}

// Verdict is the opinion of a judge who sees the code on a finding without a known explanation.
type Verdict string

// The verdicts (SWE-PRBench, RUBRIC.md; arXiv 2603.26130).
const (
	Confirmed  Verdict = "CONFIRMED"  // the code shows it
	Plausible  Verdict = "PLAUSIBLE"  // it may be true, but the code does not decide it
	Fabricated Verdict = "FABRICATED" // the code shows that it is false
)

// Same reports that a finding is the defect at a known place.
type Same struct {
	Ref
	Golden int `json:"golden"` // index in the case's golden, from 0
}

// Opinion is a verdict on a finding.
type Opinion struct {
	Ref
	Verdict Verdict `json:"verdict"`
}

// Judgement holds the judges' answers on one outcome.
type Judgement struct {
	Set  string `json:"set"`
	Case string `json:"case"`
	Run  int    `json:"run,omitempty"`
	// Same may contain a finding or a golden several times. The scoring decides which finding gets the
	// credit.
	Same      []Same    `json:"same,omitempty"`
	Opinions  []Opinion `json:"opinions,omitempty"`
	Pairs     int       `json:"pairs"`     // pairs to judge
	Undecided int       `json:"undecided"` // pairs without a usable answer or not asked
	Unjudged  int       `json:"unjudged"`  // findings without the opinion that they should have
	Agreement Agreement `json:"agreement"`
}

// Agreement counts the pairs that both judges answered, before ties were broken.
type Agreement struct {
	BothSame   int `json:"bothSame"`
	FirstOnly  int `json:"firstOnly"` // the first says same, the second does not
	SecondOnly int `json:"secondOnly"`
	NeitherOne int `json:"neither"`
}

// Add adds the pairs of another judgement.
func (a *Agreement) Add(b Agreement) {
	a.BothSame += b.BothSame
	a.FirstOnly += b.FirstOnly
	a.SecondOnly += b.SecondOnly
	a.NeitherOne += b.NeitherOne
}

// Kappa returns how much more two judges agree than by chance: 1 for always, 0 for chance (Cohen 1960). ok
// is false without pairs, or if chance alone would make them agree.
func (a Agreement) Kappa() (kappa float64, ok bool) {
	n := float64(a.BothSame + a.FirstOnly + a.SecondOnly + a.NeitherOne)
	if n == 0 {
		return 0, false
	}
	seen := float64(a.BothSame+a.NeitherOne) / n
	first, second := float64(a.BothSame+a.FirstOnly)/n, float64(a.BothSame+a.SecondOnly)/n
	chance := first*second + (1-first)*(1-second)
	if chance == 1 {
		return 0, false
	}
	return (seen - chance) / (1 - chance), true
}

// caseKey identifies a case over all sets.
type caseKey struct{ set, id string }
