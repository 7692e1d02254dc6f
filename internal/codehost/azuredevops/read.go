package azuredevops

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// pageSize is the number of entries requested per page of lists with pages.
const pageSize = 100

// listAll reads the pages of a list by $top and $skip.
func listAll[S, T any](ctx context.Context, h *Host, op string, most int, r request,
	keep func(S) (T, bool)) (list []T, whole bool, err error) {
	return wire.List(ctx, op, most, func(ctx context.Context, n int) (part []S, more bool, err error) {
		page := r
		page.query = url.Values{"$top": {strconv.Itoa(pageSize)}, "$skip": {strconv.Itoa((n - 1) * pageSize)}}
		for name, values := range r.query {
			page.query[name] = values
		}
		var got answerList[S]
		err = h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Entries: pageSize}, page, &got)
		return got.Value, len(got.Value) >= pageSize, err
	}, keep)
}

// continuationHeader is the header with the place of the next page (git description and build description, "continuationToken").
const continuationHeader = "X-Ms-Continuationtoken"

// listOn reads the pages of a list that ignores $skip and names each next page in a header.
func listOn[S, T any](ctx context.Context, h *Host, op string, most int, r request,
	keep func(S) (T, bool)) (list []T, whole bool, err error) {
	next := ""
	return wire.List(ctx, op, most, func(ctx context.Context, _ int) (part []S, more bool, err error) {
		page := r
		page.query = url.Values{"$top": {strconv.Itoa(pageSize)}}
		for name, values := range r.query {
			page.query[name] = values
		}
		if next != "" {
			page.query.Set("continuationToken", next)
		}
		c := &wire.Call{Op: op, Key: h.instance.Key, Entries: pageSize}
		body, header, err := h.do(ctx, c, page)
		if err != nil {
			return nil, false, err
		}
		var got answerList[S]
		if err := wire.Decode(c, body, &got); err != nil {
			return nil, false, err
		}
		before := next
		if next = header.Get(continuationHeader); next != "" && next == before {
			return nil, false, wire.Unexpected(c, "the next page is the same page")
		}
		return got.Value, next != "", nil
	}, keep)
}

// pullURL returns the address of a pull request's page.
func (h *Host) pullURL(repo codehost.Repo, number int) string {
	return h.repoURL(repo) + "/pullrequest/" + strconv.Itoa(number)
}

// repoURL returns the address of a repository's pages, and for git.
func (h *Host) repoURL(repo codehost.Repo) string {
	return h.instance.Base + projectPath(repo.Owner) + "/_git/" + url.PathEscape(repo.Name)
}

// PullRequest implements [codehost.Reader]. The newest iteration has the head, because lastMergeSourceCommit follows a push only when the
// host has tried the merge. The number of changed files is that of the iteration.
func (h *Host) PullRequest(ctx context.Context, repo codehost.Repo, number int) (codehost.PullRequest, error) {
	const op = "read pull request"
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	out := p.pull(h.pullURL(repo, number))
	v, err := h.newest(ctx, op, repo, number)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	out.HeadSHA, out.ChangedFiles = v.source, len(v.changes)
	if !codehost.IsCommit(out.BaseSHA) {
		out.BaseSHA = v.target
	}
	return out, nil
}

// pull reads a pull request in the host's form. It fails with [codehost.ClassMoved] if the repository has another name now, or another one
// has its name: the host does not redirect.
func (h *Host) pull(ctx context.Context, op string, repo codehost.Repo, number int) (pullRef, error) {
	if err := checkPull(op, repo, number); err != nil {
		return pullRef{}, err
	}
	var p pullRef
	err := h.read(ctx, op, request{path: repoPath(repo) + "/pullrequests/" + strconv.Itoa(number)}, &p)
	switch {
	case err != nil:
		return pullRef{}, h.orMoved(ctx, op, repo, err)
	case p.Number != number:
		return pullRef{}, unexpected(op, "the answer is not the pull request")
	}
	return p, h.sameRepository(ctx, op, repo, p.Repository)
}

