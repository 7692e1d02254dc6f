package wire

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/secret"
)

// Bounds of the requests for access tokens (design choices).
const (
	minTokenAge = time.Minute      // a younger token is not replaced, whatever the host answers to it
	minTokenGap = 5 * time.Second  // first wait after a failed request
	maxTokenGap = 10 * time.Minute // most time between two requests that fail
)

// TokenSource keeps the access token that a host gives for a client's own credentials (RFC 6749, 4.4). One request of the process asks for
// a token at a time, and the others wait for it or for the end of their context. A failed request is not repeated at once: until the wait
// is over, which doubles with each failure, everything gets its error. A new client of the connection starts without this wait.
//
// The credentials give a new token at any time, and the old one stays valid, so processes neither share nor store tokens: each asks once
// in the life of a token. It is safe for concurrent use.
type TokenSource struct {
	fetch func(context.Context) (secret.Secret, time.Duration, error)
	spare time.Duration
	Now   func() time.Time // the clock

	turn    chan struct{} // holds a value while a goroutine uses the fields below
	current secret.Secret
	issued  time.Time
	until   time.Time // end of its use
	failed  error     // of the newest request
	again   time.Time // when the next request is due after it
	gap     time.Duration
}

// NewTokenSource returns a source that gets its tokens and their life from fetch. A token is replaced the time spare before its end, or
// after half of its life if that is later.
func NewTokenSource(spare time.Duration, fetch func(context.Context) (secret.Secret, time.Duration, error)) *TokenSource {
	return &TokenSource{fetch: fetch, spare: spare, Now: time.Now, turn: make(chan struct{}, 1)}
}

// Get returns a valid token.
func (t *TokenSource) Get(ctx context.Context) (secret.Secret, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return secret.Secret{}, ctx.Err()
	}
	now := t.Now()
	if t.current.IsSet() && now.Before(t.until) {
		return t.current, nil
	}
	if t.failed != nil && now.Before(t.again) {
		return secret.Secret{}, t.failed
	}
	token, life, err := t.fetch(ctx)
	now = t.Now()
	switch {
	case err != nil && (ctx.Err() != nil || codehost.ClassOf(err) == codehost.ClassLimited): // the gate waits
		return secret.Secret{}, err
	case err != nil:
		t.gap = min(max(2*t.gap, minTokenGap), maxTokenGap)
		t.failed, t.again = err, now.Add(t.gap)
		return secret.Secret{}, err
	}
	t.failed, t.gap = nil, 0
	t.current, t.issued, t.until = token, now, now.Add(max(life-t.spare, life/2))
	return token, nil
}

// Attach makes a call send the token, and drops a token that the host refuses.
func (t *TokenSource) Attach(c *Call) {
	var used secret.Secret
	c.Authorize = func(ctx context.Context) (value string, err error) {
		if used, err = t.Get(ctx); err != nil {
			return "", err
		}
		return "Bearer " + used.Reveal(), nil
	}
	c.Refused = func() { t.drop(used) }
}

// drop forgets a refused token, unless another one has taken its place or it is younger than [minTokenAge].
func (t *TokenSource) drop(used secret.Secret) {
	t.turn <- struct{}{}
	defer func() { <-t.turn }()
	if t.current.IsSet() && t.current.Equal(used) && t.Now().Sub(t.issued) >= minTokenAge {
		t.current = secret.Secret{}
	}
}
