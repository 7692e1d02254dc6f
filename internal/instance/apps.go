package instance

import (
	"context"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// maxApps is the maximum number of code-host apps of an instance (design choice).
const maxApps = 50

// GitHubAppRegister registers an existing GitHub App.
type GitHubAppRegister struct {
	BaseURL       string `json:"baseUrl,omitempty" maxLength:"300" doc:"Origin of a GitHub Enterprise Server; absent: https://github.com" example:"https://github.example.com"`
	AppID         int64  `json:"appId" minimum:"1" maximum:"9007199254740991" example:"1240001"`
	Slug          string `json:"slug,omitempty" maxLength:"100" doc:"Last part of the address of the app's page; absent: the host is asked" example:"assay-example"`
	PrivateKey    string `json:"privateKey" writeOnly:"true" minLength:"1" maxLength:"16384" doc:"RSA key in PEM form, as GitHub offers it for download" example:"the whole file that GitHub offers for download"`
	WebhookSecret string `json:"webhookSecret" writeOnly:"true" minLength:"1" maxLength:"200" doc:"At least 16 characters" example:"a random value of 16 characters or more"`
	ClientID      string `json:"clientId" minLength:"1" maxLength:"100" example:"Iv23liexample"`
	ClientSecret  string `json:"clientSecret" writeOnly:"true" minLength:"1" maxLength:"200"`
}

// GitHubAppUpdate changes an app. Absent fields stay.
type GitHubAppUpdate struct {
	BaseURL           patch.Value[string]    `json:"baseUrl,omitzero" minLength:"1" maxLength:"300" doc:"Needs all three secrets again"`
	AppID             patch.Value[int64]     `json:"appId,omitzero" minimum:"1" maximum:"9007199254740991" doc:"Needs all three secrets again"`
	Slug              patch.Value[string]    `json:"slug,omitzero" minLength:"1" maxLength:"100" example:"assay-renamed"`
	PrivateKey        patch.Value[string]    `json:"privateKey,omitzero" writeOnly:"true" minLength:"1" maxLength:"16384"`
	WebhookSecret     patch.Value[string]    `json:"webhookSecret,omitzero" writeOnly:"true" minLength:"1" maxLength:"200"`
	NextWebhookSecret patch.Nullable[string] `json:"nextWebhookSecret,omitzero" writeOnly:"true" minLength:"1" maxLength:"200" doc:"Valid beside webhookSecret, for a rotation. null ends the rotation: the next secret becomes webhookSecret"`
	ClientID          patch.Value[string]    `json:"clientId,omitzero" minLength:"1" maxLength:"100" example:"Iv23liexample"`
	ClientSecret      patch.Value[string]    `json:"clientSecret,omitzero" writeOnly:"true" minLength:"1" maxLength:"200"`
}

// App is a code-host app in the interface.
type App struct {
	ID         string `json:"id" audit:"ignore"`
	Kind       string `json:"kind" enum:"github" audit:"track"`
	BaseURL    string `json:"baseUrl" audit:"track"`
	AppID      int64  `json:"appId" audit:"track"`
	Slug       string `json:"slug" audit:"track"`
	Name       string `json:"name,omitempty" audit:"track" doc:"As the host said last"`
	Owner      string `json:"owner,omitempty" audit:"track" doc:"Account that owns the app, as the host said last"`
	ClientID   string `json:"clientId" audit:"track"`
	WebhookURL string `json:"webhookUrl" audit:"ignore" doc:"What the host must be told"`
	InstallURL string `json:"installUrl,omitempty" audit:"ignore" doc:"Where the app is installed"`

	PrivateKeySet              bool       `json:"privateKeySet" audit:"ignore"`
	PrivateKeyUpdatedAt        *time.Time `json:"privateKeyUpdatedAt,omitempty" audit:"secret"`
	WebhookSecretSet           bool       `json:"webhookSecretSet" audit:"ignore"`
	WebhookSecretUpdatedAt     *time.Time `json:"webhookSecretUpdatedAt,omitempty" audit:"secret"`
	NextWebhookSecretSet       bool       `json:"nextWebhookSecretSet" audit:"ignore"`
	NextWebhookSecretUpdatedAt *time.Time `json:"nextWebhookSecretUpdatedAt,omitempty" audit:"secret"`
	ClientSecretSet            bool       `json:"clientSecretSet" audit:"ignore"`
	ClientSecretUpdatedAt      *time.Time `json:"clientSecretUpdatedAt,omitempty" audit:"secret"`

	Version   int64     `json:"version" audit:"ignore" doc:"For If-Match, as \"v7\""`
	CreatedAt time.Time `json:"createdAt" audit:"ignore"`
	UpdatedAt time.Time `json:"updatedAt" audit:"ignore"`
}

// numericID returns the id of an app or an installation as a number. The interface has shown these ids as
// numbers since the time when GitHub was the only host.
func numericID(id domain.HostID) int64 {
	n, _ := id.Number()
	return n
}

func (a App) target() audit.Target {
	return audit.Target{Kind: "codehost-app", ID: a.ID, Name: a.Slug}
}

func (s *Service) appOf(ctx context.Context, r store.App) App {
	a := App{ID: r.ID, Kind: r.Kind, BaseURL: r.WebURL, AppID: numericID(r.ExternalID), Slug: r.Slug, Name: r.Name,
		Owner: r.OwnerLogin, ClientID: r.ClientID,
		WebhookURL: s.BaseURL(ctx) + github.HookPath, Version: r.Version, CreatedAt: store.Time(r.CreatedUS), UpdatedAt: store.Time(r.UpdatedUS),
		PrivateKeySet: len(r.PrivateKey) > 0, PrivateKeyUpdatedAt: store.TimeOrNil(r.PrivateKeyUS),
		WebhookSecretSet: len(r.WebhookSecret) > 0, WebhookSecretUpdatedAt: store.TimeOrNil(r.WebhookSecretUS),
		NextWebhookSecretSet: len(r.NextWebhookSecret) > 0, NextWebhookSecretUpdatedAt: store.TimeOrNil(r.NextWebhookSecretUS),
		ClientSecretSet: len(r.ClientSecret) > 0, ClientSecretUpdatedAt: store.TimeOrNil(r.ClientSecretUS)}
	if r.Slug != "" || r.HTMLURL != "" {
		a.InstallURL = github.InstallURL(r.WebURL, r.HTMLURL, r.Slug, "")
	}
	return a
}

// Apps lists the apps, newest first.
func (s *Service) Apps(ctx context.Context, p Page) ([]App, error) {
	rows, err := s.Store.Apps(ctx)
	out := []App{}
	for _, r := range pageOf(rows, p, func(r store.App) store.Cursor { return store.Cursor{US: r.CreatedUS, ID: r.ID} }) {
		out = append(out, s.appOf(ctx, r))
	}
	return out, err
}

// minWebhookSecret is the minimum length of a webhook secret: 16 random characters have at least 64 bits
// (design choice; GitHub accepts any length).
const minWebhookSecret = 16

func checkWebhookSecret(c *field.Check, pointer, v string) {
	c.That(len(v) >= minWebhookSecret && field.Plain(v) && strings.TrimSpace(v) == v, pointer,
		"must have at least 16 characters on one line, without spaces around them")
}

func checkPrivateKey(c *field.Check, pointer, v string) {
	c.That(github.CheckPrivateKey(secret.New(v)) == nil, pointer, "must be an RSA private key in PEM form, as GitHub offers it for download")
}

func checkSlug(c *field.Check, pointer, v string) {
	ok := v == "" || strings.Trim(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
	c.That(ok, pointer, "must be the last part of the address of the app's page: letters, digits and hyphens")
}

// Register registers an existing app. If the host answers, the key must belong to the app. If it does not,
// the app is stored as entered, and its test shows the problem.
func (s *Service) Register(ctx context.Context, in GitHubAppRegister, first bool) (App, error) {
	var c field.Check
	s.checkHost(&c, "/baseUrl", in.BaseURL)
	checkSlug(&c, "/slug", in.Slug)
	checkPrivateKey(&c, "/privateKey", in.PrivateKey)
	checkWebhookSecret(&c, "/webhookSecret", in.WebhookSecret)
	c.Name("/clientId", in.ClientID)
	c.Name("/clientSecret", in.ClientSecret)
	if err := c.Err(); err != nil {
		return App{}, err
	}
	if err := s.oneApp(ctx, first); err != nil {
		return App{}, err
	}
	row := store.App{ID: domain.NewID("app"), Kind: "github", Slug: in.Slug, ClientID: in.ClientID, ExternalID: domain.NumberID(in.AppID)}
	row.WebURL, row.APIURL = github.Addresses(in.BaseURL)
	v := secrets{secret.New(in.PrivateKey), secret.New(in.WebhookSecret), secret.New(in.ClientSecret)}
	if err := s.fetchAppData(ctx, &row, v.key); err != nil {
		return App{}, err
	}
	return s.save(ctx, row, v, first)
}

// fetchAppData asks the host for the data of an app and copies them into row. A refusal means a wrong key or
// number; without an answer, row stays unchanged.
func (s *Service) fetchAppData(ctx context.Context, row *store.App, key secret.Secret) error {
	if s.Hosts == nil {
		return nil
	}
	host, err := s.Hosts.Unsaved(*row, key)
	if err != nil {
		return err
	}
	app, err := host.App(ctx)
	switch codehost.ClassOf(err) {
	case codehost.ClassForbidden:
		return field.Wrong("/privateKey", "must be a private key of the app with this appId: the host does not take it")
	case codehost.ClassNotFound:
		return field.Wrong("/appId", "must be the number of an app on this host: the host knows none")
	}
	if err != nil {
		return nil
	}
	var c field.Check
	c.That(app.ID == row.ExternalID, "/appId", "must be the app's number")
	c.That(row.Slug == "" || strings.EqualFold(row.Slug, app.Slug), "/slug", "must be the app's slug on the host, or be absent")
	c.That(app.ClientID == "" || row.ClientID == app.ClientID, "/clientId", "must be the app's client id on the host")
	copyAppData(row, app)
	return c.Err()
}

func copyAppData(row *store.App, app github.App) {
	row.Slug, row.Name, row.HTMLURL, row.OwnerLogin, row.OwnerID = app.Slug, app.Name, app.HTMLURL, app.OwnerLogin, app.OwnerID
}

// UpdateApp changes an app. version 0 means any version. A change of host or app id requires the secrets
// again, so that a stored key cannot be sent to an address of the caller's choice. It is refused while the
// app has installations.
func (s *Service) UpdateApp(ctx context.Context, id string, version int64, in GitHubAppUpdate) (App, error) {
	row, err := s.Store.App(ctx, id)
	if err != nil {
		return App{}, err
	}
	if version != 0 && version != row.Version {
		return App{}, errs.Changed()
	}
	before, changed := row, store.AppSecrets{}
	if err := s.change(ctx, &row, &changed, in); err != nil {
		return App{}, err
	}
	var after App
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		now, err := s.Store.UpdateApp(ctx, row, changed)
		switch {
		case errs.Is(err, errs.NotFound):
			err = errs.Changed()
		case errs.Is(err, errs.Conflict):
			err = errs.New(errs.Conflict, "already_exists", "There is already an app with this appId at this baseUrl.")
		}
		after = s.appOf(ctx, now)
		return audit.Act{Action: "codehost-app.update", Target: after.target(), Before: s.appOf(ctx, before), After: after}, err
	})
	return after, err
}

