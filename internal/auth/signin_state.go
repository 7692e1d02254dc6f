package auth

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// StateLife is the maximum time between the beginning and the end of a sign-in.
const StateLife = 10 * time.Minute

// Attempt is a sign-in under way.
type Attempt struct {
	Kind     string // store.StateCodeHost or store.StateOIDC
	Provider string // the app or the identity provider
	Secret   []byte // secret data for the callback: PKCE verifier, nonce
	Return   string // a path that [ReturnPath] has accepted
	Session  string // session of a person who links another identity; "" for a sign-in
}

// Begin stores a new sign-in and returns the value of the parameter state. binding is the value of the
// cookie that binds it to one browser.
func (s *Service) Begin(ctx context.Context, binding string, a Attempt) (state string, err error) {
	state = secret.NewToken(secret.State).Reveal()
	hash := secret.Hash(state)
	sealed, err := s.Keyring.Seal(ctx, stateScope(hash), a.Secret)
	if err != nil {
		return "", err
	}
	return state, s.Store.CreateSignInState(ctx, store.SignInState{Hash: hash, Browser: secret.Hash(binding), Kind: a.Kind,
		Provider: a.Provider, Sealed: sealed,
		ReturnPath: a.Return, Session: a.Session}, StateLife)
}

// BeginFor is [Service.Begin] for a signed-in person: the state is bound to the session and needs no
// cookie.
func (s *Service) BeginFor(ctx context.Context, a Attempt) (state string, err error) {
	return s.Begin(ctx, a.Session, a)
}

// ResumeFor redeems a state of [Service.BeginFor]: it works once, within [StateLife], and in the same
// session. Errors are those of [Service.Resume].
func (s *Service) ResumeFor(ctx context.Context, kind, state, session string) (Attempt, error) {
	if !secret.CheckToken(secret.State, state) || session == "" {
		return Attempt{}, signInOverError()
	}
	return s.resume(ctx, kind, state, session)
}

// Begun reports whether a state belongs to a sign-in that this browser has begun and could resume. It does
// not redeem the state.
func (s *Service) Begun(ctx context.Context, kind, state, binding string) (bool, error) {
	if !secret.CheckToken(secret.State, state) || !secret.CheckToken(secret.Binding, binding) {
		return false, nil
	}
	return s.Store.HasSignInState(ctx, secret.Hash(state), secret.Hash(binding), kind)
}

// Resume redeems a state: it works once, within [StateLife], and in the same browser. Every other state
// gets the same error of kind [errs.Malformed] with the code sign_in_over.
func (s *Service) Resume(ctx context.Context, kind, state, binding string) (Attempt, error) {
	if !secret.CheckToken(secret.State, state) || !secret.CheckToken(secret.Binding, binding) {
		return Attempt{}, signInOverError()
	}
	return s.resume(ctx, kind, state, binding)
}

func (s *Service) resume(ctx context.Context, kind, state, binding string) (Attempt, error) {
	v, err := s.Store.TakeSignInState(ctx, secret.Hash(state), secret.Hash(binding), kind)
	if errs.Is(err, errs.NotFound) {
		return Attempt{}, signInOverError()
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

func signInOverError() error {
	return errs.New(errs.Malformed, "sign_in_over", "This sign-in is over: it was used already, took longer than ten minutes, or "+
		"began in another browser. Begin again, and allow cookies.")
}
