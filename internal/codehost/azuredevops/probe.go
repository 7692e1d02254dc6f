package azuredevops

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

var _ codehost.NewestLister = (*Host)(nil)

// Probe implements [codehost.Connection]. The host lists neither the scopes nor the end of a token, so Probe tries what assay needs.
func (h *Host) Probe(ctx context.Context) (codehost.Probed, error) {
	const op = "probe"
	if h.instance.Owner == "" {
		return codehost.Probed{}, codehost.Refused(op, "the connection names no owner")
	}
	self, err := h.ownAccount(ctx, h.instance.Owner)
	if err != nil {
		return codehost.Probed{}, err
	}
	out := codehost.Probed{Login: self.login, ID: self.id}
	if out.Owner, err = h.readOwner(ctx, op); err != nil {
		return codehost.Probed{}, err
	}
	list, err := h.Repositories(ctx)
	if err != nil {
		return codehost.Probed{}, err
	}
	out.Missing, err = h.missingRights(ctx, op, self.id, list)
	return out, err
}

// readOwner reads the organisation, or the project.
func (h *Host) readOwner(ctx context.Context, op string) (codehost.RepoOwner, error) {
	organisation, project := divide(h.instance.Owner)
	if project == "" {
		var got connectionData
		err := h.read(ctx, op, connectionRequest(organisation), &got)
		return codehost.RepoOwner{ID: guid(got.Instance), Login: organisation, Organization: true}, err
	}
	var p projectRef
	err := h.read(ctx, op, request{path: orgPath(organisation) + "/_apis/projects/" + url.PathEscape(project)}, &p)
	if err == nil && (guid(p.ID) == "" || !validName(p.Name)) {
		err = unexpected(op, "the answer is not the project")
	}
	return codehost.RepoOwner{ID: guid(p.ID), Login: organisation + "/" + p.Name, Organization: true}, err
}

// maxProbedProjects is the most projects whose rights a probe looks at.
const maxProbedProjects = 20

// missingRights describes the work that the account's groups do not allow, and whether the token reads identities and builds.
func (h *Host) missingRights(ctx context.Context, op string, self domain.HostID, list []codehost.RepoInfo) (out []string, err error) {
	var owners []string
	for _, r := range list {
		if !r.Archived && !slices.Contains(owners, r.Owner) {
			owners = append(owners, r.Owner)
		}
	}
	if len(owners) == 0 {
		return []string{h.instance.Owner + " has no repository that the token reaches: add the account to the projects whose pull requests " +
			"are to be reviewed."}, nil
	}
	weak, unmanaged, looked := 0, 0, owners[:min(len(owners), maxProbedProjects)]
	for _, owner := range looked {
		list, err := h.identities(ctx, op, owner, url.Values{"identityIds": {string(self)}, "queryMembership": {"Expanded"}})
		var groups *projectGroups
		if err == nil {
			groups, err = h.groupsOf(ctx, op, owner)
		}
		if codehost.IsAccessLost(err) {
			return append(out, "The token does not read identities, so that no person's rights are known: make one that has the "+
				"scope Identity (read)."), nil
		}
		if err != nil {
			return nil, err
		}
		word := "none"
		if len(list) == 1 {
			word, _ = groups.right(list[0])
		}
		if word != "write" && word != "admin" {
			weak++
		}
		if word != "admin" {
			unmanaged++
		}
	}
	if weak > 0 {
		out = append(out, fmt.Sprintf("The account is not in the group Contributors in %d of %d projects, so that it may write no comments and "+
			"statuses there: add it to the group.", weak, len(looked)))
	}
	if unmanaged > 0 {
		out = append(out, fmt.Sprintf("The account is not in the group Project Administrators in %d of %d projects, and may not manage service "+
			"hooks there unless it has the permission Edit subscriptions. Make them by hand otherwise.", unmanaged, len(looked)))
	}
	var builds answerList[buildRef]
	err = h.read(ctx, op, request{path: projectPath(owners[0]) + "/_apis/build/builds", query: url.Values{"$top": {"1"}}}, &builds)
	if codehost.IsAccessLost(err) {
		return append(out, "The token does not read builds, so that failed jobs are not explained: make one that has the "+
			"scope Build (read)."), nil
	}
	return out, err
}

// Repositories implements [codehost.Connection]. The interface has no pages for them.
func (h *Host) Repositories(ctx context.Context) ([]codehost.RepoInfo, error) {
	const op = "list repositories"
	if h.instance.Owner == "" {
		return nil, codehost.Refused(op, "the connection names no owner")
	}
	organisation, project := divide(h.instance.Owner)
	path := orgPath(organisation)
	if project != "" {
		path = projectPath(h.instance.Owner)
	}
	var got answerList[repositoryRef]
	err := h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Bytes: wire.MaxDiffs}, request{path: path + "/_apis/git/repositories"}, &got)
	if err != nil {
		return nil, err
	}
	if len(got.Value) > codehost.MaxConnectionRepositories {
		return nil, wire.TooMany(op, codehost.MaxConnectionRepositories, "repositories of the owner")
	}
	out := make([]codehost.RepoInfo, 0, len(got.Value))
	for _, r := range got.Value {
		if guid(r.ID) != "" && validName(r.Name) && validName(r.Project.Name) {
			out = append(out, r.info(organisation))
		}
	}
	return out, nil
}

// Newest implements [codehost.NewestLister]. The host lists repositories in no order and without the time of their creation, so the list
// is the end of the whole one: with its length it shows that there is a new one.
func (h *Host) Newest(ctx context.Context, _ domain.HostID) (codehost.Newest, error) {
	list, err := h.Repositories(ctx)
	if err != nil {
		return codehost.Newest{}, err
	}
	return codehost.Newest{Repositories: list[max(0, len(list)-codehost.MaxNewest):], Total: len(list)}, nil
}
