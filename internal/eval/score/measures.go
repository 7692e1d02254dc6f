package score

import (
	"github.com/assay-dev/assay/internal/eval"
)

// Measure is the name of a number in a report.
type Measure string

// Measures holds ratios by name. A ratio without a denominator is absent.
type Measures map[Measure]*Ratio

// The measures. docs/evaluation-measures.md has their formulas.
const (
	Precision        Measure = "precision"
	PrecisionDecided Measure = "precisionDecided"
	Unjudged         Measure = "unjudged"
	Further          Measure = "furtherReports"
	Recall           Measure = "recall"
	F1               Measure = "f1"
	F05              Measure = "f05"
	MacroPrecision   Measure = "macroPrecision"
	MacroRecall      Measure = "macroRecall"
	MacroF1          Measure = "macroF1"
	MacroF05         Measure = "macroF05"
	RecallHigh       Measure = "recallHigh"
	InlinePrecision  Measure = "inlinePrecision"
	SummaryPrecision Measure = "summaryPrecision"
	KnownFalse       Measure = "knownFalse"
	Noise            Measure = "noise"
	CleanSilence     Measure = "cleanSilence"
	CleanFalse       Measure = "cleanFalse"
	Duplicates       Measure = "duplicates"
	LineAccuracy     Measure = "lineAccuracy"
	LineIoU          Measure = "lineIoU"
	SeverityExact    Measure = "severityExact"
	SeverityNear     Measure = "severityNear"
	Brier            Measure = "brier"
	SaidAgain        Measure = "saidAgain"
	WronglyResolved  Measure = "wronglyResolved"
	FixedResolved    Measure = "fixedResolved"
	Augmented        Measure = "augmentedPrecision"
	Fabrication      Measure = "fabricated"

	Stability        Measure = "stability"
	ContextRecall    Measure = "contextRecall"
	ContextHere      Measure = "contextHere"
	ContextElsewhere Measure = "contextElsewhere"
	UsefulShown      Measure = "usefulShown"
	UsefulShare      Measure = "usefulShare"
	Calls            Measure = "calls"
	InputTokens      Measure = "inputTokens"
	OutputTokens     Measure = "outputTokens"
	CachedShare      Measure = "cachedShare"
	Looks            Measure = "looks"
	AnsweredLooks    Measure = "answeredLooks"
	Micros           Measure = "micros"
	Seconds          Measure = "seconds"
)

// unit is the unit of a number.
type unit int

const (
	share  unit = iota // 0 to 1, written in percent
	amount             // amount per thing
	dollar             // millionths of a dollar
)

// measure is a number with a contribution from each outcome.
type measure struct {
	name  Measure
	title string
	unit  unit
	of    func(v *review) part
}

// noiseTitle is the title of [Noise].
const noiseTitle = "false or unjudged inline per change"

