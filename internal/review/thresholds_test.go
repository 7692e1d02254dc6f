package review_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// calibrate sets the threshold of bugs in the repository of the fixture's runs, in millionths.
func calibrate(f *reviewtest.Fixture, threshold int64) error {
	_, err := f.Store.SaveCalibration(bg, f.World.Tenant, store.Calibration{Record: store.Record{Repository: f.Runs()[0].Repository},
		Category: "bug", Buckets: "[]", ThresholdPPM: threshold})
	return err
}

// failsOnce is a source of models that fails at the first call and lowers the threshold then.
type failsOnce struct {
	review.Models
	f     *reviewtest.Fixture
	calls atomic.Int64
}

// Open implements review.Models.
func (m *failsOnce) Open(ctx context.Context, run store.Run, tools func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	if m.calls.Add(1) == 1 {
		return nil, nil, errors.Join(errors.New("the worker stops"), calibrate(m.f, 700_000))
	}
	return m.Models.Open(ctx, run, tools)
}

// A review counts what a raised threshold leaves out, and lists it with the reason. All attempts at a run use the threshold of
// the first one, and the next run uses the new one.
func TestARaisedThresholdIsFrozenAndSaid(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Stop()
		f.Settings.BackoffFirst, f.Settings.BackoffMax = time.Millisecond, time.Millisecond
		f.Start()
		h := newHistory(f)
		h.push("c", "// no defect\n")
		f.Service.Models = &failsOnce{Models: f.Service.Models, f: f}
		h.calls("medium")
		testkit.OK(t, calibrate(f, 950_000))
		h.push("a", divides, division)
		testkit.Equal(t, "comments", len(f.Host.Comments), 0)
		run := f.Runs()[1]
		testkit.Equal(t, "thresholds of the run", run.Thresholds, `{"bug":0.95}`)
		dropped, err := f.Store.DroppedCandidates(bg, f.World.Tenant, run.ID, "policy", 0, 10)
		testkit.OK(t, err)
		testkit.Require(t, "not shown", len(dropped), 1)
		testkit.Equal(t, "reason", dropped[0].Why, "below the calibrated confidence")
		published, err := f.Host.Reviews(bg, codehost.Repo{}, int(run.Number))
		testkit.OK(t, err)
		if body := published[0].Body; !strings.Contains(body, "1 finding is not shown because this repository's feedback asks for more confidence.") {
			t.Errorf("the summary: %s", body)
		}
		h.push("b", strings.Replace(divides, "total", "sum", -1), report{strings.Replace(quote, "total", "sum", -1), "division-by-zero", "", "", false})
		testkit.Equal(t, "comments under the lower threshold", len(f.Host.Comments), 1)
	})
}

// Under the policy check a review whose findings a raised threshold leaves out gets only its check. The title of the check says so,
// because it is all that a commit status shows.
func TestARaisedThresholdIsSaidInTheCheckOfACleanChange(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(onlyCheck)
		h := newHistory(f)
		h.prepare("c", "// no defect\n")
		testkit.Equal(t, "title without findings", checked(h, "opened", "c"), "Nothing found")
		h.calls("medium")
		testkit.OK(t, calibrate(f, 950_000))
		h.prepare("a", divides, division)
		testkit.Equal(t, "title", checked(h, "synchronize", "a"), "Nothing found. 1 finding is not shown because this repository's feedback asks for more confidence.")
	})
}

// checked reviews a head, which must get only its check, and returns the title of that.
func checked(h *history, action, head string) string {
	h.T.Helper()
	d := h.Deliver(h.Event(action, head))
	testkit.Equal(h.T, "conclusion", concluded(h.Fixture, d.RunID), "success")
	testkit.Equal(h.T, "visible reviews", len(h.Host.Visible()), 0)
	return h.Host.Check(d.RunID).Title.String()
}

// A High finding is shown whatever the threshold of its category is.
func TestARaisedThresholdHidesNoHighFinding(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("c", "// no defect\n")
		testkit.OK(t, calibrate(f, 950_000))
		h.push("a", divides, division)
		testkit.Equal(t, "comments", len(f.Host.Comments), 1)
		testkit.Equal(t, "severity", h.known()[0].Severity, domain.High)
	})
}
