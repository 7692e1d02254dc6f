package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Everyone who may see a run sees the waiting review with its exact text, and whether they may decide or why
// not. Afterwards they see who decided.
func TestARunShowsItsApproval(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		path := w.repo() + "/review-runs/" + w.Run.ID
		all := func(login string) (v httpapi.ReviewRunDetail) {
			t.Helper()
			w.into(&v, w.call(login, http.MethodGet, path, ""))
			return v
		}
		of := func(login string) *httpapi.RunApproval { return all(login).Approval }
		for login, may := range map[string]bool{admin: true, member: false} {
			v := all(login)
			testkit.Equal(t, login+" may have it reviewed again", v.MayRerun, may)
			testkit.Equal(t, "repository", v.Repository, w.Repository.Owner+"/"+w.Repository.Name)
		}
		testkit.Equal(t, "before it waits", of(member), (*httpapi.RunApproval)(nil))
		output, found := w.waiting()
		for login, may := range map[string]bool{reviewer: true, member: false} {
			v := of(login)
			testkit.Require(t, login+" sees it", v != nil, true)
			if v.ID != output || v.State != "pending" || v.Told != "" || v.Review.Body != "Two findings. <script>" || len(v.Findings) != len(found) || v.MayDecide != may || (v.WhyNot == "") != may {
				t.Errorf("%s: %+v", login, v)
			}
		}
		raw(`UPDATE pull_requests SET author_id = 4711`)
		raw(`INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us) SELECT 'idn_1', $1, web_url, '4711', 'codehost', 'x', 1, 1 FROM apps WHERE id = (SELECT app_id FROM installations WHERE id = $2)`,
			w.people[reviewer].id, w.Installation.ID)
		if v := of(reviewer); v.MayDecide || !strings.Contains(v.WhyNot, "author") {
			t.Errorf("the author: %+v", v)
		}
		reject := w.call(admin, http.MethodPost, w.repo()+"/approvals/"+output+"/reject", `{"digest":"`+strings.Repeat("ab", 32)+`","note":"no"}`)
		testkit.Equal(t, "rejected", reject.status, http.StatusOK)
		if v := of(member); v.State != "rejected" || v.MayDecide || v.WhyNot != "" || !strings.HasPrefix(v.Told, "admin rejected this review at ") || v.Decision.Note != "no" {
			t.Errorf("decided: %+v", v)
		}
	})
}
