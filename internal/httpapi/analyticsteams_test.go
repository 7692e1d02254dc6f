package httpapi_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestAnalyticsSettingsAndTeams(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var settings analytics.AnalyticsSettings
	none := w.call(member, http.MethodGet, w.tenantPath()+"/analytics/settings", "")
	w.into(&settings, none)
	testkit.Equal(t, "ETag of the defaults", none.header.Get("ETag"), `"v0"`)
	testkit.Equal(t, "smallest group", settings.SmallestGroup, 5)
	const body = `{"perPersonFigures":true,"smallestGroup":2,"retentionDays":30}`
	w.into(&settings, w.call(admin, http.MethodPut, w.tenantPath()+"/analytics/settings", body, header("If-Match", `"v0"`)))
	testkit.Equal(t, "version", settings.Version, 1)
	testkit.Equal(t, "stale settings", w.call(admin, http.MethodPut, w.tenantPath()+"/analytics/settings", body, header("If-Match", `"v0"`)).status, http.StatusPreconditionFailed)

	path, me := w.tenantPath()+"/analytics/teams", w.people[member].id
	var team, changed analytics.AnalyticsTeam
	made := w.made(&team, admin, path, `{"name":"Core","memberIds":["`+me+`"],"repositoryIds":["`+w.Repository.ID+`"]}`)
	again := w.call(admin, http.MethodPost, path, `{"name":"Core","memberIds":[]}`)
	testkit.Equal(t, "the name again", again.status, http.StatusConflict)
	testkit.Equal(t, "the name again", problemOf(t, again), "already_exists")
	const wrong = `{"name":"x","memberIds":["usr_never"],"repositoryIds":["rep_never"]}`
	for name, got := range map[string]reply{"made": w.call(admin, http.MethodPost, path, wrong), "changed": w.call(admin, http.MethodPatch, path+"/"+team.ID, wrong)} {
		if fields := wrongFields(t, got); !slices.Equal(fields, []string{"/memberIds/0", "/repositoryIds/0"}) {
			t.Errorf("%s: %v", name, fields)
		}
	}
	w.into(&changed, w.call(admin, http.MethodPatch, path+"/"+team.ID, `{"name":"Kernel"}`, header("If-Match", made.header.Get("ETag"))))
	if changed.Name != "Kernel" || !slices.Equal(changed.MemberIDs, []string{me}) {
		t.Errorf("changed is %+v", changed)
	}
	testkit.Equal(t, "stale", w.call(admin, http.MethodPatch, path+"/"+team.ID, `{"name":"x"}`, header("If-Match", made.header.Get("ETag"))).status, http.StatusPreconditionFailed)
	var list httpList[analytics.AnalyticsTeam]
	w.into(&list, w.call(admin, http.MethodGet, path, ""))
	testkit.Require(t, "listed", len(list.Items), 1)
	testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, path+"/"+team.ID, "").status, http.StatusNoContent)
	testkit.Equal(t, "gone", w.call(admin, http.MethodDelete, path+"/"+team.ID, "").status, http.StatusNotFound)
}
