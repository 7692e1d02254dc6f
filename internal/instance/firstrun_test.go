package instance_test

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// process is one of several processes on a database.
func process(s *store.Store, keys *secret.Keyring) *instance.Service {
	return instance.New(instance.Config{Store: s, Keyring: keys, Audit: audit.New(s, keys, telemetry.Discard()), Process: instance.Process{BaseURL: "http://localhost:8080", Edition: "self-hosted"}})
}

// Processes that start together print one valid setup token between them.
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
		live("token after the restart", second, true)

		raw(`UPDATE instance_setup SET token_expires_us = 1`)
		third := offered()[0]
		live("after one that is over", third, true)

		asked, ok, err := two[0].NewToken(ctx)
		if err != nil || !ok {
			t.Fatalf("a requested token: %v %v", ok, err)
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

func TestFirstRunRefusals(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		ctx := t.Context()
		f := newFresh(t, s)
		closed := func(what string, err error) {
			t.Helper()
			testkit.Equal(t, what, errs.KindOf(err), errs.Unauthenticated)
		}
		opens := func(token string) error { _, err := f.Instance.Open(ctx, token); return err }
		for name, token := range map[string]string{"wrong": secret.NewToken(secret.Setup).Reveal(), "another kind": secret.NewToken(secret.Link).Reveal(), "no token": "x"} {
			closed(name, opens(token))
		}
		used := f.token()
		testkit.OK(t, opens(used))
		closed("used", opens(used))
		old, newer := f.token(), f.token()
		closed("replaced", opens(old))
		raw(`UPDATE instance_setup SET token_expires_us = 1`)
		closed("too old", opens(newer))

		// A state belongs to one browser, works once, and expires after an hour.
		f.open()
		over := func(what string, err error) {
			t.Helper()
			testkit.Equal(t, what, errs.KindOf(err), errs.Malformed)
		}
		back := f.manifest(instance.ManifestChoice{})
		_, err := f.Instance.Callback(ctx, instance.Binding("another browser"), back.Get("state"), back.Get("code"), true)
		over("another browser", err)
		_, err = f.Instance.Callback(ctx, instance.Binding(f.cookie), "assay_state_x"+back.Get("state"), back.Get("code"), true)
		over("another state", err)
		_, err = f.Instance.Callback(ctx, instance.Binding(f.cookie), back.Get("state"), "0123abcd", true)
		testkit.Equal(t, "another code", featuretest.Pointers(t, err), "/code")
		_, err = f.made(back)
		over("a state that is used up", err)
		back = f.manifest(instance.ManifestChoice{Name: "two"})
		raw(`UPDATE setup_states SET expires_us = 1`)
		_, err = f.made(back)
		over("after an hour", err)
		for pointer, choice := range map[string][]instance.ManifestChoice{
			"query/baseUrl":      {{BaseURL: "https://github.example.com/x"}, {BaseURL: "https://u:p@github.example.com"}, {BaseURL: "github"}},
			"query/organization": {{Organization: "a/b"}},
		} {
			for _, in := range choice {
				_, err := f.Instance.Manifest(ctx, instance.Binding(f.cookie), in)
				testkit.Equal(t, in.BaseURL+in.Organization, featuretest.Pointers(t, err), pointer)
			}
		}

		// The browser that opened setup last continues, and the earlier one is refused.
		earlier := f.cookie
		testkit.OK(t, f.Instance.Inside(ctx, earlier))
		f.open()
		closed("the earlier browser", f.Instance.Inside(ctx, earlier))
		raw(`UPDATE instance_setup SET session_expires_us = 1`)
		closed("after two hours", f.Instance.Inside(ctx, f.cookie))
		f.open()
		testkit.OK(t, f.Instance.Knows(ctx, f.token())) // a program sends the token itself, without a cookie
	})
}

