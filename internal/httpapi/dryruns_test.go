package httpapi_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A dry run is started, shown with its job, and cancelled once.
func TestDryRunsOfTheInterface(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var made httpapi.DryRun
		got := w.call(admin, http.MethodPost, w.repo()+"/dry-runs", `{"pullRequests":[7,3],"label":"try","overrides":{"policy":{"minSeverity":"high"}}}`)
		testkit.Equal(t, "status", got.status, http.StatusAccepted)
		must(t, json.Unmarshal([]byte(got.body), &made))
		testkit.Equal(t, "location", got.header.Get("Location"), w.repo()+"/dry-runs/"+made.ID)
		testkit.Equal(t, "state", made.State, "queued")
		testkit.Require(t, "pull requests", len(made.Result.PullRequests), 2)
		testkit.Equal(t, "maker", made.CreatedBy, w.people[admin].id)
		var job httpapi.Job
		w.into(&job, w.call(admin, http.MethodGet, w.tenantPath()+"/jobs/"+made.JobID, ""))
		testkit.Equal(t, "subject of its job", job.SubjectID, made.ID)

		cancel := w.repo() + "/dry-runs/" + made.ID + "/cancel"
		w.into(&made, w.call(admin, http.MethodPost, cancel, ""))
		testkit.Equal(t, "cancelled", made.State, "cancelled")
		testkit.Equal(t, "again", w.call(admin, http.MethodPost, cancel, "").status, http.StatusConflict)
		var list httpList[httpapi.DryRun]
		w.into(&list, w.call(admin, http.MethodGet, w.repo()+"/dry-runs", ""))
		testkit.Require(t, "listed", len(list.Items), 1)
		testkit.Equal(t, "pull requests in the list", len(list.Items[0].Result.PullRequests), 0)
		testkit.Equal(t, "totals in the list", list.Items[0].Result.Totals.PullRequests, 2)
		for _, body := range []string{`{}`, `{"pullRequests":[]}`} { // neither numbers of pull requests nor a number of newest ones
			testkit.Equal(t, body, w.call(admin, http.MethodPost, w.repo()+"/dry-runs", body).status, http.StatusUnprocessableEntity)
		}
	})
}

// The what-if and the preview of a rule accept the bodies of a save, at both places, and change nothing.
func TestWhatIfOfTheInterface(t *testing.T) {
	t.Parallel()
	s, url := storetest.SQLiteAt(t)
	w := newWorld(t, s)
	w.call(admin, http.MethodPost, w.repo()+"/policy/what-if", `{}`) // leaves the traces of any request: uses of sessions
	before := storetest.Dump(t, url, "sessions")
	for path, tc := range map[string]struct {
		body   string
		status int
	}{
		w.repo() + "/policy/what-if": {`{"minSeverity":"high","language":"de"}`, 200}, w.tenantPath() + "/repository-defaults/what-if": {`{"minSeverity":"high"}`, 200},
		w.repo() + "/rules/rul_none/what-if": {`{}`, 404}, w.tenantPath() + "/rules/rul_none/what-if": {`{}`, 404},
		w.repo() + "/rules/preview": {wrapErrors, 200}, w.tenantPath() + "/rules/preview": {wrapErrors, 200},
		w.repo() + "/rules/preview?replaces=rul_none": {wrapErrors, 404}, w.repo() + "/policy/what-if?reviews=50": {`{}`, 200},
	} {
		got := w.call(admin, http.MethodPost, path, tc.body)
		testkit.Equal(t, path+": "+got.body, got.status, tc.status)
	}
	if after := storetest.Dump(t, url, "sessions"); !reflect.DeepEqual(before, after) {
		t.Error("something was stored")
	}
}
