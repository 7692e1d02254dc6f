package codehost

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// OwnerHooks is a host with webhooks of organisations. Such a webhook reports events of all repositories of
// a connection's owner, and new repositories. Only an owner of the organisation may manage it. Otherwise,
// and if the connection's owner is a person, methods fail with [ClassForbidden] or [ClassNotFound].
type OwnerHooks interface {
	// OwnerHook looks for our webhook of the owner by its address.
	OwnerHook(ctx context.Context, url string) (HookState, error)
	// EnsureOwnerHook does for the owner what [Connection.EnsureHook] does for a repository.
	EnsureOwnerHook(ctx context.Context, url string, key secret.Secret) (HookState, error)
	// RemoveOwnerHook removes our webhook of the owner; a missing one is not an error. With made set, it
	// keeps a webhook that a person created.
	RemoveOwnerHook(ctx context.Context, url string, made bool) error
	// RemoveRepeated removes the webhook that we created in a repository, because the owner's webhook
	// reports the same events. It keeps a webhook that a person created.
	RemoveRepeated(ctx context.Context, repo Repo, url string) error
}

// Newest is the start of a list of repositories, newest first.
type Newest struct {
	Repositories []RepoInfo
	Total        int // number of all repositories, 0 if the host does not report it
}

// MaxNewest is the most repositories of [Newest].
const MaxNewest = 20

// NewestLister is a host that lists repositories by their age.
type NewestLister interface {
	// Newest lists the newest repositories of the owner that the token reaches, at most [MaxNewest], with
	// one request.
	Newest(ctx context.Context, owner domain.HostID) (Newest, error)
}

// OwnerFinder is a host that finds the present name of a connection's owner.
type OwnerFinder interface {
	// OwnerNow returns the owner with an id, under its present name. known are repositories of the owner,
	// which help some hosts to find it. It fails with [ClassNotFound] if the host does not answer or hides
	// the owner from the token's account.
	OwnerNow(ctx context.Context, id domain.HostID, known []domain.HostID) (RepoOwner, error)
}

// NewRepositories says how we learn about a host's new repositories within a minute.
type NewRepositories string

// The ways to learn about new repositories.
const (
	NewUnknown NewRepositories = "–"
	NewByEvent NewRepositories = "event of the app"
	NewByHook  NewRepositories = "webhook of the organisation, else a look each minute"
	NewByLook  NewRepositories = "a look each minute"
)
