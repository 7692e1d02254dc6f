package httpapi_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

const wrapErrors = `{"title":"Wrap errors","instruction":"Say what was attempted.","paths":["**/*.go"],"severity":"medium"}`

func TestRuleLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		for place, path := range map[string]string{"tenant": w.tenantPath() + "/rules", "repository": w.repo() + "/rules"} {
			t.Run(place, func(t *testing.T) {
				var made, changed tenant.Rule
				answer := w.made(&made, admin, path, wrapErrors)
				testkit.Equal(t, "enabled", made.Enabled, true)
				testkit.Equal(t, "Location", answer.header.Get("Location"), path+"/"+made.ID)

				stale := w.call(admin, http.MethodPatch, path+"/"+made.ID, `{"severity":"high"}`, header("If-Match", `"v9"`))
				testkit.Equal(t, "stale", stale.status, http.StatusPreconditionFailed)
				w.into(&changed, w.call(admin, http.MethodPatch, path+"/"+made.ID, `{"severity":"high"}`, header("If-Match", answer.header.Get("ETag"))))
				testkit.Equal(t, "severity", changed.Severity, "high")
				testkit.Equal(t, "title stays", changed.Title, made.Title)
				null := w.call(admin, http.MethodPatch, path+"/"+made.ID, `{"title":null}`)
				testkit.Equal(t, "null for what cannot be removed", null.status, http.StatusUnprocessableEntity)

				var all httpList[tenant.Rule]
				w.into(&all, w.call(member, http.MethodGet, path, ""))
				testkit.Require(t, "listed", len(all.Items), 1)
				testkit.Equal(t, "deleted", w.call(admin, http.MethodDelete, path+"/"+made.ID, "").status, http.StatusNoContent)
				testkit.Equal(t, "gone", w.call(admin, http.MethodDelete, path+"/"+made.ID, "").status, http.StatusNotFound)
			})
		}
	})
}

func TestRuleOfOnePlaceIsAbsentAtTheOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var ofTenant, ofRepository tenant.Rule
	w.made(&ofTenant, admin, w.tenantPath()+"/rules", wrapErrors)
	w.made(&ofRepository, admin, w.repo()+"/rules", wrapErrors)
	for _, path := range []string{w.repo() + "/rules/" + ofTenant.ID, w.tenantPath() + "/rules/" + ofRepository.ID} {
		for method, body := range map[string]string{http.MethodPatch: `{"enabled":false}`, http.MethodDelete: ""} {
			t.Run(method+" "+path, func(t *testing.T) {
				testkit.Equal(t, "status", w.call(admin, method, path, body).status, http.StatusNotFound)
			})
		}
	}
}

func TestRuleRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"blank title":            {`{"title":" ","instruction":"x","severity":"low"}`, []string{"/title"}},
		"title of two lines":     {`{"title":"a\nb","instruction":"x","severity":"low"}`, []string{"/title"}},
		"change of direction":    {`{"title":"a\u202eb","instruction":"x","severity":"low"}`, []string{"/title"}},
		"paths out of the tree":  {`{"title":"a","instruction":"x","severity":"low","paths":["../x","/etc","["]}`, []string{"/paths/0", "/paths/1", "/paths/2"}},
		"the same path twice":    {`{"title":"a","instruction":"x","severity":"low","paths":["a","a"]}`, []string{"/paths/1"}},
		"no regular expression":  {`{"title":"a","instruction":"x","severity":"low","matcher":{"kind":"regex","pattern":"("}}`, []string{"/matcher", "/matcher/pattern"}},
		"pattern, what language": {`{"title":"a","instruction":"x","severity":"low","matcher":{"kind":"ast","pattern":"foo($A)"}}`, []string{"/matcher", "/matcher/language"}},
		"what is missing":        {`{"title":"a"}`, []string{"/instruction", "/severity"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(admin, http.MethodPost, w.tenantPath()+"/rules", tc.body)
			if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
				t.Errorf("wrong fields are %v, want %v: %s", fields, tc.fields, got.body)
			}
		})
	}
}

func TestRulesArePaged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) { rulesArePaged(t, newWorld(t, s)) })
}

func rulesArePaged(t *testing.T, w *world) {
	t.Helper()
	var want []string
	for range 5 {
		var r tenant.Rule
		w.made(&r, admin, w.tenantPath()+"/rules", wrapErrors)
		want = append([]string{r.ID}, want...)
	}
	var got []string
	for cursor := ""; ; {
		var page httpList[tenant.Rule]
		w.into(&page, w.call(member, http.MethodGet, w.tenantPath()+"/rules?limit=2"+cursor, ""))
		for _, r := range page.Items {
			got = append(got, r.ID)
		}
		if page.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + page.NextCursor
	}
	if !slices.Equal(got, want) {
		t.Errorf("pages have %v, want %v", got, want)
	}
}

// httpList is a page as a client reads it.
type httpList[T any] struct {
	Items      []T
	NextCursor string
}
