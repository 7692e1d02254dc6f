package instance_test

import (
	"context"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// process is one of several processes on a database.
func process(s *store.Store, keys *secret.Keyring) *instance.Service {
	return instance.New(instance.Config{Store: s, Keyring: keys, Audit: audit.New(s, keys, telemetry.Discard()), Process: instance.Process{BaseURL: "http://localhost:8080", Edition: "self-hosted"}})
}

// Processes that start together print one setup token between them, and it works.
func TestTokenOfProcessesThatStartTogether(t *testing.T) {
	t.Parallel()
	storetest.Both.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		ctx := context.Background()
		keys := storetest.Keyring(t, s)
		two := []*instance.Service{process(s, keys), process(s, keys)}
		offered := func() (made []secret.Secret) {
			t.Helper()
			var wg sync.WaitGroup
			var mu sync.Mutex
			for i := range 6 {
				wg.Go(func() {
					token, ok, err := two[i%2].OfferToken(ctx)
					if err != nil || !ok {
						t.Errorf("an offer: %v %v", ok, err)
					}
					mu.Lock()
					defer mu.Unlock()
					if token.IsSet() {
						made = append(made, token)
					}
				})
			}
			wg.Wait()
			if len(made) != 1 {
				t.Fatalf("%d tokens of processes that start together, want 1", len(made))
			}
			return made
		}
		live := func(what string, token secret.Secret, want bool) {
			t.Helper()
			if err := two[1].Knows(ctx, token.Reveal()); errs.Is(err, errs.Unauthenticated) == want || err != nil && want {
				t.Errorf("%s: %v, want it to work: %v", what, err, want)
			}
		}
		first := offered()[0]
		live("the token that was printed", first, true)

		raw(`UPDATE instance_setup SET token_expires_us = token_expires_us - 121000000`)
		second := offered()[0]
		live("a token from before a restart", first, false)
		live("that of the restart", second, true)

		raw(`UPDATE instance_setup SET token_expires_us = 1`)
		third := offered()[0]
		live("after one that is over", third, true)

		asked, ok, err := two[0].NewToken(ctx)
		if err != nil || !ok {
			t.Fatalf("a token that is asked for: %v %v", ok, err)
		}
		live("replaced on demand", third, false)
		live("the one on demand", asked, true)

		_, err = two[1].Open(ctx, asked.Reveal())
		testkit.OK(t, err)
		live("after one that was used", offered()[0], true)

		rows, err := s.AuditEntries(ctx, domain.Tenant{}, store.AuditFilter{Action: "setup-token.create", Limit: 50})
		testkit.OK(t, err)
		testkit.Require(t, "entries", len(rows), 5)

		_, err = s.CreateUser(ctx, "Ada", true)
		testkit.OK(t, err)
		if token, ok, err := two[0].OfferToken(ctx); ok || token.IsSet() || err != nil {
			t.Errorf("with an admin: %v %v %v", token.IsSet(), ok, err)
		}
	})
}
