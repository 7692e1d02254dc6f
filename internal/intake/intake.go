// Package intake decides the meaning of deliveries: it finds their installation or connection, repository
// and people, and starts or ends runs.
//
// It ends every delivery with exactly one disposition. It also looks for lost deliveries and for heads
// without a run. It judges no code; package run continues with the runs.
package intake

import (
	"context"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Hosts opens stored code hosts.
type Hosts interface {
	// Repository returns the host of a repository, and the repository's name there.
	Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error)
	// Installation reads an installation and its repositories from the host with the app's key. A suspended
	// installation has no repositories.
	Installation(ctx context.Context, app string, external domain.HostID) (codehost.Installation, []codehost.RepoInfo, error)
}

// Observer receives the dispositions of deliveries, for metrics.
type Observer interface {
	DeliveryProcessed(event, disposition string)
}

// Approvals decides on reviews that wait for approval, and on findings.
type Approvals interface {
	// ByComment applies the decision in a comment whose author may review, and returns the answer. Call it
	// in the transaction that ends the delivery.
	ByComment(ctx context.Context, t domain.Tenant, repository store.Repository, c domain.ApprovalByComment) (domain.ApprovalAnswer, error)
	// DismissByComment dismisses a finding, under the same conditions.
	DismissByComment(ctx context.Context, t domain.Tenant, repository store.Repository,
		c domain.DismissalByComment) (domain.DismissalOutcome, error)
}

// Fixes starts fix runs.
type Fixes interface {
	// ByComment requests a fix run by the command in a comment whose author may maintain the repository. Call it in the transaction
	// that ends the delivery.
	ByComment(ctx context.Context, t domain.Tenant, repository store.Repository, c domain.FixAsked) (domain.FixAnswer, error)
}

// Config holds the parts of the service.
type Config struct {
	Store *store.Store
	Runs  *run.Runs
	Hosts Hosts
	// Parse parses stored deliveries by the kind of their access: [store.KindGitHub], or a
	// [domain.ConnectionKind].
	Parse map[string]func(d store.Delivery) (codehost.Event, error)
	// ParseIssue parses stored deliveries of an issue tracker, by its kind.
	ParseIssue map[domain.ConnectionKind]func(d store.Delivery) (tracker.Event, error)
	Issues     Issues // nil: deliveries of trackers are ignored
	// Place returns the tenant of an unassigned installation; "" leaves it waiting.
	Place func(ctx context.Context, app string, i codehost.Installation) (tenant string, err error)
	// Lag is how long the host's data may be older than its events; [codehost.ListLag] if 0.
	Lag time.Duration
	// SweepTime bounds the search of one repository for lost heads; a minute if 0.
	SweepTime time.Duration
	Marker    marker.Marker // marks answers to commands
	Approvals Approvals
	Fixes     Fixes
	Authors   *policy.Authors
	Logger    *slog.Logger
	Observer  Observer
}

// Service has the job handlers of deliveries and of answers to commands, and the sweeps.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service {
	if c.Lag <= 0 {
		c.Lag = codehost.ListLag
	}
	if c.SweepTime <= 0 {
		c.SweepTime = time.Minute
	}
	return &Service{c}
}

// Kinds returns the job handlers for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{
		domain.KindDelivery: {Run: s.Deliver, Dead: s.dead},
		domain.KindAnswer:   {Run: s.Answer, Dead: s.answerDead},
		domain.KindHeads:    {Run: s.sweepAccess, Dead: s.sweepDead, Crashed: s.sweepCrashed, Yields: true, Share: hostShare},
	}
}

func (s *Service) dead(ctx context.Context, j store.Job, d jobs.Death) error {
	s.Store.AfterCommit(ctx, func() { s.Observer.DeliveryProcessed("", string(domain.DispositionFailed)) })
	return s.Store.Dispose(ctx, j.Subject, "", domain.DispositionFailed, d.Reason, "")
}
