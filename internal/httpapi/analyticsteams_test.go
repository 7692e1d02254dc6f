package httpapi_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestAnalyticsSettingsAndTeams(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		var settings analytics.AnalyticsSettings
		w.into(&settings, w.call(member, http.MethodGet, w.tenantPath()+"/analytics/settings", ""))
		testkit.Equal(t, "smallest group", settings.SmallestGroup, 5)
		w.into(&settings, w.call(admin, http.MethodPut, w.tenantPath()+"/analytics/settings", `{"perPersonFigures":true,"smallestGroup":2,"retentionDays":30}`))
		testkit.Equal(t, "version", settings.Version, 1)

		path, me := w.tenantPath()+"/analytics/teams", w.people[member].id
		var team, changed analytics.AnalyticsTeam
		made := w.made(&team, admin, path, `{"name":"Core","memberIds":["`+me+`"],"repositoryIds":["`+w.Repository.ID+`"]}`)
		testkit.Equal(t, "the name again", w.call(admin, http.MethodPost, path, `{"name":"Core","memberIds":[]}`).status, http.StatusConflict)
		for name, body := range map[string]string{
			"another tenant's": `{"name":"x","memberIds":["` + w.people[stranger].id + `"],"repositoryIds":["` + w.other.Repository.ID + `"]}`,
			"nobody's":         `{"name":"x","memberIds":["usr_never"],"repositoryIds":["rep_never"]}`,
		} {
			if got := wrongFields(t, w.call(admin, http.MethodPost, path, body)); !slices.Equal(got, []string{"/memberIds/0", "/repositoryIds/0"}) {
				t.Errorf("%s: %v", name, got)
			}
			if got := wrongFields(t, w.call(admin, http.MethodPatch, path+"/"+team.ID, body)); !slices.Equal(got, []string{"/memberIds/0", "/repositoryIds/0"}) {
				t.Errorf("%s, change: %v", name, got)
			}
		}
		w.into(&changed, w.call(admin, http.MethodPatch, path+"/"+team.ID, `{"name":"Kernel"}`, header("If-Match", made.header.Get("ETag"))))
		if changed.Name != "Kernel" || !slices.Equal(changed.MemberIDs, []string{me}) {
			t.Errorf("changed is %+v", changed)
		}
		testkit.Equal(t, "stale", w.call(admin, http.MethodPatch, path+"/"+team.ID, `{"name":"x"}`, header("If-Match", made.header.Get("ETag"))).status, http.StatusPreconditionFailed)
		must(t, s.DismissMember(bg, w.Tenant, me))
		var list httpList[analytics.AnalyticsTeam]
		w.into(&list, w.call(admin, http.MethodGet, path, ""))
		if len(list.Items) != 1 || len(list.Items[0].MemberIDs) != 0 {
			t.Errorf("after the member left: %+v", list.Items)
		}
		testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, path+"/"+team.ID, "").status, http.StatusNoContent)
		testkit.Equal(t, "gone", w.call(admin, http.MethodDelete, path+"/"+team.ID, "").status, http.StatusNotFound)
	})
}
