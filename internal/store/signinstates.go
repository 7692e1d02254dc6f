package store

import (
	"context"
	"time"
)

// The kinds of sign-ins under way.
const (
	StateCodeHost = "codehost" // Provider is the app
	StateOIDC     = "oidc"     // Provider is the identity provider
	StateTracker  = "tracker"  // Provider is the tracker connection; nobody signs in here
)

// SignInState is a sign-in under way. It is used once, before it expires, and
// by the browser that began it.
type SignInState struct {
	Hash       string // SHA-256 of the state parameter
	Browser    string // SHA-256 of the cookie that binds it to one browser
	Kind       string
	Provider   string
	Sealed     []byte // what the callback needs and nobody else may know: PKCE verifier, nonce
	ReturnPath string
	Session    string // id of the session of somebody who links one more identity; "" for a sign-in
}

func scanSignInState(r scanner, v *SignInState) error {
	return r.Scan(&v.Hash, &v.Browser, &v.Kind, &v.Provider, &v.Sealed, &v.ReturnPath, &v.Session)
}

// CreateSignInState stores a sign-in that begins.
func (s *Store) CreateSignInState(ctx context.Context, v SignInState, life time.Duration) error {
	_, err := s.exec(ctx, `INSERT INTO sign_in_states (state_hash, browser_hash, kind, provider_id, sealed, return_path, session_id, created_us, expires_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, {now}, {now} + $8)`, v.Hash, v.Browser, v.Kind, v.Provider, v.Sealed, v.ReturnPath, v.Session, life.Microseconds())
	return err
}

// HasSignInState reports whether there is a live state that TakeSignInState
// would return, and leaves it.
func (s *Store) HasSignInState(ctx context.Context, hash, browser, kind string) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM sign_in_states WHERE state_hash = $1 AND browser_hash = $2 AND kind = $3 AND expires_us > {now}`, hash, browser, kind)
	return n > 0, err
}

// TakeSignInState uses a live state up and returns it. [errs.NotFound]: there is
// none, it was used, has expired, is of another kind, or another browser began
// it; the last two leave it in place.
func (s *Store) TakeSignInState(ctx context.Context, hash, browser, kind string) (SignInState, error) {
	return returning(ctx, s, scanSignInState, `DELETE FROM sign_in_states WHERE state_hash = $1 AND browser_hash = $2 AND kind = $3 AND expires_us > {now}
		RETURNING state_hash, browser_hash, kind, provider_id, sealed, return_path, session_id`, hash, browser, kind)
}
