package bootstrap_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/bootstrap"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var bg = context.Background()

// world is an instance that starts several times with one configuration.
type world struct {
	*testing.T
	store   *store.Store
	keyring *secret.Keyring
	config  config.Bootstrap
	log     *strings.Builder // of the processes
}

func each(t *testing.T, body func(w *world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		t.Parallel()
		body(&world{T: t, store: s, keyring: storetest.Keyring(t, s), log: &strings.Builder{}, config: config.Bootstrap{Tenant: "acme",
			GitHub: config.BootstrapGitHub{AppID: 7, Slug: "acme-assay", Owner: []string{"acme", "acme-labs"}, ClientID: "Iv1", ClientSecret: secret.New("client one"),
				PrivateKey: secret.New("key one"), WebhookSecret: secret.New("webhook one")},
			Model: config.BootstrapModel{Kind: "compatible", BaseURL: "https://models.example.com/v1", APIKey: secret.New("model one"), Standard: "m"}}})
	})
}

func (w *world) boot() *bootstrap.Bootstrap {
	return &bootstrap.Bootstrap{Store: w.store, Keyring: w.keyring, Config: w.config, Audit: audit.New(w.store, w.keyring, telemetry.Discard()),
		Logger: telemetry.NewLogger(w.log, telemetry.LogOptions{Format: "json"})}
}

// start applies the configuration as a process does at its start.
func (w *world) start() bootstrap.Result {
	w.Helper()
	r, err := w.boot().Apply(bg)
	testkit.OK(w.T, err)
	return r
}

// app reads the app of the bootstrap.
func (w *world) app() store.App {
	w.Helper()
	all, err := w.store.Apps(bg)
	testkit.OK(w.T, err)
	testkit.Require(w.T, "apps", len(all), 1)
	return all[0]
}

// opened returns a secret of the app in plain text, or "" if it is not set.
func (w *world) opened(column string) string {
	w.Helper()
	a := w.app()
	sealed := map[string][]byte{"private_key": a.PrivateKey, "webhook_secret": a.WebhookSecret, "client_secret": a.ClientSecret, "next_webhook_secret": a.NextWebhookSecret}[column]
	if len(sealed) == 0 {
		return ""
	}
	plain, err := w.keyring.OpenSecret(bg, connect.AppScope(a.ID, column), sealed)
	testkit.OK(w.T, err)
	return plain.Reveal()
}

// enters changes the app as an administrator would.
func (w *world) enters(changed store.AppSecrets, edit func(a *store.App)) {
	w.Helper()
	a := w.app()
	edit(&a)
	_, err := w.store.UpdateApp(bg, a, changed)
	testkit.OK(w.T, err)
}

// sealed seals a secret of the app.
func (w *world) sealed(column, value string) []byte {
	w.Helper()
	b, err := w.keyring.SealSecret(bg, connect.AppScope(w.app().ID, column), secret.New(value))
	testkit.OK(w.T, err)
	return b
}

func (w *world) key(r bootstrap.Result) (store.Credential, string) {
	w.Helper()
	t := domain.Tenant{ID: r.Tenant}
	all, err := w.store.HoldCredentials(bg, t)
	testkit.OK(w.T, err)
	testkit.Require(w.T, "model keys", len(all), 1)
	plain, err := w.keyring.OpenSecret(bg, connect.CredentialScope(t, all[0].ID), all[0].APIKey)
	testkit.OK(w.T, err)
	return all[0], plain.Reveal()
}

func TestAFreshInstanceIsFilled(t *testing.T) {
	each(t, func(w *world) {
		r := w.start()
		a := w.app()
		testkit.Equal(w.T, "app", fmt.Sprint(a.ExternalID, a.Slug, a.ClientID, a.APIURL), "7acme-assayIv1https://api.github.com/")
		for column, want := range map[string]string{"private_key": "key one", "webhook_secret": "webhook one", "client_secret": "client one"} {
			testkit.Equal(w.T, column, w.opened(column), want)
		}
		if a.ClientSecretUS == 0 {
			w.Error("the client secret has no time")
		}
		c, key := w.key(r)
		testkit.Equal(w.T, "model key", c.BaseURL+" "+key, "https://models.example.com/v1 model one")
		routed, _, ok, err := w.store.Setting(bg, domain.Tenant{ID: r.Tenant}, "", store.SettingModelPolicy)
		testkit.OK(w.T, err)
		if !ok || strings.Count(routed, `"m"`) != 3 {
			w.Errorf("routing: %s", routed)
		}
		again := w.start()
		testkit.Equal(w.T, "result of the second start", again, r)
		testkit.Equal(w.T, "version after the second start", w.app().Version, a.Version)
		storetest.Sealed(w.T, w.store, w.keyring, "instance_documents.body")
	})
}

