package auth

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// StateLife is how long somebody may take between the two ends of a sign-in.
const StateLife = 10 * time.Minute

// Attempt is a sign-in under way.
type Attempt struct {
	Kind     string // store.StateCodeHost or store.StateOIDC
	Provider string // the app or the identity provider
	Secret   []byte // what the callback needs and nobody may read: PKCE verifier, nonce
	Return   string // a path that [ReturnPath] has passed
	Session  string // id of the session of a person who links one more identity; "" for a sign-in
}

// Begin stores a sign-in that begins and returns the value of the parameter
// state. binding is the value of the cookie that binds it to one browser.
func (s *Service) Begin(ctx context.Context, binding string, a Attempt) (state string, err error) {
	state = secret.NewToken(secret.State).Reveal()
	hash := secret.Hash(state)
	sealed, err := s.Keyring.Seal(ctx, stateScope(hash), a.Secret)
	if err != nil {
		return "", err
	}
	return state, s.Store.CreateSignInState(ctx, store.SignInState{Hash: hash, Browser: secret.Hash(binding), Kind: a.Kind, Provider: a.Provider, Sealed: sealed,
		ReturnPath: a.Return, Session: a.Session}, StateLife)
}

// BeginFor is [Service.Begin] for somebody who is signed in already: what begins is
// bound to the session instead of a cookie of its own.
func (s *Service) BeginFor(ctx context.Context, a Attempt) (state string, err error) {
	return s.Begin(ctx, a.Session, a)
}

// ResumeFor uses up a state of [Service.BeginFor]: it works once, within [StateLife],
// and for the session that began. Errors are those of [Service.Resume].
func (s *Service) ResumeFor(ctx context.Context, kind, state, session string) (Attempt, error) {
	if !secret.CheckToken(secret.State, state) || session == "" {
		return Attempt{}, over()
	}
	return s.resume(ctx, kind, state, session)
}

// Begun reports whether a state would be resumed, and leaves it: a sign-in that
// this browser has begun.
func (s *Service) Begun(ctx context.Context, kind, state, binding string) (bool, error) {
	if !secret.CheckToken(secret.State, state) || !secret.CheckToken(secret.Binding, binding) {
		return false, nil
	}
	return s.Store.HasSignInState(ctx, secret.Hash(state), secret.Hash(binding), kind)
}

// Resume uses a state up: it works once, within [StateLife], and for the browser
// that began. Every other state gets the same refusal of kind
// [errs.Malformed] with the code sign_in_over.
func (s *Service) Resume(ctx context.Context, kind, state, binding string) (Attempt, error) {
	if !secret.CheckToken(secret.State, state) || !secret.CheckToken(secret.Binding, binding) {
		return Attempt{}, over()
	}
	return s.resume(ctx, kind, state, binding)
}

func (s *Service) resume(ctx context.Context, kind, state, binding string) (Attempt, error) {
	v, err := s.Store.TakeSignInState(ctx, secret.Hash(state), secret.Hash(binding), kind)
	if errs.Is(err, errs.NotFound) {
		return Attempt{}, over()
	}
	if err != nil {
		return Attempt{}, err
	}
	plain, err := s.Keyring.Open(ctx, stateScope(v.Hash), v.Sealed)
	if err != nil {
		return Attempt{}, err
	}
	return Attempt{Kind: v.Kind, Provider: v.Provider, Secret: plain, Return: v.ReturnPath, Session: v.Session}, nil
}

func stateScope(hash string) secret.Scope {
	return secret.Scope{Table: "sign_in_states", Row: hash, Column: "sealed"}
}

func over() error {
	return errs.New(errs.Malformed, "sign_in_over", "This sign-in is over: it was used already, took longer than ten minutes, or began in another browser. Begin again, and allow cookies.")
}
