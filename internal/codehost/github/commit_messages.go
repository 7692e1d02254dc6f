package github

import (
	"context"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// Messages implements [codehost.Messenger], oldest first (docs.github.com/rest/pulls/pulls, "List commits
// on a pull request": at most 250).
func (h *Host) Messages(ctx context.Context, repo codehost.Repo, number int) (out []string, err error) {
	const op = "list commits"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, err
	}
	c := h.installationCall(op, repo.Access, scopeRead)
	c.Entries = codehost.MaxMessages
	err = h.run(ctx, c, func(ctx context.Context) error {
		list, _, err := h.client.PullRequests.ListCommits(ctx, repo.Owner, repo.Name, number, &gh.ListOptions{PerPage: codehost.MaxMessages})
		for _, c := range list[:min(len(list), codehost.MaxMessages)] {
			out = append(out, clip.Bytes(c.GetCommit().GetMessage(), codehost.MaxMessage))
		}
		return err
	})
	return out, err
}
