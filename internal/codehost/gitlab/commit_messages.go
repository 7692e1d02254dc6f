package gitlab

import (
	"context"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
)

// Messages implements [codehost.Messenger], newest first (docs.gitlab.com/api/merge_requests, "Retrieve
// merge request commits").
func (h *Host) Messages(ctx context.Context, repo codehost.Repo, number int) (out []string, err error) {
	const op = "list commits"
	if err := checkPull(op, repo, number); err != nil {
		return nil, err
	}
	out, _, err = listAll(ctx, h, op, codehost.MaxMessages, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.Commit, *sdk.Response, error) {
		return c.MergeRequests.GetMergeRequestCommits(repo.FullName(), int64(number), &sdk.GetMergeRequestCommitsOptions{ListOptions: page}, with)
	}, func(c *sdk.Commit) (string, bool) {
		if c == nil {
			return "", false
		}
		return clip.Bytes(c.Message, codehost.MaxMessage), true
	})
	return out, err
}
