package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The settings and rules of a repository's file name their origin and the commit.
func TestSettingsOfTheRepositoryFileNameTheCommit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	testkit.OK(t, w.store.PutSetting(bg, w.Tenant, w.Repository.ID, store.SettingPolicy, `{"repositoryFile":"full"}`))
	testkit.OK(t, w.store.PutSetting(bg, w.Tenant, w.Repository.ID, store.SettingFile,
		`{"commit":"c0ffee","present":true,"values":[{"name":"profile","value":"quiet"}],"rules":[{"kind":"rules","id":"fil_1","title":"a","instruction":"b","severity":"low"}]}`))
	for path, want := range map[string]string{
		"/feature-settings": `"name":"profile","value":"quiet","default":"balanced","origin":"file","commit":"c0ffee","locked":false`,
		"/rules/effective":  `"origin":"file","file":".assay.yaml","commit":"c0ffee"`,
	} {
		got := w.call(member, http.MethodGet, w.repo()+path, "")
		testkit.Equal(t, "status of "+path, got.status, http.StatusOK)
		if !strings.Contains(got.body, want) {
			t.Errorf("%s: %s", path, got.body)
		}
	}
}
