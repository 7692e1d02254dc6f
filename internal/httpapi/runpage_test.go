package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// The page of a run says in a sentence what the model's part lacks, and does
// not call a change clean that no model has looked at.
func TestRunPageSaysWhatTheModelDidNotDo(t *testing.T) {
	t.Parallel()
	const clean = "the change looks clean"
	for name, tc := range map[string]struct {
		state, note string
		says        string
		clean       bool
	}{
		"complete":       {engine.ModelComplete, "", "", true},
		"not configured": {engine.ModelNone, engine.NoteNotConfigured, "Only deterministic checks ran: no model is configured.", false},
		"away":           {engine.ModelUnavailable, engine.NoteUnavailable, "Only deterministic checks ran: the model was unavailable.", false},
		"no money":       {engine.ModelUnavailable, engine.NoteBudget, "Only deterministic checks ran: the budget for models is used up.", false},
		"in part":        {engine.ModelPartial, "1 of 2 parts of the change were reviewed", "The model&#39;s review is incomplete: 1 of 2 parts of the change were reviewed.", false},
		"nothing due":    {engine.ModelNone, "", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t))
			must(t, w.store.SetRunResult(bg, w.Tenant, w.Run.ID, "T1", tc.state, `{"modelNote":"`+tc.note+`"}`))
			for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunPublishing}, {From: domain.RunPublishing, To: domain.RunCompleted}} {
				_, err := w.store.MoveRun(bg, w.Tenant, w.Run.ID, m)
				must(t, err)
			}
			page := w.call(admin, http.MethodGet, "/t/"+w.Tenant.ID+"/repositories/"+w.Repository.ID+"/runs/"+w.Run.ID, "").body
			if !strings.Contains(page, "No findings") || strings.Contains(page, clean) != tc.clean || !strings.Contains(page, tc.says) {
				t.Error(page)
			}
			if tc.says == "" && strings.Contains(page, "deterministic checks ran") {
				t.Error("the page says that something is missing")
			}
		})
	}
}
