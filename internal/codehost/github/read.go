package github

import (
	"context"
	"fmt"
	"mime"
	"net/http"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/regexp"
)

// perPage is GitHub's largest page.
const perPage = 100

// maxFiles is the most changed files that GitHub lists (GitHub REST description, "List pull requests
// files").
const maxFiles = 3000

var loginForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,100}(\[bot\])?$`)

// lister requests one page of a list.
type lister[T any] func(ctx context.Context, opts gh.ListOptions) ([]T, *gh.Response, error)

// listAll reads the pages of get by [wire.List]. Each request is a copy of like.
func listAll[S, T any](ctx context.Context, h *Host, like *wire.Call, most int, get lister[S],
	keep func(S) (T, bool)) (list []T, whole bool, err error) {
	opts := gh.ListOptions{PerPage: perPage, Page: 1}
	return wire.List(ctx, like.Op, most, func(ctx context.Context, _ int) (part []S, more bool, err error) {
		c := *like
		c.Entries = perPage
		err = h.run(ctx, &c, func(ctx context.Context) error {
			got, resp, err := get(ctx, opts)
			if part = got; err == nil && resp != nil {
				more = resp.NextPage > opts.Page
				opts.Page = resp.NextPage
			}
			return err
		})
		return part, more, err
	}, keep)
}

// listComplete is [listAll] for callers that must not take a part for the whole list. It fails if there are more than
// most.
func listComplete[S, T any](ctx context.Context, h *Host, like *wire.Call, most int, things string, get lister[S],
	keep func(S) (T, bool)) ([]T, error) {
	list, whole, err := listAll(ctx, h, like, most, get, keep)
	if err == nil && !whole {
		err = wire.TooMany(like.Op, most, things)
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// PullRequest implements [codehost.Reader].
func (h *Host) PullRequest(ctx context.Context, repo codehost.Repo, number int) (codehost.PullRequest, error) {
	const op = "read pull request"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return codehost.PullRequest{}, err
	}
	var p *gh.PullRequest
	err := h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) (err error) {
		p, _, err = h.client.PullRequests.Get(ctx, repo.Owner, repo.Name, number)
		return err
	})
	if err != nil {
		return codehost.PullRequest{}, err
	}
	if p.GetNumber() != number {
		return codehost.PullRequest{}, &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the answer is not the pull request"}
	}
	return pullRequest(p), wire.CheckSameRepository(ctx, op, string(codehost.GitHub), repo, p.GetBase().GetRepo().GetID(), h.observer)
}

// Files implements [codehost.Reader]. The list is complete if it has as many files as the pull request
// reports. GitHub lists at most 3,000 (GitHub REST description, "List pull requests files").
func (h *Host) Files(ctx context.Context, repo codehost.Repo, number int) ([]codehost.ChangedFile, bool, error) {
	const op = "list changed files"
	p, err := h.PullRequest(ctx, repo, number)
	if err != nil {
		return nil, false, err
	}
	c := h.installationCall(op, repo.Access, scopeRead)
	c.Bytes = wire.MaxDiffs
	files, whole, err := listAll(ctx, h, c, maxFiles, func(ctx context.Context, opts gh.ListOptions) ([]*gh.CommitFile, *gh.Response, error) {
		return h.client.PullRequests.ListFiles(ctx, repo.Owner, repo.Name, number, &opts)
	}, func(f *gh.CommitFile) (codehost.ChangedFile, bool) { return changedFile(f), true })
	return files, whole && len(files) >= p.ChangedFiles, err
}

// Diff implements [codehost.Reader]. GitHub refuses diffs above 300 files or 20,000 lines with 406.
func (h *Host) Diff(ctx context.Context, repo codehost.Repo, number int) ([]byte, error) {
	const op = "read diff"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	raw, _, err := h.raw(ctx, h.rawCall(op, repo.Access), fmt.Sprintf("repos/%s/%s/pulls/%d", repo.Owner, repo.Name, number),
		"application/vnd.github.v3.diff")
	return raw, err
}

// raw returns the body and type of an answer without decoding it. The library would copy the body more than
// once.
func (h *Host) raw(ctx context.Context, c *wire.Call, path, accept string) (body []byte, kind string, err error) {
	err = h.run(ctx, c, func(ctx context.Context) error {
		req, err := h.client.NewRequest(ctx, http.MethodGet, path, nil)
		if err != nil {
			return err
		}
		req.Header.Set("Accept", accept)
		resp, err := h.transport.RoundTrip(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		kind = resp.Header.Get("Content-Type")
		body, err = wire.ReadWhole(resp)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	return body, kind, nil
}

// Compare implements [codehost.Reader].
func (h *Host) Compare(ctx context.Context, repo codehost.Repo, base, head string) (codehost.Comparison, error) {
	const op = "compare commits"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.Comparison{}, err
	}
	if !codehost.IsCommit(base) || !codehost.IsCommit(head) {
		return codehost.Comparison{}, codehost.Refused(op, "base and head must be full commit ids")
	}
	var cmp *gh.CommitsComparison
	err := h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) (err error) {
		cmp, _, err = h.client.Repositories.CompareCommits(ctx, repo.Owner, repo.Name, base, head, &gh.ListOptions{PerPage: 1})
		return err
	})
	if err != nil {
		return codehost.Comparison{}, err
	}
	return codehost.Comparison{MergeBase: cmp.GetMergeBaseCommit().GetSHA(), AheadBy: cmp.GetAheadBy(), BehindBy: cmp.GetBehindBy()}, nil
}

// Content implements [codehost.Reader]. A directory is invalid. A file above the adapter's 16 MiB or the
// API's 100 MB is too large.
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
	body, kind, err := h.raw(ctx, h.rawCall(op, repo.Access), "repos/"+repo.Owner+"/"+repo.Name+"/contents/"+escaped+"?ref="+sha,
		"application/vnd.github.raw+json")
	if err != nil {
		return nil, err
	}
	// GitHub answers with plain JSON for a directory, in any requested format.
	if kind, _, err := mime.ParseMediaType(kind); err == nil && kind == "application/json" {
		return nil, codehost.Refused(op, "the path is a directory or a submodule")
	}
	return body, nil
}

// Clone implements [codehost.Reader]. The token can read the contents of this one repository for at least
// 15 minutes.
func (h *Host) Clone(ctx context.Context, repo codehost.Repo) (codehost.CloneAccess, error) {
	const op = "clone access"
	if err := wire.CheckRepo(op, repo); err != nil {
		return codehost.CloneAccess{}, err
	}
	k := tokenKey{installation: repo.Access, scope: scopeClone, repository: repo.ExternalID}
	token, _, err := h.installationToken(ctx, k, cloneRest)
	if err != nil {
		return codehost.CloneAccess{}, err
	}
	return codehost.CloneAccess{URL: h.web + "/" + repo.FullName() + ".git", Username: "x-access-token", Token: token,
		Budget: h.installationKey(repo.Access)}, nil
}

// roles are GitHub's own roles. Custom roles of organisations fall back to the coarse permission.
var roles = map[string]bool{"admin": true, "maintain": true, "write": true, "triage": true, "read": true, "none": true}

// Permission implements [codehost.Reader]. An unknown word is "none", because doubt must not grant access.
func (h *Host) Permission(ctx context.Context, repo codehost.Repo, login string) (string, error) {
	const op = "read permission"
	if err := wire.CheckRepo(op, repo); err != nil {
		return "", err
	}
	if !loginForm.MatchString(login) {
		return "", codehost.Refused(op, "the login must be that of a user")
	}
	var p *gh.RepositoryPermissionLevel
	err := h.run(ctx, h.installationCall(op, repo.Access, scopeRead), func(ctx context.Context) (err error) {
		p, _, err = h.client.Repositories.GetPermissionLevel(ctx, repo.Owner, repo.Name, login)
		return err
	})
	if err != nil {
		return "", err
	}
	for _, word := range []string{p.GetRoleName(), p.GetPermission()} {
		if roles[word] {
			return word, nil
		}
	}
	return "none", nil
}

// FileURL implements [codehost.Host] (GitHub documentation, "Getting permanent links to files": the commit
// in the URL; "Creating a permanent link to a code snippet": lines, and the plain form that Markdown needs
// for lines).
func (h *Host) FileURL(repo codehost.Repo, sha, path string, first, last int) string {
	return wire.LinesURL(h.web+"/"+repo.FullName()+"/blob/"+sha+"/"+wire.FilePath(path), first, last, "?plain=1#L%d", "?plain=1#L%d-L%d")
}

// OpenPullRequests implements [codehost.Reader].
func (h *Host) OpenPullRequests(ctx context.Context, repo codehost.Repo) ([]codehost.PullRequest, error) {
	return h.openPulls(ctx, "list open pull requests", repo, gh.PullRequestListOptions{Sort: "created", Direction: "asc"},
		func(codehost.PullRequest) bool { return true })
}

// openPulls lists the open pull requests that wanted accepts, without their texts.
func (h *Host) openPulls(ctx context.Context, op string, repo codehost.Repo, want gh.PullRequestListOptions,
	wanted func(codehost.PullRequest) bool) ([]codehost.PullRequest, error) {
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	want.State = "open"
	return listComplete(ctx, h, h.installationCall(op, repo.Access, scopeRead), codehost.MaxOpen, "open pull requests",
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
			want.ListOptions = opts
			return h.client.PullRequests.List(ctx, repo.Owner, repo.Name, &want)
		}, func(p *gh.PullRequest) (out codehost.PullRequest, keep bool) {
			if p == nil {
				return out, false
			}
			out = pullRequest(p)
			out.Body = ""
			return out, wanted(out)
		})
}

// MergedPullRequests implements [codehost.Reader]. GitHub sorts by creation or last change, and lists
// merged pull requests among the closed ones (GitHub REST description, "List pull requests").
func (h *Host) MergedPullRequests(ctx context.Context, repo codehost.Repo, most int) ([]codehost.PullRequest, error) {
	const op = "list merged pull requests"
	if err := codehost.CheckMerged(op, most); err != nil {
		return nil, err
	}
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	m := codehost.MergedPicker{Most: most}
	want := gh.PullRequestListOptions{State: "closed", Sort: "updated", Direction: "desc"}
	_, _, err := listAll(ctx, h, h.installationCall(op, repo.Access, scopeRead), codehost.MaxClosed,
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.PullRequest, *gh.Response, error) {
			want.ListOptions = opts
			list, resp, err := h.client.PullRequests.List(ctx, repo.Owner, repo.Name, &want)
			for _, p := range list {
				if p != nil && !m.Add(pullRequest(p)) {
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

// Resolve implements [codehost.Reader].
func (h *Host) Resolve(ctx context.Context, repo codehost.Repo) (codehost.RepoInfo, error) {
	const op = "resolve repository"
	n, err := number(op, "repository", repo.ExternalID)
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	var r *gh.Repository
	err = h.run(ctx, h.installationCall(op, repo.Access, scopeList), func(ctx context.Context) (err error) {
		r, _, err = h.client.Repositories.GetByID(ctx, n)
		return err
	})
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	return repoInfo(r), nil
}
