package httpapi

import (
	"net/http"
	"net/url"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/errs"
)

// oidcLogin sends a browser to an identity provider.
func (s *server) oidcLogin(w http.ResponseWriter, r *http.Request) {
	in, err := s.parseSignIn(r)
	if err != nil {
		s.failSignIn(w, r, err)
		return
	}
	to, err := s.Auth.BeginOIDC(r.Context(), r.PathValue("slug"), s.ensureBinding(w, r), auth.Attempt{Return: in.Return, Session: in.Session})
	if err != nil {
		s.failSignIn(w, r, err)
		return
	}
	redirectAway(w, to)
}

// oidcCallback completes a sign-in when the browser returns. The provider can add parameters to the query,
// but each used parameter must occur at most once.
func (s *server) oidcCallback(w http.ResponseWriter, r *http.Request) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(q["state"]) > 1 || len(q["code"]) > 1 || len(q["iss"]) > 1 || len(q["error"]) > 1 {
		s.failSignIn(w, r, errs.New(errs.Malformed, "malformed", "The query of the address cannot be read."))
		return
	}
	b, err := s.browser(r)
	if err != nil {
		s.failSignIn(w, r, err)
		return
	}
	in, to, err := s.Auth.FinishOIDC(r.Context(), r.PathValue("slug"), s.binding(r),
		auth.OIDCAnswer{State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")}, b)
	if err != nil {
		s.failSignIn(w, r, err)
		return
	}
	s.startSession(w, r, in, to)
}
