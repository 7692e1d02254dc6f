package intake

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/pause"
	"github.com/assay-dev/assay/internal/store"
)

// redeliveryWindow is how far back a host redelivers: three days on github.com (GitHub documentation,
// "Redelivering webhooks").
const redeliveryWindow = 72 * time.Hour

// Deliverer lists and repeats deliveries of an app's hook.
type Deliverer interface {
	HookDeliveries(ctx context.Context, since time.Time) ([]github.HookDelivery, error)
	Redeliver(ctx context.Context, id int64) error
}

// Apps opens an app as a [Deliverer].
type Apps interface {
	Deliverer(ctx context.Context, app string) (Deliverer, error)
}

const (
	// lostLease is how long one process's search excludes the others; the search renews it.
	lostLease = 90 * time.Second
	// lostRenew is the number of deliveries between two renewals.
	lostRenew = 20
	// lostTime bounds the search of one app, so that it ends before the next search.
	lostTime = 4 * time.Minute
)

// LostMinutes estimates in how many minutes n lost deliveries will have been requested.
func LostMinutes(n int) int {
	hours := max(n-1, 0) / codehost.RedeliveriesPerHour
	rest := n - hours*codehost.RedeliveriesPerHour
	return 60*hours + (rest+codehost.RedeliveriesPerMinute-1)/codehost.RedeliveriesPerMinute
}

// SweepDeliveries asks the hosts of all apps at once to repeat failed deliveries, because GitHub never
// redelivers by itself. Stored deliveries are left alone. A redelivery that another process requests too
// meets the unique key.
func SweepDeliveries(ctx context.Context, s *store.Store, apps Apps, log *slog.Logger) error {
	rows, err := s.Apps(ctx)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, app := range rows {
		all.Go(func() {
			bounded, cancel := context.WithTimeout(ctx, lostTime)
			defer cancel()
			host, err := apps.Deliverer(bounded, app.ID)
			if err == nil {
				err = sweepApp(bounded, s, app, host, log)
			}
			if err != nil {
				log.WarnContext(ctx, "lost deliveries could not be looked for", "app", app.ID, "error", err)
			}
		})
	}
	all.Wait()
	return nil
}

func sweepApp(ctx context.Context, s *store.Store, app store.App, host Deliverer, log *slog.Logger) (err error) {
	taken, err := s.TakeLost(ctx, app.ID, lostLease)
	if err != nil || !taken {
		return err
	}
	waiting := int(app.LostWaiting)
	defer func() { err = errors.Join(err, s.KeepLost(context.WithoutCancel(ctx), app.ID, waiting, 0)) }()
	began := time.Now()
	since := time.UnixMicro(app.SweptUS)
	if oldest := began.Add(-redeliveryWindow); since.Before(oldest) {
		since = oldest
	}
	attempts, err := host.HookDeliveries(ctx, since)
	if err != nil {
		return err
	}
	lost := github.Undelivered(attempts)
	guids := make([]string, 0, len(lost))
	for _, d := range lost {
		guids = append(guids, d.GUID)
	}
	known, err := s.KnownDeliveries(ctx, app.ID, guids)
	if err != nil {
		return err
	}
	lost = slices.DeleteFunc(lost, func(d github.HookDelivery) bool { return known[d.GUID] })
	wanted, skipped := redeliveryOrder(lost, attempts)
	for at, repositories := range skipped {
		if err := s.SweepOfHost(ctx, app.ID, at, repositories...); err != nil {
			return err
		}
		log.InfoContext(ctx, "lost pushes that later events of their repositories follow are not asked for; the repositories are "+
			"looked through", "app", app.ID, "installation", at, "deliveries", len(lost)-len(wanted), "repositories", len(repositories))
	}
	for i, d := range wanted {
		if waiting = len(wanted) - i; i%lostRenew == 0 {
			if err := s.KeepLost(ctx, app.ID, waiting, lostLease); err != nil {
				return err
			}
		}
		if err := redeliver(ctx, host, d, func() error { return s.KeepLost(ctx, app.ID, waiting, 2*lostLease) }); err != nil {
			log.WarnContext(ctx, "lost deliveries wait", "app", app.ID, "waiting", waiting, "minutes", LostMinutes(waiting))
			return err // the watermark stays, so that the next sweep asks again
		}
		log.InfoContext(ctx, "a lost delivery is asked for again", "app", app.ID, "guid", d.GUID)
	}
	waiting = 0
	// A margin for deliveries that were under way while the list was made.
	return s.MarkSwept(ctx, app.ID, began.Add(-15*time.Minute).UnixMicro())
}

// redeliver requests a delivery. It waits for the request budget if that returns within [lostLease].
func redeliver(ctx context.Context, host Deliverer, d github.HookDelivery, wait func() error) error {
	for {
		err := host.Redeliver(ctx, d.ID)
		again := codehost.RetryAfter(err)
		if codehost.ClassOf(err) != codehost.ClassLimited || again <= 0 || again > lostLease {
			return err
		}
		if err := errors.Join(wait(), pause.For(ctx, again)); err != nil {
			return err
		}
	}
}

// redeliveryOrder returns the lost deliveries to request, in the order in which people wait for them: commands
// and other comments, then installation and repository events, then pull requests, then the rest, each
// newest first. It leaves out pushes that a later pull request event of the same repository follows,
// because one sweep of the repository finds all heads without a run. skipped lists these repositories by
// installation.
func redeliveryOrder(lost, attempts []github.HookDelivery) (wanted []github.HookDelivery, skipped map[domain.HostID][]domain.HostID) {
	newest := map[domain.HostID]github.HookDelivery{} // by repository
	for _, d := range attempts {                      // newest first
		if _, seen := newest[d.RepositoryID]; !seen && d.Event == "pull_request" {
			newest[d.RepositoryID] = d
		}
	}
	skipped = map[domain.HostID][]domain.HostID{}
	for _, d := range lost {
		if d.Event == "pull_request" && d.Action == "synchronize" && d.RepositoryID != "" && d.InstallationID != "" &&
			newest[d.RepositoryID].GUID != d.GUID {
			if !slices.Contains(skipped[d.InstallationID], d.RepositoryID) {
				skipped[d.InstallationID] = append(skipped[d.InstallationID], d.RepositoryID)
			}
			continue
		}
		wanted = append(wanted, d)
	}
	slices.Reverse(wanted) // newest first
	slices.SortStableFunc(wanted, func(a, b github.HookDelivery) int { return cmp.Compare(lostRank(a), lostRank(b)) })
	return wanted, skipped
}

// lostRank ranks lost deliveries by urgency, the most urgent first.
func lostRank(d github.HookDelivery) int {
	switch {
	case d.Event == "issue_comment", d.Event == "pull_request_review_comment", d.Event == "check_run", d.Event == "check_suite":
		return 0
	case strings.HasPrefix(d.Event, "installation"), d.Event == "repository":
		return 1
	case d.Event == "pull_request" && d.Action != "edited":
		return 2
	}
	return 3
}
