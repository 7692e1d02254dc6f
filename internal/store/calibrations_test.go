package store_test

import (
	"fmt"
	"maps"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The outcomes of a repository are counted when they have changed, at most once in an hour, and at least once a day.
func TestDueCalibrations(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := storetest.Seed(t, s)
		storetest.Seed(t, s) // a tenant without outcomes
		f := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A")}))(t)[0]
		due := func() int { t.Helper(); return len(must2(s.DueCalibrations(bg, 10))(t)) }
		start := func() bool { t.Helper(); return must2(s.StartCalibration(bg, w.Tenant, w.Repository.ID))(t) }
		later := func(by time.Duration) {
			raw(`UPDATE calibration_checks SET checked_us = checked_us - $1`, by.Microseconds())
		}
		outcome := domain.Outcome{Finding: f.ID, Kind: domain.OutcomeDismissed, Person: "usr_1"}
		testkit.Equal(t, "due without outcomes", due(), 0)
		must2(s.AddOutcome(bg, w.Tenant, outcome))(t)
		testkit.Equal(t, "due with the first outcome", fmt.Sprint(must2(s.DueCalibrations(bg, 10))(t)), fmt.Sprintf("[{%s %s}]", w.Tenant.ID, w.Repository.ID))
		var started atomic.Int64
		atOnce(8, func(int) {
			is, err := s.StartCalibration(bg, w.Tenant, w.Repository.ID)
			testkit.OK(t, err)
			if is {
				started.Add(1)
			}
		})
		testkit.Equal(t, "started by eight at once", started.Load(), 1)
		must2(s.AddOutcome(bg, w.Tenant, domain.Outcome{Finding: f.ID, Kind: domain.OutcomeThumbsDown, Person: "usr_2"}))(t)
		testkit.Equal(t, "due in the hour", due(), 0)
		testkit.Equal(t, "started in the hour", start(), false)
		later(time.Hour)
		testkit.Equal(t, "due after the hour", due(), 1)
		testkit.Equal(t, "started after the hour", start(), true)
		later(time.Hour)
		testkit.Equal(t, "due without a change", due(), 0)
		must2(s.DropOutcome(bg, w.Tenant, f.ID, domain.OutcomeDismissed, "usr_1"))(t)
		testkit.Equal(t, "due after an outcome was taken back", due(), 1)
		testkit.Equal(t, "started then", start(), true)
		later(24 * time.Hour)
		testkit.Equal(t, "due after a day", due(), 1)
		later(-48 * time.Hour)
		testkit.Equal(t, "due if the last count is a day in the future", due(), 1)
		testkit.Equal(t, "started then", start(), true)
		testkit.Equal(t, "due after that", due(), 0)
		later(24 * time.Hour)
		testkit.Equal(t, "at most", len(must2(s.DueCalibrations(bg, 0))(t)), 0)
		_, err := s.StartCalibration(bg, w.Tenant, "repo_unknown")
		wantKind(t, err, errs.NotFound)
	})
}

// A calibration replaces the earlier one of its category. Moved thresholds are read by category.
func TestSaveCalibration(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		v := store.Calibration{Record: store.Record{Repository: w.Repository.ID}, Category: "bug", Buckets: "[]", Taken: 1}
		first := must2(s.SaveCalibration(bg, w.Tenant, v))(t)
		testkit.Equal(t, "thresholds", len(must2(s.Thresholds(bg, w.Tenant, w.Repository.ID))(t)), 0)
		v.Taken, v.Refused, v.Ignored, v.ImpliedPPM, v.ThresholdPPM, v.MovedUS, v.Held = 2, 3, 4, 900_000, 800_000, 5, "week"
		second := must2(s.SaveCalibration(bg, w.Tenant, v))(t)
		testkit.Equal(t, "id", second.ID, first.ID)
		rows := must2(s.Calibrations(bg, w.Tenant, w.Repository.ID, store.Cursor{}, 10))(t)
		testkit.Equal(t, "rows", len(rows), 1)
		testkit.Equal(t, "row", rows[0], second)
		v.Record, v.UpdatedUS = second.Record, second.UpdatedUS
		testkit.Equal(t, "stored", second, v)
		if got := must2(s.Thresholds(bg, w.Tenant, w.Repository.ID))(t); !maps.Equal(got, domain.Thresholds{domain.CategoryBug: 0.8}) {
			t.Errorf("thresholds %v", got)
		}
	})
}

// A run keeps the thresholds with which it started.
func TestFreezeThresholds(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for _, now := range []domain.Thresholds{{domain.CategoryBug: 0.8}, {domain.CategoryBug: 0.9}, {}} {
			if got := must2(s.FreezeThresholds(bg, w.Tenant, w.Run.ID, now))(t); !maps.Equal(got, domain.Thresholds{domain.CategoryBug: 0.8}) {
				t.Errorf("frozen %v", got)
			}
		}
		testkit.Equal(t, "run", must2(s.Run(bg, w.Tenant, w.Run.ID))(t).Thresholds, `{"bug":0.8}`)
		_, err := s.FreezeThresholds(bg, w.Tenant, "run_unknown", nil)
		wantKind(t, err, errs.NotFound)
	})
}

// Rated findings are the outcomes since a time with the facts of their findings.
func TestRatedFindings(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		f := finding("a", "A")
		f.RuleID, f.Category, f.Confidence, f.Severity, f.Anchor.Path = "llm/x", domain.CategoryBug, 0.8125, domain.High, "shop/a.go"
		id := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{f}))(t)[0].ID
		must2(s.AddOutcome(bg, w.Tenant, domain.Outcome{Finding: id, Kind: domain.OutcomeDismissed, Person: "usr_1"}))(t)
		rows := must2(s.RatedFindings(bg, w.Tenant, w.Repository.ID, 0))(t)
		testkit.Equal(t, "rows", len(rows), 1)
		testkit.Equal(t, "row", rows[0], store.RatedFinding{Finding: id, PullRequest: w.Pull.ID, RuleID: "llm/x", Path: "shop/a.go",
			Category: domain.CategoryBug, Severity: "high", Kind: domain.OutcomeDismissed, Person: "usr_1", ConfidencePPM: 812_500})
		testkit.Equal(t, "in future", len(must2(s.RatedFindings(bg, w.Tenant, w.Repository.ID, must2(s.Now(bg))(t)+time.Hour.Microseconds()))(t)), 0)
	})
}
