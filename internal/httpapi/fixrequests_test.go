package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/wording"
)

// Requests for fixes are refused for people without the right, for runs and findings of others, and for lists that are too short or too
// long. None of them starts a fix run.
func TestRequestsForFixesAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	at := "/review-runs/" + w.Run.ID + "/fixes"
	ids := func(n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("fnd_%d", i)
		}
		raw, err := json.Marshal(map[string]any{"findingIds": list})
		must(t, err)
		return string(raw)
	}
	other := w.secondRepository(false)
	for name, c := range map[string]struct {
		who, path, body string
		status          int
	}{
		"a viewer":                    {member, w.repo() + at, ids(1), http.StatusForbidden},
		"a run of another repository": {admin, w.tenantPath() + "/repositories/" + other.ID + at, ids(1), http.StatusNotFound},
		"no such run":                 {admin, w.repo() + "/review-runs/run_other/fixes", ids(1), http.StatusNotFound},
		"no finding":                  {admin, w.repo() + at, ids(0), http.StatusUnprocessableEntity},
		"21 findings":                 {admin, w.repo() + at, ids(21), http.StatusUnprocessableEntity},
		"501 findings":                {admin, w.repo() + at, ids(501), http.StatusUnprocessableEntity},
		"a finding of another tenant": {admin, w.repo() + at, ids(1), http.StatusUnprocessableEntity},
		"an unknown delivery":         {admin, w.repo() + at, `{"findingIds":["fnd_1"],"delivery":"mail"}`, http.StatusUnprocessableEntity},
	} {
		got := w.call(c.who, http.MethodPost, c.path, c.body)
		if got.status != c.status || strings.Contains(got.body, "fnd_1") {
			t.Errorf("%s: %d %s, want %d", name, got.status, got.body, c.status)
		}
	}
	list, err := w.Store.FixRuns(bg, w.Tenant, w.Repository.ID, store.FixRunFilter{})
	must(t, err)
	testkit.Equal(t, "fix runs", len(list), 0)
}

// Of two requests at once, one starts a fix run. The limits of a head and of a pull request hold, and nothing starts without budget.
func TestFixRunsStayWithinTheLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.fill()
	_, err := w.Features.Tenant.PutPolicy(bg, w.Tenant, w.Repository, 0,
		featuretest.Request[policy.RepositoryPolicyUpdate](t, `{"fixes":"suggestions"}`))
	must(t, err)
	found, err := w.Store.RunFindings(bg, w.Tenant, w.Run.ID)
	must(t, err)
	ended := store.FixMove{From: domain.FixQueued, To: domain.FixCancelled, Reason: "tried"}
	body := `{"findingIds":["` + found[0].ID + `"]}`
	both := func(run store.Run, want string) {
		t.Helper()
		var got [2]reply
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() { got[i] = w.call(admin, http.MethodPost, w.repo()+"/review-runs/"+run.ID+"/fixes", body) })
		}
		all.Wait()
		status := []int{got[0].status, got[1].status}
		slices.Sort(status)
		if fmt.Sprint(status) != want || strings.Contains(want, "202") && !strings.Contains(got[0].body+got[1].body, "fix_under_way") {
			t.Errorf("%v, want %s: %s %s", status, want, got[0].body, got[1].body)
		}
		open, err := w.Store.FixRuns(bg, w.Tenant, w.Repository.ID, store.FixRunFilter{State: domain.FixQueued})
		must(t, err)
		for _, r := range open {
			_, err := w.Store.MoveFixRun(bg, w.Tenant, r.ID, ended)
			must(t, err)
		}
	}
	for range store.MaxFixRunsOfHead {
		both(w.Run, "[202 409]")
	}
	both(w.Run, "[409 409]")
	list, err := w.Store.FixRuns(bg, w.Tenant, w.Repository.ID, store.FixRunFilter{})
	must(t, err)
	testkit.Equal(t, "fix runs of the head", len(list), store.MaxFixRunsOfHead)
	for i := range 7 { // of earlier heads
		w.endedFixRun(t, storetest.SHA(fmt.Sprint(i)))
	}
	err = w.Store.FixRoom(bg, w.Tenant, w.Pull.ID, storetest.SHA("next"))
	testkit.Equal(t, "an eleventh one", err != nil && strings.Contains(err.Error(), "This pull request has had 10 fix runs"), true)
	_, err = w.Features.Tenant.PutLlmPolicy(bg, w.Tenant, 0,
		featuretest.Request[tenant.TenantLlmPolicy](t, `{"budget":{"monthlyMicros":1234,"currency":"USD","mode":"hard"}}`))
	must(t, err)
	got := w.call(admin, http.MethodPost, w.repo()+"/review-runs/"+w.Run.ID+"/fixes", body)
	testkit.Equal(t, "without budget", got.status == http.StatusConflict && strings.Contains(got.body, store.CodeBudget), true)
	got = w.call(admin, http.MethodGet, w.repo()+"/findings/"+found[0].ID, "")
	testkit.Equal(t, "the finding says why", strings.Contains(got.body, "budget for models is used up"), true)
}