// orMoved returns [codehost.ClassMoved] in place of a refusal as not found if the repository has another name now.
func (h *Host) orMoved(ctx context.Context, op string, repo codehost.Repo, err error) error {
	if codehost.ClassOf(err) != codehost.ClassNotFound || guid(string(repo.ExternalID)) == "" {
		return err
	}
	now, lost := h.Resolve(ctx, repo)
	if lost == nil && (!strings.EqualFold(now.Owner, repo.Owner) || !strings.EqualFold(now.Name, repo.Name)) {
		return wire.Moved(ctx, op, string(domain.AzureDevOps), "the repository has another name now", h.instance.Watch)
	}
	return err
}

// sameRepository fails with [codehost.ClassMoved] if an answer is about another repository than the requested one.
func (h *Host) sameRepository(ctx context.Context, op string, repo codehost.Repo, of repositoryRef) error {
	if id := guid(of.ID); repo.ExternalID != "" && id != "" && id != repo.ExternalID {
		return wire.Moved(ctx, op, string(domain.AzureDevOps), "another repository has this name now", h.instance.Watch)
	}
	return nil
}

// unexpected returns the error for an answer of the wrong kind.
func unexpected(op, message string) error {
	return &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: message}
}

// pulls lists the pull requests of a repository that wanted accepts.
func (h *Host) pulls(ctx context.Context, op string, repo codehost.Repo, most int, query url.Values,
	wanted func(codehost.PullRequest) bool) (list []codehost.PullRequest, whole bool, err error) {
	var elsewhere error
	seen := map[int]bool{} // a list that moves between pages may name one twice
	list, whole, err = listAll(ctx, h, op, most, request{path: repoPath(repo) + "/pullrequests", query: query},
		func(p pullRef) (out codehost.PullRequest, keep bool) {
			if p.Number <= 0 || seen[p.Number] {
				return out, false
			}
			seen[p.Number] = true
			if elsewhere == nil {
				elsewhere = h.sameRepository(ctx, op, repo, p.Repository)
			}
			out = p.pull(h.pullURL(repo, p.Number))
			out.Body = ""
			return out, wanted(out)
		})
	return list, whole, cmp.Or(err, elsewhere)
}

// OpenPullRequests implements [codehost.Reader].
func (h *Host) OpenPullRequests(ctx context.Context, repo codehost.Repo) ([]codehost.PullRequest, error) {
	return h.openPulls(ctx, "list open pull requests", repo, url.Values{}, func(codehost.PullRequest) bool { return true })
}

func (h *Host) openPulls(ctx context.Context, op string, repo codehost.Repo, query url.Values,
	wanted func(codehost.PullRequest) bool) ([]codehost.PullRequest, error) {
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	query.Set("searchCriteria.status", "active")
	list, whole, err := h.pulls(ctx, op, repo, codehost.MaxOpen, query, wanted)
	if err == nil && !whole {
		err = wire.TooMany(op, codehost.MaxOpen, "open pull requests")
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// MergedPullRequests implements [codehost.Reader]. The list begins with the newest pull requests, not with those that were merged last.
func (h *Host) MergedPullRequests(ctx context.Context, repo codehost.Repo, most int) ([]codehost.PullRequest, error) {
	const op = "list merged pull requests"
	if err := codehost.CheckMerged(op, most); err != nil {
		return nil, err
	}
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	list, _, err := h.pulls(ctx, op, repo, codehost.MaxClosed, url.Values{"searchCriteria.status": {"completed"}},
		func(p codehost.PullRequest) bool { return p.Merged && !p.Draft && !p.MergedAt.IsZero() })
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b codehost.PullRequest) int {
		return cmp.Or(b.MergedAt.Compare(a.MergedAt), cmp.Compare(b.Number, a.Number))
	})
	return list[:min(len(list), most)], nil
}

