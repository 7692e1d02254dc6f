package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// Rights from an installation that can no longer be queried count for a day, like those from any other
// source, and again once the host confirms them.
func TestMembershipOfASilentInstallationLapses(t *testing.T) {
	t.Parallel()
	const fresh, late = 23 * time.Hour, 25 * time.Hour // younger and older than a day
	rows := map[string]struct {
		state   domain.InstallationState
		dropped bool // the host rejects the person's token, so that no query is possible
		age     time.Duration
		want    string
	}{
		"suspended, within the day":                        {domain.InstallationSuspended, false, fresh, "member"},
		"suspended, after it":                              {domain.InstallationSuspended, false, late, "nothing"},
		"suspended, after it, without a token":             {domain.InstallationSuspended, true, late, "nothing"},
		"removed, within the day, without a token":         {domain.InstallationDeleted, true, fresh, "member"},
		"removed, after it, without a token":               {domain.InstallationDeleted, true, late, "nothing"},
		"removed, found at the next query":                 {domain.InstallationDeleted, false, fresh, "nothing"},
		"active, after it, without a token":                {domain.InstallationActive, true, late, "sign_in_again"},
		"active, within the day, without a token":          {domain.InstallationActive, true, fresh, "member"},
		"active, after it: the host confirms it meanwhile": {domain.InstallationActive, false, late, "member"},
	}
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitHubWorld(t, s, raw)
		state := func(v domain.InstallationState) {
			testkit.OK(t, s.SetInstallationState(t.Context(), h.one.Installation, v))
		}
		for name, row := range rows {
			t.Run(name, func(t *testing.T) {
				h.signIn("mona")
				testkit.Require(t, "role after the sign-in", h.role("mona"), "member")
				state(row.state)
				if row.dropped {
					raw(`DELETE FROM identity_tokens`)
				}
				h.old("mona", row.age)
				testkit.Equal(t, "role", h.role("mona"), row.want)
				testkit.Equal(t, "listed", h.listed("mona"), row.want != "nothing")
				state(domain.InstallationActive)
			})
		}
		h.signIn("mona")
		state(domain.InstallationSuspended)
		h.old("mona", late)
		h.expect("mona", "nothing")
		state(domain.InstallationActive)
		testkit.OK(t, s.MarkMembersStale(t.Context(), h.Tenant)) // like the event of the host
		h.expect("mona", "member review view")
	})
}

// A host that answers without the members of an organisation is not treated as down: the sign-in does not
// wait, and the refusal names the app's missing permission.
func TestHostThatDoesNotSayWhoBelongs(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitHubWorld(t, s, raw)
		h.signIn("mona")
		lacks := h.fault("^/orgs/", simapi.Fault{Action: simapi.Forbidden})
		h.old("mona", 23*time.Hour)
		testkit.Equal(t, "within the day", h.role("mona"), "member")
		h.old("mona", 2*time.Hour)
		for _, at := range []string{"asked now", "asked a moment ago"} {
			_, err := h.Features.Auth.SessionRole(t.Context(), h.Tenant, h.session("mona"))
			if !errs.Is(err, errs.Forbidden) || code(t, err) != "host_does_not_say" || !strings.Contains(err.Error(), "members: read") {
				t.Errorf("after the day, %s: %v", at, err)
			}
		}
		over := h.fault("^/user", simapi.Fault{Action: simapi.Respond, Status: 503})
		h.old("mona", 2*time.Hour)
		testkit.Equal(t, "down", h.role("mona"), "unavailable")
		over()
		lacks()
		testkit.OK(t, s.MarkMembersStale(t.Context(), h.Tenant))
		h.expect("mona", "member review view")
	})
}
