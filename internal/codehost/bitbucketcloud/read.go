package bitbucketcloud

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// pullPath returns the path of a pull request in the interface.
func pullPath(repo codehost.Repo, number int) string {
	return fmt.Sprintf("%s/pullrequests/%d", at(repo), number)
}

// PullRequest implements [codehost.Reader]. The host gives short ids of commits and no size of the change, so PullRequest reads them
// once for each head and base.
func (h *Host) PullRequest(ctx context.Context, repo codehost.Repo, number int) (codehost.PullRequest, error) {
	const op = "read pull request"
	p, err := h.pull(ctx, op, repo, number)
	if codehost.ClassOf(err) == codehost.ClassNotFound {
		err = h.movedInstead(ctx, op, repo, err)
	}
	if err != nil {
		return codehost.PullRequest{}, err
	}
	out, err := h.complete(ctx, op, repo, p)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	n, err := h.sizeOf(ctx, op, repo, p.ID, out.HeadSHA, out.BaseSHA)
	if err != nil && codehost.ClassOf(err) != codehost.ClassTooLarge {
		return codehost.PullRequest{}, err
	}
	out.ChangedFiles, out.Additions, out.Deletions = n.files, n.added, n.removed
	return out, nil
}

// pull reads a pull request in the host's form.
func (h *Host) pull(ctx context.Context, op string, repo codehost.Repo, number int) (*pull, error) {
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	var p pull
	if err := h.client.Get(ctx, op, pullPath(repo, number), &p); err != nil {
		return nil, err
	}
	if p.ID != number {
		return nil, unexpected(op, "the answer is not the pull request")
	}
	return &p, h.checkRepository(ctx, op, repo, &p)
}

// checkRepository fails with [codehost.ClassMoved] if a pull request belongs to another repository than repo, or to one that has
// another name now. After a rename another repository can take the name.
func (h *Host) checkRepository(ctx context.Context, op string, repo codehost.Repo, p *pull) error {
	target := p.Destination.Repository
	if target == nil {
		return nil
	}
	if id := hostID(target.UUID); id != "" && repo.ExternalID != "" && id != repo.ExternalID {
		return wire.Moved(ctx, op, string(domain.BitbucketCloud), "another repository has this name now", h.client.Watch)
	}
	if target.FullName != "" && !strings.EqualFold(target.FullName, repo.FullName()) {
		return wire.Moved(ctx, op, string(domain.BitbucketCloud), "the repository has another name now", h.client.Watch)
	}
	return nil
}

// movedInstead returns [codehost.ClassMoved] in place of missing if the repository has another name now: no source says that the host
// redirects from a former name.
func (h *Host) movedInstead(ctx context.Context, op string, repo codehost.Repo, missing error) error {
	if repo.ExternalID == "" {
		return missing
	}
	now, err := h.Resolve(ctx, repo)
	if err == nil && !strings.EqualFold(now.Owner+"/"+now.Name, repo.FullName()) {
		return wire.Moved(ctx, op, string(domain.BitbucketCloud), "the repository has another name now", h.client.Watch)
	}
	return missing
}

// complete converts a pull request, with full ids of its commits. The base of a merged one is a commit from before the merge, because
// the host keeps the one that it was merged into.
func (h *Host) complete(ctx context.Context, op string, repo codehost.Repo, p *pull) (out codehost.PullRequest, err error) {
	out = p.pullRequest()
	if out.HeadSHA, err = h.headOf(ctx, op, repo, p, out); err != nil {
		return codehost.PullRequest{}, err
	}
	if out.BaseSHA, err = h.expand(ctx, op, repo, repo, out.BaseSHA); err != nil {
		return codehost.PullRequest{}, err
	}
	if out.Merged {
		if out.MergeCommit, out.MergedAt, err = h.mergeOf(ctx, op, repo, p); err != nil {
			return codehost.PullRequest{}, err
		}
	}
	return out, nil
}

// mergeOf returns the merge commit and its time, which is the time of the merge: the host returns no other. If the commit is gone, as
// after a push with force, it returns "" and the time of the last change.
func (h *Host) mergeOf(ctx context.Context, op string, repo codehost.Repo, p *pull) (id string, when time.Time, err error) {
	changed := codehost.TimeOrZero(p.UpdatedOn)
	if p.Merge == nil || !shortForm.MatchString(p.Merge.Hash) {
		return "", changed, nil
	}
	c, err := h.commit(ctx, op, repo, p.Merge.Hash)
	switch {
	case codehost.IsAccessLost(err):
		return "", changed, nil
	case err != nil:
		return "", when, err
	}
	if when = codehost.TimeOrZero(c.Date); when.IsZero() || when.After(changed) {
		when = changed
	}
	return c.Hash, when, nil
}

