package gitea

import (
	"context"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/diff"
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
	set, err := h.parsedDiff(ctx, repo, number)
	if err != nil && codehost.ClassOf(err) != codehost.ClassTooLarge {
		return nil, false, err
	}
	for i := range files {
		if set != nil {
			files[i].Patch = wire.PatchText(set.File(files[i].Path))
		}
	}
	return files, whole, nil
}

// parsedDiff reads and parses the diff. It fails with [codehost.ClassTooLarge] or
// [codehost.ClassUnavailable] if it cannot.
func (h *Host) parsedDiff(ctx context.Context, repo codehost.Repo, number int) (*diff.Set, error) {
	raw, err := h.Diff(ctx, repo, number)
	if err != nil {
		return nil, err
	}
	set, err := diff.ParseContext(ctx, raw)
	if err != nil {
		return nil, &codehost.Error{Class: codehost.ClassUnavailable, Op: "read diff", Message: "the diff cannot be read", Cause: err}
	}
	return set, nil
}