// measures lists the measures of every rule, in the order of a report.
var measures = []measure{
	{Recall, "recall", share, func(v *review) part { return part{v.countDefects(v.seen), float64(len(v.defects))} }},
	{Precision, "precision", share, func(v *review) part { return part{v.countFindings(v.right), v.countClaims()} }},
	{PrecisionDecided, "precision, without unjudged", share,
		func(v *review) part {
			return v.precisionDecided(func(int) bool { return true }).plus(part{0, float64(v.left)})
		}},
	{F1, "F1", share, func(v *review) part { return fBeta(v, 1) }},
	{F05, "F0.5", share, func(v *review) part { return fBeta(v, 0.5) }},
	{RecallHigh, "recall, high and above", share, func(v *review) part {
		return part{v.countDefects(func(j int) bool { return v.isHigh(j) && v.seen(j) }), v.countDefects(v.isHigh)}
	}},
	{MacroRecall, "recall, mean of cases", share, func(v *review) part { return mean(part{v.countDefects(v.seen), float64(len(v.defects))}) }},
	{MacroPrecision, "precision, mean of cases", share, func(v *review) part {
		return mean(part{v.countFindings(v.right), v.countClaims()})
	}},
	{MacroF1, "F1, mean of cases", share, func(v *review) part { return mean(fBeta(v, 1)) }},
	{MacroF05, "F0.5, mean of cases", share, func(v *review) part { return mean(fBeta(v, 0.5)) }},
	{InlinePrecision, "precision, inline", share,
		func(v *review) part { return v.precisionOf(func(i int) bool { return v.found[i].Inline }) }},
	{SummaryPrecision, "precision, in summaries", share,
		func(v *review) part { return v.precisionOf(func(i int) bool { return !v.found[i].Inline }) }},
	{KnownFalse, "rejected by people before", share, func(v *review) part {
		return part{v.countFindings(func(i int) bool { return v.known[i] }), v.countPublished()}
	}},
	{Unjudged, "unjudged", share, func(v *review) part { return part{v.countFindings(v.unjudged), v.countPublished()} }},
	{Further, "further reports of a defect", share, func(v *review) part {
		return part{v.countFindings(func(i int) bool { return v.further[i] }), v.countPublished()}
	}},
	{Augmented, "precision, with judges' words", share, augmented},
	{Fabrication, "fabricated", share, fabricated},
	{Noise, noiseTitle, amount, func(v *review) part {
		return part{v.countFindings(func(i int) bool { return v.wrong(i) && v.found[i].Inline }) + float64(v.left), 1}
	}},
	{CleanSilence, "clean changes without a word", share,
		func(v *review) part { return v.ofClean(float64(boolToInt(v.countPublished() == 0))) }},
	{CleanFalse, "false per clean change", amount, func(v *review) part { return v.ofClean(v.countFindings(v.wrong) + float64(v.left)) }},
	{Duplicates, "said twice in a review", share, func(v *review) part {
		return part{v.countFindings(func(i int) bool { return v.double[i] }), v.countPublished()}
	}},
	{LineAccuracy, "on a line of the defect", share, func(v *review) part {
		return part{v.countFindings(func(i int) bool { return v.namesLines(i) && v.like[i].meets }), v.countFindings(v.namesLines)}
	}},
	{LineIoU, "lines in common (IoU)", share, func(v *review) part {
		p := part{den: v.countFindings(v.namesLines)}
		for i := range v.found {
			if v.namesLines(i) {
				p.num += v.like[i].iou
			}
		}
		return p
	}},
	{SeverityExact, "severity as known", share, func(v *review) part { return v.countGraded(0) }},
	{SeverityNear, "severity as known, or next", share, func(v *review) part { return v.countGraded(1) }},
	{Brier, "Brier score", amount, brier},
	{SaidAgain, "said again at later heads", share, func(v *review) part { return v.followHeads().again }},
	{WronglyResolved, "resolved, and still there", share, func(v *review) part { return v.followHeads().wrongly }},
	{FixedResolved, "fixed, and resolved", share, func(v *review) part { return v.followHeads().fixed }},
}

// fBeta returns the F measure as a ratio of sums: (1+b²)·TP over (1+b²)·TP + b²·FN + FP (van Rijsbergen
// 1979, as rewritten by Chinchor 1992).
func fBeta(v *review, beta float64) part {
	b2, tp := beta*beta, v.countFindings(v.right)
	return part{(1 + b2) * tp, b2*float64(len(v.defects)) + v.countClaims()}
}

// mean converts a share to a case's vote in a mean over cases.
func mean(p part) part {
	if p.den == 0 {
		return part{}
	}
	return part{p.num / p.den, 1}
}

// precisionOf returns the precision of some findings. Unjudged ones count as false.
func (v *review) precisionOf(of func(i int) bool) part {
	return part{v.countFindings(func(i int) bool { return of(i) && v.right(i) }),
		v.countFindings(func(i int) bool { return of(i) && !v.further[i] })}
}

