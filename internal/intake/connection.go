package intake

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

// connection returns the connection that received a delivery. through is false if an app received it. A
// deleted connection has no id.
func (s *Service) connection(ctx context.Context, d store.Delivery) (row store.ProviderConnection, through bool, err error) {
	if d.Tenant == "" { // deliveries to connections have a tenant from the start
		return row, false, nil
	}
	if _, err := s.Store.App(ctx, d.Source); !errs.Is(err, errs.NotFound) {
		return row, false, err
	}
	row, err = s.Store.ProviderConnection(ctx, domain.Tenant{ID: d.Tenant}, d.Source)
	if errs.Is(err, errs.NotFound) {
		return row, true, nil
	}
	return row, true, err
}

// fromConnection processes a delivery to a connection. For an event about a new or removed repository the
// host is asked for its list, because the event itself is not trusted.
func (s *Service) fromConnection(ctx context.Context, c *jobs.Claim, d store.Delivery, h history, row store.ProviderConnection,
	ev codehost.Event) error {
	if d.Repository != "" && (ev.Repository == nil || ev.Repository.ExternalID != d.Repository) {
		return s.dispose(ctx, c, d, ignored(otherRepository), nil)
	}
	from := connectionOrigin{s, row, d, h}
	switch ev.Kind {
	case codehost.KindRepository:
		dec := decision{disposition: domain.DispositionApplied, tenant: d.Tenant}
		return s.dispose(ctx, c, d, dec, func(ctx context.Context) (decision, error) { return dec, from.requestSync(ctx) })
	case codehost.KindPullRequest, codehost.KindComment, codehost.KindCheck, codehost.KindPush:
		return s.onRepository(ctx, c, d, h, from, ev)
	}
	return s.dispose(ctx, c, d, ignored("not used yet: "+string(ev.Kind)), nil)
}

// connectionOrigin is a connection that received a delivery. Its webhook may cover more than the connection, for
// example a whole organisation.
type connectionOrigin struct {
	*Service
	row      store.ProviderConnection
	delivery store.Delivery
	history  history
}

func (f connectionOrigin) tenant() domain.Tenant { return domain.Tenant{ID: f.row.Tenant} }

// The reasons for ignoring an event about a repository.
const (
	notChosen  = "the connection is not for the repository"
	taken      = "another connection has the repository"
	notReached = "the connection does not reach the repository"

	otherRepository = "the body is not about the repository in the address of its webhook"
)

func (f connectionOrigin) find(ctx context.Context, r codehost.RepoInfo) (store.Repository, string, error) {
	access, err := f.Store.AccessOfConnection(ctx, f.tenant(), f.row.ID)
	if errs.Is(err, errs.NotFound) {
		return f.awaitList(ctx)
	}
	if err != nil {
		return store.Repository{}, "", err
	}
	before, err := f.Store.AccessRepository(ctx, f.tenant(), access.ID, r.ExternalID)
	switch {
	case errs.Is(err, errs.NotFound), err == nil && before.State != "active":
		return f.explainUnknown(ctx, access, r)
	case err != nil:
		return store.Repository{}, "", err
	case before.Owner == r.Owner && before.Name == r.Name && before.Private == r.Private && before.Internal == r.Internal:
		return before, "", nil
	}
	now, err := f.resolve(ctx, before)
	if codehost.IsAccessLost(err) {
		return store.Repository{}, notReached, nil
	}
	if err != nil {
		return store.Repository{}, "", err
	}
	switch {
	case before.Owner != now.Owner: // the connection may not cover that owner; the host's list decides
		if listed, err := f.hasFreshList(ctx); !listed {
			return store.Repository{}, "", err
		}
	case before.Name != now.Name:
		if err := f.requestSync(ctx); err != nil {
			return store.Repository{}, "", err
		}
	}
	repo, err := f.Store.RefreshAccessRepository(ctx, f.tenant(), access.ID,
		store.Repository{ExternalID: r.ExternalID, Owner: now.Owner, Name: now.Name,
			DefaultBranch: now.DefaultBranch, Private: now.Private, Internal: now.Internal})
	return repo, "", err
}

