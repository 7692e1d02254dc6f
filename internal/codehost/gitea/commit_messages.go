package gitea

import (
	"context"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// Messages implements [codehost.Messenger], newest first (routers/api/v1/repo/pull.go,
// GetPullRequestCommits).
func (h *Host) Messages(ctx context.Context, repo codehost.Repo, number int) (out []string, err error) {
	const op = "list commits"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	out, _, err = listAll(ctx, h, op, codehost.MaxMessages, func(c *sdk.Client, page sdk.ListOptions) ([]*sdk.Commit, *sdk.Response, error) {
		return c.ListPullRequestCommits(repo.Owner, repo.Name, int64(number), sdk.ListPullRequestCommitsOptions{ListOptions: page})
	}, func(c *sdk.Commit) (string, bool) {
		if c == nil || c.RepoCommit == nil {
			return "", false
		}
		return clip.Bytes(c.RepoCommit.Message, codehost.MaxMessage), true
	})
	return out, err
}
