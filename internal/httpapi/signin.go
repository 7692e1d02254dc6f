package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// breakGlass is the path of one-time sign-in links.
const breakGlass = "/auth/break-glass"

// maxForm is the largest form of a page: a token and a little more.
const maxForm = 16 << 10

// linkPage shows what a one-time link would do, and does nothing: programs that
// look at links must not use them up.
func (s *server) linkPage(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if len(query) != 1 || len(query["token"]) != 1 || !secret.CheckToken(secret.Link, query.Get("token")) {
		s.linkOver(w, r)
		return
	}
	token := query.Get("token")
	link, err := s.Store.PeekSignInLink(r.Context(), secret.Hash(token))
	if errs.Is(err, errs.NotFound) || err == nil && !s.inside(r, link.Networks) {
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
	Name  string
	Admin bool
	Token string // "" when the link is over
}

func (s *server) linkOver(w http.ResponseWriter, r *http.Request) {
	s.page(w, r, http.StatusNotFound, "signin.html", signInView{})
}

// redeemLink uses a one-time link up and signs its person in.
func (s *server) redeemLink(w http.ResponseWriter, r *http.Request) {
	token, ok := formValue(w, r, "token")
	if !ok || !secret.CheckToken(secret.Link, token) {
		s.linkOver(w, r)
		return
	}
	var session string
	err := s.Store.InTx(r.Context(), func(ctx context.Context) error {
		link, err := s.Store.PeekSignInLink(ctx, secret.Hash(token))
		if err != nil {
			return err
		}
		user := link.User
		noun := "sign-in-link"
		if link.Purpose == store.LinkBreakGlass {
			noun = "break-glass"
		}
		act := audit.Act{Action: noun + ".redeem", Target: audit.Target{Kind: "user", ID: user.ID, Name: user.Name}}
		if !s.inside(r, link.Networks) { // recorded, and not used up: who may use it still can
			s.Logger.WarnContext(ctx, "a one-time sign-in link was refused: it comes from another network than it is for", "user", user.ID, "address", s.address(r))
			act.Action, act.Result, act.Note = noun+".refuse", audit.Refused, "from another network"
			return s.Audit.Record(ctx, act)
		}
		if _, err := s.Store.RedeemSignInLink(ctx, secret.Hash(token)); err != nil {
			return err
		}
		// Loud, and before the session exists.
		s.Logger.WarnContext(ctx, "a one-time sign-in link was used", "user", user.ID, "address", s.address(r))
		if err := s.Audit.Record(ctx, act); err != nil {
			return err
		}
		if link.Purpose == store.LinkBreakGlass {
			if err := auth.TellOfBreakGlass(ctx, s.Store, user.ID, domain.LinkUsed); err != nil {
				return err
			}
		}
		session, err = s.Auth.Open(ctx, user, "link", s.browser(r))
		return err
	})
	switch {
	case errs.Is(err, errs.NotFound), err == nil && session == "":
		s.linkOver(w, r)
		return
	case err != nil:
		s.failPage(w, r, err)
		return
	}
	s.setCookie(w, session, s.absolute(r.Context()))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// formValue reads one field of a form in a request's body.
func formValue(w http.ResponseWriter, r *http.Request, name string) (string, bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || len(r.PostForm[name]) != 1 {
		return "", false
	}
	return r.PostForm.Get(name), true
}

func (s *server) logout(w http.ResponseWriter, r *http.Request) {
	if err := s.Auth.SignOut(r.Context(), s.token(r)); err != nil {
		s.refuse(w, r, err)
		return
	}
	s.setCookie(w, "", 0)
	w.WriteHeader(http.StatusNoContent)
}

// signOut is logout for the form of a page.
func (s *server) signOut(w http.ResponseWriter, r *http.Request) {
	if err := s.Auth.SignOut(r.Context(), s.token(r)); err != nil {
		s.failPage(w, r, err)
		return
	}
	s.setCookie(w, "", 0)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func pageAnswers() map[string]*huma.Response {
	return withPages(map[string]*huma.Response{}, map[string]string{"200": "What the link does, with the button that does it", "404": "The link is over", "429": tooOften, "503": "The database does not answer"})
}

func linkAnswers() map[string]*huma.Response {
	text := &huma.Schema{Type: "string"}
	return withPages(map[string]*huma.Response{"303": {Description: "Signed in; Location is a path of this origin", Headers: map[string]*huma.Param{"Location": {Schema: text}, "Set-Cookie": {Schema: text}}}},
		map[string]string{"403": "The form is not of this service's own page", "404": "The link is over", "429": tooOften, "503": "The database does not answer"})
}

func logoutAnswers() map[string]*huma.Response {
	return map[string]*huma.Response{"204": {Description: "Signed out"}}
}

func htmlAnswer(what string) *huma.Response {
	return &huma.Response{Description: what, Content: map[string]*huma.MediaType{"text/html": {Schema: &huma.Schema{Type: "string"}}}}
}

func tokenForm() *huma.Schema {
	return &huma.Schema{Type: "object", Required: []string{"token"}, Properties: map[string]*huma.Schema{"token": {Type: "string"}}}
}