// Messages implements [codehost.Messenger]. Lists cut long messages, so those commits are read one by one.
func (h *Host) Messages(ctx context.Context, repo codehost.Repo, number int) (out []string, err error) {
	const op = "list commits"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	type message struct {
		ID   string `json:"commitId"`
		Text string `json:"comment"`
		Cut  bool   `json:"commentTruncated"`
	}
	list, _, err := listOn(ctx, h, op, codehost.MaxMessages, request{path: pullPath(repo, number) + "/commits"},
		func(m message) (message, bool) { return m, true })
	for _, m := range list {
		if m.Cut && codehost.IsCommit(m.ID) {
			if err := h.read(ctx, op, request{path: repoPath(repo) + "/commits/" + m.ID}, &m); err != nil {
				return nil, err
			}
		}
		out = append(out, clip.Bytes(m.Text, codehost.MaxMessage))
	}
	return out, err
}

// Content implements [codehost.Reader]. A folder is not found, and a file above 16 MiB is too large. A file in git LFS comes as its
// pointer.
func (h *Host) Content(ctx context.Context, repo codehost.Repo, path, sha string) ([]byte, error) {
	const op = "read file"
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	if !codehost.IsCommit(sha) {
		return nil, codehost.Refused(op, "the commit must be a full commit id")
	}
	if _, ok := wire.EscapePath(path); !ok {
		return nil, codehost.Refused(op, "the path must be relative to the repository's root and must not climb")
	}
	r := itemRequest(repo, path, sha)
	r.query.Set("$format", "octetStream")
	r.query.Set("resolveLfs", "false")
	body, _, err := h.do(ctx, &wire.Call{Op: op, Raw: true}, r)
	if e, is := err.(*codehost.Error); is && e.Class == codehost.ClassInvalid { // a folder has no bytes
		absent := *e
		absent.Class = codehost.ClassNotFound
		return nil, &absent
	}
	return body, err
}

// itemRequest asks for a file or folder at a commit.
func itemRequest(repo codehost.Repo, path, sha string) request {
	return request{path: repoPath(repo) + "/items", query: url.Values{"path": {"/" + path}, "versionDescriptor.version": {sha},
		"versionDescriptor.versionType": {"commit"}}}
}

// Clone implements [codehost.Reader] with the connection's token, or an access token of its application, as the password
// (learn.microsoft.com/azure/devops/repos/git/auth-overview). The host ignores the name.
func (h *Host) Clone(ctx context.Context, repo codehost.Repo) (codehost.CloneAccess, error) {
	if err := checkRepo("clone access", repo); err != nil {
		return codehost.CloneAccess{}, err
	}
	token, err := h.sign.access(ctx)
	if err != nil {
		return codehost.CloneAccess{}, err
	}
	return codehost.CloneAccess{URL: h.repoURL(repo), Username: "assay", Token: token, Budget: h.instance.Key}, nil
}

// FileURL implements [codehost.Reader] with the page of a file at a commit.
func (h *Host) FileURL(repo codehost.Repo, sha, path string, first, last int) string {
	return wire.LinesURL(h.repoURL(repo)+"?path="+url.QueryEscape("/"+path)+"&version=GC"+sha, first, last,
		"&line=%d&lineEnd=%[1]d", "&line=%d&lineEnd=%d")
}

// Compare implements [codehost.Reader].
func (h *Host) Compare(ctx context.Context, repo codehost.Repo, base, head string) (codehost.Comparison, error) {
	const op = "compare commits"
	if err := checkRepo(op, repo); err != nil {
		return codehost.Comparison{}, err
	}
	if !codehost.IsCommit(base) || !codehost.IsCommit(head) {
		return codehost.Comparison{}, codehost.Refused(op, "base and head must be full commit ids")
	}
	var got struct {
		Common string `json:"commonCommit"`
		Ahead  int    `json:"aheadCount"`
		Behind int    `json:"behindCount"`
	}
	err := h.read(ctx, op, request{path: repoPath(repo) + "/diffs/commits", query: url.Values{"baseVersion": {base},
		"baseVersionType": {"commit"}, "targetVersion": {head}, "targetVersionType": {"commit"}, "diffCommonCommit": {"true"},
		"$top": {"1"}}}, &got)
	switch {
	case err != nil:
		return codehost.Comparison{}, err
	case !codehost.IsCommit(got.Common):
		return codehost.Comparison{}, unexpected(op, "the answer names no commit")
	}
	return codehost.Comparison{MergeBase: got.Common, AheadBy: got.Ahead, BehindBy: got.Behind}, nil
}