// headOf returns the full id of the head. A commit of a fork is asked for in the fork and, if our account does not reach it, in the
// list of the pull request's commits.
func (h *Host) headOf(ctx context.Context, op string, repo codehost.Repo, p *pull, out codehost.PullRequest) (string, error) {
	if !out.FromFork {
		return h.expand(ctx, op, repo, repo, out.HeadSHA)
	}
	if source := p.Source.Repository; source != nil {
		from := codehost.Repo{ExternalID: hostID(source.UUID)}
		from.Owner, from.Name, _ = strings.Cut(source.FullName, "/")
		full, err := h.expand(ctx, op, repo, from, out.HeadSHA)
		if !codehost.IsAccessLost(err) && codehost.ClassOf(err) != codehost.ClassInvalid {
			return full, err
		}
	}
	newest, _, err := list(ctx, h, op, pullPath(repo, p.ID)+"/commits?pagelen=1", 1, func(c commitRef) (string, bool) { return c.Hash, true })
	if err != nil {
		return "", err
	}
	if len(newest) == 0 || !codehost.IsCommit(newest[0]) || !strings.HasPrefix(newest[0], out.HeadSHA) {
		return "", unexpected(op, "the host does not show the head of the pull request")
	}
	h.known.learnCommit(repo, out.HeadSHA, newest[0])
	return newest[0], nil
}

// Resolve implements [codehost.Reader] by the id of the repository, which takes the place of its name in paths and survives renames and
// transfers (the description, "uuid" of the type repository). "{}" stands for any workspace.
func (h *Host) Resolve(ctx context.Context, repo codehost.Repo) (codehost.RepoInfo, error) {
	const op = "resolve repository"
	r, err := h.byID(ctx, op, repo)
	if err != nil {
		return codehost.RepoInfo{}, err
	}
	return r.info(), nil
}

func (h *Host) byID(ctx context.Context, op string, repo codehost.Repo) (*repository, error) {
	if hostID(string(repo.ExternalID)) != repo.ExternalID || repo.ExternalID == "" {
		return nil, codehost.Refused(op, "the id of a repository of this host is a UUID")
	}
	workspaces := []string{"%7B%7D"}
	if wire.ValidName(repo.Owner) {
		workspaces = []string{repo.Owner, "%7B%7D"}
	}
	var err error
	for _, w := range workspaces {
		var r repository
		if err = h.client.Get(ctx, op, "/repositories/"+w+"/"+braced(repo.ExternalID), &r); codehost.ClassOf(err) == codehost.ClassNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		if hostID(r.UUID) != repo.ExternalID || !strings.Contains(r.FullName, "/") {
			return nil, unexpected(op, "the answer is not the repository")
		}
		return &r, nil
	}
	return nil, err
}

// Clone implements [codehost.Reader] with the connection's token, because the host has no tokens for one repository that an API call
// makes.
func (h *Host) Clone(ctx context.Context, repo codehost.Repo) (codehost.CloneAccess, error) {
	if err := wire.CheckRepo("clone access", repo); err != nil {
		return codehost.CloneAccess{}, err
	}
	token, err := h.auth.password(ctx)
	if err != nil {
		return codehost.CloneAccess{}, err
	}
	return codehost.CloneAccess{URL: h.client.Base + "/" + repo.FullName() + ".git", Username: h.auth.user, Token: token,
		Budget: h.client.Key}, nil
}

// FileURL implements [codehost.Reader] with the page of a file at a commit and lines as "#lines-10:20", as links.code of a comment has
// them.
func (h *Host) FileURL(repo codehost.Repo, sha, path string, first, last int) string {
	return wire.LinesURL(h.client.Base+"/"+repo.FullName()+"/src/"+sha+"/"+wire.FilePath(path), first, last,
		"#lines-%d", "#lines-%d:%d")
}

// Content implements [codehost.Reader]. A folder is not found, and a file above 16 MiB is too large. A file in git LFS is at another
// host, which is not asked: it counts as too large.
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
	var body []byte
	where := at(repo) + "/src/" + sha + "/" + escaped
	c := h.client.Read(op)
	c.Raw = true
	header, err := h.client.Do(ctx, c, wire.Request{Method: http.MethodGet, Address: where}, &body)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(header.Get("Content-Disposition"), "attachment") ||
		!strings.HasPrefix(header.Get("Content-Type"), "application/json") {
		return body, nil
	}
	var meta struct { // a folder's listing, or a file whose content is JSON
		Type string `json:"type"`
	}
	if err := h.client.Get(ctx, op, where+"?format=meta", &meta); err != nil {
		return nil, err
	}
	if meta.Type != "commit_file" {
		return nil, &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the path is a folder"}
	}
	return body, nil
}

// unexpected returns the error for an answer of the wrong kind.
func unexpected(op, message string) error {
	return &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: message}
}
