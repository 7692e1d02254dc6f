package instance

import (
	"context"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// The purposes of states.
const (
	forManifest = "manifest"
	forInstall  = "install"
)

// ManifestChoice is a person's choice for a new app.
type ManifestChoice struct {
	BaseURL      string // of the host; "" is github.com
	Organization string // owner of the app; "" is the person
	Name         string // "" is the instance's name
	Public       bool   // other accounts can install it
}

// ManifestForm is the form that a browser posts to the code host: the field manifest, to the address
// action.
type ManifestForm struct {
	Action   string          `json:"action" doc:"Where the form is posted, with the state"`
	Method   string          `json:"method" enum:"POST"`
	State    string          `json:"state" doc:"Bound to this browser; works once, within an hour"`
	Manifest github.Manifest `json:"manifest" doc:"Value of the form's field manifest, as JSON text"`
}

// Manifest returns the form with a new state for a browser.
func (s *Service) Manifest(ctx context.Context, binding string, in ManifestChoice) (ManifestForm, error) {
	var c field.Check
	s.checkHost(&c, "query/baseUrl", in.BaseURL)
	c.Line("query/name", in.Name)
	c.That(organization(in.Organization), "query/organization", "must be the login name of an organisation: letters, digits and "+
		"single hyphens")
	if err := c.Err(); err != nil {
		return ManifestForm{}, err
	}
	v := s.Live(ctx)
	name := in.Name
	if strings.TrimSpace(name) == "" {
		name = v.Name
	}
	web, api := github.Addresses(in.BaseURL)
	state, err := s.newState(ctx, forManifest, binding, manifestState{web, api})
	if err != nil {
		return ManifestForm{}, err
	}
	return ManifestForm{Action: github.ManifestURL(web, in.Organization, state), Method: "POST", State: state,
		Manifest: github.NewManifest(name, v.PublicBaseURL, in.Public)}, nil
}

type manifestState struct {
	Web string `json:"web"`
	API string `json:"api"`
}

func (s *Service) newState(ctx context.Context, purpose, binding string, body any) (string, error) {
	state := secret.NewToken(secret.State).Reveal()
	return state, s.Store.PutState(ctx, secret.Hash(state), purpose, binding, store.JSON(body), stateLife)
}

// takeState redeems a state. Every invalid state gets the same error.
func (s *Service) takeState(ctx context.Context, purpose, binding, state string, into func(body string)) error {
	over := errs.New(errs.Malformed, "state_over", "This was used already, took longer than an hour, or began in another browser. "+
		"Begin again.")
	if !secret.CheckToken(secret.State, state) {
		return over
	}
	body, err := s.Store.TakeState(ctx, secret.Hash(state), purpose, binding)
	if errs.Is(err, errs.NotFound) {
		return over
	}
	if err == nil {
		into(body)
	}
	return err
}

// organization reports whether a text can be a GitHub login name: 1 to 39 letters, digits and hyphens, the
// hyphens not at the ends (GitHub's form for new names). Enterprise Server allows an underscore in managed
// names. "" is valid.
func organization(login string) bool {
	if login == "" {
		return true
	}
	if len(login) > 100 || strings.HasPrefix(login, "-") {
		return false
	}
	return strings.Trim(strings.ToLower(login), "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
}

// checkHost checks the address of a host: an origin with https, unless the air-gap configuration allows
// plain http.
func (s *Service) checkHost(c *field.Check, pointer, base string) {
	if base == "" {
		return
	}
	u, err := url.Parse(base)
	ok := err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil &&
		strings.Trim(u.Path, "/") == "" && u.RawQuery == "" && !u.ForceQuery &&
		!strings.Contains(base, "#") && field.Plain(base) && !strings.ContainsAny(u.Host, " ;,<>\"'\\*")
	c.That(ok, pointer, "must be https://github.com or the origin of a GitHub Enterprise Server, such as https://github.example.com")
	if ok && s.URL != nil {
		c.That(s.URL(base) == nil, pointer, "is not reachable: https to a public address, or a host in "+
			"ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS, for plain http with ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP=true")
	}
}

// Callback ends the manifest flow: it redeems the browser's state, exchanges the code at the host that the
// state names, and stores the app. first is true in the first run, which registers one app.
func (s *Service) Callback(ctx context.Context, binding, state, code string, first bool) (App, error) {
	var from manifestState
	if err := s.takeState(ctx, forManifest, binding, state, func(b string) { from = store.FromJSON[manifestState](b) }); err != nil {
		return App{}, err
	}
	return s.convert(ctx, from, code, first)
}

// Convert registers the app of a manifest's code for a caller that has authenticated in another way. base
// is the host's; "" is github.com.
func (s *Service) Convert(ctx context.Context, base, code string, first bool) (App, error) {
	var c field.Check
	s.checkHost(&c, "/baseUrl", base)
	if err := c.Err(); err != nil {
		return App{}, err
	}
	web, api := github.Addresses(base)
	return s.convert(ctx, manifestState{web, api}, code, first)
}

func (s *Service) convert(ctx context.Context, from manifestState, code string, first bool) (App, error) {
	if s.Hosts == nil {
		return App{}, errs.Down(nil, "code host", 0)
	}
	if err := s.oneApp(ctx, first); err != nil {
		return App{}, err
	}
	r, err := s.Hosts.Convert(ctx, from.API, code)
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound, codehost.ClassInvalid:
		return App{}, &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.", Cause: err,
			Fields: []errs.Field{{Pointer: "/code", Message: "must be the code of a manifest, at most an hour old and not used before. " +
				"Begin again"}}}
	}
	if err != nil {
		return App{}, errs.Wrap(err, errs.Unavailable, "host_unavailable",
			"The code host does not answer as expected, and its code may be used up. Begin again; if an app was made there, delete it there.")
	}
	row := store.App{ID: domain.NewID("app"), Kind: "github", WebURL: from.Web, APIURL: from.API, Slug: r.Slug, ClientID: r.ClientID,
		ExternalID: r.ID,
		Name:       r.Name, HTMLURL: r.HTMLURL, OwnerLogin: r.OwnerLogin, OwnerID: r.OwnerID}
	return s.save(ctx, row, secrets{r.PrivateKey, r.WebhookSecret, r.ClientSecret}, first)
}

