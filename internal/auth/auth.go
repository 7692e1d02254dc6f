// Package auth manages how people get in: sign-in by code host and identity provider, sessions,
// memberships, and roles on repositories.
//
// It contains no SQL, no wire formats and no checks of callers' permissions.
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
	// SignIn opens the sign-in of an app. It returns [errs.NotFound] if there is no such app or the app has
	// no client secret.
	SignIn(ctx context.Context, app string) (codehost.SignIn, error)
	// Connected opens the host of an access's connection with the stored token. It sends no request. It
	// returns [errs.NotFound] if the connection is gone or disabled, or has another host by now.
	Connected(ctx context.Context, a store.Access) (codehost.Connection, error)
}

// Config holds the parts of the service. Every field is required unless its comment says otherwise.
type Config struct {
	Store    *store.Store
	Keyring  *secret.Keyring
	Audit    *audit.Log
	Outbound *outbound.Factory // for identity providers
	Hosts    Hosts             // nil: no sign-in by code host, and no requests to connections about people
	BaseURL  string            // public origin to which hosts and identity providers send browsers back
	Base     func() string     // the public origin in effect, which an admin may change; nil: always BaseURL
	Now      func() time.Time  // the clock for ID tokens; nil: time.Now
	Logger   *slog.Logger      // nil: no log
	// Idle returns how long an unused session lasts; nil: as long as the session itself. It only affects
	// how many ended sessions are counted.
	Idle func(ctx context.Context) time.Duration
	// Backoff is the pause after a failed request to a host about a person; 15 s if 0.
	Backoff time.Duration
	// ProviderTimeout bounds each exchange with an identity provider; 8 s if 0.
	ProviderTimeout time.Duration
}

// Service manages sign-in, sessions and roles. It is safe for concurrent use.
type Service struct {
	Config
	party  *oidc.Party
	base   context.Context // context of background work; ended by Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu            sync.Mutex
	refreshing    map[string]chan struct{} // by person; closed when the host has answered or failed
	closing       bool
	failed        *lru.Cache[string, time.Time] // by person: time of the host's last failure
	syncRequested *lru.Cache[string, time.Time] // by connection: time of the last request to synchronise it
}

// New returns a service. [Service.Close] ends its background work.
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
	s := &Service{Config: c, party: oidc.New(oidc.Config{Factory: c.Outbound, Now: c.Now, Timeout: c.ProviderTimeout}),
		refreshing: map[string]chan struct{}{}}
	s.failed, _ = lru.New[string, time.Time](10_000) // fails only for a size below 1
	s.syncRequested, _ = lru.New[string, time.Time](10_000)
	s.base, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close ends the background work and waits for it.
func (s *Service) Close() error {
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	s.cancel()
	s.wg.Wait()
	return nil
}
