package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// The start and the end of a sign-in are pages, because a browser visits them and a person reads their
// errors.

// bindingCookie returns the name of the cookie that binds pending sign-ins to a browser. SameSite is Lax,
// because the browser returns from another site. The name depends on the current public base URL. A sign-in
// that started before the URL changed must start again anyway, because the host sends its code to the
// former address.
func (s *server) bindingCookie(ctx context.Context) string {
	if s.secure(ctx) {
		return "__Host-assay_signin"
	}
	return "assay_signin"
}

// setBounds returns the browser's binding and sets a new one if the browser does not send one. Several tabs
// share it.
func (s *server) ensureBinding(w http.ResponseWriter, r *http.Request) string {
	value := s.binding(r)
	if value == "" {
		value = secret.NewToken(secret.Binding).Reveal()
	}
	http.SetCookie(w, &http.Cookie{Name: s.bindingCookie(r.Context()), Value: value, Path: "/", HttpOnly: true,
		Secure: s.secure(r.Context()), SameSite: http.SameSiteLaxMode, MaxAge: int(auth.StateLife.Seconds())})
	return value
}

// binding returns the binding in a browser's cookie, or "".
func (s *server) binding(r *http.Request) string {
	c, err := r.Cookie(s.bindingCookie(r.Context()))
	if err != nil || !secret.CheckToken(secret.Binding, c.Value) {
		return ""
	}
	return c.Value
}

// browser returns the facts about the browser for a new session, with its current session's token.
func (s *server) browser(r *http.Request) (auth.Browser, error) {
	_, token, err := s.session(r)
	if errs.Is(err, errs.NotFound) {
		err = nil
	}
	return auth.Browser{Token: token, Address: s.address(r), Agent: r.UserAgent(), Absolute: s.absolute(r.Context()),
		Idle: s.idle(r.Context())}, err
}

// signInParameters holds the parameters of a page that starts a sign-in.
type signInParameters struct {
	Return  string // a path of this origin
	Session string // of a person who links another account; "" for a sign-in
}

// parseSignIn reads the parameters return and link. It refuses other parameters, except the names in known.
func (s *server) parseSignIn(r *http.Request, known ...string) (signInParameters, error) {
	q, err := onlyOnce(r.URL, append(known, "return", "link")...)
	if err != nil {
		return signInParameters{}, err
	}
	to, ok := auth.ReturnPath(q.Get("return"))
	if !ok {
		return signInParameters{}, wrongParameter("return", "must be a path of this service that begins with one slash, such as /")
	}
	out := signInParameters{Return: to}
	switch q.Get("link") {
	case "":
		return out, nil
	case "1":
	default:
		return signInParameters{}, wrongParameter("link", "must be 1, or left out")
	}
	c, err := s.signedIn(r)
	if err != nil {
		return signInParameters{}, err
	}
	if err := auth.MayLink(c.session); err != nil {
		return signInParameters{}, err
	}
	out.Session = c.session.ID
	return out, nil
}

func wrongParameter(name, message string) error {
	return &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.",
		Fields: []errs.Field{{Pointer: "query/" + name, Message: message}}}
}

// onlyOnce parses a query that may contain only the known parameters, each once.
func onlyOnce(u *url.URL, known ...string) (url.Values, error) {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return nil, errs.New(errs.Malformed, "malformed", "The query of the address cannot be read.")
	}
	for name, values := range q {
		i := 0
		for i < len(known) && known[i] != name {
			i++
		}
		if i == len(known) {
			return nil, wrongParameter("", "has a parameter that is not known")
		}
		if len(values) != 1 {
			return nil, wrongParameter(name, "must be there once")
		}
	}
	return q, nil
}

