package local

import (
	"context"

	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/guideline"
)

// Guidelines reads the guideline files for a file, given by its path from the top of the working tree, as a
// review with the same options reads them. Their texts come without secrets and invisible characters.
func Guidelines(ctx context.Context, o Options, path string) (guideline.Found, error) {
	l, err := o.open(ctx)
	if err != nil {
		return guideline.Found{}, err
	}
	defer func() { _ = l.Close() }() // leftovers of a temporary folder do not matter
	b, err := o.baseOf(ctx, l)
	if err != nil {
		return guideline.Found{}, err
	}
	scanner, err := check.NewScanner()
	if err != nil {
		return guideline.Found{}, err
	}
	redactor := check.NewRedactor(scanner)
	return guideline.Read(ctx, l.At(b.id), []string{path}, func(ctx context.Context, path string, text []byte) ([]byte, error) {
		clean, err := redactor.Clean(ctx, path, text)
		return []byte(change.StripInvisible(string(clean))), err
	})
}
