package bitbucketserver

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// PullRequest implements [codehost.Reader].
func (h *Host) PullRequest(ctx context.Context, repo codehost.Repo, number int) (codehost.PullRequest, error) {
	const op = "read pull request"
	p, err := h.pull(ctx, op, repo, number)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	return h.complete(ctx, op, repo, p)
}

// complete converts a pull request and adds the size of its change.
func (h *Host) complete(ctx context.Context, op string, repo codehost.Repo, p *pull) (codehost.PullRequest, error) {
	out := p.pullRequest()
	d, err := h.diffOf(ctx, op, repo, p)
	switch codehost.ClassOf(err) {
	case "":
		out.ChangedFiles, out.Additions, out.Deletions = d.size()
	case codehost.ClassTooLarge, codehost.ClassUnavailable:
		files, _, err := h.changes(ctx, op, repo, p.ID)
		if err != nil {
			return codehost.PullRequest{}, err
		}
		out.ChangedFiles = len(files)
	default:
		return codehost.PullRequest{}, err
	}
	return out, nil
}

// pull reads a pull request in the host's form.
func (h *Host) pull(ctx context.Context, op string, repo codehost.Repo, number int) (*pull, error) {
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	var p pull
	if err := h.client.Get(ctx, op, pullPath(repo, number), &p); err != nil {
		return nil, err
	}
	if p.ID != number || !codehost.IsCommit(p.From.Commit) || !codehost.IsCommit(p.To.Commit) {
		return nil, unexpected(op, "the answer is not the pull request")
	}
	return &p, h.checkPlaceOf(ctx, op, repo, &p)
}

// checkPlaceOf fails with [codehost.ClassMoved] if a pull request belongs to another repository than repo, or to
// one that has another name now. The host answers on the former name of a project or repository.
func (h *Host) checkPlaceOf(ctx context.Context, op string, repo codehost.Repo, p *pull) error {
	of := p.To.Repository
	if of == nil {
		return nil
	}
	if err := wire.CheckSameRepository(ctx, op, string(domain.BitbucketDataCenter), repo, of.ID, h.client.Watch); err != nil {
		return err
	}
	if of.Slug == "" || strings.EqualFold(of.Project.Key+"/"+of.Slug, repo.FullName()) {
		return nil
	}
	return wire.Moved(ctx, op, string(domain.BitbucketDataCenter), "the repository has another name now", h.client.Watch)
}

// Content implements [codehost.Reader]. A file above 16 MiB is too large.
func (h *Host) Content(ctx context.Context, repo codehost.Repo, path, sha string) ([]byte, error) {
	const op = "read file"
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	if !codehost.IsCommit(sha) {
		return nil, codehost.Refused(op, "the commit must be a full commit id")
	}
	escaped, ok := wire.EscapePath(path)
	if !ok {
		return nil, codehost.Refused(op, "the path must be relative to the repository's root and must not climb")
	}
	return h.raw(ctx, op, at(api, repo)+"/raw/"+escaped+"?at="+sha)
}

// Clone implements [codehost.Reader] with the connection's token as a bearer, because git takes the tokens of
// projects and repositories in no other way.
func (h *Host) Clone(_ context.Context, repo codehost.Repo) (codehost.CloneAccess, error) {
	if err := checkRepo("clone access", repo); err != nil {
		return codehost.CloneAccess{}, err
	}
	return codehost.CloneAccess{URL: h.client.Base + "/scm/" + strings.ToLower(repo.FullName()) + ".git",
		Username: "x-token-auth", Bearer: true, Token: h.client.Token, Budget: h.client.Key}, nil
}

// webRepo returns the page of a repository.
func (h *Host) webRepo(repo codehost.Repo) string {
	return h.client.Base + "/projects/" + url.PathEscape(repo.Owner) + "/repos/" + url.PathEscape(repo.Name)
}

// FileURL implements [codehost.Reader]. Lines are "#10-20".
func (h *Host) FileURL(repo codehost.Repo, sha, path string, first, last int) string {
	return wire.LinesURL(h.webRepo(repo)+"/browse/"+wire.FilePath(path)+"?at="+sha, first, last, "#%d", "#%d-%d")
}

