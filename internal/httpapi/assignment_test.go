package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func (w *world) mine() string { return "/api/me/tenants/" + w.Tenant.ID }

func TestMyAssignmentSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.mine() + "/assignment"
	var v, others assign.MyAssignmentSettings
	none := w.call(member, http.MethodGet, path, "")
	w.into(&v, none)
	testkit.Equal(t, "ETag", none.header.Get("ETag"), `"v0"`)
	const body = `{"optOut":true,"maxOpenReviews":3,"timeZone":"Europe/Berlin","workingHours":[{"day":"monday","from":"09:00","to":"12:00"},{"day":"monday","from":"12:00","to":"24:00"}],"wantedPaths":["a/**"],"unwantedPaths":["b/**"]`
	w.into(&v, w.call(member, http.MethodPut, path, body+"}", header("If-Match", `"v0"`)))
	testkit.Equal(t, "version", v.Version, 1)
	testkit.Equal(t, "stale", w.call(member, http.MethodPut, path, body+"}", header("If-Match", `"v0"`)).status, http.StatusPreconditionFailed)
	if got := w.call(member, http.MethodGet, path, ""); !strings.HasPrefix(got.body, body+`,"version":1,`) {
		t.Errorf("stored is %s", got.body)
	}
	w.into(&others, w.call(admin, http.MethodGet, path, ""))
	testkit.Equal(t, "somebody else's", others.Version, 0)
}

func TestMyAssignmentRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"no time":         {`{"optOut":false,"timeZone":"UTC","workingHours":[{"day":"monday","from":"25:00","to":"26:00"}]}`, []string{"/workingHours/0/from", "/workingHours/0/to"}},
		"no day":          {`{"optOut":false,"timeZone":"UTC","workingHours":[{"day":"funday","from":"09:00","to":"12:00"}]}`, []string{"/workingHours/0/day"}},
		"no reviews":      {`{"optOut":false,"timeZone":"UTC","maxOpenReviews":0}`, []string{"/maxOpenReviews"}},
		"what is missing": {`{}`, []string{"/optOut", "/timeZone"}},
		"by the feature":  {`{"optOut":false,"timeZone":"UTC","wantedPaths":["a","../x"],"unwantedPaths":["a"]}`, []string{"/wantedPaths/1", "/unwantedPaths/0"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(member, http.MethodPut, w.mine()+"/assignment", tc.body)
			if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
				t.Errorf("wrong fields are %v, want %v: %s", fields, tc.fields, got.body)
			}
		})
	}
}

func TestAvailability(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.mine() + "/assignment/availability"
	day := func(n int) string { return time.Now().AddDate(0, 0, n).UTC().Format(time.RFC3339) }
	var v assign.Availability
	w.made(&v, member, path, `{"from":"`+day(-1)+`","to":"`+day(2)+`","kind":"away","note":"Sea"}`)
	if got := wrongFields(t, w.call(member, http.MethodPost, path, `{"from":"`+day(2)+`","to":"`+day(1)+`","kind":"away"}`)); !slices.Equal(got, []string{"/to"}) {
		t.Errorf("backwards: %v", got)
	}
	var list httpList[assign.Availability]
	w.into(&list, w.call(member, http.MethodGet, path, ""))
	testkit.Require(t, "listed", len(list.Items), 1)
	testkit.Equal(t, "note", list.Items[0].Note, "Sea")
	testkit.Equal(t, "listed for somebody else", w.call(admin, http.MethodGet, path, "").body, `{"items":[]}`+"\n")
	testkit.Equal(t, "deleted by somebody else", w.call(admin, http.MethodDelete, path+"/"+v.ID, "").status, http.StatusNotFound)
	testkit.Equal(t, "deleted", w.call(member, http.MethodDelete, path+"/"+v.ID, "").status, http.StatusNoContent)
}

func TestAssignmentSettingsAndGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path, me := w.tenantPath()+"/assignment/settings", w.people[member].id
	body := func(excluded string) string {
		return `{"mode":"apply","weights":{"ownership":1,"knowledge":0,"workload":0,"availability":0,"fairness":0},"reviewers":2,"excludedUserIds":["` + excluded + `"],"fairnessWindowDays":30}`
	}
	var v assign.TenantAssignmentSettings
	w.into(&v, w.call(member, http.MethodGet, path, ""))
	testkit.Equal(t, "default mode", v.Mode, "off")
	if got := wrongFields(t, w.call(admin, http.MethodPut, path, body("usr_never"))); !slices.Equal(got, []string{"/excludedUserIds/0"}) {
		t.Errorf("nobody: %v", got)
	}
	w.into(&v, w.call(admin, http.MethodPut, path, body(me)))
	if !slices.Equal(v.ExcludedUserIDs, []string{me}) || v.Version != 1 {
		t.Errorf("stored is %+v", v)
	}
	var seen assign.AssignmentTransparency
	w.into(&seen, w.call(member, http.MethodGet, w.tenantPath()+"/assignment/transparency", ""))
	testkit.Equal(t, "the member is told to be excluded", seen.Mine.Excluded, true)

	var choice assign.ApplyOptIn
	w.into(&choice, w.call(admin, http.MethodPut, w.repo()+"/assignment/apply-opt-in", `{"optedIn":true}`))
	var gate assign.AssignmentGate
	answer := w.call(member, http.MethodGet, w.repo()+"/assignment/gate", "")
	w.into(&gate, answer)
	var met []string
	for _, c := range gate.Conditions {
		if c.Met {
			met = append(met, c.Name)
		}
	}
	if !slices.Equal(met, []string{"tenant_mode", "repository_opt_in"}) || gate.Open || !strings.Contains(answer.body, `"share":null`) {
		t.Errorf("met: %v, %s", met, answer.body)
	}
	for range 2 {
		_, err := w.store.AddAssignment(bg, w.Tenant, store.Assignment{Repository: w.Repository.ID, PullRequest: w.Pull.ID, Number: 1, Mode: "shadow", Suggestions: `[{"userId":"u","name":"Mona","score":0.5,"reasons":["owns it"]}]`})
		must(t, err)
	}
	var page, next httpList[assign.Assignment]
	w.into(&page, w.call(member, http.MethodGet, w.repo()+"/assignments?limit=1", ""))
	w.into(&next, w.call(member, http.MethodGet, w.repo()+"/assignments?limit=1&cursor="+page.NextCursor, ""))
	if len(page.Items) != 1 || len(next.Items) != 1 || page.Items[0].ID == next.Items[0].ID || page.Items[0].Suggestions[0].Reasons[0] != "owns it" {
		t.Errorf("pages %+v and %+v", page, next)
	}
	must(t, w.store.RequestReview(bg, w.Tenant, w.Repository.ID, w.Pull.ID, me, 12))
	testkit.Equal(t, "open work", w.call(admin, http.MethodGet, w.repo()+"/assignment/workload", "").body,
		`{"items":[{"userId":"`+me+`","name":"`+member+`","openReviews":1,"changedLines":12}]}`+"\n")
}
