package domain

import "testing"

var everyEnd = []UnreviewedEnd{UnreviewedFailed, UnreviewedIncomplete, UnreviewedBudget, UnreviewedSkipped, UnreviewedOutsider,
	UnreviewedCancelled}

// set gives one end a value.
func (u Unreviewed) set(end UnreviewedEnd, value string) Unreviewed {
	*map[UnreviewedEnd]**string{UnreviewedFailed: &u.Failed, UnreviewedIncomplete: &u.Incomplete, UnreviewedBudget: &u.Budget,
		UnreviewedSkipped: &u.Skipped, UnreviewedOutsider: &u.Outsider, UnreviewedCancelled: &u.Cancelled}[end] = &value
	return u
}

// The value of an end wins over the preset and holds for this end alone. Without a value the default preset keeps
// the usual conclusion, and the strict preset fails.
func TestConclusionsOfEndsWithoutAReview(t *testing.T) {
	values := map[string]string{UnreviewedPass: CheckSuccess, UnreviewedNeutral: CheckNeutral, UnreviewedFail: CheckFailure}
	for preset, rest := range map[string]string{PresetDefault: "usual", "": "usual", PresetStrict: CheckFailure} {
		for _, end := range everyEnd {
			for value, want := range values {
				u := (Unreviewed{Preset: preset}).set(end, value)
				for _, other := range everyEnd {
					expected := rest
					if other == end {
						expected = want
					}
					if got := u.Conclusion(other, "usual"); got != expected {
						t.Errorf("preset %q, %s is %s: %s concludes %s, want %s", preset, end, value, other, got, expected)
					}
				}
			}
		}
	}
}

// A skipped run of reduced depth is a contribution from outside that waits for a request.
func TestEndsOfRunsWithoutAPublication(t *testing.T) {
	for _, c := range []struct {
		state RunState
		depth Depth
		want  UnreviewedEnd
		usual string
	}{
		{RunFailed, DepthFull, UnreviewedFailed, CheckNeutral},
		{RunFailed, DepthReduced, UnreviewedFailed, CheckNeutral},
		{RunSkipped, DepthFull, UnreviewedSkipped, CheckSkipped},
		{RunSkipped, DepthReduced, UnreviewedOutsider, CheckSkipped},
		{RunCancelled, DepthFull, UnreviewedCancelled, CheckNeutral},
		{RunSuperseded, DepthReduced, UnreviewedCancelled, CheckNeutral},
	} {
		if end, usual := UnreviewedEndOf(c.state, c.depth); end != c.want || usual != c.usual {
			t.Errorf("%s, %s: %s %s, want %s %s", c.state, c.depth, end, usual, c.want, c.usual)
		}
	}
}
