package httpapi_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
)

const wrapErrors = `{"title":"Wrap errors","instruction":"Say what was attempted.","paths":["**/*.go"],"severity":"medium"}`

func TestRulesArePaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
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
