package connect

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
)

// Code opens the code of repositories independently of pull requests.
type Code struct {
	Hosts     *Hosts
	Snapshots *Snapshots
}

// Newest opens a repository at the newest commit of its default branch, or at the commit at if that is set.
// The caller closes the store. Errors: those of [snapshot.Cache.Fetch] and [snapshot.Cache.Branch], and
// NotFound if the repository is no longer connected.
func (c *Code) Newest(ctx context.Context, r store.Repository, at string) (*snapshot.Repo, string, error) {
	if at == "" {
		var err error
		if r, err = c.WithBranch(ctx, r); err != nil {
			return nil, "", err
		}
	}
	remote, key, err := c.remote(ctx, r)
	if err != nil {
		return nil, "", err
	}
	if at == "" {
		at, err = c.Snapshots.Cache.Branch(ctx, remote, r.DefaultBranch)
		if errs.Is(err, errs.NotFound) { // the next question finds the new one
			return nil, "", errors.Join(err, errs.IgnoreAbsent(c.learn(ctx, remote, &r)))
		}
		if err != nil {
			return nil, "", err
		}
	}
	out, err := c.Snapshots.Cache.Fetch(ctx, remote, key, at)
	return out, at, err
}

// WithBranch returns a repository with the name of its default branch. Bitbucket Data Center does not name it in its lists; there git
// tells it, and it is stored. Errors: those of [snapshot.Cache.DefaultBranch], and NotFound if the repository is no longer connected.
func (c *Code) WithBranch(ctx context.Context, r store.Repository) (store.Repository, error) {
	if r.DefaultBranch != "" {
		return r, nil
	}
	remote, _, err := c.remote(ctx, r)
	if err == nil {
		err = c.learn(ctx, remote, &r)
	}
	return r, err
}

// learn asks git for the default branch of a repository, and stores it.
func (c *Code) learn(ctx context.Context, remote snapshot.Remote, r *store.Repository) (err error) {
	branch, err := c.Snapshots.Cache.DefaultBranch(ctx, remote)
	if err == nil && branch != r.DefaultBranch {
		*r, err = c.Hosts.Store.NameDefaultBranch(ctx, domain.Tenant{ID: r.Tenant}, r.ID, branch)
	}
	return err
}

// remote returns where git finds a repository, and the key of its store.
func (c *Code) remote(ctx context.Context, r store.Repository) (remote snapshot.Remote, key string, err error) {
	if r.State != "active" {
		return remote, "", errs.New(errs.NotFound, "disconnected", "The repository is not connected to its host any more.")
	}
	host, repo, err := c.Hosts.Reader(ctx, r)
	if err != nil {
		return remote, "", hostFailed(err)
	}
	access, err := host.Clone(ctx, repo)
	if err != nil {
		return remote, "", hostFailed(err)
	}
	remote, name, err := c.Snapshots.remote(ctx, access)
	return remote, storeKey(name, repo), err
}

// hostFailed translates an error of a host into an error of the service.
func hostFailed(err error) error {
	switch {
	case codehost.IsAccessLost(err):
		return errs.Wrap(err, errs.NotFound, "disconnected", "The repository cannot be read on its host.")
	case codehost.ClassOf(err) == codehost.ClassLimited:
		return errs.Wrap(err, errs.RateLimited, "host_limited", "The code host wants fewer requests.")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return errs.Down(err, "code host", 0)
}
