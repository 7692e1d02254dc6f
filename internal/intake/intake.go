// Package intake decides what a delivery means: which installation or connection,
// repository and people it is about, and whether a run starts or ends because of it.
//
// It ends every delivery in exactly one disposition. It also looks for what was
// never delivered: lost deliveries and heads without a run. It judges no code;
// what becomes of a run is said in package run.
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

// Hosts opens code hosts from what is stored.
type Hosts interface {
	// Repository returns the host of a repository and its name there.
	Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error)
	// Installation reads an installation back from the host with the app's own
	// key, and the repositories it reaches; none where it is suspended.
	Installation(ctx context.Context, app string, external domain.HostID) (codehost.Installation, []codehost.RepoInfo, error)
}

// Observer is told what became of deliveries, for metrics.
type Observer interface {
	DeliveryProcessed(event, disposition string)
}

// Approvals decides on reviews that wait for it.
type Approvals interface {
	// ByComment does what a comment asks for whose author may review, and says what is
	// to be answered. It is called in the transaction that ends the delivery.
	ByComment(ctx context.Context, t domain.Tenant, repository store.Repository, c domain.ApprovalByComment) (domain.ApprovalAnswer, error)
}

// Config is what the service is made of.
type Config struct {
	Store *store.Store
	Runs  *run.Runs
	Hosts Hosts
	// Parse reads the payload of a stored delivery, by the kind of access that it came
	// through: [store.KindGitHub], or a [domain.ConnectionKind].
	Parse map[string]func(d store.Delivery) (codehost.Event, error)
	// ParseIssue reads the payload of a stored delivery of an issue tracker, by its kind.
	ParseIssue map[domain.ConnectionKind]func(d store.Delivery) (tracker.Event, error)
	Issues     Issues // nil: deliveries of trackers are ignored
	// Place names the tenant of an installation that nobody has placed; "" leaves it waiting.
	Place func(ctx context.Context, app string, i codehost.Installation) (tenant string, err error)
	// Lag is how long the host may not show yet what it has sent an event of; [codehost.ListLag] if 0.
	Lag time.Duration
	// SweepTime is the longest that one repository is looked through for lost heads; a minute if 0.
	SweepTime time.Duration
	Marker    marker.Marker // marks answers to commands
	Approvals Approvals
	Authors   *policy.Authors
	Logger    *slog.Logger
	Observer  Observer
}

// Service has the job handlers of deliveries and of answers to commands, and the sweeps.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service {
	if c.Lag <= 0 {
		c.Lag = codehost.ListLag
	}
	if c.SweepTime <= 0 {
		c.SweepTime = time.Minute
	}
	return &Service{c}
}

// Kinds are the job handlers, for the worker.
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
