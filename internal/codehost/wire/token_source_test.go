package wire

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/secret"
)

// tokens is a source whose clock stands still, with the number of its requests.
type tokens struct {
	*TokenSource
	asked atomic.Int64
	fail  error
}

func newTokens() *tokens {
	x := &tokens{}
	x.TokenSource = NewTokenSource(10*time.Minute, func(context.Context) (secret.Secret, time.Duration, error) {
		n := x.asked.Add(1)
		return secret.New(fmt.Sprint("token ", n)), 2 * time.Hour, x.fail
	})
	start := time.Now()
	x.Now = func() time.Time { return start }
	return x
}

// Advance moves the clock forward.
func (x *tokens) Advance(d time.Duration) {
	before := x.Now
	x.Now = func() time.Time { return before().Add(d) }
}

func (x *tokens) want(t *testing.T, what string, asked int64, fails bool) {
	t.Helper()
	_, err := x.Get(t.Context())
	if (err != nil) != fails || x.asked.Load() != asked {
		t.Errorf("%s: %v after %d requests, want %d", what, err, x.asked.Load(), asked)
	}
}

func TestTokenSource(t *testing.T) {
	t.Parallel()
	x := newTokens()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { x.want(t, "at one time", 1, false) })
	}
	all.Wait()
	x.Advance(109 * time.Minute)
	x.want(t, "before the spare time", 1, false)
	x.Advance(time.Minute)
	x.want(t, "in the spare time", 2, false)
	x.drop(secret.New("token 1"))
	x.want(t, "after the refusal of an older token", 2, false)
	x.drop(secret.New("token 2"))
	x.want(t, "after the refusal of a young token", 2, false)
	x.Advance(minTokenAge)
	x.drop(secret.New("token 2"))
	x.want(t, "after the refusal of the token", 3, false)
}

func TestTokenSourceWaitsAfterFailures(t *testing.T) {
	t.Parallel()
	x := newTokens()
	x.fail = &codehost.Error{Class: codehost.ClassForbidden}
	x.want(t, "the first failure", 1, true)
	x.want(t, "at once", 1, true)
	x.Advance(minTokenGap)
	x.want(t, "after the wait", 2, true)
	x.Advance(minTokenGap)
	x.want(t, "in the longer wait", 2, true)
	x.Advance(minTokenGap)
	x.want(t, "after the longer wait", 3, true)
	for n := range int64(10) {
		x.Advance(maxTokenGap)
		x.want(t, "after the longest wait", 4+n, true)
	}
	x.Advance(maxTokenGap)
	x.fail = nil
	x.want(t, "after it works again", 14, false)

	limited := newTokens()
	limited.fail = &codehost.Error{Class: codehost.ClassLimited}
	limited.want(t, "a limit", 1, true)
	limited.want(t, "a limit, for which the gate waits", 2, true)
}

func TestTokenSourceEndsWithTheContext(t *testing.T) {
	t.Parallel()
	inside, release := make(chan struct{}), make(chan struct{})
	x := NewTokenSource(0, func(context.Context) (secret.Secret, time.Duration, error) {
		close(inside)
		<-release
		return secret.New("a"), time.Hour, nil
	})
	done := make(chan error, 1)
	go func() { _, err := x.Get(context.Background()); done <- err }()
	<-inside
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Get(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a request that was cancelled while another one asks: %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}
