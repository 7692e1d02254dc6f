package codehost

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// MaxConnectionRepositories is the most repositories that a connection may reach;
// beyond it [Connection.Repositories] fails with [ClassTooLarge].
const MaxConnectionRepositories = 10_000

// WholeInstance stands for the owner of a connection that is for every repository of
// which the account of its token is a member, whoever has it. No host has an owner of
// that name: none lets names have a star.
const WholeInstance = "*"

// MaxMembers is the most people that [Connection.Members] returns; beyond it it
// fails with [ClassTooLarge].
const MaxMembers = 5_000

// RepoOwner is the user, organisation, group or project that a connection is for.
// Login is text from outside.
type RepoOwner struct {
	ID           domain.HostID
	Login        string
	Organization bool
}

// Probed is what a host says of a connection. All texts but those of Missing are
// from outside.
type Probed struct {
	Login   string        // of the account that the token belongs to
	ID      domain.HostID // its id
	Version string        // of the host, "" where it does not say
	// Scopes are what the token may do, in the host's words; ScopesKnown is false
	// where the host does not tell.
	Scopes      []string
	ScopesKnown bool
	ExpiresAt   *time.Time // of the token; nil where it has no end or the host does not tell
	Owner       RepoOwner
	// Lacking are the scopes that the token needs and has not, in the host's words:
	// with any of them missing the connection cannot do its work.
	Lacking []string
	// Missing are sentences for people, each a thing that cannot be done with the
	// token, and what would allow it. Empty: nothing is missing.
	Missing []string
}

// Member is a person and what they may do on a repository: Permission is admin,
// maintain, write, triage, read or none, as in [Reader.Permission]. Account is what
// the person is in the account that has the repository, as far as the repository's
// people tell: [AccountOwner], [AccountMember] of an organisation, or "" for
// somebody from outside who was given rights on the repository alone.
type Member struct {
	ID         domain.HostID
	Login      string
	Permission string
	Account    string
}

// HookState is our webhook of a repository. ID is "" where there is none.
type HookState struct {
	ID     domain.HostID
	Active bool
	// OffUntil is until when the host sends nothing to one that is not active; the zero
	// time is for good, or not told.
	OffUntil time.Time
	// Restored says that [Connection.EnsureHook] found it switched off and switched it on.
	Restored bool
	Missing  []string // events that it should send and does not, in the host's words
}

// Connection is what is asked with the token of a provider connection, beside
// reading and publishing. Errors are [*Error]s. Methods are safe for concurrent
// use, pass the [Gate], and retry nothing.
type Connection interface {
	// Probe asks who the token belongs to, whether the owner exists, and what is
	// missing. [ClassForbidden]: the host refuses the token; [ClassNotFound]: the
	// owner is not there, or the account must not see it.
	Probe(ctx context.Context) (Probed, error)
	// Repositories lists all repositories of the owner that the token reaches, at
	// most [MaxConnectionRepositories].
	Repositories(ctx context.Context) ([]RepoInfo, error)
	// Members lists the people with rights on a repository, at most [MaxMembers],
	// each once.
	Members(ctx context.Context, repo Repo) ([]Member, error)
	// PermissionOf asks what a person may do on a repository now, in the words of
	// [Member]; that everybody may read what is public counts. The person is the one
	// with the id. login is the name of the last time that the host told it, "" where
	// nobody knows it: it saves a question, and where it is another person's by now the
	// answer is not about that one. [ClassNotFound]: person or repository are not
	// there; [ClassForbidden]: the host does not say. Questions about people, this and
	// Members, pass the gate by a key of their own, so that they do not hold up reviews.
	PermissionOf(ctx context.Context, repo Repo, person domain.HostID, login string) (string, error)
	// Hook looks for our webhook, by its address or that of its connection.
	Hook(ctx context.Context, repo Repo, url string) (HookState, error)
	// EnsureHook makes our webhook, or makes it what it should be: active, with all
	// events and this secret; one that the host has switched off is switched on. With an
	// address of [RepositoryHook], webhooks of the repository at [ConnectionHook] are replaced. It may
	// be repeated.
	EnsureHook(ctx context.Context, repo Repo, url string, key secret.Secret) (HookState, error)
	// RemoveHook removes our webhook, by its address or that of its connection; that there is
	// none is no error.
	RemoveHook(ctx context.Context, repo Repo, url string) error
}
