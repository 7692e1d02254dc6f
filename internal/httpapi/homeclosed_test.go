package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// A tenant whose code host cannot be queried does not affect the person's other tenants. Its own address says
// why it is closed instead of redirecting in circles.
func TestStartPageOutlivesATenant(t *testing.T) {
	t.Parallel()
	down := simapi.Fault{Path: `^/(user|repositories|orgs)`, Action: simapi.Respond, Status: 503, Times: -1}
	lacks := simapi.Fault{Path: `^/orgs/`, Action: simapi.Forbidden, Times: -1}
	rows := map[string]struct {
		age     time.Duration // of the host's answers
		dropped bool          // the host rejects the person's token
		fault   simapi.Fault  // replaces the host's answers
		says    string
		later   bool // the tenant is open, but the console reports the host's error when it needs a role
	}{
		"all is well":                          {},
		"the host does not answer for a day":   {25 * time.Hour, false, down, "The code host does not answer at the moment.", false},
		"a new sign-in is needed":              {25 * time.Hour, true, simapi.Fault{}, "Sign in with it again.", false},
		"the host does not return the members": {25 * time.Hour, false, lacks, "members: read", false},
		"roles are too old to be shown":        {2 * time.Hour, false, down, "The code host does not answer at the moment.", true},
	}
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHostWorld(t, s, raw, withConsole)
		for name, row := range rows {
			t.Run(name, func(t *testing.T) {
				h.signIn("mona")
				must(t, s.SetMember(bg, h.other.Tenant, h.people["mona"].id, domain.RoleAdmin, domain.SourceHand))
				h.old("mona", row.age)
				if row.dropped {
					h.raw(`DELETE FROM identity_tokens`)
				}
				if row.fault.Path != "" {
					fault, err := h.sim.SetFault(row.fault)
					must(t, err)
					defer func() { must(t, h.sim.ReleaseFault(fault.ID, "")) }()
				}
				got := h.call("mona", http.MethodGet, "/", "")
				if got.status != http.StatusOK || !strings.Contains(got.body, "<title>console</title>") {
					t.Errorf("the start page is not the console: %d %s", got.status, got.body)
				}
				testkit.Equal(t, "status of the other tenant", h.call("mona", http.MethodGet, "/t/"+h.other.Tenant.ID, "").status, http.StatusOK)
				closed := h.call("mona", http.MethodGet, "/t/"+h.Tenant.ID, "")
				testkit.Equal(t, "the tenant is shown", closed.status == http.StatusOK, row.says == "" || row.later)
				if row.says != "" && !row.later && !strings.Contains(closed.body, row.says) {
					t.Errorf("its page does not say %q: %d %s", row.says, closed.status, closed.body)
				}
				if !row.dropped {
					return
				}
				must(t, s.DismissMember(bg, h.other.Tenant, h.people["mona"].id))
				testkit.Equal(t, "status of the start page for a person without another tenant", h.call("mona", http.MethodGet, "/", "").status, http.StatusOK)
			})
		}
	})
}