// explainUnknown returns why a repository is not connected, or has the host asked whether it belongs to the
// connection.
func (f connectionOrigin) explainUnknown(ctx context.Context, access store.Access, r codehost.RepoInfo) (store.Repository, string, error) {
	switch by, err := f.Store.AccessWithRepository(ctx, f.tenant(), access.Host, r.ExternalID); {
	case err == nil && by.ID != access.ID:
		return store.Repository{}, taken, nil
	case err != nil && !errs.Is(err, errs.NotFound):
		return store.Repository{}, "", err
	}
	if !f.row.AllRepositories && !slices.ContainsFunc(store.FromJSON[[]string](f.row.Repositories),
		func(name string) bool { return strings.EqualFold(name, r.NameWithin(f.row.Owner)) }) {
		return store.Repository{}, notChosen, nil
	}
	return f.awaitList(ctx)
}

const (
	// listValidity is how long a host's list counts for later deliveries: a delivery about an unlisted
	// repository does not cause another question. The event about a new repository always does.
	listValidity = time.Minute

	// listWait is how long a delivery waits for the host's list.
	listWait = 10 * time.Minute

	// listCheckInterval is the interval of checks for the list.
	listCheckInterval = 3 * time.Second
)

// awaitList requests the host's list of repositories and has the delivery wait for it. After a recent list, the
// repository does not belong to the connection.
func (f connectionOrigin) awaitList(ctx context.Context) (store.Repository, string, error) {
	last, err := f.Store.LastJobs(ctx, f.tenant(), domain.KindSync, []string{f.row.ID})
	if err != nil {
		return store.Repository{}, "", err
	}
	if job, asked := last[f.row.ID]; asked && !openJob(job) && askedAt(job) > f.delivery.ReceivedUS-listValidity.Microseconds() {
		return store.Repository{}, notReached, nil
	}
	if listed, err := f.hasFreshList(ctx); !listed {
		return store.Repository{}, "", err
	}
	return store.Repository{}, notReached, nil
}

// hasFreshList reports whether the host's list is newer than the delivery. Otherwise it requests the list, and
// the error has the delivery wait, for [listWait] at most.
func (f connectionOrigin) hasFreshList(ctx context.Context) (bool, error) {
	last, err := f.Store.LastJobs(ctx, f.tenant(), domain.KindSync, []string{f.row.ID})
	if err != nil {
		return false, err
	}
	job, asked := last[f.row.ID]
	late := !asked || askedAt(job) < f.delivery.ReceivedUS
	switch {
	case f.history.age > listWait, !late && !openJob(job):
		return true, nil
	case late || !openJob(job): // once per delivery: repeated requests would keep a running job from ending
		if err := f.requestSync(ctx); err != nil {
			return false, err
		}
	}
	return false, &jobs.Snooze{For: listCheckInterval, Why: "the host is asked for the repositories of the connection"}
}

func openJob(j store.Job) bool { return j.State == domain.JobQueued || j.State == domain.JobRunning }

// askedAt returns when a job was last requested.
func askedAt(j store.Job) int64 { return max(j.CreatedUS, j.AskedUS) }

// requestSync requests a synchronisation of the connection.
func (f connectionOrigin) requestSync(ctx context.Context) error {
	_, err := f.Store.EnqueueAwaited(ctx, f.tenant(), domain.KindSync, f.row.ID)
	return err
}

func (f connectionOrigin) knownRepository(ctx context.Context, external domain.HostID) (store.Repository, error) {
	access, err := f.Store.AccessOfConnection(ctx, f.tenant(), f.row.ID)
	if err != nil {
		return store.Repository{}, err
	}
	return f.Store.AccessRepository(ctx, f.tenant(), access.ID, external)
}
