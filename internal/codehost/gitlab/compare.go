package gitlab

import (
	"context"
	"net/url"
	"strings"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxCounted is the most commits that are counted on each side of a comparison.
const maxCounted = 1000

// Compare implements [codehost.Reader] with the merge base and two lists of commits, because GitLab's own
// comparison includes all changes. It counts at most [maxCounted] commits on a side.
func (h *Host) Compare(ctx context.Context, repo codehost.Repo, base, head string) (codehost.Comparison, error) {
	const op = "compare commits"
	if err := checkRepo(op, repo); err != nil {
		return codehost.Comparison{}, err
	}
	if !codehost.IsCommit(base) || !codehost.IsCommit(head) {
		return codehost.Comparison{}, codehost.Refused(op, "base and head must be full commit ids")
	}
	q := url.Values{"refs[]": {base, head}}
	body, err := h.get(ctx, &wire.Call{Op: op}, project(repo)+"/repository/merge_base?"+q.Encode())
	// lib/api/repositories.rb of gitlab-org/gitlab.
	if e, ok := err.(*codehost.Error); ok && e.Class == codehost.ClassInvalid && strings.Contains(e.Message, "Could not find ref") {
		absent := *e
		absent.Class = codehost.ClassNotFound
		return codehost.Comparison{}, &absent
	}
	if err != nil {
		return codehost.Comparison{}, err
	}
	var found struct {
		ID string `json:"id"`
	}
	if err := decode(op, body, &found); err != nil {
		return codehost.Comparison{}, err
	}
	if !codehost.IsCommit(found.ID) {
		return codehost.Comparison{}, unexpected(op, "the answer names no commit")
	}
	out := codehost.Comparison{MergeBase: found.ID}
	if out.AheadBy, err = h.countCommits(ctx, op, repo, found.ID, head); err != nil {
		return codehost.Comparison{}, err
	}
	if out.BehindBy, err = h.countCommits(ctx, op, repo, found.ID, base); err != nil {
		return codehost.Comparison{}, err
	}
	return out, nil
}

// countCommits returns the number of commits that lead from one commit to the other.
func (h *Host) countCommits(ctx context.Context, op string, repo codehost.Repo, from, to string) (int, error) {
	if from == to {
		return 0, nil
	}
	span := from + ".." + to
	list, _, err := listAll(ctx, h, op, maxCounted, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.Commit, *sdk.Response, error) {
		return c.Commits.ListCommits(repo.FullName(), &sdk.ListCommitsOptions{ListOptions: page, RefName: &span}, with)
	}, func(*sdk.Commit) (struct{}, bool) { return struct{}{}, true })
	return len(list), err
}
