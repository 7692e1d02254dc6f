package app

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/upload"
)

// periodic returns the housekeeping tasks of every worker. Each may run in many workers at the same time.
func (a *App) periodic() []jobs.Periodic {
	c := a.Config
	day := 24 * time.Hour
	return []jobs.Periodic{
		{Name: "rate gates", Every: c.Jobs.Sweep, Run: func(ctx context.Context) error {
			_, err := a.Store.SweepGates(ctx, c.Gate.Quarantine)
			return err
		}},
		{Name: "sessions", Every: time.Hour, Run: func(ctx context.Context) error {
			idle, _ := a.Feature.Instance.SessionLife(ctx)
			return a.Store.DropSessions(ctx, idle)
		}},
		{Name: "accounts of the bootstrap", Every: time.Minute, Run: a.placeOwners},
		{Name: "mcp-tokens", Every: time.Hour, Run: a.Store.DropMCPTokens},
		{Name: "invitations", Every: time.Hour, Run: a.Store.DropInvitations},
		{Name: "calls of assistants", Every: time.Hour, Run: func(ctx context.Context) error {
			return a.Store.DropAssistantCalls(ctx,
				tenant.KeepAssistantCalls)
		}},
		{Name: "lapsed memberships", Every: 10 * time.Minute, Run: a.Feature.Auth.SweepLapsed},
		{Name: "former members", Every: time.Hour, Run: a.Store.DropFormerMemberData},
		{Name: "availability", Every: time.Hour, Run: func(ctx context.Context) error {
			return a.Store.DropAvailability(ctx,
				assign.KeepAvailability)
		}},
		{Name: "finished jobs", Every: 10 * time.Minute, Run: func(ctx context.Context) error {
			_, err := a.Store.DropJobs(ctx, 14*day)
			return err
		}},
		{Name: "delivery bodies", Every: 10 * time.Minute, Run: func(ctx context.Context) error {
			days := a.Feature.Instance.Live(ctx).Retention.DeliveryBodiesDays
			if days == 0 {
				return nil
			}
			_, err := a.Store.DropPayloads(ctx, (time.Duration(days) * day).Microseconds())
			return err
		}},
		{Name: "documents of analysers", Every: 10 * time.Minute, Run: func(ctx context.Context) error {
			return a.Store.DropSastDocuments(ctx, (upload.KeepDays * day).Microseconds())
		}},
		{Name: "audit bodies", Every: time.Hour, Run: func(ctx context.Context) error {
			return a.Audit.EraseAll(ctx, a.Feature.Instance.Live(ctx).Retention.AuditBodiesDays)
		}},
		{Name: "old runs", Every: 10 * time.Minute, Run: a.Feature.Instance.DropRuns},
		{Name: "events", Every: 10 * time.Minute, Run: func(ctx context.Context) error { return a.Store.DropEvents(ctx, keepEvents) }},
		{Name: "lost deliveries", Every: 5 * time.Minute, Run: func(ctx context.Context) error {
			return intake.SweepDeliveries(ctx, a.Store, a.Hosts, a.Logger)
		}},
		{Name: "lapsed approvals", Every: c.Jobs.Sweep, Run: func(ctx context.Context) error { return a.Runs.Expire(ctx, 50) }},
		{Name: "new repositories", Every: c.Jobs.Sweep, Run: a.Feature.Onboarding.Sweep},
		{Name: "unsettled publications", Every: c.Jobs.Sweep,
			Run: func(ctx context.Context) error { return a.Review.SettlePublications(ctx, 20) }},
		{Name: "issues to be hidden", Every: c.Jobs.Sweep, Run: func(ctx context.Context) error { return a.Review.HideIssues(ctx, 100) }},
		{Name: "late drafts", Every: 15 * time.Second, Run: func(ctx context.Context) error { return a.Review.CleanDrafts(ctx, 20) }},
		{Name: "invariants", Every: time.Minute, Run: a.countViolations},
		{Name: "lost heads", Every: c.Jobs.Sweep, Run: a.lostHeads()},
		{Name: "connections", Every: time.Minute, Run: func(ctx context.Context) error { return a.Feature.Tracking.SyncDue(ctx, 20) }},
		{Name: "newest repositories", Every: min(c.Jobs.Sweep, 10*time.Second),
			Run: func(ctx context.Context) error { return a.Feature.Tracking.LookDue(ctx, 100) }},
		{Name: "tracker connections", Every: time.Minute,
			Run: func(ctx context.Context) error { return a.Feature.Tracking.CheckTrackersDue(ctx, 20) }},
		{Name: "calibrations", Every: 5 * time.Minute, Run: func(ctx context.Context) error { return a.Calibrate.Sweep(ctx, 20) }},
		{Name: "code indexes", Every: time.Minute, Run: func(ctx context.Context) error { return a.Feature.CodeIndex.Sweep(ctx, 100) }},
		{Name: "unused code of indexes", Every: 5 * time.Minute, Run: a.Store.DropUnusedCode},
		{Name: "tokens of deleted connections", Every: time.Minute, Run: a.Store.DropHookRemovals},
	}
}

const (
	// afterStart is how soon after a worker's start the heads of all connections are swept, because hosts
	// never resend deliveries that failed meanwhile. The sweeps spread over this time (design choice).
	afterStart = 45 * time.Second
	// sweepsAtOnce bounds the accesses that one pass creates jobs for. The next pass follows within
	// seconds.
	sweepsAtOnce = 500
)

// lostHeads returns a task that starts sweeps for missed heads: hourly for installations, because their
// host keeps failed deliveries; every five minutes, and soon after the worker's start, for connections;
// immediately for new repositories.
func (a *App) lostHeads() func(context.Context) error {
	started := false // periodic tasks with the same name never overlap
	return func(ctx context.Context) error {
		u, spread := store.Unswept{Installation: time.Hour, Connection: 5 * time.Minute}, time.Duration(0)
		if !started {
			u.Connection, spread = 0, afterStart
		}
		err := a.Intake.SweepHeads(ctx, u, spread, sweepsAtOnce)
		started = started || err == nil
		return err
	}
}

// countViolations counts violations of the service's invariants. If the count fails, the metrics show none, because
// an old figure would look current.
func (a *App) countViolations(ctx context.Context) error {
	all, err := a.Store.Violations(ctx)
	if err != nil {
		a.Metrics.NoViolations()
		return err
	}
	for _, v := range all {
		a.Metrics.Violations(v.Invariant, v.Count)
		if v.Count > 0 {
			a.Logger.WarnContext(ctx, "a promise of the service does not hold", "invariant", v.Invariant, "count", v.Count, "examples", v.Examples)
		}
	}
	return nil
}
