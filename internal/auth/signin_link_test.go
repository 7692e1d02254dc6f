package auth_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// link creates a one-time link for a purpose. It works only in the given networks.
func link(t *testing.T, s *store.Store, user, purpose, networks string) string {
	t.Helper()
	token := secret.NewToken(secret.Link).Reveal()
	testkit.OK(t, s.CreateSignInLink(t.Context(), store.NewSignInLink{TokenHash: secret.Hash(token), User: user, Purpose: purpose, Networks: networks, Life: time.Minute}))
	return token
}

// Outside its networks a link does not exist: the answer is the same as for an unknown link, the log has an
// entry, and the link is not used up.
func TestLinksOfNetworks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		ada := w.Person("Ada", domain.RoleAdmin)
		peek := func(token, from string) error {
			_, err := w.Features.Auth.PeekLink(t.Context(), token, netip.MustParseAddr(from))
			return err
		}
		redeem := func(token, from string) error {
			_, err := w.Features.Auth.RedeemLink(t.Context(), token, netip.MustParseAddr(from), life)
			return err
		}
		entries := func(action string) []store.AuditEntry {
			t.Helper()
			rows, err := s.AuditEntries(t.Context(), domain.Tenant{}, store.AuditFilter{Action: action, Limit: 10})
			testkit.OK(t, err)
			return rows
		}
		token := link(t, s, ada, store.LinkBreakGlass, "10.0.0.0/8,2001:db8::/48")
		unknown := peek(secret.NewToken(secret.Link).Reveal(), "10.1.2.3")
		for _, from := range []string{"192.0.2.1", "2001:db8:1::1"} {
			for what, err := range map[string]error{"shown": peek(token, from), "used": redeem(token, from)} {
				if !errs.Is(err, errs.NotFound) || err.Error() != unknown.Error() {
					t.Errorf("%s from %s: %v", what, from, err)
				}
			}
		}
		refused := entries("break-glass.refuse")
		if len(refused) != 2 || refused[1].TargetID != ada || refused[1].Result != "refused" || !strings.Contains(refused[1].Body, "network") {
			t.Errorf("entries: %+v", refused)
		}
		testkit.Require(t, "entries of a redemption", len(entries("break-glass.redeem")), 0)
		testkit.OK(t, peek(token, "2001:db8:0:5::1"))
		testkit.OK(t, redeem(token, "10.1.2.3"))
		testkit.Require(t, "entries of a redemption", len(entries("break-glass.redeem")), 1)
		testkit.Equal(t, "used twice", errs.Is(redeem(token, "10.1.2.3"), errs.NotFound), true)
		broken := link(t, s, ada, store.LinkBreakGlass, "10.0.0.0") // as if changed by hand
		testkit.Equal(t, "an unreadable network", errs.Is(redeem(broken, "10.0.0.0"), errs.NotFound), true)
	})
}

// Using a break-glass link notifies the tenants of its person in the transaction that creates the session.
// Other links, and a refused link, send no notification.
func TestBreakGlassIsToldWhenUsed(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		w := featuretest.NewWorld(t, s)
		ada := w.Person("Ada", domain.RoleAdmin)
		told := func() (n int) {
			t.Helper()
			for _, row := range storetest.Dump(t, url)["events"] {
				if strings.Contains(row, "security.break_glass") && strings.Contains(row, ada) && strings.Contains(row, "used") && strings.Contains(row, w.Tenant.ID) {
					n++
				}
			}
			return n
		}
		use := func(token, from string) error {
			_, err := w.Features.Auth.RedeemLink(t.Context(), token, netip.MustParseAddr(from), life)
			return err
		}
		testkit.OK(t, use(link(t, s, ada, store.LinkSetup, ""), "10.1.2.3"))
		token := link(t, s, ada, store.LinkBreakGlass, "10.0.0.0/8")
		testkit.Equal(t, "elsewhere", errs.Is(use(token, "192.0.2.1"), errs.NotFound), true)
		testkit.Equal(t, "events before it is used", told(), 0)
		testkit.OK(t, use(token, "10.1.2.3"))
		testkit.Equal(t, "twice", errs.Is(use(token, "10.1.2.3"), errs.NotFound), true)
		testkit.Equal(t, "events of one use", told(), 1)
	})
}
