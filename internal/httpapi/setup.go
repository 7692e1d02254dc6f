package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/instance"
)

// setupSession is the path that exchanges the setup token for a cookie.
const setupSession = "/setup/session"

// setupCookieName returns the name of the cookie for the browser in setup.
func (s *server) setupCookieName(ctx context.Context) string {
	if s.secure(ctx) {
		return "__Host-assay_setup"
	}
	return "assay_setup"
}

// setupCookieOf reads the cookie under either name, because setup can just have changed the base URL and
// with it the name.
func setupCookieOf(r *http.Request) string {
	for _, name := range []string{"__Host-assay_setup", "assay_setup"} {
		if c, err := r.Cookie(name); err == nil {
			return c.Value
		}
	}
	return ""
}

func (s *server) setupCookie(ctx context.Context, value string) *http.Cookie {
	return &http.Cookie{Name: s.setupCookieName(ctx), Value: value, Path: "/", HttpOnly: true, Secure: s.secure(ctx),
		SameSite: http.SameSiteLaxMode, MaxAge: int(instance.CookieLife / time.Second)}
}

// SetupCookie is the cookie of a request below /setup.
type SetupCookie struct {
	Secure http.Cookie `cookie:"__Host-assay_setup"`
	Plain  http.Cookie `cookie:"assay_setup"`
}

func (c SetupCookie) value() string {
	if c.Secure.Value != "" {
		return c.Secure.Value
	}
	return c.Plain.Value
}

// firstRun returns nil for the browser in setup. After the end of setup it returns [errs.NotFound].
func (s *server) firstRun(ctx context.Context, cookie string) error {
	done, err := s.Instance.Done(ctx)
	switch {
	case err != nil:
		return err
	case done:
		return errs.Absent()
	}
	return s.Instance.Inside(ctx, cookie)
}

// setupOpen reports routes below /setup as absent after the end of setup, before other checks. Exceptions
// are the return from an installation, and the creation of an app for an instance admin.
func (s *server) setupOpen(ctx context.Context, rt Route, c *caller) error {
	if rt.Path != "/setup" && !strings.HasPrefix(rt.Path, "/setup/") || rt.Path == "/setup/codehost/installed" {
		return nil
	}
	if c.InstanceAdmin && (rt.Path == "/setup/codehost/manifest" || rt.Path == "/setup/codehost/callback") {
		return nil
	}
	done, err := s.Instance.Done(ctx)
	if err == nil && done {
		err = errs.Absent()
	}
	return err
}

// SetupToken is the token that opens setup.
type SetupToken struct {
	Token string `json:"token" minLength:"1" maxLength:"200" writeOnly:"true"`
}

// setupOpened is the answer to a valid setup token.
type setupOpened struct {
	SetCookie http.Cookie `header:"Set-Cookie"`
}

func (s *server) openSetup(ctx context.Context, in *struct{ Body SetupToken }) (*setupOpened, error) {
	if done, err := s.Instance.Done(ctx); err != nil || done {
		return nil, orAbsent(err)
	}
	cookie, err := s.Instance.Open(ctx, in.Body.Token)
	if err != nil {
		return nil, err
	}
	return &setupOpened{*s.setupCookie(ctx, cookie)}, nil
}

func orAbsent(err error) error {
	if err == nil {
		return errs.Absent()
	}
	return err
}

func (s *server) setupProgress(ctx context.Context, in *struct{ SetupCookie }) (*Read[instance.Progress], error) {
	if err := s.firstRun(ctx, in.value()); err != nil {
		return nil, err
	}
	return read(s.progress(ctx, in.value()))
}

// progress returns the progress of setup, with a link to install the app.
func (s *server) progress(ctx context.Context, cookie string) (instance.Progress, error) {
	p, err := s.Instance.Progress(ctx)
	if err == nil && p.App != nil {
		if start, err := s.Instance.BeginFirstInstall(ctx, cookie, p.App.ID); err == nil {
			p.InstallURL = start.URL
		}
	}
	return p, err
}

// SetupNamed is the answer to the first step.
type SetupNamed struct {
	GoOnAt string `json:"goOnAt,omitempty" doc:"The base URL has another origin now: setup goes on there, at this address, which has a token of its own"`
}

func (s *server) nameInstance(ctx context.Context, in *struct {
	SetupCookie
	Body instance.SetupInstance
}) (*Read[SetupNamed], error) {
	if err := s.firstRun(ctx, in.value()); err != nil {
		return nil, err
	}
	at, err := s.Instance.NameInstance(ctx, in.Body)
	return read(SetupNamed{at}, err)
}