// oneApp refuses a second app in the first run, before any request is sent.
func (s *Service) oneApp(ctx context.Context, first bool) error {
	if !first {
		return nil
	}
	st, err := s.Store.Setup(ctx)
	switch {
	case err != nil:
		return err
	case st.CompletedUS != 0:
		return errs.Absent()
	case st.AppID != "":
		return secondApp()
	}
	return nil
}

func secondApp() error {
	return errs.New(errs.Conflict, "already_exists", "An app is registered. Continue with the tenant; more apps can be added "+
		"afterwards by an instance admin.")
}

// secrets are the secrets of an app.
type secrets struct{ key, webhook, client secret.Secret }

// save seals the secrets and stores the row.
func (s *Service) save(ctx context.Context, row store.App, v secrets, first bool) (App, error) {
	for _, one := range []struct {
		column string
		value  secret.Secret
		to     *[]byte
	}{{"private_key", v.key, &row.PrivateKey}, {"webhook_secret", v.webhook, &row.WebhookSecret},
		{"client_secret", v.client, &row.ClientSecret}} {
		sealed, err := s.Keyring.SealSecret(ctx, appScope(row.ID, one.column), one.value)
		if err != nil {
			return App{}, err
		}
		*one.to = sealed
	}
	var out App
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if first {
			if ok, err := s.Store.ClaimSetupApp(ctx, row.ID); err != nil || !ok {
				if err == nil {
					err = secondApp()
				}
				return audit.Act{}, err
			}
		}
		all, err := s.Store.Apps(ctx)
		if err != nil {
			return audit.Act{}, err
		}
		if len(all) >= maxApps {
			return audit.Act{}, errs.New(errs.Conflict, "limit_reached",
				"There are already %d apps, and more are not possible. Delete some first.", maxApps)
		}
		made, err := s.Store.CreateApp(ctx, row)
		if errs.Is(err, errs.Conflict) {
			err = errs.New(errs.Conflict, "already_exists", "There is already an app with this appId at this baseUrl.")
		}
		out = s.appOf(ctx, made)
		return audit.Act{Action: "codehost-app.create", Target: out.target(), After: out}, err
	})
	return out, err
}

// appScope returns the scope of a sealed column of an app; it equals connect.AppScope, which opens the
// column.
func appScope(app, column string) secret.Scope {
	return secret.Scope{Table: "apps", Row: app, Column: column}
}
