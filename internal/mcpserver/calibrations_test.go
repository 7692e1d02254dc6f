package mcpserver

import (
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// The tool reports the default threshold until calibration moves it, and no threshold for a category that has none.
func TestCalibrationOf(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		row  store.Calibration
		want Calibration
		line string
	}{
		{store.Calibration{Category: "bug", Taken: 1, Refused: 2, Ignored: 3, Held: "outcomes"}, Calibration{Category: "bug", Taken: 1, Refused: 2, Ignored: 3, Threshold: 0.7, Held: "outcomes"},
			"bug: 1 taken, 2 refused, 3 ignored; comments need a confidence of 0.70.\n"},
		{store.Calibration{Category: "api", ImpliedPPM: 900_000, ThresholdPPM: 800_000, Held: "week"}, Calibration{Category: "api", Threshold: 0.8, Implied: 0.9, Held: "week"},
			"api: 0 taken, 0 refused, 0 ignored; comments need a confidence of 0.80.\n"},
		{store.Calibration{Category: "docs", Taken: 1}, Calibration{Category: "docs", Taken: 1}, "docs: 1 taken, 0 refused, 0 ignored.\n"},
	} {
		got := calibrationOf(tt.row)
		testkit.Equal(t, tt.row.Category, got, tt.want)
		testkit.Equal(t, tt.row.Category, got.markdown(), tt.line)
	}
}
