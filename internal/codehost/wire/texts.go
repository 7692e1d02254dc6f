package wire

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/diff"
)

// ParsedDiff reads and parses the diff of a pull request. It fails with [codehost.ClassUnavailable] if the diff cannot be read.
func ParsedDiff(ctx context.Context, h codehost.Reader, repo codehost.Repo, number int) (*diff.Set, error) {
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

// AddTexts adds the texts of files from the diff, for a host that lists files without texts. All files stay without one if the diff is too
// large, and a file whose part of the diff cannot be read stays so, too: a review names it as not read.
func AddTexts(ctx context.Context, h codehost.Reader, repo codehost.Repo, number int, files []codehost.ChangedFile) error {
	raw, err := h.Diff(ctx, repo, number)
	if codehost.ClassOf(err) == codehost.ClassTooLarge {
		return nil
	}
	if err != nil {
		return err
	}
	set, err := diff.ParseReadable(ctx, raw)
	if err != nil {
		return ctx.Err() // else the diff is above the parser's bounds
	}
	for i := range files {
		files[i].Patch = PatchText(set.File(files[i].Path))
	}
	return nil
}
