package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
)

// cookieName is the session cookie. The prefix __Host- makes browsers refuse
// one that another host or path set, but needs https; on plain http, which is
// for loopback only, the cookie goes without both.
func (s *server) cookieName() string {
	if s.secure {
		return "__Host-assay_session"
	}
	return "assay_session"
}

func (s *server) setCookie(w http.ResponseWriter, value string, age time.Duration) {
	c := &http.Cookie{Name: s.cookieName(), Value: value, Path: "/", HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode, MaxAge: int(age.Seconds())}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// token returns the session token of a request, "" where none looks like one.
func (s *server) token(r *http.Request) string {
	c, err := r.Cookie(s.cookieName())
	if err != nil || !secret.CheckToken(secret.Session, c.Value) {
		return ""
	}
	return c.Value
}

// signedIn finds the live session of a request and its person.
func (s *server) signedIn(r *http.Request) (*caller, error) {
	nobody := errs.New(errs.Unauthenticated, "unauthenticated", "Nobody is signed in.")
	token := s.token(r)
	if token == "" {
		return nil, nobody
	}
	ctx := r.Context()
	session, err := s.Store.UseSession(ctx, secret.Hash(token), s.idle(ctx))
	if errs.Is(err, errs.NotFound) {
		return nil, nobody
	}
	if err != nil {
		return nil, err
	}
	user, err := s.Store.UserByID(ctx, session.UserID)
	if errs.Is(err, errs.NotFound) {
		return nil, nobody
	}
	if err != nil {
		return nil, err
	}
	c := &caller{user: user, session: session}
	c.SignedIn, c.InstanceAdmin = true, user.InstanceAdmin
	seen(ctx).user = user.ID
	return c, nil
}

// idle and absolute are how long sessions last, by the settings in force.
func (s *server) idle(ctx context.Context) time.Duration {
	if idle, _ := s.Instance.SessionLife(ctx); idle > 0 {
		return idle
	}
	return s.Idle
}

func (s *server) absolute(ctx context.Context) time.Duration {
	if _, absolute := s.Instance.SessionLife(ctx); absolute > 0 {
		return absolute
	}
	return s.Absolute
}
