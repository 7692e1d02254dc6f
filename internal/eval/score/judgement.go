package score

// Ref names a published finding of an outcome: the head, and where the finding
// stands in that head's stage. Both from 0.
type Ref struct {
	Head    int `json:"head"`
	Finding int `json:"finding"`
}

// Verdict is what a judge who sees the code says of a finding that nothing known
// explains.
type Verdict string

// The verdicts (SWE-PRBench, RUBRIC.md; arXiv 2603.26130).
const (
	Confirmed  Verdict = "CONFIRMED"  // the code shows it
	Plausible  Verdict = "PLAUSIBLE"  // it may be, and the code shown does not decide it
	Fabricated Verdict = "FABRICATED" // the code shows that it is not so
)

// Same says that a finding is the defect at a place that is known.
type Same struct {
	Ref
	Golden int `json:"golden"` // in the case's golden, from 0
}

// Opinion is a verdict on a finding.
type Opinion struct {
	Ref
	Verdict Verdict `json:"verdict"`
}

// Judgement is what judges said of one outcome.
type Judgement struct {
	Set  string `json:"set"`
	Case string `json:"case"`
	Run  int    `json:"run,omitempty"`
	// Same may name a finding and a golden several times: who gets the credit is
	// decided when it is counted.
	Same      []Same    `json:"same,omitempty"`
	Opinions  []Opinion `json:"opinions,omitempty"`
	Pairs     int       `json:"pairs"`     // that were to be judged
	Undecided int       `json:"undecided"` // of Pairs, those of which no usable answer came, or that were not asked
	Unjudged  int       `json:"unjudged"`  // findings that were to get an opinion and have none
	Agreement Agreement `json:"agreement"`
}

// Agreement counts the pairs that both judges answered, before a tie was broken.
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

// Kappa is how much more two judges agree than they would by chance: 1 for
// always, 0 for no more (Cohen 1960). ok is false where there are no pairs, or
// chance alone would make them agree.
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

// caseKey names a case over all sets.
type caseKey struct{ set, id string }