// An existing app can be entered once, with the values that the host accepts.
func TestFirstAppIsEnteredByHand(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		f := newFresh(t, s)
		app, err := f.sim.RegisterApp(ctx, simapi.AppSpec{Slug: "byhand", Owner: "acme"})
		testkit.OK(t, err)
		stranger, err := f.sim.RegisterApp(ctx, simapi.AppSpec{Slug: "other", Owner: "acme"})
		testkit.OK(t, err)
		good := instance.GitHubAppRegister{BaseURL: f.sim.URL, AppID: app.ID, PrivateKey: app.PrivateKeyPEM, WebhookSecret: strings.Repeat("w", 16), ClientID: app.ClientID, ClientSecret: app.ClientSecret}
		for name, tc := range map[string]struct {
			change func(in *instance.GitHubAppRegister)
			field  string
		}{
			"no PEM": {func(in *instance.GitHubAppRegister) { in.PrivateKey = "key" }, "/privateKey"},
			"an empty PEM block": {func(in *instance.GitHubAppRegister) {
				in.PrivateKey = "-----BEGIN RSA " + "PRIVATE KEY-----\nAAAA\n-----END RSA " + "PRIVATE KEY-----"
			}, "/privateKey"},
			"another app's key":          {func(in *instance.GitHubAppRegister) { in.PrivateKey = stranger.PrivateKeyPEM }, "/privateKey"},
			"a short secret":             {func(in *instance.GitHubAppRegister) { in.WebhookSecret = "short" }, "/webhookSecret"},
			"a secret with a line break": {func(in *instance.GitHubAppRegister) { in.WebhookSecret += "\n" }, "/webhookSecret"},
			"another client id":          {func(in *instance.GitHubAppRegister) { in.ClientID = "Iv1.other" }, "/clientId"},
			"another slug":               {func(in *instance.GitHubAppRegister) { in.Slug = "other" }, "/slug"},
		} {
			t.Run(name, func(t *testing.T) {
				in := good
				tc.change(&in)
				_, err := f.Instance.Register(ctx, in, true)
				testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.field)
			})
		}
		made, err := f.Instance.Register(ctx, good, true)
		testkit.OK(t, err)
		testkit.Equal(t, "the app that setup shows", f.progress().App.ID, made.ID)
		if _, err := f.Instance.Register(ctx, good, true); !errs.Is(err, errs.Conflict) {
			t.Errorf("a second app: %v", err)
		}

		_, err = f.Instance.Finish(ctx, instance.SetupFinish{TenantName: "Acme"}, "")
		testkit.Equal(t, "without a signed-in user", featuretest.Pointers(t, err), "/adminName")
		end, err := f.Instance.Finish(ctx, instance.SetupFinish{TenantName: "Acme", AdminName: "Ada"}, "")
		testkit.OK(t, err)
		token, ok := strings.CutPrefix(end.SignInLink, "https://assay.example.com/auth/break-glass#token=")
		testkit.Require(t, end.SignInLink+" is a link of ours", ok, true)
		who, err := f.Auth.PeekLink(ctx, token, netip.Addr{})
		testkit.OK(t, err)
		if !who.User.InstanceAdmin || who.User.Name != "Ada" || who.User.ID != end.UserID {
			t.Errorf("the link is for %+v", who.User)
		}
	})
}

func TestFirstRunEndsWithAnAdmin(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		f := newFresh(t, s)
		f.open()
		_, err := s.CreateUser(t.Context(), "Olga", true) // as the command line or the bootstrap would
		testkit.OK(t, err)
		if ok, err := s.CompleteSetup(t.Context()); ok || err != nil {
			t.Errorf("the first run ended twice: %v %v", ok, err)
		}
		if _, err := f.Instance.Finish(t.Context(), instance.SetupFinish{TenantName: "Acme", AdminName: "Ada"}, ""); !errs.Is(err, errs.NotFound) {
			t.Errorf("the browser of the first run: %v", err)
		}
		done, err := f.Instance.Done(t.Context())
		testkit.OK(t, err)
		testkit.Equal(t, "done", done, true)
		admins, err := s.InstanceAdmins(t.Context())
		testkit.OK(t, err)
		testkit.Require(t, "admins", len(admins), 1)
	})
}

func TestFirstRunOfTwoProcesses(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		f := newFresh(t, s)
		at := []*instance.Service{f.Instance, f.process().Instance}
		f.open()
		backs := []url.Values{f.manifest(instance.ManifestChoice{Name: "one"}), f.manifest(instance.ManifestChoice{Name: "two"})}
		both := func(what string, loses errs.Kind, act func(i int) error) {
			t.Helper()
			var all sync.WaitGroup
			got := make([]error, 2)
			for i := range got {
				all.Go(func() { got[i] = act(i) })
			}
			all.Wait()
			if (got[0] == nil) == (got[1] == nil) || !errs.Is(errors.Join(got...), loses) {
				t.Errorf("%s: %v and %v", what, got[0], got[1])
			}
		}
		both("two apps", errs.Conflict, func(i int) error {
			_, err := at[i].Callback(ctx, instance.Binding(f.cookie), backs[i].Get("state"), backs[i].Get("code"), true)
			return err
		})
		apps, err := s.Apps(ctx)
		testkit.OK(t, err)
		testkit.Require(t, "apps", len(apps), 1)
		both("two ends", errs.NotFound, func(i int) error {
			_, err := at[i].Finish(ctx, instance.SetupFinish{TenantName: "Acme", AdminName: "Ada"}, "")
			return err
		})
		tenants, err := s.Tenants(ctx)
		testkit.OK(t, err)
		admins, err := s.InstanceAdmins(ctx)
		testkit.OK(t, err)
		if len(tenants) != 1 || len(admins) != 1 {
			t.Errorf("%d tenants, %d admins", len(tenants), len(admins))
		}
		// A request that was admitted before another process ended setup is refused.
		for _, one := range at {
			if err := one.Inside(ctx, secret.NewToken(secret.SetupCookie).Reveal()); !errs.Is(err, errs.NotFound) {
				t.Errorf("the cookie after the end: %v", err)
			}
			if err := one.Knows(ctx, secret.NewToken(secret.Setup).Reveal()); !errs.Is(err, errs.NotFound) {
				t.Errorf("the token after the end: %v", err)
			}
		}
	})
}
