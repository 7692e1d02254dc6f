package drive

import (
	"bytes"
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
)

// checkPlaces returns an error for a golden place that is not in the code, because every review would miss it.
func checkPlaces(ctx context.Context, c eval.Case, heads []eval.Change) error {
	sets := make([]*diff.Set, len(heads)) // parsed at the first use
	for i, g := range c.Golden {
		if g.StartLine == 0 {
			continue
		}
		if g.Head >= len(heads) {
			return fmt.Errorf("golden[%d]: the case has %d heads", i, len(heads))
		}
		change := heads[g.Head]
		if sets[g.Head] == nil {
			set, err := diff.ParseContext(ctx, change.Diff)
			if err != nil {
				return err
			}
			sets[g.Head] = set
		}
		path := g.Path
		if f := sets[g.Head].File(path); f == nil {
			if g.False {
				continue // people also comment on code outside the change
			}
			return fmt.Errorf("golden[%d]: the change does not touch %s", i, path)
		} else if g.Side == domain.Left && f.BasePath() != "" {
			path = f.BasePath()
		}
		blob, err := change.Source.Blob(ctx, g.Side, path)
		if err != nil {
			return fmt.Errorf("golden[%d]: %s is not on the side %s", i, path, g.Side)
		}
		if lines := bytes.Count(bytes.TrimSuffix(blob, []byte("\n")), []byte("\n")) + 1; g.EndLine > lines {
			return fmt.Errorf("golden[%d]: %s has %d lines", i, path, lines)
		}
	}
	return nil
}
