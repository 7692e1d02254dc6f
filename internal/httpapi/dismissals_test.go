package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A finding is dismissed with a reason by who may review, once; later runs leave it so,
// and taking it back opens it. Both are in its history, the audit log and an event.
func TestDismissals(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		w := newWorld(t, s)
		w.fill()
		w.person(reviewer, false, w.Tenant, domain.RoleMember)
		w.role(reviewer, w.Repository, "review")
		var l httpapi.List[httpapi.ListedFinding]
		w.into(&l, w.call(member, http.MethodGet, w.repo()+"/findings?rule=llm/x", ""))
		id := l.Items[0].ID
		at := w.repo() + "/findings/" + id + "/dismissal"
		state := func() string {
			var h httpapi.FindingHistory
			w.into(&h, w.call(member, http.MethodGet, w.repo()+"/findings/"+id, ""))
			out := h.State
			for _, d := range h.Decisions {
				if d.Kind == "dismissal" {
					out += ", " + d.State + " " + d.Why
				}
			}
			return out
		}
		for body, status := range map[string]int{`{}`: 422, `{"reason":""}`: 422, `{"reason":"a\nb"}`: 422, `{"reason":"` + strings.Repeat("x", 501) + `"}`: 422, `{"reason":" x"}`: 422} {
			testkit.Equal(t, body, w.call(reviewer, http.MethodPut, at, body).status, status)
		}
		testkit.Equal(t, "by a viewer", w.call(member, http.MethodPut, at, `{"reason":"known"}`).status, http.StatusForbidden)
		testkit.Equal(t, "nothing to take back", w.call(reviewer, http.MethodDelete, at, "").status, http.StatusConflict)
		testkit.Equal(t, "dismissed", w.call(reviewer, http.MethodPut, at, `{"reason":"the caller checks it"}`).status, http.StatusOK)
		testkit.Equal(t, "again", w.call(reviewer, http.MethodPut, at, `{"reason":"known"}`).status, http.StatusConflict)
		testkit.Equal(t, "shown", state(), "dismissed, dismissed the caller checks it")
		again := domain.Finding{ID: id, Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug, Severity: domain.High, Title: "again", Fingerprints: domain.Fingerprints{Exact: "llm/x"}, Route: domain.RouteInline, State: domain.FindingOpen}
		_, err := s.SaveRunFindings(bg, storetest.Run(t, s, w.Pull, "cmd:later"), []domain.Finding{again})
		must(t, err)
		testkit.Equal(t, "after a later run", state(), "dismissed, dismissed the caller checks it")
		testkit.Equal(t, "taken back", w.call(reviewer, http.MethodDelete, at, "").status, http.StatusOK)
		testkit.Equal(t, "open again", state(), "open, open , dismissed the caller checks it")
		audited := w.call(admin, http.MethodGet, w.tenantPath()+"/audit?limit=100", "").body
		if !strings.Contains(audited, `"finding.dismiss"`) || !strings.Contains(audited, `"finding.reopen"`) || !strings.Contains(audited, "the caller checks it") {
			t.Errorf("the audit log: %s", audited)
		}
		told := 0
		for _, row := range storetest.Dump(t, url)["events"] {
			if strings.Contains(row, domain.EventFindingDecided) && strings.Contains(row, id) {
				told++
			}
		}
		testkit.Equal(t, "events", told, 2)
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		testkit.Equal(t, "through another repository", w.call(admin, http.MethodPut, w.tenantPath()+"/repositories/"+second.ID+"/findings/"+id+"/dismissal", `{"reason":"x"}`).status, http.StatusNotFound)
	})
}