// Compare implements [codehost.Reader] with the merge base and two lists of commits.
func (h *Host) Compare(ctx context.Context, repo codehost.Repo, base, head string) (out codehost.Comparison, err error) {
	const op = "compare commits"
	if err := checkRepo(op, repo); err != nil {
		return out, err
	}
	if !codehost.IsCommit(base) || !codehost.IsCommit(head) {
		return out, codehost.Refused(op, "base and head must be full commit ids")
	}
	var raw []byte
	if err := h.client.Get(ctx, op, at(api, repo)+"/commits/"+base+"/merge-base?otherCommitId="+head, &raw); err != nil {
		return out, err
	}
	var found struct {
		ID string `json:"id"`
	}
	if len(raw) == 0 { // 204
		return out, notFound(op, "the commits have no common ancestor")
	}
	if json.Unmarshal(raw, &found) != nil || !codehost.IsCommit(found.ID) {
		return out, unexpected(op, "the answer names no commit")
	}
	out.MergeBase = found.ID
	if out.AheadBy, err = h.countCommits(ctx, op, repo, found.ID, head); err != nil {
		return codehost.Comparison{}, err
	}
	if out.BehindBy, err = h.countCommits(ctx, op, repo, found.ID, base); err != nil {
		return codehost.Comparison{}, err
	}
	return out, nil
}

// maxCounted is the most commits that are counted on each side of a comparison.
const maxCounted = 1000

// countCommits returns the number of commits that lead from one commit to the other.
func (h *Host) countCommits(ctx context.Context, op string, repo codehost.Repo, from, to string) (int, error) {
	if from == to {
		return 0, nil
	}
	list, _, err := list(ctx, h, op, at(api, repo)+"/commits?since="+from+"&until="+to, maxCounted,
		func(*struct{}) (struct{}, bool) { return struct{}{}, true })
	return len(list), err
}

// openPulls lists the open pull requests that wanted accepts, oldest first, without their texts.
func (h *Host) openPulls(ctx context.Context, op string, repo codehost.Repo, query string,
	wanted func(codehost.PullRequest) bool) ([]codehost.PullRequest, error) {
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	seen := map[int]bool{} // a list that moves between pages may name one twice
	var elsewhere error
	out, err := all(ctx, h, op, at(api, repo)+"/pull-requests?state=OPEN&order=OLDEST"+query, "open pull requests", codehost.MaxOpen,
		func(p *pull) (out codehost.PullRequest, keep bool) {
			if p == nil || p.ID <= 0 || seen[p.ID] {
				return out, false
			}
			seen[p.ID] = true
			if elsewhere == nil {
				elsewhere = h.checkPlaceOf(ctx, op, repo, p)
			}
			out = p.pullRequest()
			out.Body = ""
			return out, wanted(out)
		})
	if err == nil {
		err = elsewhere
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// OpenPullRequests implements [codehost.Reader].
func (h *Host) OpenPullRequests(ctx context.Context, repo codehost.Repo) ([]codehost.PullRequest, error) {
	return h.openPulls(ctx, "list open pull requests", repo, "", func(codehost.PullRequest) bool { return true })
}

// MergedPullRequests implements [codehost.Reader]. The host lists pull requests by their last change.
func (h *Host) MergedPullRequests(ctx context.Context, repo codehost.Repo, most int) ([]codehost.PullRequest, error) {
	const op = "list merged pull requests"
	if err := codehost.CheckMerged(op, most); err != nil {
		return nil, err
	}
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	merged, found, enough := codehost.MergedPicker{Most: most}, map[int]*pull{}, false
	_, _, err := listWhile(ctx, h, op, at(api, repo)+"/pull-requests?state=MERGED&order=NEWEST", codehost.MaxClosed,
		func(p *pull) (struct{}, bool) {
			if p != nil && p.ID > 0 && !enough {
				found[p.ID] = p
				enough = !merged.Add(p.pullRequest())
			}
			return struct{}{}, false
		}, func(page[*pull]) bool { return !enough })
	if err != nil {
		return nil, err
	}
	var out []codehost.PullRequest
	for _, one := range merged.List() {
		full, err := h.complete(ctx, op, repo, found[one.Number])
		if codehost.IsAccessLost(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, full)
	}
	return out, nil
}

// Messages implements [codehost.Messenger], newest first.
func (h *Host) Messages(ctx context.Context, repo codehost.Repo, number int) (out []string, err error) {
	const op = "list commits"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	out, _, err = list(ctx, h, op, pullPath(repo, number)+"/commits", codehost.MaxMessages, func(c *struct {
		Message string `json:"message"`
	}) (string, bool) {
		if c == nil {
			return "", false
		}
		return clipMessage(c.Message), true
	})
	return out, err
}
