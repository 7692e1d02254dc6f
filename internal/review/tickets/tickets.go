// Package tickets finds the purpose of a change: the tracker issues that a pull request belongs to, and how
// much of them the readers of its review may know.
//
// Each run updates the links, and so does a tracker's message that an issue changed. A person's statement
// that an issue belongs to a pull request, or does not, outlives automatic findings. If a stranger could
// have chosen an issue or would read it, only its key is used ([KeyOnly]). A tracker that is down does not
// stop a review from being published.
package tickets

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Hosts opens the code hosts of stored repositories.
type Hosts interface {
	// Repository returns the host of a repository and its name there.
	Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error)
}

// Trackers opens the issue trackers of connections.
type Trackers interface {
	Open(ctx context.Context, t domain.Tenant, c store.TrackerConnection) (tracker.Tracker, error)
}

// Config holds the parts of a service. Every field is needed unless its comment says otherwise.
type Config struct {
	Store    *store.Store
	Hosts    Hosts
	Trackers Trackers // nil: this process cannot ask trackers
	Authors  *policy.Authors
	Cache    cache.Cache
	Audit    *audit.Log               // records people's changes of links
	Scan     func(text string) string // replaces secrets in texts from trackers
	ReadTime time.Duration            // for all calls to trackers for one pull request; 10 s if 0
	Logger   *slog.Logger

	// RecheckAfter is how long criteria must stay unchanged before they are judged again, so that several
	// edits are judged once; 30 s if 0.
	RecheckAfter time.Duration
}

// Service finds, reads and shows the issues of pull requests. It is safe for concurrent use.
type Service struct {
	Config
	asking singleflight.Group // who can read a repository, by its id
}

// open opens the tracker of a connection.
func (s *Service) open(ctx context.Context, t domain.Tenant, c store.TrackerConnection) (tracker.Tracker, error) {
	if s.Trackers == nil {
		return nil, &tracker.Error{Class: tracker.ClassUnavailable, Op: "open connection", Message: "this process cannot ask issue trackers"}
	}
	return s.Trackers.Open(ctx, t, c)
}

// New makes a service and fills in the defaults of its configuration.
func New(c Config) *Service {
	if c.ReadTime <= 0 {
		c.ReadTime = 10 * time.Second
	}
	if c.RecheckAfter <= 0 {
		c.RecheckAfter = 30 * time.Second
	}
	return &Service{Config: c}
}
