package auth

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// LinkAge is the maximum age of a session for linking another identity.
const LinkAge = 10 * time.Minute

// maxIdentities bounds the identities of one person.
const maxIdentities = 20

// Browser is the browser that gets a session.
type Browser struct {
	Token          string        // its present session token; "" if it has no session
	Address, Agent string        // shown to the person
	Absolute       time.Duration // life of a session
	Idle           time.Duration
}

// Known is a proven identity.
type Known struct {
	Issuer, Subject string
	Kind            string // store.IdentityCodeHost or store.IdentityOIDC
	Login           string // for display
	Name            string // for display, of a new person; Login if empty
	Method          string // of the session: github, oidc:<slug>
	Provider        string // id of the app or the identity provider
}

// Entered is the outcome of a sign-in.
type Entered struct {
	User   string
	Token  string // of the new session, for the cookie
	New    bool   // the person is new
	Linked bool   // the identity was added to the person of the present session
}

// Enter ends a sign-in. It finds or creates the person of an identity, ends the browser's earlier session,
// and opens a new one, all in one transaction with its audit entries. inside runs in it too, when person
// and identity are known and before the session exists. It must wait only for the database.
//
// If a began inside a session, the identity is added to that session's person. The browser must still have
// the session, which must not be older than [LinkAge] ([errs.Forbidden] sign_in_again), and the identity
// must not belong to another person ([errs.Conflict] identity_taken).
func (s *Service) Enter(ctx context.Context, a Attempt, k Known, b Browser,
	inside func(ctx context.Context, user string, identity store.Identity) error) (Entered, error) {
	out, err := s.enter(ctx, a, k, b, inside)
	if errs.Is(err, errs.Conflict) && a.Session == "" { // two first sign-ins at once: the other one created the person
		out, err = s.enter(ctx, a, k, b, inside)
	}
	return out, err
}

func (s *Service) enter(ctx context.Context, a Attempt, k Known, b Browser,
	inside func(ctx context.Context, user string, identity store.Identity) error) (Entered, error) {
	var out Entered
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		user, id, err := s.person(ctx, a, k, b, &out)
		if err != nil {
			return err
		}
		out.User = user.ID
		ctx = actingAs(ctx, user, k.Method)
		if out.New || out.Linked {
			if err := s.Audit.Record(ctx, audit.Act{Action: "identity.link", Target: audit.Target{Kind: "user", ID: user.ID, Name: user.Name},
				After: &shownIdentity{Issuer: id.Issuer, Subject: id.Subject, Kind: id.Kind, Login: id.Login}}); err != nil {
				return err
			}
		}
		if inside != nil {
			if err := inside(ctx, user.ID, id); err != nil {
				return err
			}
		}
		if err := s.endToken(ctx, b.Token, "signed in again"); err != nil {
			return err
		}
		out.Token, err = s.open(ctx, user, k.Method, k.Provider, b)
		return err
	})
	return out, err
}

// person finds or creates the person of an identity.
func (s *Service) person(ctx context.Context, a Attempt, k Known, b Browser, out *Entered) (store.User, store.Identity, error) {
	id, err := s.Store.Identity(ctx, k.Issuer, k.Subject)
	known := err == nil
	if err != nil && !errs.Is(err, errs.NotFound) {
		return store.User{}, id, err
	}
	owner := id.UserID
	if a.Session != "" {
		if owner, err = s.linkingPerson(ctx, a, b); err != nil {
			return store.User{}, id, err
		}
		if known && id.UserID != owner {
			return store.User{}, id, errs.New(errs.Conflict, "identity_taken", "This account belongs to another person here already.")
		}
		out.Linked = !known
	}
	if known {
		if err := s.Store.UseIdentity(ctx, id.ID, k.Login); err != nil {
			return store.User{}, id, err
		}
		user, err := s.Store.UserByID(ctx, id.UserID)
		return user, id, err
	}
	var user store.User
	if owner == "" {
		name := k.Name
		if name == "" {
			name = k.Login
		}
		user, err = s.Store.CreateUser(ctx, clip.Bytes(name, 200), false)
		out.New = true
	} else {
		user, err = s.Store.UserByID(ctx, owner)
	}
	if err != nil {
		return user, id, err
	}
	id, err = s.Store.CreateIdentity(ctx, store.Identity{UserID: user.ID, Issuer: k.Issuer, Subject: k.Subject, Kind: k.Kind, Login: k.Login})
	return user, id, err
}

