package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A run says in a sentence which part of the model's work is missing, so that people do not take an
// unreviewed change for a clean one.
func TestARunSaysWhatTheModelDidNotDo(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		state, note, says string
	}{
		"complete":       {engine.ModelComplete, "", ""},
		"not configured": {engine.ModelNone, engine.NoteNotConfigured, "Only deterministic checks ran: no model is configured."},
		"away":           {engine.ModelUnavailable, engine.NoteUnavailable, "Only deterministic checks ran: the model was unavailable."},
		"no money":       {engine.ModelUnavailable, engine.NoteBudget, "Only deterministic checks ran: the budget for models is used up."},
		"in part":        {engine.ModelPartial, "1 of 2 parts of the change were reviewed", "The model's review is incomplete: 1 of 2 parts of the change were reviewed."},
		"nothing due":    {engine.ModelNone, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t))
			must(t, w.store.SetRunResult(bg, w.Tenant, w.Run.ID, "T1", tc.state, `{"modelNote":"`+tc.note+`"}`))
			for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunPublishing}, {From: domain.RunPublishing, To: domain.RunCompleted}} {
				_, err := w.store.MoveRun(bg, w.Tenant, w.Run.ID, m)
				must(t, err)
			}
			var v httpapi.ReviewRunDetail
			w.into(&v, w.call(admin, http.MethodGet, w.repo()+"/review-runs/"+w.Run.ID, ""))
			testkit.Equal(t, "missing parts", v.Incomplete, tc.says)
		})
	}
}

// A run whose job died although its review may be visible says what it waits for.
func TestARunSaysThatTheHostIsAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	s, run := w.store, w.Run
	for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunPublishing}} {
		_, err := s.MoveRun(bg, w.Tenant, run.ID, m)
		must(t, err)
	}
	out, err := s.CreateOutput(bg, w.Tenant, run.ID, "", "{}", "digest")
	must(t, err)
	claimed, err := s.Claim(bg, storetest.Job(t, s, domain.KindPublish, w.Tenant.ID, run.ID).ID, "worker", time.Minute)
	must(t, err)
	p, err := s.Prepare(bg, w.Tenant, store.Publication{Run: run.ID, Output: out.ID, Kind: "review", Payload: "{}", PayloadSHA256: "x"}, claimed.ID, claimed.Gen)
	must(t, err)
	_, err = s.MovePublication(bg, w.Tenant, p.ID, p.Gen, domain.PhasePrepared, domain.PhaseCreating, "", "")
	must(t, err)
	_, err = s.ChooseReview(bg, w.Tenant, p.ID, p.Gen, "7")
	must(t, err)
	for _, open := range []bool{false, true} {
		if open {
			_, err := s.LeaveUnsettled(bg, w.Tenant, run.ID, domain.EndCrashed, "crashed")
			must(t, err)
		}
		var detail httpapi.ReviewRunDetail
		w.into(&detail, w.call(admin, http.MethodGet, w.repo()+"/review-runs/"+run.ID, ""))
		testkit.Equal(t, "unsettled", detail.Publication.Unsettled, open)
	}
}
