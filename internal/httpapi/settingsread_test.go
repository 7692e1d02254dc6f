package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The largest body is what the configuration says.
func TestTheLargestBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		most   int64
		size   int
		status int
	}{
		"within it":           {2000, 2000, http.StatusNotFound},
		"a byte more":         {2000, 2001, http.StatusRequestEntityTooLarge},
		"within the usual":    {0, 1 << 20, http.StatusNotFound},
		"beyond the usual":    {0, 1<<20 + 1, http.StatusRequestEntityTooLarge},
		"more than the usual": {1<<20 + 1, 1<<20 + 1, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { o.MaxBody = c.most })
			const body = `{"reason":"x"}`
			got := w.call(instanceAdmin, http.MethodPost, "/api/instance/dead-letters/job_none/discard", body+strings.Repeat(" ", c.size-len(body)))
			testkit.Equal(t, "status", got.status, c.status)
		})
	}
}

// Pages show times in the time zone of the tenant; programs get UTC.
func TestPagesShowTheTimeZoneOfTheTenant(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	made := store.Time(w.Run.CreatedUS)
	for zone, want := range map[string]string{"": "UTC", "Asia/Tokyo": "JST", "Atlantis/Capital": "UTC"} {
		at, err := time.LoadLocation(strings.Replace(zone, "Atlantis/Capital", "", 1))
		must(t, err)
		settings := `{}`
		if zone != "" {
			settings = `{"timeZone":"` + zone + `"}`
		}
		must(t, w.store.PutSetting(bg, w.Tenant, "", store.SettingTenant, settings))
		for _, path := range []string{"/t/" + w.Tenant.ID + "/repositories/" + w.Repository.ID + "/runs/" + w.Run.ID} {
			t.Run(zone+" "+path, func(t *testing.T) {
				shown := `<time datetime="` + made.Format(time.RFC3339) + `">` + made.In(at).Format("2006-01-02 15:04:05 ") + want + `</time>`
				if page := w.call(admin, http.MethodGet, path, "").body; !strings.Contains(page, shown) {
					t.Errorf("the page lacks %s: %s", shown, page)
				}
			})
		}
	}
}
