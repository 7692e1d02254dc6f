package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A reviewer dismisses a finding and withdraws the dismissal. The history shows both, and why its reader may
// not dismiss. The audit log has both.
func TestDismissals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.fill()
	w.person(reviewer, false, w.Tenant, domain.RoleMember)
	w.role(reviewer, w.Repository, "review")
	var l httpapi.List[httpapi.ListedFinding]
	w.into(&l, w.call(member, http.MethodGet, w.repo()+"/findings?rule=llm/x", ""))
	at := w.repo() + "/findings/" + l.Items[0].ID
	read := func(who string) (h httpapi.FindingHistory) {
		t.Helper()
		w.into(&h, w.call(who, http.MethodGet, at, ""))
		return h
	}
	testkit.Equal(t, "dismissed", w.call(reviewer, http.MethodPut, at+"/dismissal", `{"reason":"the caller checks it"}`).status, http.StatusOK)
	testkit.Equal(t, "state", string(read(member).State), "dismissed")
	testkit.Equal(t, "taken back", w.call(reviewer, http.MethodDelete, at+"/dismissal", "").status, http.StatusOK)
	h := read(member)
	h.Decisions = slices.DeleteFunc(h.Decisions, func(d httpapi.FindingDecision) bool { return d.Kind != "dismissal" }) // the suppressions that it proposed
	if len(h.Decisions) != 2 || h.Decisions[0].State != "open" || h.Decisions[1].State != "dismissed" || h.Decisions[1].Why != "the caller checks it" || h.WhyNotDismiss == "" {
		t.Errorf("history: %+v", h)
	}
	who, err := w.store.UserByID(bg, h.Decisions[1].By)
	testkit.OK(t, err)
	testkit.Equal(t, "who dismissed it", h.Decisions[1].Name, who.Name)
	testkit.Equal(t, "the run that found it is the last one", h.UnjudgedBy, "")
	later := storetest.Run(t, w.store, w.Pull, "push:later")
	for _, m := range [][2]domain.RunState{{domain.RunQueued, domain.RunRunning}, {domain.RunRunning, domain.RunPublishing}, {domain.RunPublishing, domain.RunCompleted}} {
		_, err := w.store.MoveRun(bg, w.Tenant, later.ID, store.RunMove{From: m[0], To: m[1], Cause: "test"})
		testkit.OK(t, err)
	}
	testkit.Equal(t, "a later run has not judged it", read(member).UnjudgedBy, later.ID)
	testkit.Equal(t, "why a reviewer may not dismiss", read(reviewer).WhyNotDismiss, "")
	if log := w.call(admin, http.MethodGet, w.tenantPath()+"/audit?limit=100", "").body; !strings.Contains(log, `"finding.dismiss"`) || !strings.Contains(log, `"finding.reopen"`) || !strings.Contains(log, "the caller checks it") {
		t.Errorf("the audit log: %s", log)
	}
}
