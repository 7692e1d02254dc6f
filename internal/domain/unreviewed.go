package domain

// The conclusions of a check that assay uses.
const (
	CheckSuccess = "success"
	CheckNeutral = "neutral"
	CheckFailure = "failure"
	CheckSkipped = "skipped"
)

// UnreviewedEnd is an end of a run that leaves its head without a complete review.
type UnreviewedEnd string

// The ends without a complete review.
const (
	UnreviewedFailed     UnreviewedEnd = "failed"     // the review failed
	UnreviewedIncomplete UnreviewedEnd = "incomplete" // no model read a part of the change, or all of it
	UnreviewedBudget     UnreviewedEnd = "budget"     // the budget for models was used up
	UnreviewedSkipped    UnreviewedEnd = "skipped"    // the policy asked for no review, or hid it
	UnreviewedOutsider   UnreviewedEnd = "outsider"   // a contribution from outside waits for a request, or exceeds an hourly limit
	UnreviewedCancelled  UnreviewedEnd = "cancelled"  // cancelled, rejected, not approved in time, or superseded
)

// The presets of [Unreviewed].
const (
	PresetDefault = "default" // each end has its usual conclusion
	PresetStrict  = "strict"  // each end fails the check
)

// The values of an end in [Unreviewed].
const (
	UnreviewedPass    = "pass"    // the check succeeds
	UnreviewedNeutral = "neutral" // the check is neutral
	UnreviewedFail    = "fail"    // the check fails
)

// Unreviewed is the conclusion of the check of a head without a complete review. The value of an end wins over
// the preset; nil leaves the end to the preset.
type Unreviewed struct {
	Preset     string  `json:"preset"` // [PresetDefault] or [PresetStrict]
	Failed     *string `json:"failed,omitempty"`
	Incomplete *string `json:"incomplete,omitempty"`
	Budget     *string `json:"budget,omitempty"`
	Skipped    *string `json:"skipped,omitempty"`
	Outsider   *string `json:"outsider,omitempty"`
	Cancelled  *string `json:"cancelled,omitempty"`
}

// Conclusion returns the conclusion of an end. It returns usual if neither the end's value nor the preset decides.
func (u Unreviewed) Conclusion(end UnreviewedEnd, usual string) string {
	value := map[UnreviewedEnd]*string{UnreviewedFailed: u.Failed, UnreviewedIncomplete: u.Incomplete, UnreviewedBudget: u.Budget,
		UnreviewedSkipped: u.Skipped, UnreviewedOutsider: u.Outsider, UnreviewedCancelled: u.Cancelled}[end]
	switch {
	case value == nil && u.Preset == PresetStrict:
		return CheckFailure
	case value == nil:
		return usual
	}
	conclusion, known := map[string]string{UnreviewedPass: CheckSuccess, UnreviewedNeutral: CheckNeutral, UnreviewedFail: CheckFailure}[*value]
	if !known { // stored values are validated
		return usual
	}
	return conclusion
}

// UnreviewedEndOf returns the end of a run that ended without a publication, and its usual conclusion. A run with
// [DepthReduced] that the policy skipped is a contribution from outside that waits for a request.
func UnreviewedEndOf(state RunState, depth Depth) (end UnreviewedEnd, usual string) {
	switch {
	case state == RunFailed:
		return UnreviewedFailed, CheckNeutral
	case state == RunSkipped && depth == DepthReduced:
		return UnreviewedOutsider, CheckSkipped
	case state == RunSkipped:
		return UnreviewedSkipped, CheckSkipped
	}
	return UnreviewedCancelled, CheckNeutral
}

// UnreviewedHidden returns the end of a review that a silent policy kept off the host, and its usual conclusion.
func UnreviewedHidden() (end UnreviewedEnd, usual string) { return UnreviewedSkipped, CheckNeutral }
