package engine

import (
	"math"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
)

// The hand-set logistic table of confidence: the estimated probability that a
// finding is useful. All weights are priors until the evaluation harness fits
// them.
var weights = struct {
	context                                map[finding.EvidenceScope]float64
	verdict                                map[domain.Verdict]float64
	category                               map[domain.Category]float64
	reach                                  map[string]float64
	quality                                map[finding.Quality]float64
	evidence, agreement, fix, senior       float64
	selfDoubt, testFile, unchanged, onFile float64
	documents                              float64
}{
	// log-odds of the shares of valid comments in AACR-Bench: 0.74, 0.70, 0.61.
	context: map[finding.EvidenceScope]float64{finding.InDiff: 1.05, finding.InFile: 0.85, finding.InRepository: 0.45},
	verdict: map[domain.Verdict]float64{domain.VerdictConfirmed: 1.0, domain.VerdictUnproven: -1.0, domain.VerdictRefuted: -4},
	category: map[domain.Category]float64{
		domain.CategorySecurity: 0.1, domain.CategoryPerformance: -0.1, domain.CategoryTest: -0.3,
		domain.CategoryMaintainability: -0.5, domain.CategoryDocs: -0.6, domain.CategoryRule: 0.2,
	},
	reach:     map[string]float64{"yes": 0.3, "no": -1.2},
	quality:   map[finding.Quality]float64{finding.Moved: -0.2, finding.Fuzzy: -0.6},
	evidence:  0.15, // each, at most three
	agreement: 0.4,  // the panel and a model of another vendor reported it: at most ten points of confidence
	fix:       0.2,  // a suggestion that applies and does not fail to parse
	senior:    0.4,
	documents: -0.6, // it rests on documented behaviour that no code shows
	selfDoubt: -1.5, // times 0..1
	testFile:  -0.4,
	unchanged: -0.6, // not on a changed line
	onFile:    -0.5, // could only be placed on the file or the pull request
}

// confidence computes the probability for a finding of a model. Deterministic
// findings keep the confidence that their check gave.
func confidence(it *finding.Item) float64 {
	w := weights
	z := w.context[it.EvidenceIn] + w.verdict[it.Verdict] + w.category[it.Category] + w.reach[it.Reachable] + w.quality[it.Quality]
	documents := it.Documents()
	z += w.evidence * float64(min(len(it.Evidence)-documents-len(it.AlsoAt()), 3))
	z += w.selfDoubt * it.SelfDoubt
	if s := it.Suggestion; s != nil && s.Applies && s.Parses != "no" {
		z += w.fix
	}
	for _, x := range []struct {
		on bool
		by float64
	}{{it.WouldBlock, w.senior}, {it.Agreed(), w.agreement}, {it.InTest, w.testFile}, {!it.Changed, w.unchanged}, {documents > 0, w.documents},
		{it.Anchor.Level != domain.AnchorLine, w.onFile}} {
		if x.on {
			z += x.by
		}
	}
	return math.Round(1000/(1+math.Exp(-z))) / 1000
}
