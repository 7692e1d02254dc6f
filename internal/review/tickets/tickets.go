// Package tickets knows what a change was meant to do: which issues of trackers a
// pull request belongs to, and what of them may be known to whoever reads its review.
//
// Links are kept at each run, and beside runs where a tracker says that an issue
// changed. What people say of them, that one belongs to the pull request or does not,
// outlives what is found. Of an issue that strangers could have named or would read,
// nothing but its key is asked for ([KeyOnly]). A tracker that is down keeps no review
// from being published.
package tickets

import (
	"context"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Hosts opens code hosts from what is stored.
type Hosts interface {
	// Repository returns the host of a repository and its name there.
	Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error)
}

// Trackers opens the issue trackers of connections.
type Trackers interface {
	Open(ctx context.Context, t domain.Tenant, c store.TrackerConnection) (tracker.Tracker, error)
}

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store    *store.Store
	Hosts    Hosts
	Trackers Trackers // nil: this process cannot ask trackers
	Authors  *policy.Authors
	Cache    cache.Cache
	Audit    *audit.Log               // of what people say of links
	Scan     func(text string) string // replaces secrets in what trackers tell
	ReadTime time.Duration            // for everything that trackers are asked for one pull request; 10 s if 0
	Logger   *slog.Logger

	// RecheckAfter is how long criteria are left alone after an edit before they are judged
	// again, so that several edits are judged once; 30 s if 0.
	RecheckAfter time.Duration
}

// Service is safe for concurrent use.
type Service struct{ Config }

// open opens the tracker of a connection.
func (s *Service) open(ctx context.Context, t domain.Tenant, c store.TrackerConnection) (tracker.Tracker, error) {
	if s.Trackers == nil {
		return nil, &tracker.Error{Class: tracker.ClassUnavailable, Op: "open connection", Message: "this process cannot ask issue trackers"}
	}
	return s.Trackers.Open(ctx, t, c)
}

// New makes the service.
func New(c Config) *Service {
	if c.ReadTime <= 0 {
		c.ReadTime = 10 * time.Second
	}
	if c.RecheckAfter <= 0 {
		c.RecheckAfter = 30 * time.Second
	}
	return &Service{c}
}