func (s *server) setupManifest(ctx context.Context, in *struct {
	SetupCookie
	BaseURL      string `query:"baseUrl" maxLength:"300" doc:"Origin of a GitHub Enterprise Server; absent: https://github.com"`
	Organization string `query:"organization" maxLength:"100" doc:"Organisation that is to own the app; absent: the person who posts the form"`
	Name         string `query:"name" maxLength:"100" doc:"Name of the app; absent: the instance's"`
	Public       bool   `query:"public" doc:"Other accounts can install the app, too"`
}) (*Read[instance.ManifestForm], error) {
	binding, _, err := s.manifestBinding(ctx, in.value())
	if err != nil {
		return nil, err
	}
	return read(s.Instance.Manifest(ctx, binding, instance.ManifestChoice{BaseURL: strings.TrimRight(in.BaseURL, "/"),
		Organization: in.Organization, Name: in.Name, Public: in.Public}))
}

// manifestBinding checks who may create an app: the browser of the first run, and afterwards an instance
// admin. It returns [errs.NotFound] for other callers.
func (s *server) manifestBinding(ctx context.Context, cookie string) (binding string, first bool, err error) {
	done, err := s.Instance.Done(ctx)
	switch c := callerFrom(ctx); {
	case err != nil:
		return "", false, err
	case !done:
		return instance.Binding(cookie), true, s.Instance.Inside(ctx, cookie)
	case c.InstanceAdmin:
		return instance.BindingOf(c.user.ID), false, nil
	}
	return "", false, errs.Absent()
}

// SetupRegisterApp registers an app in the first run: all fields of GitHubAppRegister, or the code of a
// manifest.
type SetupRegisterApp struct {
	SetupToken    string `json:"setupToken,omitempty" writeOnly:"true" maxLength:"200" doc:"For programs without the setup cookie. It stays valid"`
	Code          string `json:"code,omitempty" maxLength:"200" doc:"Code of a manifest. Then every other field but baseUrl must be absent"`
	BaseURL       string `json:"baseUrl,omitempty" maxLength:"300" doc:"Origin of a GitHub Enterprise Server; absent: https://github.com" example:"https://github.example.com"`
	AppID         int64  `json:"appId,omitempty" minimum:"1" maximum:"9007199254740991" example:"1240001"`
	Slug          string `json:"slug,omitempty" maxLength:"100" example:"assay-example"`
	PrivateKey    string `json:"privateKey,omitempty" writeOnly:"true" maxLength:"16384" doc:"RSA key in PEM form, as GitHub offers it for download" example:"the whole file that GitHub offers for download"`
	WebhookSecret string `json:"webhookSecret,omitempty" writeOnly:"true" maxLength:"200" example:"a random value of 16 characters or more"`
	ClientID      string `json:"clientId,omitempty" maxLength:"100" example:"Iv23liexample"`
	ClientSecret  string `json:"clientSecret,omitempty" writeOnly:"true" maxLength:"200" example:"as GitHub shows it once"`
}

