package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var calibrationsIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		must2(s.FreezeThresholds(bg, v.Tenant, v.Run.ID, domain.Thresholds{domain.CategoryBug: 0.8}))(t)
		testkit.Equal(t, "started", must2(s.StartCalibration(bg, v.Tenant, v.Repository.ID))(t), true)
		must2(s.SaveCalibration(bg, v.Tenant, store.Calibration{Record: store.Record{Repository: v.Repository.ID}, Category: "rule", Buckets: "[]",
			ThresholdPPM: 800_000}))(t)
	},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{
			"SaveCalibration": {store.Calibration{Record: store.Record{Repository: v.Repository.ID}, Category: "rule", Buckets: "[]",
				ThresholdPPM: 950_000}},
			"Thresholds":         {v.Repository.ID},
			"FreezeThresholds":   {v.Run.ID, domain.Thresholds{domain.CategoryBug: 0.95}},
			"StartCalibration":   {v.Repository.ID},
			"RatedFindings":      {v.Repository.ID, int64(0)},
			"UsefulnessProposed": {v.Repository.ID, "llm/x"},
		}
	},
	instance: map[string]string{"DueCalibrations": "the service counts outcomes; each row carries its tenant"},
}