// redirectAway redirects a browser and suppresses the referrer, because the current address contains a state or a
// code.
func redirectAway(w http.ResponseWriter, to string) {
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// startSession sets the cookie of a new session and redirects the browser.
func (s *server) startSession(w http.ResponseWriter, r *http.Request, in auth.Entered, to string) {
	s.setCookie(w, r, in.Token, s.absolute(r.Context()))
	redirectAway(w, to)
}

// hostLogin starts a sign-in with a code host.
func (s *server) hostLogin(w http.ResponseWriter, r *http.Request) {
	in, err := s.parseSignIn(r, "app")
	if err != nil {
		s.failSignIn(w, r, err)
		return
	}
	app := r.URL.Query().Get("app")
	if app != "" && !plausibleID(app) {
		s.failSignIn(w, r, errs.Absent())
		return
	}
	binding := s.ensureBinding(w, r)
	to, err := s.Auth.BeginHost(r.Context(), app, in.Return, in.Session, binding)
	if err != nil {
		s.failSignIn(w, r, err)
		return
	}
	redirectAway(w, to)
}

// hostCallback ends a sign-in with a code host. It ignores unknown parameters, because the host can add
// some.
func (s *server) hostCallback(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(q["state"]) > 1 || len(q["code"]) > 1 || len(q["error"]) > 1 {
		s.failSignIn(w, r, errs.New(errs.Malformed, "malformed", "The query of the address cannot be read."))
		return
	}
	b, err := s.browser(r)
	if err != nil {
		s.failSignIn(w, r, err)
		return
	}
	in, to, err := s.Auth.EndHost(r.Context(), auth.HostAnswer{Code: q.Get("code"), State: q.Get("state"), Error: q.Get("error")},
		s.binding(r), b)
	if err != nil {
		s.failSignIn(w, r, err)
		return
	}
	s.startSession(w, r, in, to)
}

func (s *server) providers(ctx context.Context, _ *NoInput) (*Listed[auth.Provider], error) {
	all, err := s.Auth.Providers(ctx)
	if err != nil {
		return nil, err
	}
	return &Listed[auth.Provider]{List[auth.Provider]{Items: all}}, nil
}

// Session is a session of the signed-in person.
type Session struct {
	ID         string    `json:"id"`
	Method     string    `json:"method" doc:"How the person signed in"`
	ProviderID string    `json:"providerId" doc:"The app or the identity provider that it came from; empty for a one-time link"`
	Address    string    `json:"address" doc:"Network address of the browser at sign-in; empty where it is not known"`
	Agent      string    `json:"agent" doc:"What the browser called itself at sign-in"`
	Current    bool      `json:"current" doc:"Whether the request came with it"`
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt" doc:"To the minute"`
	ExpiresAt  time.Time `json:"expiresAt" doc:"The end in any case; without requests it comes earlier"`
}

func (s *server) sessions(ctx context.Context, _ *NoInput) (*Listed[Session], error) {
	c := callerFrom(ctx)
	rows, err := s.Auth.Sessions(ctx, c.user.ID, s.idle(ctx))
	if err != nil {
		return nil, err
	}
	out := &Listed[Session]{List[Session]{Items: []Session{}}}
	for _, v := range rows {
		out.Body.Items = append(out.Body.Items, sessionOf(v, c.session.ID))
	}
	return out, nil
}

func sessionOf(v store.Session, current string) Session {
	return Session{v.ID, v.Method, v.Provider, v.Address, v.Agent, v.ID == current, store.Time(v.CreatedUS), store.Time(v.UsedUS),
		store.Time(v.ExpiresUS)}
}

func (s *server) endSession(ctx context.Context, in *struct {
	SessionID string `path:"sessionId"`
}) (*Gone, error) {
	return nil, s.Auth.EndSession(ctx, callerFrom(ctx).user.ID, in.SessionID, "ended by the person")
}

func (s *server) endSessionsOf(ctx context.Context, in *struct {
	UserID string `path:"userId"`
}) (*Gone, error) {
	_, err := s.Auth.EndSessions(ctx, in.UserID)
	return nil, err
}

// startAnswers describes a page that redirects the browser to a host or identity provider. enterAnswers
// describes the page that the browser returns to.
func startAnswers() map[string]*huma.Response {
	return awayAnswers("The browser is sent on to sign in; Location is an address of the host")
}

func enterAnswers() map[string]*huma.Response {
	return awayAnswers("Signed in; Location is a path of this origin")
}

func awayAnswers(what string) map[string]*huma.Response {
	text := &huma.Schema{Type: "string"}
	out := map[string]*huma.Response{"303": {Description: what, Headers: map[string]*huma.Param{"Location": {Schema: text},
		"Set-Cookie": {Schema: text}}}}
	return withPages(out, map[string]string{"400": "The sign-in is over, or was not completed",
		"401": "No person is signed in who could link an account",
		"403": "The sign-in is refused", "404": "There is nothing to sign in with", "409": "The account belongs to another person",
		"422": "A parameter is wrong", "429": tooOften, "503": "The host does not answer"})
}

const tooOften = "Too many attempts; Retry-After says when to go on"

// withPages adds answers that are pages for people.
func withPages(out map[string]*huma.Response, pages map[string]string) map[string]*huma.Response {
	for status, why := range pages {
		out[status] = htmlAnswer(why)
	}
	return out
}

// isSignIn reports whether a route starts or ends a person's sign-in.
func isSignIn(rt Route) bool {
	return strings.HasPrefix(rt.Path, "/auth/") && (strings.HasSuffix(rt.Path, "/login") || strings.HasSuffix(rt.Path, "/callback")) &&
		!strings.HasPrefix(rt.Path, "/auth/trackers/")
}
