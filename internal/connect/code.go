package connect

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/internal/codehost"
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
	if r.State != "active" {
		return nil, "", errs.New(errs.NotFound, "disconnected", "The repository is not connected to its host any more.")
	}
	host, repo, err := c.Hosts.Reader(ctx, r)
	if err != nil {
		return nil, "", hostFailed(err)
	}
	access, err := host.Clone(ctx, repo)
	if err != nil {
		return nil, "", hostFailed(err)
	}
	remote, name, err := c.Snapshots.remote(ctx, access)
	if err != nil {
		return nil, "", err
	}
	if at == "" {
		if at, err = c.Snapshots.Cache.Branch(ctx, remote, r.DefaultBranch); err != nil {
			return nil, "", err
		}
	}
	out, err := c.Snapshots.Cache.Fetch(ctx, remote, storeKey(name, repo), at)
	return out, at, err
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
