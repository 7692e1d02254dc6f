package gitea

import (
	"context"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// maxFiles is the most changed files that are listed, as on GitHub.
const maxFiles = 3000

// Files implements [codehost.Reader]. The host's list has no texts, so they come from the diff unless it is
// too large.
func (h *Host) Files(ctx context.Context, repo codehost.Repo, number int) ([]codehost.ChangedFile, bool, error) {
	const op = "list changed files"
	if err := wire.CheckPull(op, repo, number); err != nil {
		return nil, false, err
	}
	files, whole, err := listAll(ctx, h, op, maxFiles, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.ChangedFile, *sdk.Response, error) {
		return c.ListPullRequestFiles(repo.Owner, repo.Name, int64(number), sdk.ListPullRequestFilesOptions{ListOptions: opts})
	}, func(f *sdk.ChangedFile) (out codehost.ChangedFile, wanted bool) {
		if f != nil {
			out = changedFile(f)
		}
		return out, f != nil
	})
	if err != nil {
		return nil, false, err
	}
	return files, whole, wire.AddTexts(ctx, h, repo, number, files)
}
