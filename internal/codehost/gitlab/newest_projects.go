package gitlab

import (
	"context"
	"strconv"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

var (
	_ codehost.NewestLister = (*Host)(nil)
	_ codehost.OwnerFinder  = (*Host)(nil)
)

// Newest implements [codehost.NewestLister] with projects below the owner and those shared with it, as in
// [Host.Repositories]. Webhooks do not replace it: group webhooks report new projects only in paid editions
// (docs.gitlab.com/user/project/integrations/webhooks, "Group webhooks"), and system webhooks are for
// administrators of the instance. A personal owner costs a second request.
func (h *Host) Newest(ctx context.Context, _ domain.HostID) (codehost.Newest, error) {
	const op = "list newest projects"
	if h.instance.Owner == "" {
		return codehost.Newest{}, codehost.Refused(op, "the connection names no owner")
	}
	page := sdk.ListOptions{Page: 1, PerPage: codehost.MaxNewest}
	by, down, yes := sdk.Ptr("created_at"), sdk.Ptr("desc"), sdk.Ptr(true)
	if h.isWholeInstance() {
		return h.newestBy(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) ([]*sdk.Project, *sdk.Response, error) {
			return c.Projects.ListProjects(&sdk.ListProjectsOptions{ListOptions: page, OrderBy: by, Sort: down, Membership: yes, Simple: yes}, with)
		})
	}
	out, err := h.newestBy(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) ([]*sdk.Project, *sdk.Response, error) {
		return c.Groups.ListGroupProjects(h.instance.Owner, &sdk.ListGroupProjectsOptions{ListOptions: page, OrderBy: by, Sort: down,
			IncludeSubGroups: yes, WithShared: yes, Simple: yes}, with)
	})
	if codehost.ClassOf(err) != codehost.ClassNotFound {
		return out, err
	}
	return h.newestBy(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) ([]*sdk.Project, *sdk.Response, error) {
		return c.Projects.ListUserProjects(h.instance.Owner, &sdk.ListProjectsOptions{ListOptions: page, OrderBy: by, Sort: down,
			Simple: yes}, with)
	})
}

// OwnerNow implements [codehost.OwnerFinder]. GitLab numbers users and groups separately, so a known
// project decides between them. It tries at most three projects, because one may have moved to another
// owner.
func (h *Host) OwnerNow(ctx context.Context, id domain.HostID, known []domain.HostID) (codehost.RepoOwner, error) {
	const op = "find owner"
	n, err := wire.NumberOfID(op, id)
	if err != nil {
		return codehost.RepoOwner{}, err
	}
	for _, external := range known[:min(len(known), 3)] {
		owner, err := h.ownerOf(ctx, op, n, external)
		if err == nil || codehost.ClassOf(err) != codehost.ClassNotFound {
			return owner, err
		}
	}
	return codehost.RepoOwner{}, &codehost.Error{Class: codehost.ClassNotFound, Op: op,
		Message: "the host does not say what the owner is called now"}
}

// ownerOf returns the group or user with a number, if a project is below it.
func (h *Host) ownerOf(ctx context.Context, op string, id int64, project domain.HostID) (codehost.RepoOwner, error) {
	n, err := wire.NumberOfID(op, project)
	if err != nil {
		return codehost.RepoOwner{}, err
	}
	p, err := h.projectOf(ctx, op, n)
	if err != nil {
		return codehost.RepoOwner{}, err
	}
	if p.Namespace == nil {
		return codehost.RepoOwner{}, unexpected(op, "the project has no namespace")
	}
	out := codehost.RepoOwner{ID: wire.HostID(id), Organization: p.Namespace.Kind == "group"}
	err = h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) error {
		if out.Organization {
			g, _, err := c.Groups.GetGroup(id, &sdk.GetGroupOptions{WithProjects: sdk.Ptr(false)}, with)
			if err == nil {
				out.Login = g.FullPath
			}
			return err
		}
		u, _, err := c.Users.GetUser(id, nil, with)
		if err == nil {
			out.Login = u.Username
		}
		return err
	})
	if err == nil && (!validGroup(out.Login) || !isBelow(out.Login, p)) {
		err = &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the project stands below another owner"}
	}
	return out, err
}

func (h *Host) newestBy(ctx context.Context, op string,
	get func(*sdk.Client, sdk.RequestOptionFunc) ([]*sdk.Project, *sdk.Response, error)) (out codehost.Newest, err error) {
	var list []*sdk.Project
	var resp *sdk.Response
	err = h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Entries: codehost.MaxNewest},
		func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
			list, resp, err = get(c, with)
			return err
		})
	if err != nil {
		return codehost.Newest{}, err
	}
	for _, p := range list {
		if p != nil && p.ID > 0 && p.PathWithNamespace != "" && len(out.Repositories) < codehost.MaxNewest {
			out.Repositories = append(out.Repositories, repoInfo(p))
		}
	}
	if resp != nil && resp.Response != nil { // GitLab omits it beyond 10,000 (docs.gitlab.com/api/rest, "Pagination response headers")
		if n, err := strconv.Atoi(resp.Header.Get("X-Total")); err == nil && n > 0 {
			out.Total = n
		}
	}
	return out, nil
}
