package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A dry run is asked for, seen with its job, and cancelled once.
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
		testkit.Equal(t, "by a member", w.call(member, http.MethodPost, cancel, "").status, http.StatusForbidden)
		w.into(&made, w.call(admin, http.MethodPost, cancel, ""))
		testkit.Equal(t, "cancelled", made.State, "cancelled")
		testkit.Equal(t, "again", w.call(admin, http.MethodPost, cancel, "").status, http.StatusConflict)
		var list httpList[httpapi.DryRun]
		w.into(&list, w.call(admin, http.MethodGet, w.repo()+"/dry-runs", ""))
		testkit.Require(t, "listed", len(list.Items), 1)
		testkit.Equal(t, "its pull requests are not", len(list.Items[0].Result.PullRequests), 0)
		testkit.Equal(t, "its totals are", list.Items[0].Result.Totals.PullRequests, 2)
		for body, status := range map[string]int{`{}`: 422, `{"last":0}`: 422, `{"pullRequests":[]}`: 422, `{"last":2,"overrides":{"policy":{"minSeverity":"loud"}}}`: 422, `{"last":2,"more":1}`: 422} {
			testkit.Equal(t, body, w.call(admin, http.MethodPost, w.repo()+"/dry-runs", body).status, status)
		}
	})
}

// What-if takes what a save takes, and changes nothing.
func TestWhatIfOfTheInterface(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for path, status := range map[string]int{
		w.repo() + "/policy/what-if": 200, w.repo() + "/policy/what-if?reviews=50": 200, w.repo() + "/policy/what-if?reviews=51": 422, w.repo() + "/policy/what-if?reviews=0": 422,
		w.tenantPath() + "/repository-defaults/what-if": 200, w.repo() + "/rules/rul_none/what-if": 404, w.tenantPath() + "/rules/rul_none/what-if": 404,
	} {
		testkit.Equal(t, path, w.call(admin, http.MethodPost, path, `{}`).status, status)
		testkit.Equal(t, path+" by a member", w.call(member, http.MethodPost, path, `{}`).status, http.StatusForbidden)
	}
	var said map[string]any
	w.into(&said, w.call(admin, http.MethodPost, w.repo()+"/policy/what-if", `{"minSeverity":"high","language":"de"}`))
	testkit.Equal(t, "settings", len(said["settings"].([]any)), 2)
	var now map[string]any
	w.into(&now, w.call(admin, http.MethodGet, w.repo()+"/policy", ""))
	testkit.Equal(t, "stored", now["minSeverity"], nil)
}

// The preview of a rule takes what making it takes, and stores nothing.
func TestRulePreviewOfTheInterface(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for _, place := range []string{w.repo(), w.tenantPath()} {
		for path, status := range map[string]int{"": 200, "?reviews=50": 200, "?reviews=51": 422, "?reviews=0": 422, "?replaces=rul_none": 404} {
			testkit.Equal(t, path, w.call(admin, http.MethodPost, place+"/rules/preview"+path, wrapErrors).status, status)
		}
		testkit.Equal(t, place+" by a member", w.call(member, http.MethodPost, place+"/rules/preview", wrapErrors).status, http.StatusForbidden)
		testkit.Equal(t, "what is wrong", wrongFields(t, w.call(admin, http.MethodPost, place+"/rules/preview", `{"title":"a","severity":"low","instruction":"i","paths":["["]}`))[0], "/paths/0")
		var rules httpList[map[string]any]
		w.into(&rules, w.call(admin, http.MethodGet, place+"/rules", ""))
		testkit.Equal(t, "stored", len(rules.Items), 0)
	}
	var said map[string]any
	w.into(&said, w.call(admin, http.MethodPost, w.repo()+"/rules/preview", wrapErrors))
	testkit.Equal(t, "files", len(said["files"].([]any)), 0)
	testkit.Equal(t, "active", said["active"], true)
}
