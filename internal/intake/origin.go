package intake

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// origin is through what a delivery came: an installation of an app, or a
// connection of a tenant. It finds the repositories that its events are about.
type origin interface {
	tenant() domain.Tenant
	// find returns the repository that an event names, and keeps what the event says of
	// it; or it says why nothing comes of the event.
	find(ctx context.Context, r codehost.RepoInfo) (repo store.Repository, why string, err error)
	// known finds a repository by the host's id, and believes nothing else.
	known(ctx context.Context, external domain.HostID) (store.Repository, error)
}

// installed is an installation that belongs to a tenant. Whatever it sends about
// is connected: the host sends only what the installation reaches.
type installed struct {
	*Service
	store.Installation
}

func (i installed) tenant() domain.Tenant { return domain.Tenant{ID: i.Installation.Tenant} }

func (i installed) find(ctx context.Context, r codehost.RepoInfo) (store.Repository, string, error) {
	before, err := i.known(ctx, r.ExternalID)
	switch {
	case errs.Is(err, errs.NotFound):
		before = store.Repository{Tenant: i.Installation.Tenant, Access: i.ID, Installation: i.ID, ExternalID: r.ExternalID, Owner: r.Owner,
			Name: r.Name, Private: r.Private}
	case err != nil:
		return before, "", err
	case sameRepository(before, r):
		repo, err := i.told(ctx, before, r)
		return repo, "", err
	}
	now, err := i.resolve(ctx, before)
	if codehost.Gone(err) {
		return before, repositoryGone, nil
	}
	if err != nil {
		return before, "", err
	}
	repo, err := policy.SeeRepository(ctx, i.Store, i.Installation, now)
	return repo, "", err
}

// told keeps a repository for an event that has no news about it.
func (i installed) told(ctx context.Context, before store.Repository, r codehost.RepoInfo) (store.Repository, error) {
	if before.State == "active" {
		return before, nil
	}
	return policy.ToldRepository(ctx, i.Store, i.Installation, r)
}

// sameRepository reports whether an event agrees with the repository that is known. If it does not, the host is
// asked, because the event can be older, or forged.
func sameRepository(before store.Repository, r codehost.RepoInfo) bool {
	return before.Private == r.Private && before.Internal == r.Internal && (before.State != "active" ||
		before.Owner == r.Owner && before.Name == r.Name && (r.DefaultBranch == "" || before.DefaultBranch == r.DefaultBranch))
}

// resolve asks the host what a repository is called now, and who reads it.
func (s *Service) resolve(ctx context.Context, r store.Repository) (codehost.RepoInfo, error) {
	host, at, err := s.Hosts.Repository(ctx, r)
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	return host.Resolve(ctx, at)
}

func (i installed) known(ctx context.Context, external domain.HostID) (store.Repository, error) {
	return i.Store.RepositoryByExternal(ctx, i.tenant(), i.Installation.ID, external)
}
