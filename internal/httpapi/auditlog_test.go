package httpapi_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// auditOf reads a log with a query.
func (w *world) auditOf(who, log, query string) httpList[audit.LogEntry] {
	w.t.Helper()
	var out httpList[audit.LogEntry]
	w.into(&out, w.call(who, http.MethodGet, log+"/audit"+query, ""))
	return out
}

// write creates rules, which adds entries to the tenant's log, and one entry to the instance's.
func (w *world) write(titles ...string) {
	w.t.Helper()
	for _, title := range titles {
		if r := w.call(admin, http.MethodPost, w.tenantPath()+"/rules", `{"title":"`+title+`","instruction":"i","severity":"medium"}`); r.status != http.StatusCreated {
			w.t.Fatalf("%d %s", r.status, r.body)
		}
	}
	if r := w.call(instanceAdmin, http.MethodPut, inInstance+"/telemetry", `{"enabled":true}`); r.status != http.StatusOK {
		w.t.Fatalf("%d %s", r.status, r.body)
	}
}

func TestAuditListIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.write("one", "two", "three")
		log, id := w.tenantPath(), w.people[admin].id
		all := w.auditOf(admin, log, "")
		testkit.Require(t, "entries", len(all.Items), 3)
		e := all.Items[0]
		if e.Seq != 2 || e.Action != "rule.create" || e.Result != "ok" || e.Actor.ID != id || e.Actor.Name != admin || e.Actor.SessionID == "" || e.Target.Name != "three" || len(e.Changes) == 0 {
			t.Errorf("%+v of %+v", e, e.Actor)
		}
		at := func(d time.Duration) string { return url.QueryEscape(e.At.Add(d).Format(time.RFC3339Nano)) }
		for query, want := range map[string]int{"?actor=" + id: 3, "?actor=usr_none": 0, "?action=rule.create": 3, "?action=rule.delete": 0, "?targetKind=rule": 3,
			"?targetKind=rule&targetId=" + e.Target.ID: 1, "?result=ok": 3, "?result=refused": 0, "?from=" + at(-time.Hour): 3, "?from=" + at(time.Hour): 0,
			"?to=" + at(0): 2, "?from=" + at(0) + "&to=" + at(time.Second): 1} {
			testkit.Require(t, "entries for "+query, len(w.auditOf(admin, log, query).Items), want)
		}
		var seen []int64
		for query := "?limit=1"; ; {
			page := w.auditOf(admin, log, query)
			for _, one := range page.Items {
				seen = append(seen, one.Seq)
			}
			if page.NextCursor == "" {
				break
			}
			w.write("while paging")
			query = "?limit=1&cursor=" + url.QueryEscape(page.NextCursor)
		}
		if len(seen) != 3 || seen[0] != 2 || seen[2] != 0 {
			t.Errorf("paged: %v", seen)
		}
		for _, bad := range []string{"/audit?from=" + at(0) + "&to=" + at(0), "/audit/verify?checkpoint=%21%21"} {
			testkit.Equal(t, bad, w.call(admin, http.MethodGet, log+bad, "").status, http.StatusUnprocessableEntity)
		}
	})
}

