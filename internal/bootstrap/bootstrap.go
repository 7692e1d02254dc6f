// Package bootstrap fills an instance from its configuration, without anybody
// at a console: tenant, admin, app of a code host, model key and routing, all
// into the final tables. It adds what is missing and changes nothing that an
// administrator could have changed since.
package bootstrap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Ids are fixed, so that two processes that start at once make one row each.
const (
	appID        = "app_bootstrap"
	credentialID = "crd_bootstrap"
)

// Bootstrap applies a configuration.
type Bootstrap struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Config  config.Bootstrap
	Audit   *audit.Log // what is filled in is recorded as an operator's act; needed
}

// operator is who acts: whoever wrote the configuration.
func operator(ctx context.Context) context.Context {
	return audit.As(ctx, audit.Actor{Kind: audit.KindOperator, Name: "bootstrap", Method: "configuration"})
}

// Result is what the instance has after a bootstrap.
type Result struct {
	Tenant string // "" where the configuration asks for nothing
	Admin  string // the first admin's user id
	App    string
}

// Apply fills what is missing.
func (b *Bootstrap) Apply(ctx context.Context) (Result, error) {
	if b.Config.Tenant == "" {
		return Result{}, nil
	}
	var r Result
	ctx = operator(ctx)
	err := b.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if r.Tenant, err = b.tenant(ctx); err != nil {
			return err
		}
		r.Admin, err = b.admin(ctx, r.Tenant)
		return err
	})
	if err != nil {
		return r, err
	}
	if r.App, err = b.app(ctx); err != nil {
		return r, err
	}
	return r, b.model(ctx, domain.Tenant{ID: r.Tenant})
}

func (b *Bootstrap) tenant(ctx context.Context) (string, error) {
	name := b.Config.TenantName
	if name == "" {
		name = b.Config.Tenant
	}
	all, err := b.Store.Tenants(ctx)
	if err != nil {
		return "", err
	}
	for _, t := range all {
		if t.Name == name {
			return t.ID, nil
		}
	}
	t, err := b.Store.CreateTenant(ctx, name)
	if err != nil {
		return "", err
	}
	return t.ID, b.Audit.Record(ctx, audit.Act{Action: "tenant.create", Target: audit.Target{Kind: "tenant", ID: t.ID, Name: name}})
}

func (b *Bootstrap) admin(ctx context.Context, tenant string) (string, error) {
	users, err := b.Store.Users(ctx)
	if err != nil {
		return "", err
	}
	for _, u := range users {
		if u.InstanceAdmin {
			return u.ID, nil
		}
	}
	name := b.Config.Admin
	if name == "" {
		name = "Admin"
	}
	u, err := b.Store.CreateUser(ctx, name, true)
	if err != nil {
		return "", err
	}
	if err := b.Audit.Record(ctx, audit.Act{Action: "user.create", Target: audit.Target{Kind: "user", ID: u.ID, Name: name}, Note: "instance admin, and admin of the first tenant"}); err != nil {
		return "", err
	}
	return u.ID, b.Store.SetMember(ctx, domain.Tenant{ID: tenant}, u.ID, domain.RoleAdmin, "setup")
}

// app stores the GitHub app. Its secrets are replaced when the configuration's
// differ: whoever changes the environment wants that.
func (b *Bootstrap) app(ctx context.Context) (string, error) {
	g := b.Config.GitHub
	if g.AppID == 0 {
		return "", nil
	}
	if !g.PrivateKey.IsSet() || !g.WebhookSecret.IsSet() {
		return "", errors.New("the bootstrap of a GitHub app needs ASSAY_BOOTSTRAP_GITHUB_PRIVATE_KEY and ASSAY_BOOTSTRAP_GITHUB_WEBHOOK_SECRET (or their _FILE forms)")
	}
	row := store.App{ID: appID, Kind: "github", ExternalID: g.AppID, Slug: g.Slug, ClientID: g.ClientID}
	row.WebURL, row.APIURL = addresses(g.BaseURL)
	if old, err := b.Store.App(ctx, appID); err == nil && b.same(ctx, old, row) {
		return appID, nil
	}
	var err error
	if row.PrivateKey, err = b.Keyring.SealSecret(ctx, connect.AppScope(appID, "private_key"), g.PrivateKey); err != nil {
		return "", err
	}
	if row.WebhookSecret, err = b.Keyring.SealSecret(ctx, connect.AppScope(appID, "webhook_secret"), g.WebhookSecret); err != nil {
		return "", err
	}
	return appID, b.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		return audit.Act{Action: "codehost-app.save", Target: audit.Target{Kind: "codehost-app", ID: appID, Name: row.Slug}, Note: "with its secrets"}, b.Store.SaveApp(ctx, row)
	})
}

