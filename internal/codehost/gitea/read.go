package gitea

import (
	"cmp"
	"context"
	"fmt"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// PullRequest implements [codehost.Reader].
func (h *Host) PullRequest(ctx context.Context, repo codehost.Repo, number int) (codehost.PullRequest, error) {
	p, err := h.pull(ctx, "read pull request", repo, number)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	return pullRequest(p), nil
}

// pull reads a pull request in the host's form.
func (h *Host) pull(ctx context.Context, op string, repo codehost.Repo, number int) (*sdk.PullRequest, error) {
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	var p *sdk.PullRequest
	err := h.read(ctx, op, func(c *sdk.Client) (err error) {
		p, _, err = c.GetPullRequest(repo.Owner, repo.Name, int64(number))
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.Index != int64(number) {
		return nil, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer is not the pull request"}
	}
	return p, h.checkRepository(ctx, op, repo, p)
}

// checkRepository fails with [codehost.ClassMoved] if a pull request belongs to another repository than repo. After a
// rename another repository can take the name, and the host sends no event.
func (h *Host) checkRepository(ctx context.Context, op string, repo codehost.Repo, p *sdk.PullRequest) error {
	if p.Base == nil {
		return nil
	}
	return wire.CheckSameRepository(ctx, op, string(h.instance.Kind), repo, p.Base.RepoID, h.instance.Watch)
}

// Diff implements [codehost.Reader]. The host has no bound; the adapter refuses diffs above 16 MiB.
func (h *Host) Diff(ctx context.Context, repo codehost.Repo, number int) ([]byte, error) {
	const op = "read diff"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	return h.getCall(ctx, &wire.Call{Op: op, Key: h.instance.Key, Raw: true}, fmt.Sprintf("/repos/%s/pulls/%d.diff", repo.FullName(), number))
}

// Content implements [codehost.Reader]. A directory is not found, and a file above 16 MiB is too large. A
// file in git LFS comes as its pointer.
func (h *Host) Content(ctx context.Context, repo codehost.Repo, path, sha string) ([]byte, error) {
	const op = "read file"
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	if !codehost.IsCommit(sha) {
		return nil, codehost.Refused(op, "the commit must be a full commit id")
	}
	escaped, ok := wire.EscapePath(path)
	if !ok {
		return nil, codehost.Refused(op, "the path must be relative to the repository's root and must not climb")
	}
	return h.getCall(ctx, &wire.Call{Op: op, Key: h.instance.Key, Raw: true}, "/repos/"+repo.FullName()+"/raw/"+escaped+"?ref="+sha)
}

// get requests a path below the API that the library cannot request, and returns the body.
func (h *Host) get(ctx context.Context, op, path string) ([]byte, error) {
	return h.getCall(ctx, &wire.Call{Op: op, Key: h.instance.Key}, path)
}

// getCall is [Host.get] as the call c.
func (h *Host) getCall(ctx context.Context, c *wire.Call, path string) ([]byte, error) {
	c.Authorize = h.authorize
	return wire.Get(ctx, c, h.instance.Client, h.instance.Base+"/api/v1"+path, wire.UserAgent)
}

// Clone implements [codehost.Reader] with the connection's token, because these hosts have no tokens for
// one repository. The token is a password for any name (services/auth/basic.go).
func (h *Host) Clone(_ context.Context, repo codehost.Repo) (codehost.CloneAccess, error) {
	if err := wire.CheckRepo("clone access", repo); err != nil {
		return codehost.CloneAccess{}, err
	}
	return codehost.CloneAccess{URL: h.instance.Base + "/" + repo.FullName() + ".git", Username: "x-access-token",
		Token: h.instance.Token, Budget: h.instance.Key}, nil
}

// permissionWords maps the words of models/perm/access_mode.go to the port's words.
var permissionWords = map[string]string{"owner": "admin", "admin": "admin", "write": "write", "read": "read", "none": "none"}

// permissionWord returns the port's word for a permission of the host. An unknown permission is "none", because doubt
// must not grant access.
func permissionWord(permission string) string {
	if w := permissionWords[permission]; w != "" {
		return w
	}
	return "none"
}

// Permission implements [codehost.Reader]. Only an administrator of the repository can ask the host about
// other people. Another account uses the teams and the assignees that it sees, and gets
// [codehost.ClassForbidden] if they do not include the person.
func (h *Host) Permission(ctx context.Context, repo codehost.Repo, login string) (string, error) {
	const op = "read permission"
	if err := wire.CheckRepo(op, repo); err != nil {
		return "", err
	}
	if !wire.ValidName(login) {
		return "", codehost.Refused(op, "the login must be that of a user")
	}
	permission, who, err := h.permission(ctx, op, repo, login)
	if codehost.ClassOf(err) == codehost.ClassForbidden {
		var u *sdk.User
		if asked := h.read(ctx, op, func(c *sdk.Client) (err error) {
			u, _, err = c.GetUserInfo(login)
			return err
		}); asked != nil || u == nil {
			return "", err
		}
		who = u.ID
	}
	if who == 0 {
		return permission, err
	}
	return h.permissionWithTeams(ctx, op, repo, who, login, permission, err)
}

// permission returns the rights and the id of the account with a login. The id is 0 if the answer lacks it.
func (h *Host) permission(ctx context.Context, op string, repo codehost.Repo, login string) (permission string, who int64, err error) {
	var p *sdk.CollaboratorPermissionResult
	err = h.read(ctx, op, func(c *sdk.Client) (err error) {
		p, _, err = c.CollaboratorPermission(repo.Owner, repo.Name, login)
		return err
	})
	switch {
	case err != nil:
		return "", 0, err
	case p == nil:
		return "none", 0, nil
	case p.User != nil:
		who = p.User.ID
	}
	return permissionWord(string(p.Permission)), who, nil
}

// FileURL implements [codehost.Reader] with the commit in the address and the plain form of rendered files
// (routers/web/web.go, src/commit; routers/web/repo/view_file.go, display=source).
func (h *Host) FileURL(repo codehost.Repo, sha, path string, first, last int) string {
	return wire.LinesURL(h.instance.Base+"/"+repo.FullName()+"/src/commit/"+sha+"/"+wire.FilePath(path), first, last,
		"?display=source#L%d", "?display=source#L%d-L%d")
}

// OpenPullRequests implements [codehost.Reader].
func (h *Host) OpenPullRequests(ctx context.Context, repo codehost.Repo) ([]codehost.PullRequest, error) {
	const op = "list open pull requests"
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	var elsewhere error
	seen := map[int64]bool{} // a list that moves between pages may name one twice
	list, whole, err := listAll(ctx, h, op, codehost.MaxOpen, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.PullRequest,
		*sdk.Response, error) {
		return c.ListRepoPullRequests(repo.Owner, repo.Name, sdk.ListPullRequestsOptions{State: sdk.StateOpen, Sort: "oldest", ListOptions: opts})
	}, func(p *sdk.PullRequest) (out codehost.PullRequest, wanted bool) {
		if p == nil || seen[p.Index] {
			return out, false
		}
		seen[p.Index] = true
		if elsewhere == nil {
			elsewhere = h.checkRepository(ctx, op, repo, p)
		}
		out = pullRequest(p)
		out.Body = ""
		return out, true
	})
	if err == nil && !whole {
		err = wire.TooMany(op, codehost.MaxOpen, "open pull requests")
	}
	if err = cmp.Or(err, elsewhere); err != nil {
		return nil, err
	}
	return list, nil
}

// MergedPullRequests implements [codehost.Reader]. The host lists merged pull requests among the closed
// ones, sorted by their last change (swagger.v1.json of Gitea 1.26.4, repoListPullRequests;
// models/issues/pull_list.go).
func (h *Host) MergedPullRequests(ctx context.Context, repo codehost.Repo, most int) ([]codehost.PullRequest, error) {
	const op = "list merged pull requests"
	if err := codehost.CheckMerged(op, most); err != nil {
		return nil, err
	}
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	m := codehost.MergedPicker{Most: most}
	_, _, err := listAll(ctx, h, op, codehost.MaxClosed, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.PullRequest, *sdk.Response, error) {
		list, resp, err := c.ListRepoPullRequests(repo.Owner, repo.Name,
			sdk.ListPullRequestsOptions{State: sdk.StateClosed, Sort: "recentupdate", ListOptions: opts})
		for _, p := range list {
			if p == nil {
				continue
			}
			if elsewhere := h.checkRepository(ctx, op, repo, p); elsewhere != nil {
				return nil, nil, elsewhere
			}
			if !m.Add(pullRequest(p)) {
				return list, nil, err // later ones cannot matter
			}
		}
		return list, resp, err
	}, wire.KeepNone)
	if err != nil {
		return nil, err
	}
	return m.List(), nil
}
