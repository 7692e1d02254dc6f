package check

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
)

// markOld marks the hits whose values the base has, too: in the older version of the file, or on a line that the change removes. Other
// files of the base are not searched.
func (s *secrets) markOld(ctx context.Context, set *diff.Set, src Source) error {
	if len(s.hits) == 0 || src == nil {
		return nil
	}
	gone := removedText(set)
	for f, hits := range s.hits {
		if !slices.ContainsFunc(hits, func(h secretHit) bool { return len(h.values) > 0 }) {
			continue
		}
		before, err := baseOf(ctx, f, src)
		if err != nil {
			return err
		}
		old := ""
		if len(before) <= maxWholeText {
			old = string(before)
		}
		for i, h := range hits {
			isNew := func(value string) bool { return !strings.Contains(old, value) && !strings.Contains(gone, value) }
			hits[i].isOld = len(h.values) > 0 && !slices.ContainsFunc(h.values, isNew)
		}
	}
	return nil
}

// removedText returns the removed lines of a change, up to a bound.
func removedText(set *diff.Set) string {
	var b strings.Builder
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if l.Op == diff.Delete && b.Len()+len(l.Text) < maxWholeText {
					b.WriteString(l.Text + "\n")
				}
			}
		}
	}
	return b.String()
}
