package tracking

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

const (
	// lookEvery is the interval of looks at a host's newest repositories. With the pause between two calls
	// of [Service.LookDue] it stays below a minute.
	lookEvery = 50 * time.Second

	// lookTime bounds the request to one host.
	lookTime = 10 * time.Second

	// lookPatience is how long a look waits for the sweeps' share of requests.
	lookPatience = time.Second

	// lookBeside is how many hosts are asked at once.
	lookBeside = 8

	// lookEach is the time that each repository of a connection adds between two synchronisations that
	// looks start, because a synchronisation sends several requests per repository.
	lookEach = 100 * time.Millisecond
)

// LookDue asks the hosts of at most limit connections for their newest repositories, if no webhook reports
// them: about one request per connection and minute. New repositories start a synchronisation. It may run
// in many processes at once.
func (s *Service) LookDue(ctx context.Context, limit int) error {
	return s.lookDue(ctx, lookEvery, lookEach, limit)
}

func (s *Service) lookDue(ctx context.Context, every, each time.Duration, limit int) error {
	due, err := s.Store.TakeDueListings(ctx, every, limit)
	if err != nil {
		return err
	}
	var asking sync.WaitGroup
	slots := make(chan struct{}, lookBeside)
	for _, at := range due {
		slots <- struct{}{}
		asking.Go(func() {
			defer func() { <-slots }()
			if err := s.look(ctx, at, each); err != nil && ctx.Err() == nil {
				s.Logger.InfoContext(ctx, "a host could not be asked for its newest repositories; it is asked again in a minute",
					"connection", at.Connection, "error", err)
			}
		})
	}
	asking.Wait()
	return nil
}

// look asks one host. Only the hourly synchronisation asks a host that cannot list by age.
func (s *Service) look(ctx context.Context, at store.DueListing, each time.Duration) error {
	t := domain.Tenant{ID: at.Tenant}
	row, err := s.Store.ProviderConnection(ctx, t, at.Connection)
	if errs.Is(err, errs.NotFound) || err == nil && !row.Enabled {
		return nil
	}
	if err != nil {
		return err
	}
	access, err := s.Store.AccessOfConnection(ctx, t, row.ID)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	token, err := s.token(ctx, t, row)
	if err != nil {
		return err
	}
	host, err := s.Hosts.Connection(ctx, row, token)
	if err != nil {
		return err
	}
	lister, can := host.(codehost.NewestLister)
	if !can {
		return nil
	}
	bounded, cancel := context.WithTimeout(codehost.WithSweep(ctx, lookPatience), lookTime)
	defer cancel()
	got, err := lister.Newest(bounded, access.AccountID)
	switch e, told := errors.AsType[*codehost.Error](err); {
	case told && e.Class == codehost.ClassLimited: // reviews need the budget; the next look is in a minute
		return nil
	case told && e.Status == http.StatusUnauthorized: // the synchronisation reports the cause, and looks end
		return s.Store.RequestSync(ctx, t, row.ID)
	case err != nil:
		return err
	}
	listed := listDigest(got)
	if listed == at.Listed {
		return nil
	}
	news, err := s.hasNews(ctx, t, row, access, got, at.Listed != "")
	if err != nil {
		return err
	}
	if news {
		// If a job is open, or the connection was just synchronised, the next look tries again.
		made, err := s.Store.EnqueueSyncOfAccess(ctx, t, access.ID, 0, each)
		if err != nil || !made {
			return err
		}
	}
	return s.Store.SetNewest(ctx, t, access.ID, listed)
}

// coveredRepositories returns the listed repositories that the connection covers.
func coveredRepositories(row store.ProviderConnection, listed []codehost.RepoInfo) []codehost.RepoInfo {
	if row.AllRepositories {
		return listed
	}
	names := map[string]bool{}
	for _, name := range store.FromJSON[[]string](row.Repositories) {
		names[strings.ToLower(name)] = true
	}
	return slices.DeleteFunc(listed, func(r codehost.RepoInfo) bool { return !names[strings.ToLower(r.NameWithin(row.Owner))] })
}

// listDigest returns a digest of a host's list.
func listDigest(n codehost.Newest) string {
	sum := sha256.New()
	_, _ = fmt.Fprintln(sum, n.Total) // a hash never fails
	for _, r := range n.Repositories {
		_, _ = fmt.Fprintf(sum, "%q %q %q\n", r.ExternalID, r.Owner, r.Name)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// hasNews reports whether a list shows a change: a repository of the connection that is not connected or has
// another name, or, after an earlier look, a number of repositories that differs from the connected ones.
func (s *Service) hasNews(ctx context.Context, t domain.Tenant, row store.ProviderConnection, access store.Access,
	got codehost.Newest, again bool) (bool, error) {
	for _, repo := range coveredRepositories(row, got.Repositories) {
		known, err := s.Store.AccessRepository(ctx, t, access.ID, repo.ExternalID)
		switch {
		case errs.Is(err, errs.NotFound):
			return true, nil
		case err != nil:
			return false, err
		case known.State != "active", known.Owner != repo.Owner, known.Name != repo.Name:
			return true, nil
		}
	}
	if !again || !row.AllRepositories || got.Total == 0 {
		return false, nil
	}
	active, err := s.Store.ActiveOfAccess(ctx, t, access.ID)
	return active != got.Total, err
}
