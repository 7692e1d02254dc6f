package calibrate

import (
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/stats"
)

// Bounds of thresholds, in millionths, and of their moves (design choices, docs/calibration.md).
const (
	LeastOutcomes = 50 // findings of a category with an outcome, from which on its threshold moves
	leastOfMove   = 20 // findings that were taken or refused in the ranges that a threshold moves over
	base          = domain.MediumConfidence * whole
	lowest        = 550_000 // the confidence that High findings need
	highest       = 950_000 // only the surest findings have more: confirmed in the diff, reached by inputs, blocking, with a suggestion
	maxStep       = 100_000 // in a week
	bucketWidth   = 50_000
	whole         = 1_000_000
)

// A threshold is above the usual one only if the refusals in the ranges between them come from so many people, and at most
// this share of them from one person (design choices).
const (
	leastPeople = 2
	maxOfOne    = 0.75
)

// A rule is useless if so many of its findings have an outcome, the upper bound of the share that is taken is below
// this, and [leastPeople] refused findings.
const (
	leastOfRule = 20
	useless     = 0.3
)

// verdict is what became of a finding.
type verdict int

const (
	undecided verdict = iota // people disagree evenly
	taken
	refused
	ignored // nothing but ignored at merge
)

// sample is a finding with its outcomes.
type sample struct {
	finding, rule string
	category      domain.Category
	severity      domain.Severity
	confidence    int64 // millionths
	score         float64
	byPeople      bool            // an outcome is not [domain.OutcomeIgnored]
	against       map[string]bool // people who refused it
}

// verdict returns what became of the finding: the sign of the sum of its weights. One finding counts once,
// however many people react to it.
func (s sample) verdict() verdict {
	const even = 1e-9
	switch {
	case !s.byPeople:
		return ignored
	case s.score > even:
		return taken
	case s.score < -even:
		return refused
	}
	return undecided
}

// curve counts the findings of a category by confidence.
type curve struct {
	buckets [whole / bucketWidth]domain.CalibrationBucket
	// against has the refused findings by bucket and person. One that several people refused is shared between them.
	against [whole / bucketWidth]map[string]float64
}

// add counts a finding.
func (c *curve) add(s sample) {
	i := min(max(s.confidence, 0)/bucketWidth, whole/bucketWidth-1)
	switch s.verdict() {
	case taken:
		c.buckets[i].Taken++
	case ignored:
		c.buckets[i].Ignored++
	case refused:
		c.buckets[i].Refused++
		if c.against[i] == nil {
			c.against[i] = map[string]float64{}
		}
		for person := range s.against {
			c.against[i][person] += 1 / float64(len(s.against))
		}
	}
}

// sum counts the findings of the buckets from first on, without end.
func (c *curve) sum(first, end int64) (out domain.CalibrationBucket) {
	for _, b := range c.buckets[first:end] {
		out.Taken, out.Refused, out.Ignored = out.Taken+b.Taken, out.Refused+b.Refused, out.Ignored+b.Ignored
	}
	return out
}

func (c *curve) all() domain.CalibrationBucket { return c.sum(0, int64(len(c.buckets))) }

// filled lists the buckets that have findings.
func (c *curve) filled() []domain.CalibrationBucket {
	out := []domain.CalibrationBucket{}
	for i, b := range c.buckets {
		if b.Taken+b.Refused+b.Ignored > 0 {
			b.FromPPM, b.ToPPM = int64(i)*bucketWidth, int64(i+1)*bucketWidth
			out = append(out, b)
		}
	}
	return out
}

