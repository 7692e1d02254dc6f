package gitea

import (
	"context"
	"errors"
	"strconv"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

var (
	_ codehost.OwnerHooks   = (*Host)(nil)
	_ codehost.NewestLister = (*Host)(nil)
	_ codehost.OwnerFinder  = (*Host)(nil)
)

// OwnerNow implements [codehost.OwnerFinder]. The host redirects from a former name until another account
// takes it. After that, OwnerNow finds the owner by its newest repository.
func (h *Host) OwnerNow(ctx context.Context, id domain.HostID, _ []domain.HostID) (codehost.RepoOwner, error) {
	const op = "find owner"
	if err := h.needOwner(op); err != nil {
		return codehost.RepoOwner{}, err
	}
	owner, err := h.readOwner(ctx, op, nil)
	if err == nil && owner.ID == id {
		return owner, nil
	}
	name := ""
	switch e, told := errors.AsType[*codehost.Error](err); {
	case told && e.Class == codehost.ClassMoved:
		name = e.Owner
	case err != nil && codehost.ClassOf(err) != codehost.ClassNotFound:
		return codehost.RepoOwner{}, err
	}
	if name == "" {
		newest, err := h.Newest(ctx, id)
		if err != nil {
			return codehost.RepoOwner{}, err
		}
		if len(newest.Repositories) > 0 {
			name = newest.Repositories[0].Owner
		}
	}
	if wire.ValidName(name) {
		if owner, err = h.withOwner(name).readOwner(ctx, op, nil); err != nil {
			return codehost.RepoOwner{}, err
		}
	}
	if owner.ID != id {
		return codehost.RepoOwner{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op,
			Message: "the host does not say what the owner is called now"}
	}
	return owner, nil
}

// OwnerHook implements [codehost.OwnerHooks].
func (h *Host) OwnerHook(ctx context.Context, address string) (codehost.HookState, error) {
	const op = "read webhook of the organisation"
	if err := h.needOwner(op); err != nil {
		return codehost.HookState{}, err
	}
	return h.hookOf(ctx, op, h.organizationHooks(), address)
}

// EnsureOwnerHook implements [codehost.OwnerHooks].
func (h *Host) EnsureOwnerHook(ctx context.Context, address string, key secret.Secret) (codehost.HookState, error) {
	const op = "register webhook of the organisation"
	if err := h.needOwner(op); err != nil {
		return codehost.HookState{}, err
	}
	return h.ensureHook(ctx, op, h.organizationHooks(), address, key)
}

// RemoveOwnerHook implements [codehost.OwnerHooks].
func (h *Host) RemoveOwnerHook(ctx context.Context, address string, made bool) error {
	const op = "remove webhook of the organisation"
	if err := h.needOwner(op); err != nil {
		return err
	}
	return h.removeHooksAt(ctx, op, h.organizationHooks(), address, made)
}

func (h *Host) needOwner(op string) error {
	if h.instance.Owner == "" {
		return codehost.Refused(op, "the connection names no owner")
	}
	return nil
}

// Newest implements [codehost.NewestLister]. The host has no conditional requests for it (no ETag, measured
// with Gitea 1.26.4).
func (h *Host) Newest(ctx context.Context, owner domain.HostID) (codehost.Newest, error) {
	const op = "list newest repositories"
	id, err := wire.NumberOfID(op, owner)
	if err != nil {
		return codehost.Newest{}, err
	}
	var list []*sdk.Repository
	var resp *sdk.Response
	err = h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Entries: codehost.MaxNewest}, func(c *sdk.Client) (err error) {
		list, resp, err = c.SearchRepos(sdk.SearchRepoOptions{ListOptions: sdk.ListOptions{Page: 1, PageSize: codehost.MaxNewest},
			OwnerID: id, Sort: "created", Order: "desc"})
		return err
	})
	if err != nil {
		return codehost.Newest{}, err
	}
	var out codehost.Newest
	for _, r := range list {
		if r != nil && r.ID > 0 && (r.Owner == nil || r.Owner.ID == id) && len(out.Repositories) < codehost.MaxNewest {
			out.Repositories = append(out.Repositories, repoInfo(r))
		}
	}
	if resp != nil && resp.Response != nil {
		if n, err := strconv.Atoi(resp.Header.Get("X-Total-Count")); err == nil && n > 0 {
			out.Total = n
		}
	}
	return out, nil
}