func TestAuditExportsAreVerifiedOffline(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		w.write("one", "two", "three")
		log := w.tenantPath()
		var before audit.LogReport
		w.into(&before, w.call(admin, http.MethodGet, log+"/audit/verify", ""))
		if !before.OK || before.Size != 3 || before.Checkpoint == "" {
			t.Fatalf("%+v", before)
		}
		w.write("four")
		kept := url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(before.Checkpoint)))
		var now audit.LogReport
		w.into(&now, w.call(admin, http.MethodGet, log+"/audit/verify?checkpoint="+kept, ""))
		if !now.OK || now.Size != 4 || now.Compared == nil || *now.Compared != 3 {
			t.Errorf("with an older checkpoint: %+v", now)
		}
		for format, kind := range map[string]string{"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8; header=present"} {
			for at, who := range map[string]string{log: admin, inInstance: instanceAdmin} {
				r := w.call(who, http.MethodGet, at+"/audit/export?format="+format, "")
				if r.status != http.StatusOK || r.header.Get("Content-Type") != kind || !strings.HasPrefix(r.header.Get("Content-Disposition"), `attachment; filename="audit-`) || !strings.HasSuffix(r.header.Get("Content-Disposition"), "."+format+`"`) {
					t.Errorf("%s of %s: %d %v", format, at, r.status, r.header)
				}
				if at == log && r.header.Get("Content-Length") != "" {
					t.Errorf("%s of %s is not streamed", format, at)
				}
				if got, err := audit.VerifyFile(strings.NewReader(r.body), "", ""); err != nil || !got.OK || got.Size == 0 {
					t.Errorf("%s of %s: %+v, %v", format, at, got, err)
				}
				bad := strings.ReplaceAll(strings.ReplaceAll(r.body, "rule.create", "rule.delete"), "telemetry.update", "telemetry.delete")
				if got, err := audit.VerifyFile(strings.NewReader(bad), "", ""); err == nil && got.OK {
					t.Errorf("%s of %s with a changed action is accepted", format, at)
				}
			}
		}
		raw(`UPDATE audit_entries SET action = 'rule.read' WHERE log_id = $1 AND seq = 1`, w.Tenant.ID)
		w.into(&now, w.call(admin, http.MethodGet, log+"/audit/verify", ""))
		if now.OK || len(now.Findings) != 1 || now.Findings[0].Kind != "altered" || *now.Findings[0].Seq != 1 {
			t.Errorf("after a change in the database: %+v", now)
		}
		if !strings.Contains(w.logs.String(), "the audit log is not the one that was written") {
			t.Error("the service's log does not report it")
		}
		var other audit.LogReport
		w.into(&other, w.call(instanceAdmin, http.MethodGet, inInstance+"/audit/verify", ""))
		testkit.Equal(t, "the instance's log", other.OK, true)
	})
}