// An eleventh fix run of a pull request is refused with the reason, although its head has had none, and the finding says so.
func TestAPullRequestHasTenFixRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.fill()
	_, err := w.Features.Tenant.PutPolicy(bg, w.Tenant, w.Repository, 0,
		featuretest.Request[policy.RepositoryPolicyUpdate](t, `{"fixes":"suggestions"}`))
	must(t, err)
	found, err := w.Store.RunFindings(bg, w.Tenant, w.Run.ID)
	must(t, err)
	for i := range 10 {
		w.endedFixRun(t, storetest.SHA(fmt.Sprint(i)))
	}
	const want = "This pull request has had 10 fix runs"
	got := w.call(admin, http.MethodPost, w.repo()+"/review-runs/"+w.Run.ID+"/fixes", `{"findingIds":["`+found[0].ID+`"]}`)
	testkit.Equal(t, "refused", got.status == http.StatusConflict && strings.Contains(got.body, want), true)
	got = w.call(admin, http.MethodGet, w.repo()+"/findings/"+found[0].ID, "")
	testkit.Equal(t, "the finding says why", strings.Contains(got.body, want), true)
	list, err := w.Store.FixRuns(bg, w.Tenant, w.Repository.ID, store.FixRunFilter{})
	must(t, err)
	testkit.Equal(t, "fix runs", len(list), 10)
}

// endedFixRun stores a cancelled fix run of a head.
func (w *world) endedFixRun(t *testing.T, head string) {
	t.Helper()
	v := store.FixRun{Record: store.Record{Repository: w.Repository.ID}, Run: w.Run.ID, PullRequest: w.Pull.ID, Number: w.Pull.Number,
		HeadSHA: head, FindingIDs: "[]", Delivery: domain.FixSuggestions}
	made, _, err := w.Store.CreateFixRun(bg, w.Tenant, v)
	must(t, err)
	_, err = w.Store.MoveFixRun(bg, w.Tenant, made.ID, store.FixMove{From: domain.FixQueued, To: domain.FixCancelled, Reason: "tried"})
	must(t, err)
}

// A finding lists the fix runs that were asked to mend it, the newest first, each with what became of this finding.
func TestFindingsListTheirFixRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.fill()
	found, err := w.Store.RunFindings(bg, w.Tenant, w.Run.ID)
	must(t, err)
	id, other := found[0].ID, found[1].ID
	result := func(o ...fix.Outcome) string { return store.JSON(fix.Result{Findings: o}) }
	for i, v := range []store.FixRun{
		{FindingIDs: store.JSON([]string{other}), State: domain.FixCompleted, Result: "{}"},
		{FindingIDs: store.JSON([]string{other, id}), State: domain.FixCompleted,
			Result: result(fix.Outcome{FindingID: other, Passed: true}, fix.Outcome{FindingID: id, Reason: fix.Removes})},
		{FindingIDs: store.JSON([]string{id}), State: domain.FixCompleted, Result: result(fix.Outcome{FindingID: id, Passed: true})},
		{FindingIDs: store.JSON([]string{id}), State: domain.FixFailed, Result: "{}", Reason: "No model answered."},
	} {
		v.Record, v.Run, v.PullRequest, v.Number = store.Record{Repository: w.Repository.ID}, w.Run.ID, w.Pull.ID, w.Pull.Number
		v.Delivery, v.AskedName, v.HeadSHA = domain.FixSuggestions, fmt.Sprint("person ", i), w.Pull.HeadSHA
		_, err := store.AddRecord(bg, w.Store, w.Tenant, v)
		must(t, err)
	}
	var h httpapi.FindingHistory
	w.into(&h, w.call(member, http.MethodGet, w.repo()+"/findings/"+id, ""))
	var got []string
	for _, f := range h.Fixes {
		got = append(got, strings.Join([]string{f.AskedBy, f.State, f.Outcome, f.Sentence}, "|"))
	}
	slices.Sort(got)
	want := []string{"person 1|completed|refused|" + fix.Removes.Sentence(wording.In("en")).String(), "person 2|completed|passed|",
		"person 3|failed||No model answered."}
	testkit.Equal(t, "fix runs", strings.Join(got, "\n"), strings.Join(want, "\n"))
	w.into(&h, w.call(member, http.MethodGet, w.repo()+"/findings/"+other, ""))
	testkit.Equal(t, "fix runs of the other finding", len(h.Fixes), 2)
}
