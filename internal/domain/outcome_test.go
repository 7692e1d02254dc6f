package domain

import (
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

func TestOutcomeWeights(t *testing.T) {
	want := map[OutcomeKind]float64{"fixed": 1, "applied": 1, "thumbs_up": 0.7, "thumbs_down": -1, "dismissed": -0.8, "ignored": -0.15}
	testkit.Equal(t, "kinds", len(OutcomeKinds()), len(want))
	for _, kind := range OutcomeKinds() {
		testkit.Equal(t, string(kind), kind.Weight(), want[kind])
	}
	testkit.Equal(t, "unknown kind", OutcomeKind("other").Weight(), 0)
	testkit.Equal(t, "by code", OutcomeApplied.ByCode(), true)
	testkit.Equal(t, "by a person", OutcomeDismissed.ByCode(), false)
}
