package httpapi

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
)

// breakGlass is the path of one-time sign-in links.
const breakGlass = "/auth/break-glass"

// maxForm is the maximum size of a page's form in bytes, enough for a token.
const maxForm = 16 << 10

// linkPage is the target of a one-time link. The token follows "#", so that proxies and logs do not see it.
// A script copies it into the form; without scripts the person pastes it. The page also accepts a token in
// the query, because the interface defines that; such links live for an hour at most. Opening the page has
// no effect, so that link scanners cannot redeem the link.
func (s *server) linkPage(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery == "" {
		allowScript(w, "'self'")
		s.page(w, r, http.StatusOK, "signin.html", signInView{Asks: true})
		return
	}
	query := r.URL.Query()
	if len(query) != 1 || len(query["token"]) != 1 {
		s.linkOver(w, r)
		return
	}
	s.showLink(w, r, query.Get("token"))
}

// showLink shows the effect of a one-time link without redeeming it.
func (s *server) showLink(w http.ResponseWriter, r *http.Request, token string) {
	link, err := s.Auth.PeekLink(r.Context(), token, s.client(r))
	if errs.Is(err, errs.NotFound) {
		s.linkOver(w, r)
		return
	}
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.page(w, r, http.StatusOK, "signin.html", signInView{Name: link.User.Name, Admin: link.User.InstanceAdmin, Token: token})
}

type signInView struct {
	Asks  bool // asks for the token
	Name  string
	Admin bool
	Token string // "" if the link is not valid or not known yet
}

func (s *server) linkOver(w http.ResponseWriter, r *http.Request) {
	s.page(w, r, http.StatusNotFound, "signin.html", signInView{})
}

// takeLink handles the page's form. With "show" it shows the person of the link. Otherwise it redeems the
// link and signs that person in.
func (s *server) takeLink(w http.ResponseWriter, r *http.Request) {
	token, ok := formValue(w, r, "token")
	if !ok {
		s.linkOver(w, r)
		return
	}
	if r.PostForm.Get("show") != "" {
		s.showLink(w, r, token)
		return
	}
	b, err := s.browser(r)
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	session, err := s.Auth.RedeemLink(r.Context(), token, s.client(r), b)
	if errs.Is(err, errs.NotFound) {
		s.linkOver(w, r)
		return
	}
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.setCookie(w, r, session, s.absolute(r.Context()))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// allowScript allows a page to run the script that reads a token from the address, and to post its forms to
// form. Without the script the person pastes the token.
func allowScript(w http.ResponseWriter, form string) {
	w.Header().Set("Content-Security-Policy", strings.Replace(contentPolicy, "form-action 'self'", "script-src 'self'; form-action "+form, 1))
}

func (s *server) tokenScript(w http.ResponseWriter, r *http.Request) { ownScript(w, r, s.html.script) }

// ownScript serves a script.
func ownScript(w http.ResponseWriter, r *http.Request, script []byte) {
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=300")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(script))
}

// formValue reads a field of the form in a request's body. It returns false unless the field occurs exactly
// once.
func formValue(w http.ResponseWriter, r *http.Request, name string) (string, bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || len(r.PostForm[name]) != 1 {
		return "", false
	}
	return r.PostForm.Get(name), true
}

func (s *server) logout(w http.ResponseWriter, r *http.Request) {
	if err := s.endSessions(w, r); err != nil {
		s.refuse(w, r, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// endSessions ends the sessions of a browser and deletes their cookies.
func (s *server) endSessions(w http.ResponseWriter, r *http.Request) error {
	for _, token := range tokens(r) {
		if err := s.Auth.SignOut(r.Context(), token); err != nil {
			return err
		}
	}
	clearCookies(w)
	return nil
}

// signOut is [server.logout] for the form of a page.
func (s *server) signOut(w http.ResponseWriter, r *http.Request) {
	if err := s.endSessions(w, r); err != nil {
		s.failPage(w, r, err)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func pageAnswers() map[string]*huma.Response {
	return withPages(map[string]*huma.Response{}, map[string]string{"200": "Takes the token that stands behind # in the address",
		"404": "The link is not valid", "429": tooOften, "503": "The database does not answer"})
}

func linkAnswers() map[string]*huma.Response {
	text := &huma.Schema{Type: "string"}
	return withPages(map[string]*huma.Response{"200": htmlAnswer("With show: a description of the link's effect, with a " +
		"button for it"), "303": {Description: "Signed in; Location is a path of this origin",
		Headers: map[string]*huma.Param{"Location": {Schema: text}, "Set-Cookie": {Schema: text}}}},
		map[string]string{"403": "The form is not of this service's own page", "404": "The link is not valid", "429": tooOften,
			"503": "The database does not answer"})
}

func logoutAnswers() map[string]*huma.Response {
	return map[string]*huma.Response{"204": {Description: "Signed out"}}
}

func htmlAnswer(what string) *huma.Response {
	return &huma.Response{Description: what, Content: map[string]*huma.MediaType{"text/html": {Schema: &huma.Schema{Type: "string"}}}}
}

func tokenForm() *huma.Schema {
	return &huma.Schema{Type: "object", Required: []string{"token"}, Properties: map[string]*huma.Schema{"token": {Type: "string"},
		"show": {Type: "string", Description: "Anything but nothing: only say whom the link signs in"}}}
}
