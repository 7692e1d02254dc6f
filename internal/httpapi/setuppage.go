package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/instance"
)

// setupView is the page of the first run.
type setupView struct {
	Inside   bool // the browser has redeemed the token
	Step     string
	Number   int // of the step, from 1
	Progress instance.Progress
	Inputs   []setupInput           // of the step's form
	Hosts    []hostChoice           // the code hosts with the chosen one
	Hooks    bool                   // register webhooks
	Register []setupInput           // of the form for an existing app
	Form     *instance.ManifestForm // for the new app; nil before the choice
	Manifest string                 // its manifest in JSON
	Public   bool                   // other accounts can install the app
	Person   string                 // the person signed in in this browser
	Error    string
	Entering bool // the form for an existing app was refused
}

// Wrong returns the fields with errors.
func (v setupView) Wrong() (out []setupInput) {
	for _, i := range append(v.Inputs[:len(v.Inputs):len(v.Inputs)], v.Register...) {
		if i.Wrong != "" {
			out = append(out, i)
		}
	}
	return out
}

// Host returns the chosen code host.
func (v setupView) Host() hostChoice {
	for _, h := range v.Hosts {
		if h.Chosen {
			return h
		}
	}
	return hostChoice{}
}

// Name returns the heading of the step.
func (v setupView) Name() string {
	return map[string]string{"instance": "Name and address", "app": "Code host", "tenant": "Tenant and admin"}[v.Step]
}

// setupPage shows the next step to the browser in setup, and the form for the token to others.
func (s *server) setupPage(w http.ResponseWriter, r *http.Request) {
	if done, err := s.Instance.Done(r.Context()); err != nil || done {
		s.refuse(w, r, orAbsent(err))
		return
	}
	s.showSetup(w, r, entry{})
}

// showSetup writes the page. If it contains the manifest's form, which posts to the code host, its content
// security policy allows that host.
func (s *server) showSetup(w http.ResponseWriter, r *http.Request, e entry) {
	ctx, cookie, q := r.Context(), setupCookieOf(r), r.URL.Query()
	v := setupView{Person: callerFrom(ctx).user.Name}
	form := "'self'"
	if s.Instance.Inside(ctx, cookie) == nil {
		var err error
		if v.Progress, err = s.progress(ctx, cookie); err != nil {
			s.failPage(w, r, err)
			return
		}
		v.Inside, v.Step = true, stepOf(v.Progress, q.Get("step"), e)
		if q.Get("choose") == "1" && v.Step == "app" && e.err == nil {
			v.Form, e = s.chosen(r, v.Progress)
		}
		if v.Form != nil {
			if u, err := url.Parse(v.Form.Action); err == nil {
				raw, _ := json.Marshal(v.Form.Manifest) // strings and lists only
				v.Manifest, form = string(raw), "'self' "+u.Scheme+"://"+u.Host
			}
		}
	}
	asked := q.Get("host")
	if e.step == "connection" {
		asked = e.values.Get("kind")
	}
	v.Hosts = hostChoices(v.Progress, asked)
	v.fill(e)
	status := http.StatusOK
	if e.err != nil {
		p := s.failure(ctx, e.err)
		if status = p.Status; v.Error == "" {
			v.Error = p.Detail
		}
	}
	allowScript(w, form)
	s.page(w, r, status, "setup.html", v)
}

// stepOf returns the step to show: the refused or requested one, else the next one. Before there is an app,
// every step can be requested again.
func stepOf(p instance.Progress, asked string, e entry) string {
	if e.err != nil {
		asked = map[string]string{"register": "app", "connection": "app"}[e.step]
		if asked == "" {
			asked = e.step
		}
	}
	known := asked == "instance" || asked == "app" || asked == "tenant"
	if known && p.App == nil && (p.Next != "instance" || asked == "instance") {
		return asked
	}
	return p.Next
}

// chosen prepares the app that the query describes.
func (s *server) chosen(r *http.Request, p instance.Progress) (*instance.ManifestForm, entry) {
	q := r.URL.Query()
	e := entry{step: "app", values: q, err: checkInputs(setupInputs("app", p), q)}
	if e.err != nil {
		return nil, e
	}
	value := func(name string) string { return strings.TrimSpace(q.Get(name)) }
	public, _ := strconv.ParseBool(q.Get("public")) // absent means private
	f, err := s.Instance.Manifest(r.Context(), instance.Binding(setupCookieOf(r)),
		instance.ManifestChoice{BaseURL: strings.TrimRight(value("baseUrl"), "/"), Organization: value("organization"),
			Name: value("name"), Public: public})
	if err != nil {
		e.err = err
		return nil, e
	}
	return &f, entry{}
}