// linkingPerson returns the person of the session in which a linking began.
func (s *Service) linkingPerson(ctx context.Context, a Attempt, b Browser) (string, error) {
	session, err := s.Store.SessionByID(ctx, a.Session, b.Idle)
	if errs.Is(err, errs.NotFound) {
		return "", tooOldToLinkError()
	}
	if err != nil {
		return "", err
	}
	mine, err := s.Store.SessionByToken(ctx, secret.Hash(b.Token))
	if errs.Is(err, errs.NotFound) || err == nil && mine.ID != session.ID {
		return "", tooOldToLinkError()
	}
	if err != nil {
		return "", err
	}
	if err := MayLink(session); err != nil {
		return "", err
	}
	all, err := s.Store.IdentitiesOf(ctx, session.UserID)
	if err == nil && len(all) >= maxIdentities {
		err = errs.New(errs.Conflict, "limit_reached", "There are already %d accounts linked, and more are not possible.", maxIdentities)
	}
	return session.UserID, err
}

// Open ends the browser's earlier session and opens a new one for a person who has authenticated in another
// way (a one-time link).
func (s *Service) Open(ctx context.Context, user store.User, method string, b Browser) (token string, err error) {
	err = s.Store.Atomically(ctx, func(ctx context.Context) error {
		ctx = actingAs(ctx, user, method)
		if err := s.endToken(ctx, b.Token, "signed in again"); err != nil {
			return err
		}
		token, err = s.open(ctx, user, method, "", b)
		return err
	})
	return token, err
}

func (s *Service) open(ctx context.Context, user store.User, method, provider string, b Browser) (string, error) {
	token := secret.NewToken(secret.Session).Reveal()
	row, err := s.Store.OpenSession(ctx, store.NewSession{TokenHash: secret.Hash(token), CSRF: rand.Text(), User: user.ID,
		Method: method, Provider: provider, Address: b.Address, Agent: b.Agent, Absolute: b.Absolute})
	if err != nil {
		return "", err
	}
	return token, s.Audit.Record(ctx, audit.Act{Action: "session.create", Target: audit.Target{Kind: "session", ID: row.ID, Name: user.Name},
		After: &shownSession{UserID: user.ID, Method: method}})
}

// Sessions lists the live sessions of a person, most recently used first.
func (s *Service) Sessions(ctx context.Context, user string, idle time.Duration) ([]store.Session, error) {
	return s.Store.SessionsOf(ctx, user, idle)
}

// EndSession ends one session of a person. It returns [errs.NotFound] if the session is not theirs.
func (s *Service) EndSession(ctx context.Context, user, id, why string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		return endAct(id, user, why), s.Store.EndSession(ctx, user, id)
	})
}

// EndSessions calls the function of that name with the service's own database.
func (s *Service) EndSessions(ctx context.Context, user string) (int64, error) {
	return EndSessions(ctx, s.Store, s.Audit, user, s.Idle(ctx))
}

// EndSessions ends all sessions of a person, with one entry in the instance's log, and returns how many of
// them were still live; idle is how long an unused session lasts. It returns [errs.NotFound] if there is no
// such person. Tokens for /mcp and notifications to browsers stay, because they belong to tenants.
func EndSessions(ctx context.Context, s *store.Store, log *audit.Log, user string, idle time.Duration) (ended int64, err error) {
	err = log.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		u, err := s.UserByID(ctx, user)
		if err != nil {
			return audit.Act{}, err
		}
		ended, err = s.EndSessionsOf(ctx, user, idle)
		return audit.Act{Action: "session.end-all", Target: audit.Target{Kind: "user", ID: u.ID, Name: u.Name},
			Note: audit.SessionsEnded(ended)}, err
	})
	return ended, err
}

// SignOut ends the session of a token. An ended session is not an error.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return s.Store.Atomically(ctx, func(ctx context.Context) error { return s.endToken(ctx, token, "signed out") })
}

// endToken ends the session of a token, if there is one.
func (s *Service) endToken(ctx context.Context, token, why string) error {
	if token == "" {
		return nil
	}
	row, err := s.Store.SessionByToken(ctx, secret.Hash(token))
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.EndSession(ctx, row.UserID, row.ID, why)
	if errs.Is(err, errs.NotFound) { // ended meanwhile
		return nil
	}
	return err
}

func endAct(id, user, why string) audit.Act {
	return audit.Act{Action: "session.end", Target: audit.Target{Kind: "session", ID: id}, Before: &shownSession{UserID: user}, Note: why}
}

// actingAs makes a person the actor of ctx, which had no actor before the sign-in.
func actingAs(ctx context.Context, user store.User, method string) context.Context {
	a := audit.By(ctx)
	a.Kind, a.UserID, a.Name, a.Method = "user", user.ID, user.Name, method
	return audit.As(ctx, a)
}

// shownSession is the audit log's record of a session.
type shownSession struct {
	UserID string `json:"userId" audit:"track"`
	Method string `json:"method" audit:"track"`
}

// shownIdentity is the audit log's record of an identity.
type shownIdentity struct {
	Issuer  string `json:"issuer" audit:"track"`
	Subject string `json:"subject" audit:"track"`
	Kind    string `json:"kind" audit:"track"`
	Login   string `json:"login" audit:"track"`
}
