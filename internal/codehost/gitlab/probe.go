package gitlab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Probe implements [codehost.Connection]. GitLab reports the scopes and the end of every access token, also
// of projects and groups (docs.gitlab.com/api/personal_access_tokens, "Self-inform").
func (h *Host) Probe(ctx context.Context) (codehost.Probed, error) {
	const op = "probe"
	if h.instance.Owner == "" {
		return codehost.Probed{}, codehost.Refused(op, "the connection names no owner")
	}
	var out codehost.Probed
	var t *sdk.PersonalAccessToken
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		t, _, err = c.PersonalAccessTokens.GetSinglePersonalAccessToken(with)
		return err
	})
	switch {
	// An OAuth token is not an access token (docs.gitlab.com/api/personal_access_tokens).
	case codehost.ClassOf(err) == codehost.ClassNotFound || codehost.ClassOf(err) == codehost.ClassInvalid:
	case err != nil:
		return codehost.Probed{}, err
	default:
		out.Scopes, out.ScopesKnown = t.Scopes, true
		if t.ExpiresAt != nil {
			out.ExpiresAt = sdk.Ptr(time.Time(*t.ExpiresAt)) // start of that day, UTC
		}
		if !slices.Contains(t.Scopes, "api") {
			out.Lacking = append(out.Lacking, "api")
			out.Missing = append(out.Missing, "The token lacks the scope api, without which nothing can be published: make a token that has it.")
		}
	}
	if len(out.Lacking) > 0 && !slices.Contains(out.Scopes, "read_api") { // the token allows no further requests
		return out, nil
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return codehost.Probed{}, err
	}
	out.Login, out.ID = self.login, wire.HostID(self.id)
	var v *sdk.Version
	err = h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		v, _, err = c.Version.GetVersion(with)
		return err
	})
	if err != nil {
		return codehost.Probed{}, err
	}
	out.Version = wire.OneLine(v.Version, 80)
	if out.Owner, err = h.readOwner(ctx, op); err != nil {
		return codehost.Probed{}, err
	}
	list, err := h.listOwned(ctx, op, out.Owner, 0)
	if err != nil {
		return codehost.Probed{}, err
	}
	lacking, err := h.missingRights(ctx, op, out.Owner, list)
	if err != nil {
		return codehost.Probed{}, err
	}
	out.Missing = append(out.Missing, lacking...)
	return out, nil
}

// missingRights says which work the account's levels do not allow. Lists do not report levels reliably: a group's
// list of projects omits them (lib/api/groups.rb of gitlab-org/gitlab, present_projects), and others omit
// levels from higher groups and shares (lib/api/entities/project_with_access.rb there). So lacks lists the
// projects with a minimum level, which GitLab filters by the effective level
// (app/finders/projects_finder.rb and app/finders/group_projects_finder.rb there, min_access_level).
func (h *Host) missingRights(ctx context.Context, op string, owner codehost.RepoOwner, list []codehost.RepoInfo) (out []string, err error) {
	living := slices.DeleteFunc(slices.Clone(list), func(p codehost.RepoInfo) bool { return p.Archived })
	if len(living) == 0 {
		return []string{noProjectsSentence(owner)}, nil
	}
	unmanaged, err := h.countBelowLevel(ctx, op, owner, living, levelMaintainer)
	if err != nil || unmanaged == 0 {
		return nil, err
	}
	unwritten, err := h.countBelowLevel(ctx, op, owner, living, levelDeveloper)
	if err != nil {
		return nil, err
	}
	if unwritten > 0 {
		out = append(out, fmt.Sprintf("The account is less than a developer in %d of %d projects, so that no commit status is shown "+
			"and no label set there: give it the role Developer.", unwritten, len(living)))
	}
	return append(out, fmt.Sprintf("The account is not a maintainer of %d of %d projects. Make their webhooks by hand.", unmanaged,
		len(living))), nil
}

// countBelowLevel counts the projects where the account's level is too low.
func (h *Host) countBelowLevel(ctx context.Context, op string, owner codehost.RepoOwner, list []codehost.RepoInfo,
	level sdk.AccessLevelValue) (n int, err error) {
	enough, err := h.listOwned(ctx, op, owner, level)
	if err != nil {
		return 0, err
	}
	has := make(map[domain.HostID]bool, len(enough))
	for _, p := range enough {
		has[p.ExternalID] = true
	}
	for _, p := range list {
		if !has[p.ExternalID] {
			n++
		}
	}
	return n, nil
}

// noProjectsSentence says that an owner has no active project, and the remedy.
func noProjectsSentence(owner codehost.RepoOwner) string {
	if owner.Login == codehost.WholeInstance {
		return "The account is a member of no project: make it a member of the groups whose merge requests are to be reviewed."
	}
	return owner.Login + " has no project that the token reaches: make the account a member of the group, or use a group access token."
}

