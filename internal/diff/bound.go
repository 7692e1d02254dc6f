package diff

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/errs"
)

// maxWeight bounds what a diff costs when it is parsed: its bytes, and lineWeight
// for each line, which is what a parsed line takes beside its text. It is room for
// about 600,000 lines of usual length.
const (
	maxWeight  = 64 << 20
	lineWeight = 64
)

// bound takes the hunks out of the heaviest sections of a diff until the rest may
// be parsed; of two of the same weight the later one loses its hunks first, so
// that one diff always gives the same set. A diff without headers of git cannot
// say what it lacks: it is refused as too large.
func bound(sections [][]byte, most int) ([][]byte, error) {
	total := 0
	order := make([]int, len(sections))
	weights := make([]int, len(sections))
	for i, s := range sections {
		order[i], weights[i] = i, len(s)+lineWeight*bytes.Count(s, []byte{'\n'})
		total += weights[i]
	}
	if total <= most {
		return sections, nil
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(weights[b]-weights[a], b-a) })
	for _, i := range order {
		if total <= most {
			break
		}
		s := sections[i]
		if !bytes.HasPrefix(s, gitHeader) {
			return nil, errs.New(errs.TooLarge, "diff_too_large", "The diff is larger than what can be looked at.")
		}
		total -= weights[i]
		if hunks := bytes.Index(s, []byte("\n@@ ")); hunks >= 0 {
			s = s[:hunks+1]
			if _, why := cutOmitted(s); why == "" {
				sections[i] = Omit(s, OmittedLarge)
			}
		}
	}
	return sections, nil
}
