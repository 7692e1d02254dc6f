package bootstrap

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// app creates the GitHub app, or updates the fields of the stored app whose configured values changed.
func (b *Bootstrap) app(ctx context.Context, known *applied) (string, error) {
	g := b.Config.GitHub
	if g.AppID == 0 {
		return "", nil
	}
	if !g.PrivateKey.IsSet() || !g.WebhookSecret.IsSet() {
		return "", errors.New("the bootstrap of a GitHub app needs ASSAY_BOOTSTRAP_GITHUB_PRIVATE_KEY and " +
			"ASSAY_BOOTSTRAP_GITHUB_WEBHOOK_SECRET (or their _FILE forms)")
	}
	row, err := b.Store.App(ctx, appID)
	missing := errs.Is(err, errs.NotFound)
	if err != nil && !missing {
		return "", err
	}
	row.ID, row.Kind = appID, "github"
	changed, err := b.merge(ctx, known, &row)
	if err != nil || changed == (change{}) {
		return appID, err
	}
	err = b.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if missing {
			_, err = b.Store.CreateApp(ctx, row)
		} else {
			_, err = b.Store.UpdateApp(ctx, row, changed.secrets)
		}
		if err == nil {
			err = known.keep(ctx)
		}
		return audit.Act{Action: "codehost-app.save", Target: audit.Target{Kind: "codehost-app", ID: appID, Name: row.Slug},
			Note: changed.note()}, err
	})
	if errs.Is(err, errs.Conflict) {
		err = b.taken(ctx, err)
	}
	return appID, err
}

// taken explains why the app cannot be created: another process has just created it, or it is registered
// under another id.
func (b *Bootstrap) taken(ctx context.Context, conflict error) error {
	if _, err := b.Store.App(ctx, appID); err == nil {
		return conflict
	}
	return errs.Wrap(conflict, errs.Conflict, "registered", "This GitHub App is registered already, with setup or by an "+
		"administrator: take ASSAY_BOOTSTRAP_GITHUB_APP_ID out of the configuration.")
}

// change lists the parts of an app that are new.
type change struct {
	fields  bool
	secrets store.AppSecrets
}

func (c change) note() string {
	if c.secrets == (store.AppSecrets{}) {
		return ""
	}
	return "with its secrets"
}

// merge copies the configured values that must be stored into a row.
func (b *Bootstrap) merge(ctx context.Context, known *applied, row *store.App) (c change, err error) {
	g := b.Config.GitHub
	web, api := addresses(g.BaseURL)
	if known.wants("github.appId", strconv.FormatInt(g.AppID, 10), row.ExternalID != "") {
		row.ExternalID, c.fields = domain.NumberID(g.AppID), true
	}
	if known.wants("github.baseUrl", api, row.APIURL != "") {
		row.WebURL, row.APIURL, c.fields = web, api, true
	}
	for _, f := range []struct {
		name, value string
		to          *string
	}{{"github.slug", g.Slug, &row.Slug}, {"github.clientId", g.ClientID, &row.ClientID}} {
		if known.wants(f.name, f.value, *f.to != "") {
			*f.to, c.fields = f.value, true
		}
	}
	for _, f := range []struct {
		column string
		value  secret.Secret
		to     *[]byte
		is     *bool
	}{
		{"private_key", g.PrivateKey, &row.PrivateKey, &c.secrets.PrivateKey},
		{"webhook_secret", g.WebhookSecret, &row.WebhookSecret, &c.secrets.Webhook},
		{"client_secret", g.ClientSecret, &row.ClientSecret, &c.secrets.Client},
	} {
		if !known.wants("github."+f.column, f.value.Reveal(), len(*f.to) > 0) {
			continue
		}
		if *f.to, err = b.Keyring.SealSecret(ctx, connect.AppScope(appID, f.column), f.value); err != nil {
			return c, err
		}
		*f.is = true
	}
	return c, nil
}

// addresses derives the API's address from the web address. github.com uses another host, GitHub Enterprise
// Server a path (GitHub REST description, "Getting started").
func addresses(base string) (web, api string) {
	web = strings.TrimRight(base, "/")
	if web == "" || web == "https://github.com" {
		return "https://github.com", "https://api.github.com/"
	}
	return web, web + "/api/v3/"
}
