package gitlab

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// project returns the path of a project in the API.
func project(r codehost.Repo) string { return "/projects/" + url.PathEscape(r.FullName()) }

// PullRequest implements [codehost.Reader]. It fails with [codehost.ClassUnavailable] while GitLab prepares
// a new merge request, which has no diff refs yet (docs.gitlab.com/api/merge_requests, "Empty API fields
// for new merge requests").
func (h *Host) PullRequest(ctx context.Context, repo codehost.Repo, number int) (codehost.PullRequest, error) {
	m, err := h.pull(ctx, "read merge request", repo, number)
	if err != nil {
		return codehost.PullRequest{}, err
	}
	return completePull(m), nil
}

func completePull(m *sdk.MergeRequest) codehost.PullRequest {
	out := pullRequest(&m.BasicMergeRequest, m.DiffRefs)
	out.ChangedFiles = changesCount(m.ChangesCount)
	return out
}

// pull reads a prepared merge request in GitLab's form.
func (h *Host) pull(ctx context.Context, op string, repo codehost.Repo, number int) (*sdk.MergeRequest, error) {
	m, err := h.anyPull(ctx, op, repo, number)
	if err != nil {
		return nil, err
	}
	if !codehost.IsCommit(m.DiffRefs.HeadSha) || !codehost.IsCommit(m.DiffRefs.StartSha) || !codehost.IsCommit(m.DiffRefs.BaseSha) {
		return nil, unexpected(op, "the host is still preparing the merge request")
	}
	return m, nil
}

// anyPull is [Host.pull] that also accepts a merge request in preparation.
func (h *Host) anyPull(ctx context.Context, op string, repo codehost.Repo, number int) (*sdk.MergeRequest, error) {
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	var m *sdk.MergeRequest
	err := h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		m, _, err = c.MergeRequests.GetMergeRequest(repo.FullName(), int64(number), nil, with)
		return err
	})
	if err != nil {
		return nil, err
	}
	if m.IID != int64(number) {
		return nil, unexpected(op, "the answer is not the merge request")
	}
	return m, h.checkProjectPath(ctx, op, repo, &m.BasicMergeRequest)
}

// checkProjectPath fails with [codehost.ClassMoved] if the merge request's project has another path now, as after a
// transfer to another group. GitLab answers on the old path, with or without a redirect, and sends no
// event. It also fails if another project has taken the path. It reports both to the observer like a
// redirect.
func (h *Host) checkProjectPath(ctx context.Context, op string, repo codehost.Repo, m *sdk.BasicMergeRequest) error {
	if err := h.sameProject(ctx, op, repo, m); err != nil || m.References == nil {
		return err
	}
	path, _, found := strings.Cut(m.References.Full, "!") // a path has no "!"
	if !found || strings.EqualFold(path, repo.FullName()) {
		return nil
	}
	return wire.Moved(ctx, op, string(domain.GitLab), "the project has another path now", h.instance.Watch)
}

// sameProject fails with [codehost.ClassMoved] if a merge request belongs to another project than repo.
func (h *Host) sameProject(ctx context.Context, op string, repo codehost.Repo, m *sdk.BasicMergeRequest) error {
	return wire.CheckSameRepository(ctx, op, string(domain.GitLab), repo, m.TargetProjectID, h.instance.Watch)
}

// Diff implements [codehost.Reader]. The adapter refuses diffs above 16 MiB, and GitLab collapses files
// beyond its own bounds.
func (h *Host) Diff(ctx context.Context, repo codehost.Repo, number int) ([]byte, error) {
	const op = "read diff"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	return h.get(ctx, &wire.Call{Op: op, Raw: true}, fmt.Sprintf("%s/merge_requests/%d/raw_diffs", project(repo), number))
}

// Content implements [codehost.Reader]. A directory is not found, and a file above 16 MiB is too large. A
// file in git LFS comes as its pointer.
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
	return h.get(ctx, &wire.Call{Op: op, Raw: true}, project(repo)+"/repository/files/"+url.PathEscape(path)+"/raw?lfs=false&ref="+sha)
}

