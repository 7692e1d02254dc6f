package auth

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// methodHost is the method of sessions that a code host's account opened.
const methodHost = "github"

// hostCallback is the path to which a code host sends browsers back.
const hostCallback = "/auth/codehost/callback"

// NewVerifier returns a PKCE verifier (RFC 7636, section 4.1: 43 to 128 characters) and its S256 challenge.
func NewVerifier() (verifier, challenge string) {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never returns an error (package documentation of crypto/rand)
	verifier = base64.RawURLEncoding.EncodeToString(raw)
	sum := sha256.Sum256([]byte(verifier))
	return verifier, base64.RawURLEncoding.EncodeToString(sum[:])
}

// BeginHost begins a sign-in by a code host and returns the address for the browser. app "" means the first
// app. session belongs to a person who links another identity; "" for a sign-in.
func (s *Service) BeginHost(ctx context.Context, app, returnPath, session, binding string) (string, error) {
	if app == "" {
		all, err := s.hostProviders(ctx)
		if err != nil {
			return "", err
		}
		if len(all) == 0 {
			return "", errs.New(errs.NotFound, "not_found", "No app is set up through which people could sign in.")
		}
		app = all[0].Slug
	}
	host, err := s.host(ctx, app)
	if err != nil {
		return "", err
	}
	verifier, challenge := NewVerifier()
	state, err := s.Begin(ctx, binding, Attempt{Kind: store.StateCodeHost, Provider: app, Secret: []byte(verifier), Return: returnPath,
		Session: session})
	if err != nil {
		return "", err
	}
	return host.AuthorizeURL(state, challenge, s.redirect()), nil
}

func (s *Service) redirect() string { return s.origin() + hostCallback }

// origin returns the public origin, without a slash at its end.
func (s *Service) origin() string {
	if s.Base != nil {
		return strings.TrimRight(s.Base(), "/")
	}
	return strings.TrimRight(s.BaseURL, "/")
}

func (s *Service) host(ctx context.Context, app string) (codehost.SignIn, error) {
	if s.Hosts == nil {
		return nil, errs.Absent()
	}
	return s.Hosts.SignIn(ctx, app)
}

// HostAnswer is a code host's answer that the browser brings back.
type HostAnswer struct{ Code, State, Error string }

// maxCode bounds a code; GitHub's codes have 20 characters.
const maxCode = 512

// EndHost ends a sign-in by a code host: it redeems the state, exchanges the code, asks for the account,
// opens the session, and asks for memberships and roles. ret is the path for the browser. Errors contain
// advice for the person, and no text of the host.
func (s *Service) EndHost(ctx context.Context, in HostAnswer, binding string, b Browser) (out Entered, ret string, err error) {
	a, err := s.Resume(ctx, store.StateCodeHost, in.State, binding)
	if err != nil {
		return out, "", err
	}
	if in.Error != "" || in.Code == "" || len(in.Code) > maxCode {
		return out, "", s.hostRefusal(ctx, in.Error)
	}
	host, err := s.host(ctx, a.Provider)
	if err != nil {
		return out, "", err
	}
	token, err := host.Exchange(ctx, in.Code, string(a.Secret), s.redirect())
	if err != nil {
		return out, "", s.exchangeError(ctx, a.Provider, err)
	}
	person, err := host.Person(ctx, token.Access)
	if err != nil {
		return out, "", s.exchangeError(ctx, a.Provider, err)
	}
	k := Known{Issuer: host.Issuer(), Subject: string(person.ID), Kind: store.IdentityCodeHost, Login: person.Login, Name: person.Name,
		Method: methodHost, Provider: a.Provider}
	row, err := s.sealToken(ctx, k.Issuer, k.Subject, a.Provider, token)
	if err != nil {
		return out, "", err
	}
	out, err = s.Enter(ctx, a, k, b, func(ctx context.Context, user string, id store.Identity) error {
		if err := s.checkOnePerHost(ctx, user, id); err != nil {
			return err
		}
		row.Identity = id.ID
		return s.Store.SaveHostToken(ctx, row, token.AccessLife, token.RefreshLife)
	})
	if err != nil {
		return out, "", err
	}
	s.await(ctx, s.refreshPerson(out.User, true), signInWait)
	return out, a.Return, nil
}

// signInWait is how long a sign-in waits for memberships and roles. Later answers count at the next
// request.
const signInWait = 10 * time.Second

// checkOnePerHost refuses a second account of the same host for one person, because it would be unclear to which
// account a later withdrawal by the host applies.
func (s *Service) checkOnePerHost(ctx context.Context, user string, id store.Identity) error {
	all, err := s.Store.IdentitiesOf(ctx, user)
	for _, other := range all {
		if other.ID != id.ID && other.Kind == store.IdentityCodeHost && other.Issuer == id.Issuer {
			return errs.New(errs.Conflict, "host_linked", "Another account of this code host is linked to you already; there can be one.")
		}
	}
	return err
}

// hostRefusal returns the error for a callback with an error instead of a code (docs.github.com/apps,
// "Troubleshooting authorization request errors").
func (s *Service) hostRefusal(ctx context.Context, word string) error {
	switch word {
	case "access_denied":
		return errs.New(errs.Malformed, "sign_in_denied", "You did not allow the sign-in at the code host. Nothing has happened; you "+
			"can begin again.")
	case "redirect_uri_mismatch", "application_suspended":
		s.Logger.WarnContext(ctx, "the code host refuses the app at sign-in", "error", word)
		return errs.New(errs.Unavailable, "app_refused", "The code host refuses this app: its callback URL is not %s, or it is "+
			"suspended. An administrator of this instance has to correct that.", s.redirect())
	default:
		return errs.New(errs.Malformed, "sign_in_failed", "The code host did not complete the sign-in. Begin again.")
	}
}

// exchangeError returns the error if the host did not accept the code or did not return its account.
func (s *Service) exchangeError(ctx context.Context, app string, err error) error {
	s.Logger.WarnContext(ctx, "a sign-in by a code host failed", "app", app, "error", err)
	switch {
	case codehost.RefusesApp(err):
		return errs.Wrap(err, errs.Unavailable, "app_refused", "The code host refuses this app: its client id or client secret is "+
			"wrong. An administrator of this instance has to correct that.")
	case codehost.ClassOf(err) == codehost.ClassForbidden:
		return errs.Wrap(err, errs.Malformed, "sign_in_failed", "The code host did not complete the sign-in. Begin again.")
	default:
		return hostDownError(err)
	}
}

// tokenScope returns the scope of a person's sealed token. It identifies the identity by issuer and
// subject, which are known before its row exists.
func tokenScope(issuer, subject, app, column string) secret.Scope {
	return secret.Scope{Table: "identity_tokens", Row: issuer + " " + subject + " " + app, Column: column}
}

func (s *Service) sealToken(ctx context.Context, issuer, subject, app string, t codehost.PersonToken) (store.HostToken, error) {
	row := store.HostToken{App: app}
	var err error
	if row.Access, err = s.Keyring.SealSecret(ctx, tokenScope(issuer, subject, app, "access_token"), t.Access); err != nil {
		return row, err
	}
	if t.Refresh.IsSet() {
		row.Refresh, err = s.Keyring.SealSecret(ctx, tokenScope(issuer, subject, app, "refresh_token"), t.Refresh)
	}
	return row, err
}
