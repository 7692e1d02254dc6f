package bitbucketcloud

import (
	"context"
	"net/url"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// pullPage is the most pull requests of a page.
const pullPage = "50"

// openPulls lists the open pull requests that a filter of the host selects ("" for all), oldest first, without their texts and bases.
// It leaves out those whose head cannot be read, because no review of them is possible.
func (h *Host) openPulls(ctx context.Context, op string, repo codehost.Repo, filter string) (out []codehost.PullRequest, err error) {
	q := url.Values{"state": {"OPEN"}, "sort": {"created_on"}, "pagelen": {pullPage}}
	if filter != "" {
		q.Set("q", filter)
	}
	seen := map[int]bool{} // a list that moves between pages may name one twice
	list, err := all(ctx, h, op, at(repo)+"/pullrequests?"+q.Encode(), "open pull requests", codehost.MaxOpen, func(p *pull) (*pull, bool) {
		if p == nil || p.ID <= 0 || seen[p.ID] {
			return nil, false
		}
		seen[p.ID] = true
		p.Description = ""
		return p, true
	})
	if err != nil {
		return nil, err
	}
	for _, p := range list {
		if err := h.checkRepository(ctx, op, repo, p); err != nil {
			return nil, err
		}
		one := p.pullRequest()
		one.BaseSHA = ""
		if one.HeadSHA, err = h.headOf(ctx, op, repo, p, one); codehost.IsAccessLost(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// OpenPullRequests implements [codehost.Reader]. BaseSHA is empty, to save a request for each.
func (h *Host) OpenPullRequests(ctx context.Context, repo codehost.Repo) ([]codehost.PullRequest, error) {
	const op = "list open pull requests"
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	return h.openPulls(ctx, op, repo, "")
}

// MergedPullRequests implements [codehost.Reader]. The host gives no time of a merge, so MergedPullRequests reads the merge commits.
func (h *Host) MergedPullRequests(ctx context.Context, repo codehost.Repo, most int) ([]codehost.PullRequest, error) {
	const op = "list merged pull requests"
	if err := codehost.CheckMerged(op, most); err != nil {
		return nil, err
	}
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, err
	}
	m, found := codehost.MergedPicker{Most: most}, map[int]*pull{}
	q := url.Values{"state": {"MERGED"}, "sort": {"-updated_on"}, "pagelen": {pullPage}}
	var failed error
	enough := false
	_, _, err := list(ctx, h, op, at(repo)+"/pullrequests?"+q.Encode(), codehost.MaxClosed, func(p *pull) (struct{}, bool) {
		if p == nil || p.ID <= 0 || enough || failed != nil {
			return struct{}{}, false
		}
		if failed = h.checkRepository(ctx, op, repo, p); failed != nil {
			return struct{}{}, false
		}
		one := p.pullRequest()
		if one.MergeCommit, one.MergedAt, failed = h.mergeOf(ctx, op, repo, p); failed == nil {
			found[p.ID] = p
			enough = !m.Add(one)
		}
		return struct{}{}, false
	})
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	var out []codehost.PullRequest
	for _, one := range m.List() {
		p := found[one.Number]
		p.Description = ""
		full, err := h.complete(ctx, op, repo, p)
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
