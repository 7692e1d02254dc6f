package httpapi

import (
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
)

// oidcCookie binds a sign-in with an identity provider to one browser. SameSite
// is Lax: the browser comes back from another site.
func (s *server) oidcCookie() string {
	if s.secure {
		return "__Host-assay_oidc"
	}
	return "assay_oidc"
}

// oidcBinding returns what a browser came with, "" for nothing.
func (s *server) oidcBinding(r *http.Request) string {
	c, err := r.Cookie(s.oidcCookie())
	if err != nil || !secret.CheckToken(secret.Binding, c.Value) {
		return ""
	}
	return c.Value
}

// oidcLogin sends a browser to an identity provider.
func (s *server) oidcLogin(w http.ResponseWriter, r *http.Request) {
	to, ok := auth.ReturnPath(r.URL.Query().Get("return"))
	if !ok {
		s.failPage(w, r, errs.New(errs.Malformed, "malformed", "The parameter return must be a path of this service that begins with one slash."))
		return
	}
	binding := s.oidcBinding(r)
	if binding == "" {
		binding = secret.NewToken(secret.Binding).Reveal()
	}
	address, err := s.Auth.BeginOIDC(r.Context(), r.PathValue("slug"), binding, auth.Attempt{Return: to})
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.oidcCookie(), Value: binding, Path: "/", HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode, MaxAge: int(auth.StateLife.Seconds())})
	oidcAway(w, address)
}

// oidcCallback takes a browser that comes back. The provider decides what else
// is in the query; what counts must be there once at most.
func (s *server) oidcCallback(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	for _, name := range []string{"state", "code", "iss", "error"} {
		if err != nil || len(q[name]) > 1 {
			s.failPage(w, r, errs.New(errs.Malformed, "malformed", "The query of the address cannot be read."))
			return
		}
	}
	in, to, err := s.Auth.FinishOIDC(r.Context(), r.PathValue("slug"), s.oidcBinding(r), auth.OIDCAnswer{State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")},
		auth.Browser{Token: s.token(r), Address: s.address(r), Agent: r.UserAgent(), Absolute: s.Absolute, Idle: s.Idle})
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.setCookie(w, in.Token, s.Absolute)
	oidcAway(w, to)
}

// oidcAway sends a browser on. The address it leaves holds a state or a code,
// which must not travel further.
func oidcAway(w http.ResponseWriter, to string) {
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

func oidcAnswers(what string) map[string]*huma.Response {
	text := &huma.Schema{Type: "string"}
	return map[string]*huma.Response{"303": {Description: what, Headers: map[string]*huma.Param{"Location": {Schema: text}, "Set-Cookie": {Schema: text}}},
		"400": htmlAnswer("The sign-in is over, or a parameter is wrong"), "403": htmlAnswer("The sign-in is refused"),
		"404": htmlAnswer("No enabled identity provider has this slug"), "409": htmlAnswer("The account belongs to somebody else"), "503": htmlAnswer("The identity provider does not answer")}
}
