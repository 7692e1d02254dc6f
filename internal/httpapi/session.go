package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// The names of the session cookie. Browsers refuse a cookie with the prefix __Host- if another host or path
// set it, but the prefix needs https. On plain http, which is for loopback only, the cookie has neither.
// The current public base URL selects the name, and can change while the process runs.
const (
	hostCookie  = "__Host-assay_session"
	plainCookie = "assay_session"
)

// secure reports whether new cookies are for https only.
func (s *server) secure(ctx context.Context) bool { return instance.Secure(s.Instance.BaseURL(ctx)) }

// setCookie sets the session cookie for the given time and deletes one with the other name.
func (s *server) setCookie(w http.ResponseWriter, r *http.Request, value string, age time.Duration) {
	name, other := plainCookie, hostCookie
	if s.secure(r.Context()) {
		name, other = hostCookie, plainCookie
	}
	http.SetCookie(w, sessionCookie(name, value, age))
	if _, err := r.Cookie(other); err == nil {
		http.SetCookie(w, sessionCookie(other, "", -time.Second))
	}
}

// clearCookies deletes the session cookie under both names.
func clearCookies(w http.ResponseWriter) {
	for _, name := range []string{hostCookie, plainCookie} {
		http.SetCookie(w, sessionCookie(name, "", -time.Second))
	}
}

// sessionCookie returns a cookie with one of the names; a negative age deletes it.
func sessionCookie(name, value string, age time.Duration) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, Secure: name == hostCookie,
		SameSite: http.SameSiteLaxMode, MaxAge: int(age.Seconds())}
}

// tokens returns the well-formed session tokens of a request by cookie name.
func tokens(r *http.Request) map[string]string {
	out := map[string]string{}
	for _, name := range []string{hostCookie, plainCookie} {
		if c, err := r.Cookie(name); err == nil && secret.CheckToken(secret.Session, c.Value) {
			out[name] = c.Value
		}
	}
	return out
}

// signedIn finds the live session of a request and its person.
func (s *server) signedIn(r *http.Request) (*caller, error) {
	nobody := errs.New(errs.Unauthenticated, "unauthenticated", "You are not signed in.")
	ctx := r.Context()
	session, _, err := s.session(r)
	if errs.Is(err, errs.NotFound) {
		return nil, nobody
	}
	if err != nil {
		return nil, err
	}
	c, err := s.callerOf(ctx, session)
	if errs.Is(err, errs.NotFound) {
		return nil, nobody
	}
	if err != nil {
		return nil, err
	}
	noteOf(ctx).user = c.user.ID
	return c, nil
}

// callerOf returns the person of a live session, without a place.
func (s *server) callerOf(ctx context.Context, session store.Session) (*caller, error) {
	user, err := s.Store.UserByID(ctx, session.UserID)
	if err != nil {
		return nil, err
	}
	c := &caller{user: user, session: session}
	// A provider for some tenants only cannot make instance admins.
	c.SignedIn, c.InstanceAdmin = true, user.InstanceAdmin && session.Everywhere
	return c, nil
}

// session returns the live session of a request's cookies with its token. If cookies are for https only, a
// cookie without the prefix counts only for sessions from before that setting, because another host can
// have set it. It returns [errs.NotFound] if there is no live session.
func (s *server) session(r *http.Request) (v store.Session, token string, err error) {
	ctx, all := r.Context(), tokens(r)
	find := s.Store.UseSession
	if isUnattended(r) {
		find = s.Store.LiveSession
	}
	for _, name := range []string{hostCookie, plainCookie} {
		if all[name] == "" {
			continue
		}
		v, err := find(ctx, secret.Hash(all[name]), s.idle(ctx))
		if err == nil && name == plainCookie && s.secure(ctx) && v.CreatedUS >= s.Instance.SecureSince(ctx) {
			continue
		}
		if !errs.Is(err, errs.NotFound) {
			return v, all[name], err
		}
	}
	return store.Session{}, "", errs.Absent()
}

// isUnattended reports whether a page sent a request by itself: a stream of events, or a list that it reads again. Such a
// request does not renew the idle time of the session.
func isUnattended(r *http.Request) bool {
	return r.Header.Get("X-Assay-Unattended") == "true" || r.Header.Get("Accept") == "text/event-stream"
}

// idle and absolute return the session limits from the current settings.
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
