package httpapi_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func (w *world) mine() string { return "/api/me/tenants/" + w.Tenant.ID }

// The routes below /api/me act for the caller alone.
func TestMeRoutesActForTheCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.mine() + "/assignment"
	testkit.Equal(t, "stored", w.call(member, http.MethodPut, path, `{"optOut":true,"timeZone":"UTC"}`).status, http.StatusOK)
	var absence assign.Availability
	w.made(&absence, member, path+"/availability", `{"from":"`+time.Now().UTC().Format(time.RFC3339)+`","to":"`+time.Now().AddDate(0, 0, 2).UTC().Format(time.RFC3339)+`","kind":"away"}`)
	for who, version := range map[string]int64{member: 1, admin: 0} {
		var v assign.MyAssignmentSettings
		w.into(&v, w.call(who, http.MethodGet, path, ""))
		testkit.Equal(t, "version of the settings of "+who, v.Version, version)
		var list httpList[assign.Availability]
		w.into(&list, w.call(who, http.MethodGet, path+"/availability", ""))
		testkit.Equal(t, "absences of "+who, len(list.Items), int(version))
		var seen assign.AssignmentTransparency
		w.into(&seen, w.call(who, http.MethodGet, w.tenantPath()+"/assignment/transparency", ""))
		testkit.Equal(t, "opt-out shown to "+who, seen.Mine.Settings.OptOut, version == 1)
	}
	testkit.Equal(t, "deleted by another person", w.call(admin, http.MethodDelete, path+"/availability/"+absence.ID, "").status, http.StatusNotFound)
	testkit.Equal(t, "deleted", w.call(member, http.MethodDelete, path+"/availability/"+absence.ID, "").status, http.StatusNoContent)

	var v notify.PushSubscription
	w.into(&v, w.call(member, http.MethodPut, w.mine()+"/push-subscriptions", browser(t, "https://fcm.googleapis.com/fcm/send/x")))
	for who, want := range map[string]int{member: 1, admin: 0} {
		var list httpapi.PushSubscriptions
		w.into(&list, w.call(who, http.MethodGet, w.mine()+"/push-subscriptions", ""))
		testkit.Equal(t, "browsers of "+who, len(list.Items), want)
		testkit.Equal(t, "length of the public key", len(list.VAPIDPublicKey), 87) // of 65 bytes
	}
	testkit.Equal(t, "tested by another person", w.call(admin, http.MethodPost, w.mine()+"/push-subscriptions/"+v.ID+"/test", "").status, http.StatusNotFound)

	must(t, w.store.PutSetting(bg, w.Tenant, "", store.SettingAnalytics, `{"perPersonFigures":true,"smallestGroup":5,"retentionDays":365}`))
	var mine, all analytics.Figures
	w.into(&mine, w.call(admin, http.MethodGet, w.mine()+"/analytics", ""))
	w.into(&all, w.call(admin, http.MethodGet, w.tenantPath()+"/analytics", ""))
	testkit.Equal(t, "runs of a person without pull requests", mine.TotalReviews, 0)
	testkit.Equal(t, "runs of all", all.TotalReviews, 1)
}
