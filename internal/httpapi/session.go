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

// The names of the session cookie. The prefix __Host- makes browsers refuse one
// that another host or path set, but needs https; on plain http, which is for
// loopback only, the cookie goes without both. Which one is set follows the
// public base URL of now: the settings change it while the process runs.
const (
	hostCookie  = "__Host-assay_session"
	plainCookie = "assay_session"
)

// secure reports whether cookies that are set now are for https only.
func (s *server) secure(ctx context.Context) bool { return instance.Secure(s.Instance.BaseURL(ctx)) }

// setCookie gives a browser its session cookie for so long, and takes away one
// of the other form.
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

// clearCookies takes the session cookie away in both forms.
func clearCookies(w http.ResponseWriter) {
	for _, name := range []string{hostCookie, plainCookie} {
		http.SetCookie(w, sessionCookie(name, "", -time.Second))
	}
}

// sessionCookie is a cookie of one of the names; a negative age deletes it.
func sessionCookie(name, value string, age time.Duration) *http.Cookie {
	return &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, Secure: name == hostCookie, SameSite: http.SameSiteLaxMode, MaxAge: int(age.Seconds())}
}

// tokens are the session tokens of a request by the names of their cookies,
// without what looks like none.
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
	seen(ctx).user = c.user.ID
	return c, nil
}

// callerOf is the person of a live session, who has entered no place yet.
func (s *server) callerOf(ctx context.Context, session store.Session) (*caller, error) {
	user, err := s.Store.UserByID(ctx, session.UserID)
	if err != nil {
		return nil, err
	}
	c := &caller{user: user, session: session}
	// A provider that is for some tenants only does not speak for the instance.
	c.SignedIn, c.InstanceAdmin = true, user.InstanceAdmin && session.Everywhere
	return c, nil
}

// session reads the live session of a request's cookies, and returns it with its
// token. Where cookies are for https only, one without the prefix counts only for
// a session that is older than this: another host may have set it.
// [errs.NotFound]: there is none.
func (s *server) session(r *http.Request) (v store.Session, token string, err error) {
	ctx, all := r.Context(), tokens(r)
	for _, name := range []string{hostCookie, plainCookie} {
		if all[name] == "" {
			continue
		}
		v, err := s.Store.UseSession(ctx, secret.Hash(all[name]), s.idle(ctx))
		if err == nil && name == plainCookie && s.secure(ctx) && v.CreatedUS >= s.Instance.SecureSince(ctx) {
			continue
		}
		if !errs.Is(err, errs.NotFound) {
			return v, all[name], err
		}
	}
	return store.Session{}, "", errs.Absent()
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
