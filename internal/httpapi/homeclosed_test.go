package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// A tenant about which a code host cannot be asked is said on the start page, and
// takes nothing away from the other tenants.
func TestStartPageOutlivesATenant(t *testing.T) {
	t.Parallel()
	const down = `^/(user|repositories|orgs)`
	rows := map[string]struct {
		age     time.Duration // of what the host said
		dropped bool          // the host takes the person's token no more
		fault   string        // the paths at which the host does not answer
		says    string
	}{
		"all is well":                        {},
		"the host does not answer for a day": {25 * time.Hour, false, down, "The code host does not answer at the moment."},
		"a new sign-in is needed":            {25 * time.Hour, true, "", "Sign in with it again."},
		"roles are too old to be shown":      {2 * time.Hour, false, down, "The code host does not answer at the moment."},
	}
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHostWorld(t, s, raw)
		for name, row := range rows {
			t.Run(name, func(t *testing.T) {
				h.signIn("mona")
				must(t, s.SetMember(bg, h.other.Tenant, h.people["mona"].id, domain.RoleAdmin, domain.SourceHand))
				h.old("mona", row.age)
				if row.dropped {
					h.raw(`DELETE FROM identity_tokens`)
				}
				if row.fault != "" {
					fault, err := h.sim.SetFault(simapi.Fault{Path: row.fault, Action: simapi.Respond, Status: 503, Times: -1})
					must(t, err)
					defer func() { must(t, h.sim.ReleaseFault(fault.ID, "")) }()
				}
				got := h.call("mona", http.MethodGet, "/", "")
				if got.status != http.StatusOK || !strings.Contains(got.body, h.other.Run.ID) {
					t.Errorf("the page lacks the other tenant: %d %s", got.status, got.body)
				}
				if told := strings.Contains(got.body, "There is more for you"); told != (row.says != "") || !strings.Contains(got.body, row.says) {
					t.Errorf("the page does not say %q, or says more: %s", row.says, got.body)
				}
				if !row.dropped {
					return
				}
				must(t, s.DismissMember(bg, h.other.Tenant, h.people["mona"].id))
				if got := h.call("mona", http.MethodGet, "/", ""); strings.Contains(got.body, "No review has run yet") || !strings.Contains(got.body, row.says) {
					t.Errorf("the page of who has no other tenant: %s", got.body)
				}
			})
		}
	})
}

// A host that does not answer at all is waited for once, not once for each tenant:
// the page is there before its time is over.
func TestStartPageWaitsOnceForAHost(t *testing.T) {
	t.Parallel()
	s, raw := storetest.SQLiteRaw(t)
	h := newHostWorld(t, s, raw, func(o *httpapi.Options) {
		o.Auth.Backoff = time.Hour
		o.Timeout = 8 * time.Second // one wait is 5 s
	})
	h.signIn("mona")
	must(t, s.SetMember(bg, h.other.Tenant, h.people["mona"].id, domain.RoleAdmin, domain.SourceHand))
	h.old("mona", 25*time.Hour)
	fault, err := h.sim.SetFault(simapi.Fault{Path: "^/user", Action: simapi.Hold, Times: -1})
	must(t, err)
	defer func() { must(t, h.sim.ReleaseFault(fault.ID, simapi.Drop)) }()
	got := h.call("mona", http.MethodGet, "/", "")
	if got.status != http.StatusOK || !strings.Contains(got.body, h.other.Run.ID) || !strings.Contains(got.body, "does not answer") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