// implied returns the threshold that the counts imply, in millionths: the usual one, raised over ranges of confidence whose
// findings are certainly taken less often than it supposes, or lowered over ranges whose findings are certainly taken at
// least that often. Certainly means by the bound of a 95 % interval of at least [leastOfMove] findings. It returns 0 if there are
// too few findings.
func (c *curve) implied() int64 {
	const first = int64(base / bucketWidth)
	if all := c.all(); all.Taken+all.Refused < LeastOutcomes {
		return 0
	}
	up := first
	for end := up + 1; end <= highest/bucketWidth; end++ {
		if _, high, known := share(c.sum(up, end)); known && high < domain.MediumConfidence {
			up = end
		}
	}
	if up > first {
		return up * bucketWidth
	}
	down := first
	for start := down - 1; start >= lowest/bucketWidth; start-- {
		if low, _, known := share(c.sum(start, down)); known && low >= domain.MediumConfidence {
			down = start
		}
	}
	return down * bucketWidth
}

// share returns the 95 % interval of the share of findings that is taken. It returns false if too few are taken or refused to
// move a threshold.
func share(b domain.CalibrationBucket) (low, high float64, known bool) {
	n := b.Taken + b.Refused
	if n < leastOfMove {
		return 0, 1, false
	}
	low, high = stats.Wilson(float64(b.Taken), float64(n))
	return low, high, true
}

// ofManyPeople reports whether the refusals between the usual threshold and another one, in millionths, come from enough people,
// and not nearly all from one.
func (c *curve) ofManyPeople(threshold int64) bool {
	people := map[string]float64{}
	for _, bucket := range c.against[base/bucketWidth : threshold/bucketWidth] {
		for person, n := range bucket {
			people[person] += n
		}
	}
	var most, all float64
	for _, n := range people {
		most, all = max(most, n), all+n
	}
	return len(people) >= leastPeople && most <= all*maxOfOne
}

// next returns the threshold that follows the one in effect, both in millionths, and why it is not the implied one. movedAgo is
// the time since the last move in microseconds. A negative one, after the clock was set back, counts as a week.
func (c *curve) next(now, movedAgo int64) (int64, domain.CalibrationHold) {
	goal, hold := c.implied(), domain.CalibrationHold("")
	if goal == 0 { // too few outcomes are left: back to the usual one
		goal, hold = base, domain.HeldByOutcomes
	}
	if goal > base && !c.ofManyPeople(goal) {
		goal, hold = base, domain.HeldByPeople
	}
	to := min(max(goal, now-maxStep), now+maxStep)
	if to != now && movedAgo >= 0 && movedAgo < week {
		return now, domain.HeldByWeek
	}
	if to != goal {
		hold = domain.HeldByWeek
	}
	return to, hold
}

// week is the least time between two moves of a threshold, in microseconds.
const week = 7 * 24 * 3600 * 1e6

// uselessRules lists the rules whose findings are refused so often that leaving them out is proposed, in the order of their ids.
// The samples are sorted, the newest first.
func uselessRules(samples []sample) []domain.UselessRule {
	type rule struct {
		domain.UselessRule
		people     map[string]bool   // who refused
		severities []domain.Severity // of the refused findings
	}
	rules := map[string]*rule{}
	for _, s := range samples {
		r := rules[s.rule]
		if r == nil {
			r = &rule{UselessRule: domain.UselessRule{RuleID: s.rule}, people: map[string]bool{}}
			rules[s.rule] = r
		}
		switch s.verdict() {
		case taken:
			r.Taken++
		case refused:
			if r.Refused++; r.Finding == "" {
				r.Finding = s.finding
			}
			r.severities = append(r.severities, s.severity)
			maps.Copy(r.people, s.against)
		}
	}
	out := []domain.UselessRule{}
	for _, r := range rules {
		n := r.Taken + r.Refused
		if n < leastOfRule || len(r.people) < leastPeople {
			continue
		}
		if _, r.Upper = stats.Wilson(float64(r.Taken), float64(n)); r.Upper < useless {
			slices.Sort(r.severities)
			r.Severity = r.severities[r.Refused/2]
			out = append(out, r.UselessRule)
		}
	}
	slices.SortFunc(out, func(a, b domain.UselessRule) int { return strings.Compare(a.RuleID, b.RuleID) })
	return out
}
