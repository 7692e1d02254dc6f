package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Findings of several repositories are dismissed for one reason. Each has its entry and needs the rights of a single dismissal;
// those that are refused do not keep the others. The same request again changes nothing.
func TestDismissalsOfManyFindings(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	w := newWorld(t, s)
	w.person(reviewer, false, w.Tenant, domain.RoleMember)
	second, third := storetest.Repository(t, s, w.Tenant, w.Installation), storetest.Repository(t, s, w.Tenant, w.Installation)
	w.role(reviewer, w.Repository, "review")
	w.role(reviewer, second, "view")
	w.foundIn(w.Repository, 11, map[string]domain.Severity{"a": domain.Low, "b": domain.High})
	w.foundIn(second, 12, map[string]domain.Severity{"c": domain.Critical})
	w.foundIn(third, 13, map[string]domain.Severity{"d": domain.Medium})
	ids := map[string]string{}
	_, l := w.counted(admin, "")
	for _, f := range l.Items {
		ids[f.Title] = f.ID
	}
	at := w.tenantPath() + "/findings/dismissals"
	dismiss := func(who string, titles string) (out string) {
		t.Helper()
		var all []string
		for _, title := range titles {
			all = append(all, `"`+ids[string(title)]+`"`)
		}
		var r httpapi.DismissalResults
		w.into(&r, w.call(who, http.MethodPost, at, `{"findingIds":[`+strings.Join(all, ",")+`],"reason":"accepted_risk","note":"until March"}`))
		for i, item := range r.Items {
			out += string(titles[i]) + " " + item.Outcome + " " + item.Code + "; "
			testkit.Equal(t, "the id in the answer", item.FindingID, ids[string(titles[i])])
		}
		return fmt.Sprint(r.Dismissed, ": ", out)
	}
	ids["x"] = "fnd_unknown"
	testkit.Equal(t, "a reviewer of one repository", dismiss(reviewer, "acdx"), "1: a dismissed ; c refused forbidden; d refused not_found; x refused not_found; ")
	testkit.Equal(t, "the same again", dismiss(reviewer, "acdx"), "1: a already_dismissed ; c refused forbidden; d refused not_found; x refused not_found; ")
	refused := w.auditOf(admin, w.tenantPath(), "?result=refused").Items
	if n := len(refused); n < 1 || n > 2 { // 2 if a minute ended in between
		t.Fatalf("%d refusals: %+v", n, refused)
	}
	if e := refused[0]; e.Action != "request.refuse" || e.Actor.ID != w.people[reviewer].id || e.Target.ID != "POST "+inTenant+"/findings/dismissals" || e.Note != "forbidden" {
		t.Errorf("%+v", e)
	}
	metrics := httptest.NewRecorder()
	w.metrics.Handler().ServeHTTP(metrics, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if text := metrics.Body.String(); !strings.Contains(text, `assay_refusals_total{reason="forbidden",who="user"} 2`) {
		t.Errorf("the metric does not count two refusals:\n%s", text)
	}
	testkit.Equal(t, "an admin", dismiss(admin, "abcd"), "4: a already_dismissed ; b dismissed ; c dismissed ; d dismissed ; ")
	log := w.auditOf(admin, w.tenantPath(), "?action=finding.dismiss").Items
	testkit.Require(t, "entries", len(log), 4)
	testkit.Equal(t, "note", log[0].Note, "Accepted risk: until March")
	got, _ := w.counted(admin, "state=dismissed")
	testkit.Equal(t, "dismissed", got, "cbda")
	reopen := func(who, titles string) (out string) {
		t.Helper()
		var all []string
		for _, title := range titles {
			all = append(all, `"`+ids[string(title)]+`"`)
		}
		var r httpapi.ReopeningResults
		w.into(&r, w.call(who, http.MethodPost, w.tenantPath()+"/findings/reopenings", `{"findingIds":[`+strings.Join(all, ",")+`]}`))
		for i, item := range r.Items {
			out += string(titles[i]) + " " + item.Outcome + " " + item.Code + "; "
		}
		return fmt.Sprint(r.Reopened, ": ", out)
	}
	mayReopen := func(who string) (out string) {
		_, l := w.counted(who, "state=dismissed&sort=newest")
		for _, f := range l.Items {
			if f.MayReopen && !f.MayDismiss {
				out += f.Title
			}
		}
		return out
	}
	testkit.Equal(t, "dismissals that a reviewer of one repository may take back", len(mayReopen(reviewer)), 2)
	testkit.Equal(t, "dismissals that an admin may take back", len(mayReopen(admin)), 4)
	testkit.Equal(t, "taken back by a reviewer of one repository", reopen(reviewer, "acdx"), "1: a reopened ; c refused forbidden; d refused not_found; x refused not_found; ")
	testkit.Equal(t, "taken back by an admin", reopen(admin, "abcd"), "4: a already_open ; b reopened ; c reopened ; d reopened ; ")
	testkit.Equal(t, "entries of dismissals that were taken back", len(w.auditOf(admin, w.tenantPath(), "?action=finding.reopen").Items), 4)
	got, _ = w.counted(admin, "state=dismissed")
	testkit.Equal(t, "dismissed at the end", got, "")
	testkit.Equal(t, "a stranger takes back", w.call(stranger, http.MethodPost, w.tenantPath()+"/findings/reopenings", `{"findingIds":["fnd_1"]}`).status, http.StatusNotFound)
	if r := w.call(admin, http.MethodPost, w.tenantPath()+"/findings/reopenings", `{"findingIds":["a b"]}`); r.status != http.StatusUnprocessableEntity || !strings.Contains(r.body, "findingIds/0") {
		t.Errorf("%d %s", r.status, r.body)
	}
	testkit.Equal(t, "a stranger", w.call(stranger, http.MethodPost, at, `{"findingIds":["fnd_1"],"reason":"wrong"}`).status, http.StatusNotFound)
	many := strings.TrimSuffix(strings.Repeat(`"fnd_1",`, 101), ",")
	for body, pointer := range map[string]string{
		`{"findingIds":[],"reason":"wrong"}`: "findingIds", `{"findingIds":[` + many + `],"reason":"wrong"}`: "findingIds", `{"findingIds":["fnd_1","fnd_1"],"reason":"wrong"}`: "findingIds/1",
		`{"findingIds":["fnd_1","a b"],"reason":"wrong"}`: "findingIds/1", `{"findingIds":["fnd_1"],"reason":"dull"}`: "reason", `{"findingIds":["fnd_1"],"reason":"other"}`: "note",
		`{"findingIds":["fnd_1"],"reason":"wrong","note":"two\nlines"}`: "note", `{"findingIds":["fnd_1"],"reason":"wrong","note":"` + strings.Repeat("a", 401) + `"}`: "note",
	} {
		if r := w.call(admin, http.MethodPost, at, body); r.status != http.StatusUnprocessableEntity || !strings.Contains(r.body, pointer) {
			t.Errorf("%.60s: %d %s", body, r.status, r.body)
		}
	}
}
