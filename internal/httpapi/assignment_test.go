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
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.mine() + "/assignment"
		var v, others assign.MyAssignmentSettings
		none := w.call(member, http.MethodGet, path, "")
		w.into(&v, none)
		testkit.Equal(t, "zone of nobody's document", v.TimeZone, "UTC")
		testkit.Equal(t, "ETag", none.header.Get("ETag"), `"v0"`)
		const body = `{"optOut":true,"maxOpenReviews":3,"timeZone":"Europe/Berlin","workingHours":[{"day":"monday","from":"09:00","to":"12:00"},{"day":"monday","from":"12:00","to":"24:00"}],"wantedPaths":["a/**"],"unwantedPaths":["b/**"]}`
		w.into(&v, w.call(member, http.MethodPut, path, body, header("If-Match", `"v0"`)))
		testkit.Equal(t, "version", v.Version, 1)
		testkit.Equal(t, "stale", w.call(member, http.MethodPut, path, body, header("If-Match", `"v0"`)).status, http.StatusPreconditionFailed)
		w.into(&v, w.call(member, http.MethodGet, path, ""))
		if !v.OptOut || *v.MaxOpenReviews != 3 || len(v.WorkingHours) != 2 {
			t.Errorf("stored is %+v", v)
		}
		w.into(&others, w.call(admin, http.MethodGet, path, ""))
		testkit.Equal(t, "somebody else's", others.Version, 0)
	})
}

func TestMyAssignmentRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"no such zone":     {`{"optOut":false,"timeZone":"Europe/Atlantis"}`, []string{"/timeZone"}},
		"the machine's":    {`{"optOut":false,"timeZone":"Local"}`, []string{"/timeZone"}},
		"backwards":        {`{"optOut":false,"timeZone":"UTC","workingHours":[{"day":"monday","from":"12:00","to":"09:00"}]}`, []string{"/workingHours/0/to"}},
		"overlap":          {`{"optOut":false,"timeZone":"UTC","workingHours":[{"day":"monday","from":"09:00","to":"12:00"},{"day":"monday","from":"11:59","to":"13:00"}]}`, []string{"/workingHours/1"}},
		"no time":          {`{"optOut":false,"timeZone":"UTC","workingHours":[{"day":"monday","from":"25:00","to":"26:00"}]}`, []string{"/workingHours/0/from", "/workingHours/0/to"}},
		"out of the tree":  {`{"optOut":false,"timeZone":"UTC","wantedPaths":["../x"]}`, []string{"/wantedPaths/0"}},
		"wanted and not":   {`{"optOut":false,"timeZone":"UTC","wantedPaths":["a"],"unwantedPaths":["a"]}`, []string{"/unwantedPaths/0"}},
		"no reviews":       {`{"optOut":false,"timeZone":"UTC","maxOpenReviews":0}`, []string{"/maxOpenReviews"}},
		"what is missing":  {`{}`, []string{"/optOut", "/timeZone"}},
		"same day, no day": {`{"optOut":false,"timeZone":"UTC","workingHours":[{"day":"funday","from":"09:00","to":"12:00"}]}`, []string{"/workingHours/0/day"}},
	} {
		got := w.call(member, http.MethodPut, w.mine()+"/assignment", tc.body)
		if fields := wrongFields(t, got); !slices.Equal(fields, tc.fields) {
			t.Errorf("%s: wrong fields are %v, want %v: %s", name, fields, tc.fields, got.body)
		}
	}
}

func TestAvailability(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.mine() + "/assignment/availability"
		day := func(n int) string { return time.Now().AddDate(0, 0, n).UTC().Format(time.RFC3339) }
		var v assign.Availability
		w.made(&v, member, path, `{"from":"`+day(-1)+`","to":"`+day(2)+`","kind":"away","note":"Sea"}`)
		for name, body := range map[string]string{
			"backwards": `{"from":"` + day(2) + `","to":"` + day(1) + `","kind":"away"}`,
			"over":      `{"from":"` + day(-9) + `","to":"` + day(-1) + `","kind":"away"}`,
			"too long":  `{"from":"` + day(1) + `","to":"` + day(400) + `","kind":"away"}`,
		} {
			if got := wrongFields(t, w.call(member, http.MethodPost, path, body)); !slices.Equal(got, []string{"/to"}) {
				t.Errorf("%s: %v", name, got)
			}
		}
		var list httpList[assign.Availability]
		w.into(&list, w.call(member, http.MethodGet, path, ""))
		testkit.Require(t, "listed", len(list.Items), 1)
		testkit.Equal(t, "note", list.Items[0].Note, "Sea")
		w.into(&list, w.call(admin, http.MethodGet, path, ""))
		testkit.Require(t, "listed for somebody else", len(list.Items), 0)
		testkit.Equal(t, "deleted by somebody else", w.call(admin, http.MethodDelete, path+"/"+v.ID, "").status, http.StatusNotFound)
		testkit.Equal(t, "deleted", w.call(member, http.MethodDelete, path+"/"+v.ID, "").status, http.StatusNoContent)
		for range assign.MaxAvailability {
			w.made(&v, member, path, `{"from":"`+day(1)+`","to":"`+day(2)+`","kind":"reduced"}`)
		}
		full := w.call(member, http.MethodPost, path, `{"from":"`+day(1)+`","to":"`+day(2)+`","kind":"reduced"}`)
		testkit.Equal(t, "one too many", full.status, http.StatusConflict)
	})
}

