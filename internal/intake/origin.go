package intake

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// origin is through what a delivery came: an installation of an app, or a
// connection of a tenant. It finds the repositories that its events are about.
type origin interface {
	tenant() domain.Tenant
	// see finds the repository that an event names, and keeps what the event says of
	// it; or it says why nothing comes of the event.
	see(ctx context.Context, r codehost.RepoInfo) (repo store.Repository, why string, err error)
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

func (i installed) see(ctx context.Context, r codehost.RepoInfo) (store.Repository, string, error) {
	repo, err := policy.SeeRepository(ctx, i.Store, i.Installation, r)
	return repo, "", err
}

func (i installed) known(ctx context.Context, external domain.HostID) (store.Repository, error) {
	return i.Store.RepositoryByExternal(ctx, i.tenant(), i.Installation.ID, external)
}