// change applies an update to a row and seals its secrets.
func (s *Service) change(ctx context.Context, row *store.App, changed *store.AppSecrets, in GitHubAppUpdate) error {
	var c field.Check
	old := *row
	in.Slug.Into(&row.Slug)
	in.ClientID.Into(&row.ClientID)
	if in.AppID.Set() {
		row.ExternalID = domain.NumberID(in.AppID.Get())
	}
	if in.BaseURL.Set() {
		s.checkHost(&c, "/baseUrl", in.BaseURL.Get())
		row.WebURL, row.APIURL = github.Addresses(in.BaseURL.Get())
	}
	checkSlug(&c, "/slug", row.Slug)
	if in.ClientID.Set() { // a bootstrap file may leave it out
		c.Name("/clientId", row.ClientID)
	}
	if in.PrivateKey.Set() {
		checkPrivateKey(&c, "/privateKey", in.PrivateKey.Get())
	}
	if in.WebhookSecret.Set() {
		checkWebhookSecret(&c, "/webhookSecret", in.WebhookSecret.Get())
	}
	if in.NextWebhookSecret.Set() && !in.NextWebhookSecret.Null() {
		checkWebhookSecret(&c, "/nextWebhookSecret", in.NextWebhookSecret.Get())
	}
	if in.NextWebhookSecret.Null() {
		c.That(len(old.NextWebhookSecret) > 0, "/nextWebhookSecret", "must be set before a rotation can end")
		c.That(!in.WebhookSecret.Set(), "/webhookSecret", "must be absent where a rotation ends: the next secret takes its place")
	}
	if in.ClientSecret.Set() {
		c.Name("/clientSecret", in.ClientSecret.Get())
	}
	moved := row.ExternalID != old.ExternalID || row.APIURL != old.APIURL || row.WebURL != old.WebURL
	if moved {
		again := "is needed again where baseUrl or appId changes"
		c.That(in.PrivateKey.Set(), "/privateKey", again)
		c.That(in.WebhookSecret.Set(), "/webhookSecret", again)
		c.That(in.ClientSecret.Set(), "/clientSecret", again)
		row.Name, row.HTMLURL, row.OwnerLogin, row.OwnerID = "", "", "", ""
		if !in.Slug.Set() {
			row.Slug = ""
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	if moved {
		if err := s.checkUnused(ctx, row.ID, false); err != nil {
			return err
		}
	}
	if moved || in.PrivateKey.Set() {
		key := secret.New(in.PrivateKey.Get())
		if err := s.fetchAppData(ctx, row, key); err != nil {
			return err
		}
	}
	return s.reseal(ctx, row, changed, in, moved)
}

func (s *Service) reseal(ctx context.Context, row *store.App, changed *store.AppSecrets, in GitHubAppUpdate, moved bool) (err error) {
	seal := func(column, value string, to *[]byte, flag *bool) {
		if err == nil {
			*to, err = s.Keyring.SealSecret(ctx, appScope(row.ID, column), secret.New(value))
			*flag = true
		}
	}
	if in.PrivateKey.Set() {
		seal("private_key", in.PrivateKey.Get(), &row.PrivateKey, &changed.PrivateKey)
	}
	if in.WebhookSecret.Set() {
		seal("webhook_secret", in.WebhookSecret.Get(), &row.WebhookSecret, &changed.Webhook)
	}
	if in.ClientSecret.Set() {
		seal("client_secret", in.ClientSecret.Get(), &row.ClientSecret, &changed.Client)
	}
	switch {
	case in.NextWebhookSecret.Null():
		next, oerr := s.Keyring.OpenSecret(ctx, appScope(row.ID, "next_webhook_secret"), row.NextWebhookSecret)
		if oerr != nil {
			return oerr
		}
		seal("webhook_secret", next.Reveal(), &row.WebhookSecret, &changed.Webhook)
		row.NextWebhookSecret = nil
	case in.NextWebhookSecret.Set():
		seal("next_webhook_secret", in.NextWebhookSecret.Get(), &row.NextWebhookSecret, &changed.NextWebhook)
	case moved:
		row.NextWebhookSecret = nil
	}
	return err
}

// checkUnused returns an in_use error if the app has installations, or with placedOnly if it has installations
// that are assigned to a tenant.
func (s *Service) checkUnused(ctx context.Context, app string, placedOnly bool) error {
	all, err := s.Store.Installations(ctx, "")
	if err != nil {
		return err
	}
	var users []string
	for _, i := range all {
		if i.AppID == app && (i.Tenant != "" || !placedOnly) {
			users = append(users, "installation "+i.ID+" ("+i.AccountLogin+", "+string(i.State)+")")
		}
	}
	if len(users) == 0 {
		return nil
	}
	more := ""
	if n := len(users); n > 10 {
		users, more = users[:10], " and more"
	}
	return errs.New(errs.Conflict, "in_use", "The app is in use by %s%s. Repositories and their history hang on them.",
		strings.Join(users, ", "), more)
}

// DeleteApp deletes an app with its unassigned installations, and ends the sessions that signed in through
// it. If an installation is assigned to a tenant, it returns Conflict in_use, which names the
// installations.
func (s *Service) DeleteApp(ctx context.Context, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.App(ctx, id)
		if err != nil {
			return audit.Act{}, err
		}
		if err := s.checkUnused(ctx, id, true); err != nil {
			return audit.Act{}, err
		}
		done, err := s.Store.DeleteApp(ctx, id)
		if err == nil && !done {
			if err = s.checkUnused(ctx, id, true); err == nil {
				err = errs.Absent()
			}
		}
		if err != nil {
			return audit.Act{}, err
		}
		idle, _ := s.SessionLife(ctx)
		ended, err := s.Store.EndSessionsFrom(ctx, id, idle) // after the app, so that a concurrent sign-in has ended or fails
		a := s.appOf(ctx, row)
		return audit.Act{Action: "codehost-app.delete", Target: a.target(), Before: a, Note: audit.SessionsEnded(ended)}, err
	})
}
