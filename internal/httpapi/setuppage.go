package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/setup"
)

// setupView is the page of the first run.
type setupView struct {
	Inside   bool // the token was taken
	Step     string
	Progress setup.Progress
	Form     *setup.ManifestForm // the app that is about to be made; nil before it is chosen
	Manifest string              // its manifest as JSON text
	Person   string              // who is signed in in this browser
	Error    string
	Fields   []errs.Field
	Link     string // signs the first admin in
}

// setupPage shows the next step of the first run to the browser that goes
// through it, and to others the form for the token.
func (s *server) setupPage(w http.ResponseWriter, r *http.Request) {
	if done, err := s.Setup.Done(r.Context()); err != nil || done {
		s.refuse(w, r, orAbsent(err))
		return
	}
	s.showSetup(w, r, http.StatusOK, nil)
}

// showSetup writes the page. The manifest's form leaves for the code host: the
// policy of this one page names it.
func (s *server) showSetup(w http.ResponseWriter, r *http.Request, status int, failed error) {
	ctx, cookie, q := r.Context(), setupCookieOf(r), r.URL.Query()
	v := setupView{Person: from(ctx).user.Name}
	form := "'self'"
	if s.Setup.Inside(ctx, cookie) == nil {
		var err error
		if v.Progress, err = s.progress(ctx, cookie); err != nil {
			s.failPage(w, r, err)
			return
		}
		v.Inside, v.Step = true, v.Progress.Next
		if step := q.Get("step"); v.Step != "instance" && v.Progress.App == nil && (step == "app" || step == "tenant") {
			v.Step = step
		}
		if q.Get("choose") == "1" && v.Step == "app" {
			public, _ := strconv.ParseBool(q.Get("public")) // absent is private
			f, err := s.Setup.Manifest(ctx, setup.Binding(cookie), setup.ManifestChoice{BaseURL: strings.TrimRight(q.Get("baseUrl"), "/"), Organization: q.Get("organization"), Name: q.Get("name"), Public: public})
			if err != nil {
				failed, status = err, http.StatusUnprocessableEntity
			} else if u, err := url.Parse(f.Action); err == nil {
				raw, _ := json.Marshal(f.Manifest) // strings and lists only
				v.Form, v.Manifest, form = &f, string(raw), "'self' "+u.Scheme+"://"+u.Host
			}
		}
	}
	if failed != nil {
		p := s.failure(ctx, failed)
		v.Error = p.Detail
		if e, ok := errorOf(failed); ok {
			v.Fields = e.Fields
		}
	}
	// A script of our own reads the token from the fragment; without it the token is pasted.
	w.Header().Set("Content-Security-Policy", strings.Replace(contentPolicy, "form-action 'self'", "script-src 'self'; form-action "+form, 1))
	s.page(w, r, status, "setup.html", v)
}

// setupForm takes the page's forms: each is one step.
func (s *server) setupForm(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	done, err := s.Setup.Done(ctx)
	if err != nil || done {
		s.refuse(w, r, orAbsent(err))
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 2*maxForm)
	if err := r.ParseForm(); err != nil {
		s.failPage(w, r, errs.New(errs.Malformed, "malformed", "The form could not be read."))
		return
	}
	value := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	step, next := value("step"), "/setup"
	if step == "token" {
		var cookie string
		if cookie, err = s.Setup.Open(ctx, value("token")); err == nil {
			http.SetCookie(w, s.setupCookie(ctx, cookie))
		}
	} else if err = s.Setup.Inside(ctx, setupCookieOf(r)); err == nil {
		next, err = s.setupStep(ctx, step, value)
	}
	if err != nil {
		s.showSetup(w, r, s.failure(ctx, err).Status, err)
		return
	}
	if strings.HasPrefix(next, "http") { // at another origin: the page's policy lets no form lead there
		s.page(w, r, http.StatusOK, "setupdone.html", doneView{Title: "The address is stored", Text: "Setup goes on at the new address. The link works once, for 30 minutes. If nothing answers there yet, set up DNS, certificate and proxy first, or make a new link then: assay setup-token on the server.",
			Link: next, LinkText: "Go on at " + s.Setup.BaseURL(ctx)})
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// setupStep does one step and returns where the browser goes.
func (s *server) setupStep(ctx context.Context, step string, value func(string) string) (string, error) {
	switch step {
	case "instance":
		at, err := s.Setup.NameInstance(ctx, setup.SetupInstance{Name: value("name"), PublicBaseURL: strings.TrimRight(value("publicBaseUrl"), "/")})
		if at == "" {
			at = "/setup"
		}
		return at, err
	case "register":
		number, _ := strconv.ParseInt(value("appId"), 10, 64) // refused as 0
		_, err := s.registerFirst(ctx, SetupRegisterApp{BaseURL: value("baseUrl"), AppID: number, Slug: value("slug"), PrivateKey: value("privateKey"),
			WebhookSecret: value("webhookSecret"), ClientID: value("clientId"), ClientSecret: value("clientSecret")})
		return "/setup", err
	case "tenant":
		user := ""
		if value("as") == "me" {
			if user = from(ctx).user.ID; user == "" {
				return "", errs.New(errs.Unauthenticated, "unauthenticated", "Nobody is signed in in this browser. Sign in, or enter the name of the admin.")
			}
		}
		f, err := s.Setup.Finish(ctx, setup.SetupFinish{TenantName: value("tenantName"), AdminName: value("adminName")}, user)
		if f.SignInLink == "" {
			return "/", err
		}
		return strings.TrimPrefix(f.SignInLink, s.Setup.BaseURL(ctx)), err
	}
	return "", errs.New(errs.Malformed, "malformed", "The form names no step.")
}

func setupFormFields() *huma.Schema {
	text := &huma.Schema{Type: "string"}
	return &huma.Schema{Type: "object", Required: []string{"step"}, Properties: map[string]*huma.Schema{"step": {Type: "string", Enum: []any{"token", "instance", "register", "tenant"}},
		"token": text, "name": text, "publicBaseUrl": text, "tenantName": text, "adminName": text}}
}

func (s *server) setupScript(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=300")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.html.script))
}