// fill sets the fields of the forms and the error of the refused form. Errors without a field, and errors
// of the host, keep their text.
func (v *setupView) fill(e entry) {
	if !v.Inside {
		v.Inputs = e.filled("token", v.Progress)
		if errs.Is(e.err, errs.Unauthenticated) && e.step == "token" {
			v.Error = "This token does not work."
			v.Inputs[0].Wrong, v.Inputs[0].Focus = "It was used, replaced by a newer one, or is older than 30 minutes.", true
		} else if errs.Is(e.err, errs.Unauthenticated) {
			v.Error = "The setup in this browser is over: it began more than two hours ago, or another browser went on with it. Nothing " +
				"was stored just now."
		}
		return
	}
	v.Number = map[string]int{"instance": 1, "app": 2, "tenant": 3}[v.Step]
	v.Inputs = e.filled(v.Step, v.Progress)
	switch {
	case v.Step == "app" && v.Host().Kind != gitHubKind:
		v.Inputs, v.Hooks = e.filled("connection", v.Progress), v.Progress.Connection == nil || v.Progress.Connection.RegisterWebhooks
		if e.err != nil && e.step == "connection" {
			v.Hooks = e.values.Get("registerWebhooks") == "1"
		}
	case v.Step == "app":
		v.Register, v.Entering = e.filled("register", v.Progress), e.err != nil && e.step == "register"
		v.Public = e.err != nil && e.values.Get("public") == "1"
	case v.Step == "tenant" && v.Person != "":
		v.Inputs = withoutAdmin(v.Inputs)
	}
	if len(v.Wrong()) > 0 {
		v.Error = "Nothing was stored. Please mend:"
		if v.Entering {
			v.Error = "Nothing was stored. Please mend this, and enter key and secrets again:"
		}
		if e.step == "connection" {
			v.Error = "Nothing was stored. Please mend this, and enter the token again:"
		}
	}
}

// withoutAdmin removes the admin's name, because a signed-in person has one.
func withoutAdmin(all []setupInput) []setupInput {
	return slices.DeleteFunc(all, func(i setupInput) bool { return i.Name == "adminName" })
}

// setupForm handles the page's forms; each is one step.
func (s *server) setupForm(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	done, err := s.Instance.Done(ctx)
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
	if step == "connection" {
		r.PostForm = withOwner(r.PostForm) // the form shows the owner if the host refuses it
	}
	if step == "token" {
		var cookie string
		if cookie, err = s.Instance.Open(ctx, value("token")); err == nil {
			http.SetCookie(w, s.setupCookie(ctx, cookie))
		}
	} else if err = s.Instance.Inside(ctx, setupCookieOf(r)); err == nil {
		next, err = s.setupStep(ctx, step, r.PostForm)
	}
	if err != nil {
		s.showSetup(w, r, entry{step, r.PostForm, err})
		return
	}
	if strings.HasPrefix(next, "http") { // at another origin: the page's policy allows no form to post there
		s.page(w, r, http.StatusOK, "setupdone.html", doneView{Title: "The address is stored",
			Text: "Setup goes on at the new address. The link works once, for 30 minutes. If nothing answers there yet, set up DNS, " +
				"certificate and proxy first, or make a new link then: assay setup-token on the server.",
			Link: next, LinkText: "Continue at " + s.Instance.BaseURL(ctx)})
		return
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// setupStep performs one step and returns the address to redirect to.
func (s *server) setupStep(ctx context.Context, step string, values url.Values) (string, error) {
	value := func(name string) string { return strings.TrimSpace(values.Get(name)) }
	inputs := setupInputs(step, instance.Progress{})
	if step == "tenant" && value("as") == "me" {
		inputs = withoutAdmin(inputs)
	}
	if err := checkInputs(inputs, values); err != nil {
		return "", err
	}
	switch step {
	case "instance":
		at, err := s.Instance.NameInstance(ctx, instance.SetupInstance{Name: value("name"),
			PublicBaseURL: strings.TrimRight(value("publicBaseUrl"), "/")})
		if at == "" {
			at = "/setup"
		}
		return at, err
	case "register":
		number, err := strconv.ParseInt(value("appId"), 10, 64)
		if err != nil || number <= 0 {
			return "", field.Wrong("/appId", "must be a number, such as 1240001")
		}
		_, err = s.registerFirst(ctx, SetupRegisterApp{BaseURL: value("baseUrl"), AppID: number, Slug: value("slug"),
			PrivateKey:    value("privateKey"),
			WebhookSecret: value("webhookSecret"), ClientID: value("clientId"), ClientSecret: value("clientSecret")})
		return "/setup", err
	case "connection":
		return "/setup", s.connectFirst(ctx, enteredConnection(values))
	case "tenant":
		user := ""
		if value("as") == "me" {
			if user = callerFrom(ctx).user.ID; user == "" {
				return "", errs.New(errs.Unauthenticated, "unauthenticated",
					"You are not signed in in this browser. Sign in, or enter the name of the admin.")
			}
		}
		f, err := s.Instance.Finish(ctx, instance.SetupFinish{TenantName: value("tenantName"), AdminName: value("adminName")}, user)
		if f.SignInLink == "" {
			return "/", err
		}
		return strings.TrimPrefix(f.SignInLink, s.Instance.BaseURL(ctx)), err
	}
	return "", errs.New(errs.Malformed, "malformed", "The form names no step.")
}

func setupFormFields() *huma.Schema {
	text := &huma.Schema{Type: "string"}
	return &huma.Schema{Type: "object", Required: []string{"step"},
		Properties: map[string]*huma.Schema{"step": {Type: "string", Enum: []any{"token", "instance", "register", "connection", "tenant"}},
			"token": text, "kind": text, "baseUrl": text, "owner": text, "repositories": text, "registerWebhooks": text, "name": text,
			"publicBaseUrl": text, "tenantName": text, "adminName": text}}
}