func TestAnAppWithoutSigningIn(t *testing.T) {
	each(t, func(w *world) {
		w.config.GitHub.ClientID, w.config.GitHub.ClientSecret = "", secret.Secret{}
		w.start()
		testkit.Equal(w.T, "time of the client secret", w.app().ClientSecretUS, 0)
		w.config.GitHub.ClientID, w.config.GitHub.ClientSecret = "Iv1", secret.New("client one")
		w.start()
		testkit.Equal(w.T, "client", w.app().ClientID+" "+w.opened("client_secret"), "Iv1 client one")
	})
}

func TestValuesOfAnAdminStay(t *testing.T) {
	each(t, func(w *world) {
		r := w.start()
		w.enters(store.AppSecrets{Client: true, NextWebhook: true}, func(a *store.App) {
			a.ClientSecret, a.NextWebhookSecret, a.Name = w.sealed("client_secret", "by an admin"), w.sealed("next_webhook_secret", "next by an admin"), "Acme"
		})
		c, _ := w.key(r)
		c.Name, c.MaxConcurrency = "renamed", 9
		_, err := w.store.UpdateCredential(bg, domain.Tenant{ID: r.Tenant}, c, false)
		testkit.OK(w.T, err)

		w.config.GitHub.WebhookSecret, w.config.Model.APIKey = secret.New("webhook two"), secret.New("model two")
		w.start()
		for column, want := range map[string]string{"private_key": "key one", "webhook_secret": "webhook two", "client_secret": "by an admin", "next_webhook_secret": "next by an admin"} {
			testkit.Equal(w.T, column, w.opened(column), want)
		}
		testkit.Equal(w.T, "name", w.app().Name, "Acme")
		got, key := w.key(r)
		testkit.Equal(w.T, "model key", fmt.Sprint(got.Name, got.MaxConcurrency, key), "renamed9model two")
	})
}

func TestATenantThatWasRenamed(t *testing.T) {
	each(t, func(w *world) {
		r := w.start()
		testkit.OK(w.T, w.store.RenameTenant(bg, domain.Tenant{ID: r.Tenant}, "Renamed"))
		testkit.Equal(w.T, "result", w.start(), r)
		w.config.Tenant = "beta"
		if other := w.start(); other.Tenant == r.Tenant || other.Tenant == "" {
			w.Errorf("tenant of another short name: %v", other)
		}
	})
}

func TestEachChangedValueIsApplied(t *testing.T) {
	for name, c := range map[string]struct {
		change func(g *config.BootstrapGitHub)
		got    func(w *world) string
		want   string
	}{
		"client id":      {func(g *config.BootstrapGitHub) { g.ClientID = "Iv2" }, func(w *world) string { return w.app().ClientID }, "Iv2"},
		"client secret":  {func(g *config.BootstrapGitHub) { g.ClientSecret = secret.New("client two") }, func(w *world) string { return w.opened("client_secret") }, "client two"},
		"private key":    {func(g *config.BootstrapGitHub) { g.PrivateKey = secret.New("key two") }, func(w *world) string { return w.opened("private_key") }, "key two"},
		"webhook secret": {func(g *config.BootstrapGitHub) { g.WebhookSecret = secret.New("w two") }, func(w *world) string { return w.opened("webhook_secret") }, "w two"},
		"slug":           {func(g *config.BootstrapGitHub) { g.Slug = "other" }, func(w *world) string { return w.app().Slug }, "other"},
		"host":           {func(g *config.BootstrapGitHub) { g.BaseURL = "https://ghe.example.com/" }, func(w *world) string { return w.app().APIURL }, "https://ghe.example.com/api/v3/"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				w.start()
				before := w.app().Version
				c.change(&w.config.GitHub)
				w.start()
				testkit.Equal(w.T, name, c.got(w), c.want)
				testkit.Equal(w.T, "changes", w.app().Version-before, 1)
			})
		})
	}
}

