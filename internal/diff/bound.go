package diff

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/errs"
)

// maxWeight bounds the cost of parsing a diff: its bytes plus lineWeight for each line, which is the memory
// of a parsed line besides its text. The bound allows about 600,000 lines of usual length.
const (
	maxWeight  = 64 << 20
	lineWeight = 64
)

// weight returns the cost of parsing a part of a diff.
func weight(part []byte) int { return len(part) + lineWeight*bytes.Count(part, []byte{'\n'}) }

// Weight returns the cost of a text as lines of a diff, in bytes.
func Weight(text []byte) int { return weight(text) }

// headerOf returns a git section up to its hunks, or up to the data of a binary patch, which is never
// parsed (see octalNames). hunks reports whether the section has hunks.
func headerOf(section []byte) (header []byte, hunks bool) {
	if at := bytes.Index(section, []byte("\n@@ ")); at >= 0 {
		section, hunks = section[:at+1], true
	}
	if at := bytes.Index(section, []byte("\nGIT binary patch")); at >= 0 {
		section, hunks = section[:at+1], false
	}
	return section, hunks
}

// errTooLarge returns the error for a diff that cannot be reduced to the bound.
func errTooLarge() error {
	return errs.New(errs.TooLarge, "diff_too_large", "The diff is larger than what can be looked at.")
}

// bound removes the hunks from the heaviest sections of a diff until it can be parsed. If two sections
// have the same weight, the later one loses its hunks first, so that a diff always gives the same set. bound
// returns errTooLarge if the headers alone exceed the bound, or if one of the heaviest sections has no git
// header to record the omission.
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
