package gitlab

import (
	"context"
	"strconv"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

var _ codehost.NewestLister = (*Host)(nil)

// Newest implements [codehost.NewestLister]: projects below the owner and those shared
// with it, as [Host.Repositories] lists them. Webhooks of groups report new projects,
// too, but only in paid editions (docs.gitlab.com/user/project/integrations/webhooks,
// "Group webhooks"), and those of the system are for administrators of the instance. An
// owner that is a person takes a second request.
func (h *Host) Newest(ctx context.Context, _ domain.HostID) (codehost.Newest, error) {
	const op = "list newest projects"
	if h.owner == "" {
		return codehost.Newest{}, codehost.Refused(op, "the connection names no owner")
	}
	page := sdk.ListOptions{Page: 1, PerPage: codehost.MaxNewest}
	by, down, yes := sdk.Ptr("created_at"), sdk.Ptr("desc"), sdk.Ptr(true)
	if h.everything() {
		return h.newestBy(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) ([]*sdk.Project, *sdk.Response, error) {
			return c.Projects.ListProjects(&sdk.ListProjectsOptions{ListOptions: page, OrderBy: by, Sort: down, Membership: yes, Simple: yes}, with)
		})
	}
	out, err := h.newestBy(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) ([]*sdk.Project, *sdk.Response, error) {
		return c.Groups.ListGroupProjects(h.owner, &sdk.ListGroupProjectsOptions{ListOptions: page, OrderBy: by, Sort: down,
			IncludeSubGroups: yes, WithShared: yes, Simple: yes}, with)
	})
	if codehost.ClassOf(err) != codehost.ClassNotFound {
		return out, err
	}
	return h.newestBy(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) ([]*sdk.Project, *sdk.Response, error) {
		return c.Projects.ListUserProjects(h.owner, &sdk.ListProjectsOptions{ListOptions: page, OrderBy: by, Sort: down, Simple: yes}, with)
	})
}

func (h *Host) newestBy(ctx context.Context, op string,
	get func(*sdk.Client, sdk.RequestOptionFunc) ([]*sdk.Project, *sdk.Response, error)) (out codehost.Newest, err error) {
	var list []*sdk.Project
	var resp *sdk.Response
	err = h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
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
	if resp != nil && resp.Response != nil { // there is none beyond 10,000 (docs.gitlab.com/api/rest, "Pagination response headers")
		if n, err := strconv.Atoi(resp.Header.Get("X-Total")); err == nil && n > 0 {
			out.Total = n
		}
	}
	return out, nil
}
