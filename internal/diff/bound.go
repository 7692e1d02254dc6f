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

// weight is what a part of a diff costs.
func weight(part []byte) int { return len(part) + lineWeight*bytes.Count(part, []byte{'\n'}) }

// Weight is what a text costs where it becomes lines of a diff, in bytes.
func Weight(text []byte) int { return weight(text) }

// headerOf is a section of git up to its hunks, or to the data of a binary patch,
// which is never parsed (see octalNames); hunks says whether it has any.
func headerOf(section []byte) (header []byte, hunks bool) {
	if at := bytes.Index(section, []byte("\n@@ ")); at >= 0 {
		section, hunks = section[:at+1], true
	}
	if at := bytes.Index(section, []byte("\nGIT binary patch")); at >= 0 {
		section, hunks = section[:at+1], false
	}
	return section, hunks
}

// errTooLarge says that a diff cannot be brought within the bound.
func errTooLarge() error {
	return errs.New(errs.TooLarge, "diff_too_large", "The diff is larger than what can be looked at.")
}

// bound takes the hunks out of the heaviest sections of a diff until the rest may
// be parsed; of two of the same weight the later one loses its hunks first, so
// that one diff always gives the same set. A diff is refused as too large where its
// headers alone are, and where one of its heaviest sections has no header of git,
// which could say what it lacks.
func bound(sections [][]byte, most int) ([][]byte, error) {
	total := 0
	order := make([]int, len(sections))
	weights := make([]int, len(sections))
	for i, s := range sections {
		order[i] = i
		if header, hunks := headerOf(s); !hunks && bytes.HasPrefix(s, gitHeader) {
			s = header
		}
		weights[i] = weight(s)
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
			return nil, errTooLarge()
		}
		header, hunks := headerOf(s)
		if !hunks {
			continue
		}
		total -= weights[i] - weight(header)
		if _, why := cutOmitted(header); why == "" {
			header = Omit(header, OmittedLarge)
		}
		sections[i] = header
	}
	if total > most {
		return nil, errTooLarge()
	}
	return sections, nil
}
