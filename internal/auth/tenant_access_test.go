package auth_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A session from a tenant's own provider cannot link an account to its person, because the account would give
// the session access to other tenants. This holds at every step of the account's sign-in.
func TestTenantsProviderLinksNothing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newIDWorld(t, s)
		in := w.signIn("ada")
		session, err := s.UseSession(t.Context(), secret.Hash(in.Token), time.Hour)
		testkit.OK(t, err)
		link := func(subject string) error {
			_, err := w.auth.Enter(t.Context(), auth.Attempt{Session: session.ID}, auth.Known{Issuer: "https://github.example.com", Subject: subject, Kind: store.IdentityCodeHost, Method: "github"},
				auth.Browser{Token: in.Token, Absolute: time.Hour, Idle: time.Hour}, nil)
			return err
		}
		tenants := func(c auth.TenantChoice) {
			t.Helper()
			_, err := w.auth.UpdateIdentityProvider(t.Context(), w.company.ID, 0, auth.IdentityProviderUpdate{Tenants: patch.Of(c)})
			testkit.OK(t, err)
		}
		tenants(auth.TenantChoice{IDs: []string{w.tenant.ID}})
		if err := link("7"); !errs.Is(err, errs.Forbidden) {
			t.Errorf("a session of a tenant's own provider: %v", err)
		}
		_, err = s.Identity(t.Context(), "https://github.example.com", "7")
		testkit.Equal(t, "the account is not linked", errs.Is(err, errs.NotFound), true)
		tenants(auth.TenantChoice{All: true})
		testkit.OK(t, link("7"))
	})
}

// If a sign-in and the end of the provider's sessions race, no session is left afterwards, whichever comes
// first.
func TestNoSessionOutlivesItsProvider(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		w := newIDWorld(t, s)
		for range 4 {
			b := w.leave("ada")
			done := make(chan error)
			go func() {
				_, err := w.back(b)
				done <- err
			}()
			for _, on := range []bool{false, true} { // after enabling it again, stored sessions would count again
				_, err := w.auth.UpdateIdentityProvider(t.Context(), w.company.ID, 0, auth.IdentityProviderUpdate{Enabled: patch.Of(on)})
				testkit.OK(t, err)
				if on {
					continue
				}
				if err := <-done; err != nil && !errs.Is(err, errs.NotFound) {
					t.Errorf("the sign-in: %v", err)
				}
			}
			id, err := s.Identity(t.Context(), w.server.Issuer, "ada")
			if errs.Is(err, errs.NotFound) {
				continue
			}
			testkit.OK(t, err)
			left, err := s.SessionsOf(t.Context(), id.UserID, time.Hour)
			testkit.OK(t, err)
			testkit.Equal(t, "sessions left", len(left), 0)
		}
	})
}
