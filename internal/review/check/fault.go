package check

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// baseOf reads the older version of a file, nil if there is no older version.
func baseOf(ctx context.Context, f *diff.File, src Source) ([]byte, error) {
	base := f.BasePath()
	if base == "" {
		return nil, nil
	}
	b, err := src.Blob(ctx, domain.Left, base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// fault is one fault of a file.
type fault struct {
	rule     string
	category domain.Category
	severity domain.Severity
	title    string
	says     string
	line     int
	about    string // what the fault is about, the same in both versions of a file
	lines    []int  // further lines that can be the cause
	secret   string // the value that the fault is about, "" for other faults
	whole    bool   // the fault is the whole file's, on whatever line it shows
}

// newFaults returns the faults of a file that the older version lacks and that are on added lines, each at its first added line. An older
// fault covers one with the same rule and the same about.
func newFaults(f *diff.File, now, old []fault) (out []fault) {
	known := map[string]int{}
	for _, d := range old {
		known[d.rule+"\x00"+d.about]++
	}
	var added []fault
	for _, d := range now {
		if line, ok := firstAdded(f, append([]int{d.line}, d.lines...)); ok {
			d.line = line
			added = append(added, d)
		} else if d.whole {
			added = append(added, d)
		} else {
			known[d.rule+"\x00"+d.about]--
		}
	}
	for _, d := range added {
		if key := d.rule + "\x00" + d.about; known[key] > 0 {
			known[key]--
		} else {
			out = append(out, d)
		}
	}
	return out
}

// reportFaults reports the faults of a file by rule, as [perPlace] divides them.
func reportFaults(f *diff.File, faults []fault) (out checkResult) {
	var rules []string
	byRule := map[string][]fault{}
	for _, d := range faults {
		if byRule[d.rule] == nil {
			rules = append(rules, d.rule)
		}
		byRule[d.rule] = append(byRule[d.rule], d)
	}
	for _, rule := range rules {
		slices.SortStableFunc(byRule[rule], func(a, b fault) int { return cmp.Compare(b.severity, a.severity) })
		for _, group := range perPlace(byRule[rule]) {
			first := group[0]
			anchor := Place(f, first.line, first.line)
			if first.whole && !isAdded(f, first.line) {
				anchor = firstChange(f)
			}
			var about []string
			for _, d := range group {
				about = append(about, clip.Line(d.about))
			}
			out.seen = append(out.seen, sightingOf(domain.Finding{
				Origin: domain.OriginStatic, RuleID: rule, Category: first.category, Severity: first.severity, Title: first.title,
				Explanation: first.says, Anchor: anchor, Subject: strings.Join(about, "\x00"), FirstPlace: about[0],
			}))
		}
		if len(byRule[rule]) > maxPlaceFindings && byRule[rule][0].severity > domain.Low {
			out.unread = WhyCut
		}
	}
	return out
}