// An instance filled by an older version has no record of applied values: existing values stay, and missing
// ones are filled in.
func TestAnInstanceOfAnOlderVersion(t *testing.T) {
	each(t, func(w *world) {
		w.config.GitHub.ClientSecret = secret.Secret{}
		w.start()
		d, err := w.store.InstanceDocument(bg, store.DocumentBootstrap)
		testkit.OK(w.T, err)
		forgotten, err := w.keyring.Seal(bg, secret.Scope{Table: "instance_documents", Row: store.DocumentBootstrap, Column: "body"}, []byte("{}"))
		testkit.OK(w.T, err)
		_, err = w.store.PutInstanceDocument(bg, store.DocumentBootstrap, encode(forgotten), d.Version)
		testkit.OK(w.T, err)
		w.config.GitHub.ClientSecret, w.config.GitHub.PrivateKey = secret.New("client one"), secret.New("key two")
		w.start()
		testkit.Equal(w.T, "client secret", w.opened("client_secret"), "client one")
		testkit.Equal(w.T, "private key", w.opened("private_key"), "key one")
		w.config.GitHub.PrivateKey = secret.New("key three")
		w.start()
		testkit.Equal(w.T, "private key that changed since", w.opened("private_key"), "key three")
	})
}

func TestProcessesThatStartAtOnce(t *testing.T) {
	each(t, func(w *world) {
		for _, webhook := range []string{"webhook one", "webhook two"} {
			w.config.GitHub.WebhookSecret = secret.New(webhook)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if _, err := w.boot().Apply(bg); err != nil {
						w.Errorf("start: %v", err)
					}
				})
			}
			all.Wait()
			testkit.Equal(w.T, "webhook secret", w.opened("webhook_secret"), webhook)
		}
		testkit.Equal(w.T, "changes", w.app().Version, 2)
		tenants, err := w.store.Tenants(bg)
		testkit.OK(w.T, err)
		testkit.Equal(w.T, "tenants", len(tenants), 1)
		users, err := w.store.Users(bg)
		testkit.OK(w.T, err)
		testkit.Equal(w.T, "people", len(users), 1)
	})
}

func TestAnAppThatIsRegisteredAlready(t *testing.T) {
	each(t, func(w *world) {
		_, err := w.store.CreateApp(bg, store.App{ID: "app_setup", Kind: "github", WebURL: "https://github.com", APIURL: "https://api.github.com/", ExternalID: "7", PrivateKey: []byte("k"), WebhookSecret: []byte("w")})
		testkit.OK(w.T, err)
		_, err = w.boot().Apply(bg)
		if !errs.Is(err, errs.Conflict) || !strings.Contains(err.Error(), "ASSAY_BOOTSTRAP_GITHUB_APP_ID") {
			w.Errorf("error: %v", err)
		}
	})
}

func TestAKeyOfAnotherKind(t *testing.T) {
	each(t, func(w *world) {
		r := w.start()
		w.config.Model = config.BootstrapModel{Kind: "openai", APIKey: secret.New("model two"), Standard: "m"}
		_, err := w.boot().Apply(bg)
		if err == nil || !strings.Contains(err.Error(), "ASSAY_BOOTSTRAP_MODEL_KIND") {
			w.Errorf("error: %v", err)
		}
		_, key := w.key(r)
		testkit.Equal(w.T, "key", key, "model one")
	})
}

func TestOwnersOfInstallations(t *testing.T) {
	each(t, func(w *world) {
		b := w.boot()
		b.Account = (&host{names: map[string]domain.HostID{"acme": "1", "acme-labs": "2", "stranger": "3"}}).account
		r := w.start()
		for account, want := range map[string]string{"acme 1": r.Tenant, "Acme-Labs 2": r.Tenant, "stranger 3": "", "acme 0": ""} {
			login, id, _ := strings.Cut(account, " ")
			testkit.Equal(w.T, "tenant of "+account, w.placed(b, r, domain.HostID(id), login), want)
		}
		got, err := b.Place(r)(bg, "app_other", codehost.Installation{AccountID: "1", AccountLogin: "acme"})
		testkit.OK(w.T, err)
		testkit.Equal(w.T, "tenant at another app", got, "")
	})
}

func encode(b []byte) string { return base64.StdEncoding.EncodeToString(b) }
