package httpapi_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// TestQueriesShowNothingOfOthers puts every id of another tenant, and its cursors, into every parameter of
// every list of the caller's tenant.
func TestQueriesShowNothingOfOthers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		mine, theirs := newEstates(w)
		mine.build(t)
		theirs.build(t)
		foreign := []string{theirs.at.Tenant.ID, theirs.at.Repository.ID, theirs.at.Run.ID, w.people[stranger].id}
		for path, id := range theirs.made {
			if mine.made[path] != id {
				foreign = append(foreign, id)
			}
		}
		tried := 0
		for path, item := range liveDescription(t).Paths {
			if item.Get == nil || !built(item.Get) || !strings.Contains(path, "{tenantId}") || strings.Contains(path, "/export") {
				continue
			}
			for _, p := range item.Get.Parameters {
				if p.In != "query" || p.Schema == nil || p.Schema.Type != "string" || len(p.Schema.Enum) > 0 {
					continue
				}
				values := foreign
				if p.Name == "cursor" {
					values = []string{cursorOf(w, stranger, theirs.path(path))}
				}
				for _, v := range values {
					if v == "" {
						continue
					}
					tried++
					got := w.call(admin, http.MethodGet, mine.path(path)+"?"+url.Values{p.Name: {v}}.Encode(), "")
					never := w.call(admin, http.MethodGet, mine.path(path)+"?"+url.Values{p.Name: {unusedID(v)}}.Encode(), "")
					if p.Name != "cursor" && (got.status != never.status || strings.ReplaceAll(got.body, v, "") != strings.ReplaceAll(never.body, unusedID(v), "")) {
						t.Errorf("GET %s?%s differs between a foreign id and an unused one: %d %s\n%d %s", path, p.Name, got.status, got.body, never.status, never.body)
					}
					for _, id := range foreign {
						if id != v && strings.Contains(got.body, id) {
							t.Errorf("GET %s?%s shows %s of another tenant", path, p.Name, id)
						}
					}
				}
			}
		}
		if tried < 50 {
			t.Errorf("only %d parameters were tried", tried)
		}
	})
}

// cursorOf returns a cursor of a person's list, or "" if it has only one page.
func cursorOf(w *world, who, path string) string {
	r := w.call(who, http.MethodGet, path+"?limit=1", "")
	_, after, _ := strings.Cut(r.body, `"nextCursor":"`)
	cursor, _, _ := strings.Cut(after, `"`)
	return cursor
}