// readOwner reads the owner: a group, else a user. For the whole instance it sends no request.
func (h *Host) readOwner(ctx context.Context, op string) (codehost.RepoOwner, error) {
	if h.isWholeInstance() {
		return codehost.RepoOwner{ID: codehost.WholeInstance, Login: codehost.WholeInstance, Organization: true}, nil
	}
	var g *sdk.Group
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		g, _, err = c.Groups.GetGroup(h.instance.Owner, &sdk.GetGroupOptions{WithProjects: sdk.Ptr(false)}, with)
		return err
	})
	if err == nil {
		return codehost.RepoOwner{ID: wire.HostID(g.ID), Login: g.FullPath, Organization: true}, nil
	}
	if codehost.ClassOf(err) != codehost.ClassNotFound {
		return codehost.RepoOwner{}, err
	}
	id, err := h.idOf(ctx, op, h.instance.Owner)
	if err != nil {
		return codehost.RepoOwner{}, err
	}
	return codehost.RepoOwner{ID: wire.HostID(id), Login: h.instance.Owner}, nil
}

// listOwned lists the projects of the owner once each, including those of subgroups and those shared with the
// group (docs.gitlab.com/api/groups, "List projects"). For the whole instance it lists the projects that
// the account is a member of, also through a group (docs.gitlab.com/api/projects, "List all projects":
// membership). With a level, it lists only projects where the account has at least that level, with few
// fields.
func (h *Host) listOwned(ctx context.Context, op string, owner codehost.RepoOwner,
	level sdk.AccessLevelValue) ([]codehost.RepoInfo, error) {
	var least *sdk.AccessLevelValue
	var simple *bool
	if level > 0 {
		least, simple = &level, sdk.Ptr(true)
	}
	seen := map[int64]bool{}
	list, whole, err := listAll(ctx, h, op, codehost.MaxConnectionRepositories,
		func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.Project, *sdk.Response, error) {
			switch {
			case h.isWholeInstance():
				return c.Projects.ListProjects(&sdk.ListProjectsOptions{ListOptions: page, Membership: sdk.Ptr(true), MinAccessLevel: least,
					Simple: simple}, with)
			case owner.Organization:
				return c.Groups.ListGroupProjects(h.instance.Owner, &sdk.ListGroupProjectsOptions{ListOptions: page,
					IncludeSubGroups: sdk.Ptr(true), WithShared: sdk.Ptr(true), MinAccessLevel: least, Simple: simple}, with)
			}
			return c.Projects.ListUserProjects(h.instance.Owner, &sdk.ListProjectsOptions{ListOptions: page, MinAccessLevel: least,
				Simple: simple}, with)
		}, func(p *sdk.Project) (out codehost.RepoInfo, wanted bool) {
			if p == nil || p.ID <= 0 || p.PathWithNamespace == "" || seen[p.ID] {
				return out, false
			}
			seen[p.ID] = true
			out = repoInfo(p)
			out.Shared = owner.Organization && !h.isOwned(p)
			return out, true
		})
	if err == nil && !whole {
		err = wire.TooMany(op, codehost.MaxConnectionRepositories, "projects of the owner")
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// isWholeInstance reports whether the connection is for the whole instance.
func (h *Host) isWholeInstance() bool { return h.instance.Owner == codehost.WholeInstance }

// isOwned reports whether a project is below the owner of the connection.
func (h *Host) isOwned(p *sdk.Project) bool {
	return h.isWholeInstance() || isBelow(h.instance.Owner, p)
}

// isBelow reports whether a project is below an owner.
func isBelow(owner string, p *sdk.Project) bool {
	return len(p.PathWithNamespace) > len(owner) && strings.EqualFold(p.PathWithNamespace[:len(owner)+1], owner+"/")
}

// Repositories implements [codehost.Connection].
func (h *Host) Repositories(ctx context.Context) ([]codehost.RepoInfo, error) {
	const op = "list projects"
	if h.instance.Owner == "" {
		return nil, codehost.Refused(op, "the connection names no owner")
	}
	owner, err := h.readOwner(ctx, op)
	if err != nil {
		return nil, err
	}
	return h.listOwned(ctx, op, owner, 0)
}

// Resolve implements [codehost.Reader].
func (h *Host) Resolve(ctx context.Context, repo codehost.Repo) (codehost.RepoInfo, error) {
	const op = "resolve project"
	n, err := wire.NumberOfID(op, repo.ExternalID)
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	p, err := h.projectOf(ctx, op, n)
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	return repoInfo(p), nil
}
