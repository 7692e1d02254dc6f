package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The page of a run links to its pull request.
func TestARunLeadsToItsPullRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var detail httpapi.ReviewRunDetail
	w.into(&detail, w.call(admin, http.MethodGet, w.repo()+"/review-runs/"+w.Run.ID, ""))
	testkit.Equal(t, "address", detail.HostURL, fmt.Sprintf("https://github.example.test/%s/%s/pull/%d", w.Repository.Owner, w.Repository.Name, w.Run.Number))
}