// Clone implements [codehost.Reader] with the connection's token. GitLab accepts an access token as the
// password of any name; the documentation names oauth2 (docs.gitlab.com/topics/git/clone, "Clone using a
// token").
func (h *Host) Clone(_ context.Context, repo codehost.Repo) (codehost.CloneAccess, error) {
	if err := checkRepo("clone access", repo); err != nil {
		return codehost.CloneAccess{}, err
	}
	return codehost.CloneAccess{URL: h.instance.Base + "/" + repo.FullName() + ".git",
		Username: "oauth2", Token: h.instance.Token, Budget: h.instance.Key}, nil
}

// FileURL implements [codehost.Reader] with a blob at a commit, lines as "#L10-20", and the plain form of
// rendered files (app/assets/javascripts/repository of gitlab-org/gitlab, plain=1).
func (h *Host) FileURL(repo codehost.Repo, sha, path string, first, last int) string {
	return wire.LinesURL(h.instance.Base+"/"+repo.FullName()+"/-/blob/"+sha+"/"+wire.FilePath(path), first, last,
		"?plain=1#L%d", "?plain=1#L%d-%d")
}

// openPulls lists the open merge requests that wanted accepts, without their texts.
func (h *Host) openPulls(ctx context.Context, op string, repo codehost.Repo, opts sdk.ListProjectMergeRequestsOptions,
	wanted func(codehost.PullRequest) bool) ([]codehost.PullRequest, error) {
	opts.State = sdk.Ptr("opened")
	var elsewhere error
	seen := map[int64]bool{} // a list that moves between pages may name one twice
	list, whole, err := listAll(ctx, h, op, codehost.MaxOpen, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.BasicMergeRequest, *sdk.Response, error) {
		opts.ListOptions = page
		return c.MergeRequests.ListProjectMergeRequests(repo.FullName(), &opts, with)
	}, func(m *sdk.BasicMergeRequest) (out codehost.PullRequest, keep bool) {
		if m == nil || m.IID <= 0 || seen[m.IID] {
			return out, false
		}
		seen[m.IID] = true
		if elsewhere == nil {
			elsewhere = h.sameProject(ctx, op, repo, m)
		}
		out = pullRequest(m, sdk.MergeRequestDiffRefs{})
		out.Body = ""
		return out, wanted(out)
	})
	if err == nil && !whole {
		err = wire.TooMany(op, codehost.MaxOpen, "open merge requests")
	}
	if err = cmp.Or(err, elsewhere); err != nil {
		return nil, err
	}
	return list, nil
}

// OpenPullRequests implements [codehost.Reader]. BaseSHA is empty, because the list has no base.
func (h *Host) OpenPullRequests(ctx context.Context, repo codehost.Repo) ([]codehost.PullRequest, error) {
	const op = "list open merge requests"
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	return h.openPulls(ctx, op, repo, sdk.ListProjectMergeRequestsOptions{OrderBy: sdk.Ptr("created_at"), Sort: sdk.Ptr("asc")},
		func(codehost.PullRequest) bool { return true })
}

// MergedPullRequests implements [codehost.Reader]. It reads each result separately, because the list has no
// base.
func (h *Host) MergedPullRequests(ctx context.Context, repo codehost.Repo, most int) ([]codehost.PullRequest, error) {
	const op = "list merged merge requests"
	if err := codehost.CheckMerged(op, most); err != nil {
		return nil, err
	}
	if err := checkRepo(op, repo); err != nil {
		return nil, err
	}
	merged := codehost.MergedPicker{Most: most}
	opts := sdk.ListProjectMergeRequestsOptions{State: sdk.Ptr("merged"), OrderBy: sdk.Ptr("updated_at"), Sort: sdk.Ptr("desc")}
	_, _, err := listAll(ctx, h, op, codehost.MaxClosed, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.BasicMergeRequest, *sdk.Response, error) {
		opts.ListOptions = page
		list, resp, err := c.MergeRequests.ListProjectMergeRequests(repo.FullName(), &opts, with)
		for _, m := range list {
			if m != nil && m.IID > 0 && !merged.Add(pullRequest(m, sdk.MergeRequestDiffRefs{})) {
				return list, nil, err // later ones cannot matter
			}
		}
		return list, resp, err
	}, wire.KeepNone)
	if err != nil {
		return nil, err
	}
	var out []codehost.PullRequest
	for _, p := range merged.List() {
		m, err := h.pull(ctx, op, repo, p.Number)
		if codehost.ClassOf(err) == codehost.ClassNotFound { // deleted since
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, completePull(m))
	}
	return out, nil
}
