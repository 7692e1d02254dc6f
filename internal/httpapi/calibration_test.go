package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A calibration has the shares with their intervals, the missing outcomes, and the threshold in effect. A run shows the thresholds
// that it uses.
func TestCalibration(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		save := func(v store.Calibration) {
			v.Repository = w.Repository.ID
			_, err := s.SaveCalibration(bg, w.Tenant, v)
			testkit.OK(t, err)
		}
		save(store.Calibration{Category: "bug", Taken: 15, Refused: 133, Ignored: 7, ImpliedPPM: 950_000, ThresholdPPM: 800_000, MovedUS: 1, Held: "week",
			Buckets: store.JSON([]domain.CalibrationBucket{{FromPPM: 700_000, ToPPM: 750_000, Taken: 15, Refused: 133, Ignored: 7}})})
		save(store.Calibration{Category: "api", Refused: 49, Held: "outcomes", Buckets: "[]"})
		save(store.Calibration{Category: "docs", Ignored: 1, Buckets: "[]"})
		var got httpList[httpapi.Calibration]
		w.into(&got, w.call(member, http.MethodGet, w.repo()+"/calibration", ""))
		of := map[string]httpapi.Calibration{}
		for _, v := range got.Items {
			of[v.Category] = v
		}
		_, err := s.FreezeThresholds(bg, w.Tenant, w.Run.ID, domain.Thresholds{domain.CategoryBug: 0.8})
		testkit.OK(t, err)
		var run httpapi.ReviewRunDetail
		w.into(&run, w.call(member, http.MethodGet, w.repo()+"/review-runs/"+w.Run.ID, ""))
		if len(run.Thresholds) != 1 || run.Thresholds[0] != (httpapi.RunThreshold{Category: "bug", Threshold: 0.8}) {
			t.Errorf("thresholds of the run: %+v", run.Thresholds)
		}
		bug, api, docs := of["bug"], of["api"], of["docs"]
		if s := bug.Share; s == nil || s.Low < 0.0623 || s.Low > 0.0625 || s.High < 0.1604 || s.High > 0.1606 || len(bug.Buckets) != 1 || *bug.Buckets[0].Share != *s {
			t.Errorf("share %+v", bug)
		}
		if *bug.Threshold != 0.8 || *bug.Implied != 0.95 || bug.Since == nil || bug.Held != "week" || bug.Missing != 0 || bug.Buckets[0].From != 0.7 {
			t.Errorf("moved: %+v", bug)
		}
		if *api.Threshold != 0.7 || api.Implied != nil || api.Since != nil || api.Missing != 1 || api.Held != "outcomes" {
			t.Errorf("not moved: %+v", api)
		}
		if docs.Threshold != nil || docs.Implied != nil || docs.Share != nil || docs.Missing != 0 {
			t.Errorf("without a threshold: %+v", docs)
		}
	})
}
