package store

import (
	"context"
	"time"
)

// The kinds of pending sign-ins.
const (
	StateCodeHost = "codehost" // Provider is the app
	StateOIDC     = "oidc"     // Provider is the identity provider
	StateTracker  = "tracker"  // Provider is the tracker connection; this authorizes a tracker and signs no person in
)

// SignInState is a pending sign-in. It can be used once, before it expires, by the browser that started it.
type SignInState struct {
	Hash       string // SHA-256 of the state parameter
	Browser    string // SHA-256 of the cookie that binds it to one browser
	Kind       string
	Provider   string
	Sealed     []byte // secrets for the callback: PKCE verifier, nonce
	ReturnPath string
	Session    string // id of the session of a person who links another identity; "" for a sign-in
}

func scanSignInState(r scanner, v *SignInState) error {
	return r.Scan(&v.Hash, &v.Browser, &v.Kind, &v.Provider, &v.Sealed, &v.ReturnPath, &v.Session)
}

// CreateSignInState stores the state of a new sign-in.
func (s *Store) CreateSignInState(ctx context.Context, v SignInState, life time.Duration) error {
	_, err := s.exec(ctx, `INSERT INTO sign_in_states (state_hash, browser_hash, kind, provider_id, sealed, return_path, session_id,
		created_us, expires_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, {now}, {now} + $8)`, v.Hash, v.Browser, v.Kind, v.Provider, v.Sealed, v.ReturnPath, v.Session,
		life.Microseconds())
	return err
}

// HasSignInState reports whether [Store.TakeSignInState] would return a state, and keeps it.
func (s *Store) HasSignInState(ctx context.Context, hash, browser, kind string) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM sign_in_states WHERE state_hash = $1 AND browser_hash = $2 AND kind = $3
		AND expires_us > {now}`, hash, browser, kind)
	return n > 0, err
}

// TakeSignInState deletes a live state and returns it. It returns [errs.NotFound] if the state does not
// exist, was used, has expired, has another kind or belongs to another browser. In the last two cases the
// state stays.
func (s *Store) TakeSignInState(ctx context.Context, hash, browser, kind string) (SignInState, error) {
	return returning(ctx, s, scanSignInState, `DELETE FROM sign_in_states WHERE state_hash = $1 AND browser_hash = $2 AND kind = $3
		AND expires_us > {now}
		RETURNING state_hash, browser_hash, kind, provider_id, sealed, return_path, session_id`, hash, browser, kind)
}