func TestAssignmentSettingsAndGate(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/assignment/settings"
		body := func(mode, excluded string) string {
			return `{"mode":"` + mode + `","weights":{"ownership":1,"knowledge":0,"workload":0,"availability":0,"fairness":0},"reviewers":2,"excludedUserIds":[` + excluded + `],"fairnessWindowDays":30}`
		}
		me := w.people[member].id
		var v assign.TenantAssignmentSettings
		w.into(&v, w.call(member, http.MethodGet, path, ""))
		testkit.Equal(t, "default mode", v.Mode, "off")
		for name, id := range map[string]string{"a stranger": w.people[stranger].id, "nobody": "usr_never"} {
			if got := wrongFields(t, w.call(admin, http.MethodPut, path, body("apply", `"`+me+`","`+id+`"`))); !slices.Equal(got, []string{"/excludedUserIds/1"}) {
				t.Errorf("%s: %v", name, got)
			}
		}
		nothing := strings.Replace(body("apply", ""), `"ownership":1`, `"ownership":0`, 1)
		if got := wrongFields(t, w.call(admin, http.MethodPut, path, nothing)); !slices.Equal(got, []string{"/weights"}) {
			t.Errorf("no weight: %v", got)
		}
		w.into(&v, w.call(admin, http.MethodPut, path, body("apply", `"`+me+`"`)))
		if !slices.Equal(v.ExcludedUserIDs, []string{me}) || v.Version != 1 {
			t.Errorf("stored is %+v", v)
		}

		var seen assign.AssignmentTransparency
		w.into(&seen, w.call(member, http.MethodGet, w.tenantPath()+"/assignment/transparency", ""))
		if !seen.Mine.Excluded || seen.Weights.Ownership != 1 || !strings.Contains(seen.Formula, "1 × ownership") {
			t.Errorf("the member is told %+v", seen)
		}
		var used []string
		for _, d := range seen.Data {
			if d.InUse {
				used = append(used, d.Name)
			}
		}
		if seen.Suggests || !slices.Equal(used, []string{"settings", "availability"}) {
			t.Errorf("suggestions are made: %v, in use: %v; nothing reads the other data yet", seen.Suggests, used)
		}

		var gate assign.AssignmentGate
		met := func() (out []string) {
			w.into(&gate, w.call(member, http.MethodGet, w.repo()+"/assignment/gate", ""))
			for _, c := range gate.Conditions {
				if c.Met {
					out = append(out, c.Name)
				}
			}
			return out
		}
		if got := met(); !slices.Equal(got, []string{"tenant_mode"}) {
			t.Errorf("met: %v", got)
		}
		var choice assign.ApplyOptIn
		w.into(&choice, w.call(admin, http.MethodPut, w.repo()+"/assignment/apply-opt-in", `{"optedIn":true}`))
		for i := range assign.MinShadowResults {
			_, err := s.AddAssignment(bg, w.Tenant, store.Assignment{Repository: w.Repository.ID, PullRequest: w.Pull.ID, Number: 1, Mode: "shadow", Suggestions: `[{"userId":"u","name":"Mona","score":0.5,"reasons":["owns it"]}]`, Agreed: new(i%2 == 0)})
			must(t, err)
		}
		if got := met(); !slices.Equal(got, []string{"tenant_mode", "repository_opt_in", "shadow_results"}) || gate.Open || *gate.Shadow.Share != 0.5 {
			t.Errorf("met: %v, %+v", got, gate)
		}
		var list httpList[assign.Assignment]
		w.into(&list, w.call(member, http.MethodGet, w.repo()+"/assignments?limit=1", ""))
		testkit.Equal(t, "reason", list.Items[0].Suggestions[0].Reasons[0], "owns it")
		must(t, s.RequestReview(bg, w.Tenant, w.Repository.ID, w.Pull.ID, me, 12))
		var load httpList[assign.Workload]
		w.into(&load, w.call(admin, http.MethodGet, w.repo()+"/assignment/workload", ""))
		testkit.Equal(t, "open work", load.Items[0], assign.Workload{UserID: me, Name: member, OpenReviews: 1, ChangedLines: 12})

		must(t, s.DismissMember(bg, w.Tenant, me))
		w.into(&v, w.call(admin, http.MethodGet, path, ""))
		testkit.Require(t, "excluded after leaving", len(v.ExcludedUserIDs), 0)
	})
}
