package domain

// MediumConfidence is the confidence from which a confirmed Medium finding gets a comment, unless the calibration of its
// repository has moved the threshold.
const MediumConfidence = 0.70

// Thresholds holds the moved thresholds of a repository: by category, the confidence from which a confirmed Medium finding
// gets a comment. A category without an entry has [MediumConfidence].
type Thresholds map[Category]float64

// HasThreshold reports whether the confidence of a Medium finding of the category decides about its comment. Findings of
// checks are shown whatever their confidence is, and findings of maintainability and docs are listed in the summary.
func (c Category) HasThreshold() bool {
	switch c {
	case CategorySecret, CategoryStaticAnalysis, CategoryMaintainability, CategoryDocs:
		return false
	}
	return true
}

// CalibrationBucket counts the findings of a range of confidence by what became of them.
type CalibrationBucket struct {
	FromPPM int64 `json:"from"` // millionths, inclusive
	ToPPM   int64 `json:"to"`   // millionths, exclusive except for 1,000,000
	Taken   int64 `json:"taken"`
	Refused int64 `json:"refused"`
	Ignored int64 `json:"ignored"` // only ignored at merge
}

// CalibrationHold is the reason for which a threshold is not the one that the counts imply.
type CalibrationHold string

// The reasons.
const (
	HeldByOutcomes CalibrationHold = "outcomes" // too few findings of the category have an outcome
	HeldByPeople   CalibrationHold = "people"   // too few people, or one of them nearly alone, refused the findings
	HeldByWeek     CalibrationHold = "week"     // it moved in the last week
)

// UselessRule is a rule whose findings people refuse so often that leaving it out is proposed.
type UselessRule struct {
	RuleID         string
	Taken, Refused int
	Upper          float64 // the upper bound of the share that is taken, 0..1
	Finding        string  // the newest refused finding
	// Severity is the highest that at least half of the refused findings reach.
	Severity Severity
}