func (b *Bootstrap) same(ctx context.Context, old, row store.App) bool {
	if old.ExternalID != row.ExternalID || old.APIURL != row.APIURL || old.Slug != row.Slug {
		return false
	}
	key, kerr := b.Keyring.OpenSecret(ctx, connect.AppScope(appID, "private_key"), old.PrivateKey)
	hook, herr := b.Keyring.OpenSecret(ctx, connect.AppScope(appID, "webhook_secret"), old.WebhookSecret)
	return kerr == nil && herr == nil && key.Equal(b.Config.GitHub.PrivateKey) && hook.Equal(b.Config.GitHub.WebhookSecret)
}

// addresses derives the API's address from the web's: github.com has its own
// host for it, GitHub Enterprise Server a path (GitHub REST description, "Getting started").
func addresses(base string) (web, api string) {
	web = strings.TrimRight(base, "/")
	if web == "" || web == "https://github.com" {
		return "https://github.com", "https://api.github.com/"
	}
	return web, web + "/api/v3/"
}

// model stores the model key and routes the tiers, where the tenant has none.
func (b *Bootstrap) model(ctx context.Context, t domain.Tenant) error {
	m := b.Config.Model
	if m.Kind == "" {
		return nil
	}
	if m.Standard == "" {
		return errors.New("the bootstrap of a model needs ASSAY_BOOTSTRAP_MODEL_STANDARD, the name of a model")
	}
	row := store.Credential{ID: credentialID + "_" + t.ID, Name: "bootstrap", Kind: m.Kind, BaseURL: m.BaseURL}
	if m.APIKey.IsSet() {
		sealed, err := b.Keyring.SealSecret(ctx, connect.CredentialScope(t, row.ID), m.APIKey)
		if err != nil {
			return err
		}
		row.APIKey = sealed
	}
	if old, err := b.Store.Credential(ctx, t, row.ID); err != nil || old.BaseURL != row.BaseURL || !b.sameKey(ctx, t, old) {
		if err == nil { // what an administrator has added stays
			row.Name, row.Preset, row.Resource, row.Region, row.DataRegion, row.MaxConcurrency = old.Name, old.Preset, old.Resource, old.Region, old.DataRegion, old.MaxConcurrency
		}
		if err := b.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
			return audit.Act{Tenant: t, Action: "llm-credential.save", Target: audit.Target{Kind: "llm-credential", ID: row.ID, Name: row.Name}, Note: "with its key"}, b.Store.SaveCredential(ctx, t, row)
		}); err != nil {
			return fmt.Errorf("store the model key: %w", err)
		}
	}
	if _, _, ok, err := b.Store.Setting(ctx, t, "", store.SettingModelPolicy); err != nil || ok {
		return err
	}
	tier := func(model string) domain.TierRoute {
		if model == "" {
			model = m.Standard
		}
		return domain.TierRoute{CredentialID: row.ID, Model: model}
	}
	body, err := json.Marshal(domain.ModelPolicy{Tiers: map[string]domain.TierRoute{"fast": tier(m.Fast), "standard": tier(m.Standard), "strong": tier(m.Strong)}})
	if err != nil {
		return err
	}
	return b.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		return audit.Act{Tenant: t, Action: "llm-policy.update", Target: audit.Target{Kind: "llm-policy", ID: t.ID}}, b.Store.PutSetting(ctx, t, "", store.SettingModelPolicy, string(body))
	})
}

func (b *Bootstrap) sameKey(ctx context.Context, t domain.Tenant, old store.Credential) bool {
	if len(old.APIKey) == 0 {
		return !b.Config.Model.APIKey.IsSet()
	}
	key, err := b.Keyring.OpenSecret(ctx, connect.CredentialScope(t, old.ID), old.APIKey)
	return err == nil && key.Equal(b.Config.Model.APIKey)
}

// Place names the tenant of an installation that nobody has placed: the account
// that the configuration names goes to the first tenant, everybody else waits
// for an administrator (a stranger must not land in somebody's tenant).
func (b *Bootstrap) Place(r Result) func(ctx context.Context, app string, i codehost.Installation) (string, error) {
	return func(_ context.Context, app string, i codehost.Installation) (string, error) {
		if r.Tenant != "" && app == r.App && b.Config.GitHub.Owner != "" && strings.EqualFold(b.Config.GitHub.Owner, i.AccountLogin) {
			return r.Tenant, nil
		}
		return "", nil
	}
}
