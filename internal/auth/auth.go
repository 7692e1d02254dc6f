// Package auth is how people get in: sign-in by code host and identity provider, sessions, memberships and roles on repositories.
//
// SQL, wire formats and the question who may call do not live here.
package auth

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth/oidc"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Hosts opens code hosts for questions about people.
type Hosts interface {
	// SignIn opens the part of an app that signs people in. [errs.NotFound]: there is
	// no such app, or it has no client secret.
	SignIn(ctx context.Context, app string) (codehost.SignIn, error)
	// Connected opens the host of the connection that an access is of, with the
	// connection's own token. It asks nobody. [errs.NotFound]: the connection is gone,
	// disabled, or leads to another host by now.
	Connected(ctx context.Context, a store.Access) (codehost.Connection, error)
}

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store    *store.Store
	Keyring  *secret.Keyring
	Audit    *audit.Log
	Outbound *outbound.Factory // for identity providers
	Hosts    Hosts             // nil: nobody signs in by a code host, and no connection is asked about people
	BaseURL  string            // public origin, to which hosts and identity providers send browsers back
	Base     func() string     // the public origin in force, which an admin may change; nil: always BaseURL
	Now      func() time.Time  // the clock that ID tokens are held against; nil: time.Now
	Logger   *slog.Logger      // nil: no log
	// Idle is how long a session may rest before it is over; nil: for as long as it
	// lasts at all. It only decides which of the sessions that end are counted.
	Idle func(ctx context.Context) time.Duration
	// Backoff is how long a host that could not be asked about a person is left
	// alone; 15 s if 0.
	Backoff time.Duration
	// ProviderTimeout bounds each exchange with an identity provider; 8 s if 0.
	ProviderTimeout time.Duration
}

// Service does the acts. It is safe for concurrent use.
type Service struct {
	Config
	party  *oidc.Party
	base   context.Context // of what goes on after a request; ended by Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	asking  map[string]chan struct{} // by person; closed when the host has been asked
	closing bool
	failed  *lru.Cache[string, time.Time] // by person: when the host was last asked in vain
	nudged  *lru.Cache[string, time.Time] // by connection: when it was last wanted to be synchronised
}

// New makes the service. [Service.Close] ends what it does in the background.
func New(c Config) *Service {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Backoff <= 0 {
		c.Backoff = 15 * time.Second
	}
	if c.Idle == nil {
		c.Idle = func(context.Context) time.Duration { return math.MaxInt64 }
	}
	s := &Service{Config: c, party: oidc.New(oidc.Config{Factory: c.Outbound, Now: c.Now, Timeout: c.ProviderTimeout}), asking: map[string]chan struct{}{}}
	s.failed, _ = lru.New[string, time.Time](10_000) // fails on a size below 1 only
	s.nudged, _ = lru.New[string, time.Time](10_000)
	s.base, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close ends what goes on in the background and waits for it.
func (s *Service) Close() error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
	return nil
}
