package bitbucketserver

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Probe implements [codehost.Connection]. The host returns neither the permissions nor the end of a token, so Probe
// compares the repositories that the token may read with those that it may administer.
func (h *Host) Probe(ctx context.Context) (codehost.Probed, error) {
	const op = "probe"
	if h.client.Owner == "" {
		return codehost.Probed{}, codehost.Refused(op, "the connection names no owner")
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return codehost.Probed{}, err
	}
	out := codehost.Probed{Login: self.login, ID: wire.HostID(self.id), Version: self.version}
	if out.Owner, err = h.readOwner(ctx, op); err != nil {
		return codehost.Probed{}, err
	}
	list, err := h.listOwned(ctx, op, "")
	if err != nil {
		return codehost.Probed{}, err
	}
	living := slices.DeleteFunc(list, func(r codehost.RepoInfo) bool { return r.Archived })
	if len(living) == 0 {
		out.Missing = []string{out.Owner.Login + " has no repository that the token reads: give its account the permission Read on the project."}
		return out, nil
	}
	managed, err := h.listOwned(ctx, op, "REPO_ADMIN")
	if err != nil {
		return codehost.Probed{}, err
	}
	n := 0
	for _, r := range living {
		if !slices.ContainsFunc(managed, func(m codehost.RepoInfo) bool { return m.ExternalID == r.ExternalID }) {
			n++
		}
	}
	if n > 0 {
		out.Missing = append(out.Missing, fmt.Sprintf("The token does not administer %d of %d repositories. Make their webhooks by hand, "+
			"or make a token with the permission Repository admin.", n, len(living)))
	}
	return out, nil
}

// readOwner reads the project of the connection. For the whole instance it sends no request.
func (h *Host) readOwner(ctx context.Context, op string) (codehost.RepoOwner, error) {
	if h.isWholeInstance() {
		return codehost.RepoOwner{ID: codehost.WholeInstance, Login: codehost.WholeInstance, Organization: true}, nil
	}
	var p struct {
		ID   int64  `json:"id"`
		Key  string `json:"key"`
		Type string `json:"type"`
	}
	if err := h.client.Get(ctx, op, api+"/projects/"+url.PathEscape(h.client.Owner), &p); err != nil {
		return codehost.RepoOwner{}, err
	}
	if p.ID <= 0 || !validOwner(p.Key) {
		return codehost.RepoOwner{}, unexpected(op, "the answer is not the project")
	}
	return codehost.RepoOwner{ID: wire.HostID(p.ID), Login: p.Key, Organization: p.Type != "PERSONAL"}, nil
}

// owner returns the project of a repository.
func (r *repository) owner() codehost.RepoOwner {
	return codehost.RepoOwner{ID: wire.HostID(r.Project.ID), Login: r.Project.Key, Organization: r.Project.Type != "PERSONAL"}
}

// listRepositories lists the repositories that keep accepts, with a permission of the token's account. projectKey is "" for all projects.
func listRepositories[T any](ctx context.Context, h *Host, op, permission, projectKey string, keep func(*repository) T) ([]T, error) {
	q := url.Values{"permission": {permission}}
	if projectKey != "" {
		q.Set("projectkey", projectKey)
	}
	seen := map[int64]bool{} // a list that moves between pages may name one twice
	return all(ctx, h, op, api+"/repos?"+q.Encode(), "repositories of the owner", codehost.MaxConnectionRepositories,
		func(r *repository) (out T, kept bool) {
			if r == nil || r.ID <= 0 || seen[r.ID] || r.Slug == "" || projectKey != "" && !sameLogin(r.Project.Key, projectKey) {
				return out, false
			}
			seen[r.ID] = true
			return keep(r), true
		})
}

// listOwned lists the repositories of the owner with a permission of the token's account, REPO_READ if it is "".
func (h *Host) listOwned(ctx context.Context, op, permission string) ([]codehost.RepoInfo, error) {
	owner := h.client.Owner
	if h.isWholeInstance() {
		owner = ""
	}
	return listRepositories(ctx, h, op, cmp.Or(permission, "REPO_READ"), owner, (*repository).info)
}

var _ codehost.OwnerFinder = (*Host)(nil)

// OwnerNow implements [codehost.OwnerFinder]. The host has no projects by number, so OwnerNow looks at the projects of the repositories
// that the token reads. The whole instance is found without a request.
func (h *Host) OwnerNow(ctx context.Context, id domain.HostID, _ []domain.HostID) (codehost.RepoOwner, error) {
	const op = "find owner"
	if id == codehost.WholeInstance {
		return codehost.RepoOwner{ID: id, Login: codehost.WholeInstance, Organization: true}, nil
	}
	if _, err := wire.NumberOfID(op, id); err != nil {
		return codehost.RepoOwner{}, err
	}
	list, err := listRepositories(ctx, h, op, "REPO_READ", "", (*repository).owner)
	if err != nil {
		return codehost.RepoOwner{}, err
	}
	for _, o := range list {
		if o.ID == id && validOwner(o.Login) {
			return o, nil
		}
	}
	return codehost.RepoOwner{}, notFound(op, "no repository that the token reads belongs to this project")
}

// Repositories implements [codehost.Connection].
func (h *Host) Repositories(ctx context.Context) ([]codehost.RepoInfo, error) {
	const op = "list repositories"
	if h.client.Owner == "" {
		return nil, codehost.Refused(op, "the connection names no owner")
	}
	if _, err := h.readOwner(ctx, op); err != nil {
		return nil, err
	}
	return h.listOwned(ctx, op, "")
}

// Resolve implements [codehost.Reader]. The host has no repositories by number. It answers on the former name of a
// repository that was renamed or moved, so Resolve asks by the last known name first, and then searches the
// repositories of the connection.
func (h *Host) Resolve(ctx context.Context, repo codehost.Repo) (codehost.RepoInfo, error) {
	const op = "resolve repository"
	n, err := wire.NumberOfID(op, repo.ExternalID)
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	if repo.Owner != "" && repo.Name != "" {
		r, err := h.repositoryOf(ctx, op, repo)
		if err == nil && r.ID == n {
			return r.info(), nil
		}
		if err != nil && !codehost.IsAccessLost(err) && codehost.ClassOf(err) != codehost.ClassMoved {
			return codehost.RepoInfo{}, err
		}
	}
	everywhere := *h
	everywhere.client.Owner = codehost.WholeInstance
	list, err := everywhere.listOwned(ctx, op, "")
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	i := slices.IndexFunc(list, func(r codehost.RepoInfo) bool { return r.ExternalID == repo.ExternalID })
	if i < 0 {
		return codehost.RepoInfo{}, notFound(op, "no repository that the token reads has this number")
	}
	return list[i], nil
}