func (s *server) setupRegister(ctx context.Context, in *struct {
	SetupCookie
	Body SetupRegisterApp
}) (*Made[instance.App], error) {
	if err := s.setupProgram(ctx, in.Body.SetupToken, in.value()); err != nil {
		return nil, err
	}
	app, err := s.registerFirst(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[instance.App]{Location: inst + "/codehost-apps", ETag: etag(app.Version), Body: app}, nil
}

// setupProgram admits the browser in setup, and programs with the setup token.
func (s *server) setupProgram(ctx context.Context, token, cookie string) error {
	if token == "" {
		return s.firstRun(ctx, cookie)
	}
	if done, err := s.Instance.Done(ctx); err != nil || done {
		return orAbsent(err)
	}
	return s.Instance.Knows(ctx, token)
}

func (s *server) registerFirst(ctx context.Context, in SetupRegisterApp) (instance.App, error) {
	base := strings.TrimRight(in.BaseURL, "/")
	if in.Code != "" {
		var c field.Check
		c.That(in.AppID == 0 && in.Slug+in.PrivateKey+in.WebhookSecret+in.ClientID+in.ClientSecret == "", "/code",
			"must stand alone, or be absent")
		if err := c.Err(); err != nil {
			return instance.App{}, err
		}
		return s.Instance.Convert(ctx, base, in.Code, true)
	}
	var c field.Check
	c.That(in.AppID > 0, "/appId", "is required without code")
	if err := c.Err(); err != nil {
		return instance.App{}, err
	}
	return s.Instance.Register(ctx, instance.GitHubAppRegister{BaseURL: base, AppID: in.AppID, Slug: in.Slug,
		PrivateKey: in.PrivateKey, WebhookSecret: in.WebhookSecret,
		ClientID: in.ClientID, ClientSecret: in.ClientSecret}, true)
}

func (s *server) finishSetup(ctx context.Context, in *struct {
	SetupCookie
	Body instance.SetupFinish
}) (*Made[instance.Finished], error) {
	if err := s.firstRun(ctx, in.value()); err != nil {
		return nil, err
	}
	user := ""
	if in.Body.AdminName == "" {
		user = callerFrom(ctx).user.ID
	}
	f, err := s.Instance.Finish(ctx, in.Body, user)
	if err != nil {
		return nil, err
	}
	return &Made[instance.Finished]{Location: "/api/tenants/" + f.TenantID + "/settings", Body: f}, nil
}

// setupCallback ends the manifest flow in the browser.
func (s *server) setupCallback(w http.ResponseWriter, r *http.Request) {
	ctx, q := r.Context(), r.URL.Query()
	binding, first, err := s.manifestBinding(ctx, setupCookieOf(r))
	if errs.Is(err, errs.NotFound) {
		s.refuse(w, r, err)
		return
	}
	var app instance.App
	if err == nil {
		app, err = s.Instance.Callback(ctx, binding, q.Get("state"), q.Get("code"), first)
	}
	switch {
	case err != nil:
		s.failPage(w, r, err)
	case first:
		http.Redirect(w, r, s.Instance.BaseURL(ctx)+"/setup", http.StatusSeeOther)
	default:
		s.page(w, r, http.StatusOK, "setupdone.html", doneView{Title: "The app is registered",
			Text: "Its key and secrets are stored. Install it on the accounts whose pull requests are to be reviewed.", Link: app.InstallURL,
			LinkText: "Install " + app.Slug})
	}
}

// doneView is the page at the end of a step.
type doneView struct{ Title, Text, Link, LinkText string }

// installed handles the browser's return from the installation of an app.
func (s *server) installed(w http.ResponseWriter, r *http.Request) {
	ctx, q := r.Context(), r.URL.Query()
	binding := ""
	if done, err := s.Instance.Done(ctx); err != nil {
		s.failPage(w, r, err)
		return
	} else if c := callerFrom(ctx); !done && s.Instance.Inside(ctx, setupCookieOf(r)) == nil {
		binding = instance.Binding(setupCookieOf(r))
	} else if c.SignedIn {
		binding = instance.BindingOf(c.user.ID)
	}
	if binding == "" || q.Get("state") == "" { // not started here: check nothing and trust nothing
		s.page(w, r, http.StatusOK, "setupdone.html", doneView{Title: "Back from the code host",
			Text: "If the app was installed just now, its events arrive by themselves. An installation that no tenant has placed waits " +
				"for an instance admin.", Link: "/", LinkText: "To the newest runs"})
		return
	}
	id, _ := strconv.ParseInt(q.Get("installation_id"), 10, 64) // 0 matches no installation
	out, err := s.Instance.Installed(ctx, binding, instance.Returned{State: q.Get("state"), Action: q.Get("setup_action"), Installation: id})
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	v := doneView{Title: "The app is installed", Link: "/", LinkText: "Continue"}
	if done, _ := s.Instance.Done(ctx); !done {
		v.Link, v.LinkText = "/setup", "Continue with setup"
	}
	switch out.Result {
	case instance.OutcomePlaced:
		v.Text = "The account " + out.Account + " belongs to the tenant. Its pull requests are reviewed from now on."
	case instance.OutcomeElsewhere:
		v.Text = "The account " + out.Account + " belongs to another tenant, and is not moved."
	case instance.OutcomeRequested:
		v.Title, v.Text = "The installation is requested", "An owner of the account has to agree on the code host."
	default:
		v.Text = "The account " + out.Account + " waits to be placed: by the first tenant of this setup if the account owns the app, " +
			"otherwise by an instance admin."
	}
	s.page(w, r, http.StatusOK, "setupdone.html", v)
}

func setupPageAnswers() map[string]*huma.Response {
	return map[string]*huma.Response{"200": htmlAnswer("The page with the result"),
		"303": {Description: "Goes on at Location, a page of this service",
			Headers: map[string]*huma.Param{"Location": {Schema: &huma.Schema{Type: "string"}}}}}
}
