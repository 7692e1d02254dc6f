package codehost

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// MaxConnectionRepositories is the most repositories of a connection. Above it, [Connection.Repositories]
// fails with [ClassTooLarge].
const MaxConnectionRepositories = 10_000

// WholeInstance takes the place of the owner if a connection covers every repository that its account is a
// member of, under any owner. Hosts do not allow a star in names, so it cannot be the name of an owner.
const WholeInstance = "*"

// MaxMembers is the most people that [Connection.Members] returns. Above it, Members fails with
// [ClassTooLarge].
const MaxMembers = 5_000

// RepoOwner is the user, organisation, group or project of a connection. Login is text from outside.
type RepoOwner struct {
	ID           domain.HostID
	Login        string
	Organization bool
}

// Probed is the host's description of a connection. All texts except Missing are from outside.
type Probed struct {
	Login   string        // login of the token's account
	ID      domain.HostID // id of the token's account
	Version string        // version of the host, "" if it does not report it
	// Scopes are the permissions of the token in the host's words. ScopesKnown is false if the host does
	// not list them.
	Scopes      []string
	ScopesKnown bool
	ExpiresAt   *time.Time // end of the token; nil if it has no end or the host does not report it
	Owner       RepoOwner
	// Lacking are the scopes, in the host's words, that the connection cannot work without and the token
	// does not have.
	Lacking []string
	// Missing are sentences for people. Each names an action that the token does not allow, and the remedy.
	Missing []string
}

// Member is a person with rights on a repository. Permission is admin, maintain, write, triage, read or
// none, as in [Reader.Permission]. Account is the person's role in the account that owns the repository, as
// far as the repository's list of people shows it: [AccountOwner], [AccountMember] of an organisation, or
// "" for an outsider with rights on the repository alone.
type Member struct {
	ID         domain.HostID
	Login      string
	Permission string
	Account    string
}

// HookState is our webhook of a repository. ID is "" if the webhook does not exist.
type HookState struct {
	ID     domain.HostID
	Active bool
	// OffUntil is the time until which the host sends nothing to an inactive webhook. The zero time means
	// for good, or unknown.
	OffUntil time.Time
	// Restored reports that [Connection.EnsureHook] found the webhook switched off and switched it on.
	Restored bool
	Missing  []string // required events that the webhook does not send, in the host's words
}

// Connection holds the requests with the token of a provider connection other than reading and publishing.
// Errors are [*Error]s. Methods are safe for concurrent use, pass the [Gate], and do not retry.
type Connection interface {
	// Probe reads the token's account, checks that the owner exists, and lists missing permissions. It
	// fails with [ClassForbidden] if the host refuses the token, and with [ClassNotFound] if the owner does
	// not exist or is hidden from the account.
	Probe(ctx context.Context) (Probed, error)
	// Repositories lists all repositories of the owner that the token reaches, at most
	// [MaxConnectionRepositories].
	Repositories(ctx context.Context) ([]RepoInfo, error)
	// Members lists the people with rights on a repository once each, at most [MaxMembers].
	Members(ctx context.Context, repo Repo) ([]Member, error)
	// PermissionOf returns a person's present permission on a repository, in the words of [Member]. It
	// counts everyone's right to read a public repository. person identifies the person. login is the last
	// known login, "" if it is unknown: it saves a request, and the adapter checks that it still belongs to
	// the person. It fails with [ClassNotFound] if the person or the repository does not exist, and with
	// [ClassForbidden] if the host does not answer. PermissionOf and Members have their own budget key at
	// the gate, so that they do not delay reviews.
	PermissionOf(ctx context.Context, repo Repo, person domain.HostID, login string) (string, error)
	// Hook looks for our webhook by its address or its connection's address.
	Hook(ctx context.Context, repo Repo, url string) (HookState, error)
	// EnsureHook creates our webhook or corrects it: active, with all events and this secret. It switches
	// on a webhook that the host has switched off. With an address of [RepositoryHook], it replaces
	// webhooks of the repository at [ConnectionHook]. Callers may repeat it.
	EnsureHook(ctx context.Context, repo Repo, url string, key secret.Secret) (HookState, error)
	// RemoveHook removes our webhook by its address or its connection's address. A missing webhook is not
	// an error.
	RemoveHook(ctx context.Context, repo Repo, url string) error
}
