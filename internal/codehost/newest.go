package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// OwnerHooks is a host whose organisations have webhooks: one reports what happens in
// all repositories of a connection's owner, and of new ones. Only an owner of the
// organisation may manage it: else, and where the owner is a person, the answers are
// [ClassForbidden] or [ClassNotFound].
type OwnerHooks interface {
	// OwnerHook looks for our webhook of the owner, by its address.
	OwnerHook(ctx context.Context, url string) (HookState, error)
	// EnsureOwnerHook does for the owner what [Connection.EnsureHook] does for a repository.
	EnsureOwnerHook(ctx context.Context, url string, key secret.Secret) (HookState, error)
	// RemoveOwnerHook removes our webhook of the owner; a missing one is not an error. With
	// made, one that a person made stays.
	RemoveOwnerHook(ctx context.Context, url string, made bool) error
	// RemoveRepeated removes the webhook that we made in a repository, because the one of the
	// owner tells the same. One that a person made stays.
	RemoveRepeated(ctx context.Context, repo Repo, url string) error
}

// Newest is the beginning of a list of repositories that begins with the newest one.
type Newest struct {
	Repositories []RepoInfo
	Total        int // how many there are in all, 0 where the host does not say
}

// MaxNewest is the most repositories of [Newest].
const MaxNewest = 20

// NewestLister is a host that lists repositories by their age.
type NewestLister interface {
	// Newest lists the newest repositories that the token reaches of the owner with an id, at
	// most [MaxNewest], by one request.
	Newest(ctx context.Context, owner domain.HostID) (Newest, error)
}

// OwnerFinder is a host that says what the owner of a connection is called now.
type OwnerFinder interface {
	// OwnerNow returns the owner with an id, under its present name. known are repositories
	// that the owner has, by which a host may find it. [ClassNotFound]: the host does not say,
	// or the account of the token does not see the owner.
	OwnerNow(ctx context.Context, id domain.HostID, known []domain.HostID) (RepoOwner, error)
}

// NewRepositories says how a host's new repositories become known within a minute.
type NewRepositories string

// The ways.
const (
	NewUnknown NewRepositories = "–"
	NewByEvent NewRepositories = "event of the app"
	NewByHook  NewRepositories = "webhook of the organisation, else a look each minute"
	NewByLook  NewRepositories = "a look each minute"
)