// precisionDecided returns the precision of some findings without the unjudged ones.
func (v *review) precisionDecided(of func(i int) bool) part {
	return part{v.countFindings(func(i int) bool { return of(i) && v.isTrue(i) }),
		v.countFindings(func(i int) bool { return of(i) && v.decided(i) })}
}

// ofClean returns a number of a clean change, and an empty part for other changes.
func (v *review) ofClean(n float64) part {
	if !v.clean() {
		return part{}
	}
	return part{n, 1}
}

// namesLines reports whether a finding with credit names lines, and its defect does, too.
func (v *review) namesLines(i int) bool {
	return v.right(i) && v.found[i].StartLine > 0 && v.defects[v.hit[i]].placed()
}

// countGraded counts the findings with credit whose severity is at most off grades from the set's, among those
// with two known severities.
func (v *review) countGraded(off int) (p part) {
	for i := range v.found {
		if want, got, ok := v.grades(i); ok {
			p.den++
			if max(want, got)-min(want, got) <= off {
				p.num++
			}
		}
	}
	return p
}

// grades returns the severities of a defect and of its credited finding.
func (v *review) grades(i int) (want, got int, ok bool) {
	if !v.right(i) {
		return 0, 0, false
	}
	d := v.defects[v.hit[i]]
	s, known := severity(v.found[i].Severity)
	return int(d.severity), int(s), d.rated && known
}

// augmented counts right findings including those that judges confirm. It needs a verdict on every finding
// without credit.
func augmented(v *review) part {
	if !v.hasAllVerdicts() {
		return part{}
	}
	return part{v.countFindings(func(i int) bool { return v.right(i) || v.uncredited(i) && v.verdicts[i] == Confirmed }), v.countClaims()}
}

func fabricated(v *review) part {
	if !v.hasAllVerdicts() {
		return part{}
	}
	return part{v.countFindings(func(i int) bool { return v.verdicts[i] == Fabricated }), v.countPublished()}
}

// hasAllVerdicts reports whether every finding without a known explanation has a verdict.
func (v *review) hasAllVerdicts() bool {
	unexplained := func(i int) bool { return v.uncredited(i) && !v.known[i] && v.verdicts[i] == "" }
	return v.byJudge && v.left == 0 && v.countFindings(unexplained) == 0
}

// hasConfidence reports whether a published finding is a model's, has a confidence, and is known to be true or false.
func (v *review) hasConfidence(i int) bool {
	return v.found[i].Model && v.found[i].Confidence > 0 && v.decided(i)
}

// brier returns the mean squared distance of confidence and truth (Brier 1950).
func brier(v *review) (p part) {
	for i := range v.found {
		if v.hasConfidence(i) {
			d := v.found[i].Confidence - float64(boolToInt(v.isTrue(i)))
			p.num += d * d
			p.den++
		}
	}
	return p
}

func boolToInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// measured sums measures over reviews. All runs of a case form one part.
func measured(list []*review, which []measure, seed uint64) Measures {
	out := Measures{}
	for _, m := range which {
		if r := ratio(seed, m.unit, perCase(list, m.of)); r != nil {
			out[m.name] = r
		}
	}
	return out
}

// perCase sums the contributions of each case's runs. Reviews are in the order of cases.
func perCase(list []*review, of func(v *review) part) []part {
	return clustered(list, func(v *review) caseKey { return keyOf(v.out).caseKey }, of)
}

// clustered sums the parts of neighbours with the same key.
func clustered[T any](list []T, key func(T) caseKey, of func(T) part) (out []part) {
	var last caseKey
	for i, x := range list {
		p := of(x)
		if k := key(x); i == 0 || k != last {
			out, last = append(out, p), k
			continue
		}
		out[len(out)-1].num += p.num
		out[len(out)-1].den += p.den
	}
	return out
}

func outcomeCase(o *eval.Outcome) caseKey { return keyOf(o).caseKey }
