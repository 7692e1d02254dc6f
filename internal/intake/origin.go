package intake

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// origin is the installation of an app, or the connection of a tenant, that received a delivery. It finds
// the repositories of its events.
type origin interface {
	tenant() domain.Tenant
	// find returns the repository that an event names, and stores the event's data about it. why is the
	// reason for ignoring the event.
	find(ctx context.Context, r codehost.RepoInfo) (repo store.Repository, why string, err error)
	// known returns a stored repository by the host's id, and trusts no other data.
	knownRepository(ctx context.Context, external domain.HostID) (store.Repository, error)
}

// installationOrigin is an installation that belongs to a tenant. Every repository that it sends events about is
// connected, because the host only sends events about repositories of the installation.
type installationOrigin struct {
	*Service
	store.Installation
}

func (i installationOrigin) tenant() domain.Tenant { return domain.Tenant{ID: i.Installation.Tenant} }

func (i installationOrigin) find(ctx context.Context, r codehost.RepoInfo) (store.Repository, string, error) {
	before, err := i.knownRepository(ctx, r.ExternalID)
	switch {
	case errs.Is(err, errs.NotFound):
		before = store.Repository{Tenant: i.Installation.Tenant, Access: i.ID, Installation: i.ID, ExternalID: r.ExternalID, Owner: r.Owner,
			Name: r.Name, Private: r.Private}
	case err != nil:
		return before, "", err
	case sameRepository(before, r):
		repo, err := i.storeUnchanged(ctx, before, r)
		return repo, "", err
	}
	now, err := i.resolve(ctx, before)
	if codehost.IsAccessLost(err) {
		return before, repositoryGone, nil
	}
	if err != nil {
		return before, "", err
	}
	repo, err := policy.UpsertRepository(ctx, i.Store, i.Installation, now)
	return repo, "", err
}

// storeUnchanged stores a repository if the event has no new data about it.
func (i installationOrigin) storeUnchanged(ctx context.Context, before store.Repository, r codehost.RepoInfo) (store.Repository, error) {
	if before.State == "active" {
		return before, nil
	}
	return policy.UpsertRepositoryFromEvent(ctx, i.Store, i.Installation, r)
}

// sameRepository reports whether an event agrees with the stored repository. If it does not, the host is
// asked, because the event may be outdated or forged.
func sameRepository(before store.Repository, r codehost.RepoInfo) bool {
	return before.Private == r.Private && before.Internal == r.Internal && (before.State != "active" ||
		before.Owner == r.Owner && before.Name == r.Name && (r.DefaultBranch == "" || before.DefaultBranch == r.DefaultBranch))
}

// resolve asks the host for a repository's present name and visibility.
func (s *Service) resolve(ctx context.Context, r store.Repository) (codehost.RepoInfo, error) {
	host, at, err := s.Hosts.Repository(ctx, r)
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	return host.Resolve(ctx, at)
}

func (i installationOrigin) knownRepository(ctx context.Context, external domain.HostID) (store.Repository, error) {
	return i.Store.RepositoryByExternal(ctx, i.tenant(), i.Installation.ID, external)
}