func TestRefusalsAreRecordedOnceAMinute(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for range 5 {
		w.call(member, http.MethodGet, w.tenantPath()+"/members", "")
		w.call(stranger, http.MethodGet, w.tenantPath()+"/members", "")
		w.call(anonymous, http.MethodGet, w.tenantPath()+"/members", "")
		w.call(member, http.MethodGet, inInstance+"/settings", "")
	}
	w.call(member, http.MethodGet, w.tenantPath()+"/llm-credentials", "")
	refused := w.auditOf(admin, w.tenantPath(), "?result=refused").Items
	if n := len(refused); n < 2 || n > 3 { // 3 if a minute ended in between
		t.Fatalf("%d refusals: %+v", n, refused)
	}
	e := refused[0]
	if e.Action != "request.refuse" || e.Actor.ID != w.people[member].id || e.Target.ID != "GET "+inTenant+"/llm-credentials" || e.Note == "" {
		t.Errorf("%+v", e)
	}
	if n := len(w.auditOf(instanceAdmin, inInstance, "?result=refused").Items); n < 1 || n > 2 {
		t.Errorf("%d refusals of the instance", n)
	}
	out := httptest.NewRecorder()
	w.metrics.Handler().ServeHTTP(out, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := out.Body.String()
	for _, line := range []string{`who="user"} 11`, `who="anonymous"} 5`} {
		if !strings.Contains(text, line) {
			t.Errorf("the metric lacks %s:\n%s", line, text)
		}
	}
}

// TestEntriesBesideTheInterface checks acts without a session, and acts whose entry has more than its route.
func TestEntriesBesideTheInterface(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	e, _ := newEstates(w)
	got := w.call(anonymous, http.MethodPost, "/auth/break-glass", "token="+w.linkFrom(admin, store.LinkBreakGlass, "", time.Minute), form)
	testkit.Equal(t, "the link", got.status, http.StatusSeeOther)
	used := w.auditOf(instanceAdmin, inInstance, "?action=break-glass.redeem").Items
	made := w.auditOf(instanceAdmin, inInstance, "?action=session.create").Items
	if len(used) != 1 || used[0].Target.ID != w.people[admin].id || len(made) != 1 || used[0].Seq > made[0].Seq {
		t.Errorf("the link: %+v, the session: %+v", used, made)
	}
	dead := e.deadJob("dlv_1")
	testkit.Equal(t, "discard", w.call(instanceAdmin, http.MethodPost, inInstance+"/dead-letters/"+dead+"/discard", `{"reason":"of no use"}`).status, http.StatusNoContent)
	if l := w.auditOf(instanceAdmin, inInstance, "?targetId="+dead).Items; len(l) != 1 || l[0].Note != "of no use" || l[0].Target.Kind != "job" {
		t.Errorf("%+v", l)
	}
	w.call(instanceAdmin, http.MethodPost, inInstance+"/dead-letters/"+dead+"/discard", `{"reason":"again"}`)
	testkit.Require(t, "entries of a discard without an effect", len(w.auditOf(instanceAdmin, inInstance, "?targetId="+dead).Items), 1)
	testkit.Equal(t, "rerun", w.call(admin, http.MethodPost, e.path(inTenant+"/repositories/{repositoryId}/review-runs/{runId}/rerun"), "").status, http.StatusAccepted)
	listed := read[httpapi.List[httpapi.ReviewRun]](t, w.call(admin, http.MethodGet, e.path(inTenant+"/repositories/{repositoryId}/review-runs"), ""))
	testkit.Require(t, "runs", len(listed.Items), 2)
	if by := listed.Items[0].AskedBy; by == nil || by.How != "rerun" || by.UserID != w.people[admin].id || by.Name == "" {
		t.Errorf("the new run was requested by %+v", by)
	}
	if by := listed.Items[1].AskedBy; by != nil {
		t.Errorf("the requester of the old run is unknown, but the answer has %+v", by)
	}
	if l := w.auditOf(admin, w.tenantPath(), "?action=review-run.rerun").Items; len(l) != 1 || l[0].Target.ID != w.Run.ID || l[0].Note == "" {
		t.Errorf("%+v", l)
	}
}

// TestFirstRunWritesItsEntries goes through setup, without a signed-in user.
func TestFirstRunWritesItsEntries(t *testing.T) {
	t.Parallel()
	var all httpapi.Features // of an instance before setup
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) {
		all = features(featuretest.New(t, storetest.SQLite(t)))
		o.Audit, o.Instance, o.Tracking = all.Audit, all.Instance, all.Tracking
	})
	token, ok, err := all.Instance.NewToken(bg)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	bodies := firstRun(t, token.Reveal())
	var cookie *http.Cookie
	for _, step := range []struct{ method, path string }{
		{http.MethodPost, "/setup/session"}, {http.MethodPut, "/setup/instance"}, {http.MethodPost, "/setup/codehost/register"}, {http.MethodPut, "/setup/connection"}, {http.MethodPost, "/setup/finish"},
	} {
		r := w.call(anonymous, step.method, step.path, bodies[step.method+" "+step.path], func(r *http.Request) {
			if cookie != nil {
				r.AddCookie(cookie)
			}
		})
		if r.status >= 300 {
			t.Fatalf("%s: %d %s", step.path, r.status, r.body)
		}
		if set := r.header.Get("Set-Cookie"); set != "" {
			cookie, err = http.ParseSetCookie(set)
			must(t, err)
		}
	}
	rows, err := all.Audit.Entries(bg, domain.Tenant{}, store.AuditFilter{Limit: 50})
	must(t, err)
	var actions []string
	for _, e := range rows {
		actions = append(actions, e.Action)
		if e.Actor == nil || e.Actor.Kind == "" || e.Target == nil {
			t.Errorf("%+v", e)
		}
	}
	slices.Reverse(actions)
	testkit.Equal(t, "entries", strings.Join(actions, " "),
		"setup-token.create setup.open settings.update codehost-app.create tenant.create tenant.update instance-admin.grant setup.complete")
}
