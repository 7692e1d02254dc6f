package intake

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// Issues receives notices that an issue of a tracker may have changed.
type Issues interface {
	// IssueChanged updates everything that depends on an issue. It reads the issue itself, trusts nothing
	// in a delivery, and may be called twice for one change. Do not call it inside a transaction.
	IssueChanged(ctx context.Context, t domain.Tenant, connectionID, key string) error
}

// The reasons for ignoring a delivery of a tracker.
const (
	aboutNoIssue = "it is about no issue"
	noReader     = "this kind of issue tracker is not built yet"

	trackerRefuses = "the tracker does not let the connection read the issue"
	trackerUnread  = "the tracker's answer about the issue cannot be read"
)

// issueTracker returns the tracker connection that received a delivery. through is false if no tracker
// connection did, or it was deleted.
func (s *Service) issueTracker(ctx context.Context, d store.Delivery) (row store.TrackerConnection, through bool, err error) {
	if d.Tenant == "" { // deliveries to connections have a tenant from the start
		return row, false, nil
	}
	row, err = s.Store.TrackerConnection(ctx, domain.Tenant{ID: d.Tenant}, d.Source)
	if errs.Is(err, errs.NotFound) {
		return row, false, nil
	}
	return row, err == nil, err
}

// fromTracker processes a delivery to a tracker connection. Only the key of an issue is used from the body,
// whatever its age.
func (s *Service) fromTracker(ctx context.Context, c *jobs.Claim, d store.Delivery, row store.TrackerConnection) error {
	if !row.Enabled {
		return s.dispose(ctx, c, d, ignored("the connection is switched off"), nil)
	}
	parse := s.ParseIssue[domain.ConnectionKind(row.Kind)]
	if parse == nil || s.Issues == nil {
		return s.dispose(ctx, c, d, ignored(noReader), nil)
	}
	ev, err := parse(d)
	switch {
	case err != nil:
		return s.dispose(ctx, c, d, ignored("unreadable payload"), nil)
	case !ev.Issue || ev.Key == "":
		return s.dispose(ctx, c, d, ignored(aboutNoIssue), nil)
	}
	err = s.Issues.IssueChanged(ctx, domain.Tenant{ID: row.Tenant}, row.ID, ev.Key)
	switch tracker.ClassOf(err) {
	case tracker.ClassForbidden:
		// The connection's own job checks it, and reports what a person must fix.
		return s.dispose(ctx, c, d, ignored(trackerRefuses), nil)
	case tracker.ClassInvalid, tracker.ClassTooLarge:
		return s.dispose(ctx, c, d, ignored(trackerUnread), nil)
	}
	if err != nil {
		return trackerWaiting(err)
	}
	return s.dispose(ctx, c, d, applied, nil)
}

// trackerWaiting turns a tracker's rate limit into a [*jobs.Snooze]. Other errors go through
// [jobs.Waiting].
func trackerWaiting(err error) error {
	wait, limited := tracker.Pause(err)
	if !limited {
		return jobs.Waiting(err)
	}
	return &jobs.Snooze{For: wait, Why: err.Error()}
}
