package anchor

import (
	"context"
	"errors"
	"io/fs"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Evidence checks the quotations of code and corrects their lines. Paths may name any file of the tree. It
// returns false if a quotation is not in its file; the finding is then dropped (section 9). It leaves other
// kinds than code and trace as they are, and evidence without a path or a quotation. Only exact quotations
// count, but their signs may be written in another way, see [fold].
func Evidence(ctx context.Context, list []domain.Evidence, set *diff.Set, src Source) (bool, error) {
	for i := range list {
		e := &list[i]
		if e.Kind != "code" && e.Kind != "trace" || e.Path == "" || e.Quote == "" {
			continue
		}
		ok, err := checkEvidence(ctx, e, set, src)
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

func checkEvidence(ctx context.Context, e *domain.Evidence, set *diff.Set, src Source) (bool, error) {
	if diff.CheckPath(e.Path) != nil {
		return false, nil
	}
	for _, side := range []domain.Side{domain.Right, domain.Left} {
		t, err := evidenceText(ctx, e.Path, side, set, src)
		if err != nil {
			return false, err
		}
		if t == nil {
			continue
		}
		for _, w := range ways {
			if m := w.in(t, e.Quote, e.Start, max(e.Start, e.End)); m.found {
				e.Start, e.End = m.first, m.last
				return true, nil
			}
		}
	}
	return false, nil
}

func evidenceText(ctx context.Context, path string, side domain.Side, set *diff.Set, src Source) (*text, error) {
	if f := set.File(path); f != nil {
		return readSide(ctx, f, side, src)
	}
	if src == nil {
		return nil, nil
	}
	t, err := readBlob(ctx, src, side, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return t, err
}
