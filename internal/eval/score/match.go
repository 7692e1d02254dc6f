package score

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/anchor"
)

// The largest distances of a finding from a place; neighbouring lines have distance 1. AACR-Bench allows 1
// (github.com/alibaba/aacr-bench, evaluator). 5 allows for a reviewer who names the neighbouring statement.
// Measures are reported for both.
const (
	strictGap = 1
	looseGap  = 5
)

// Least likeness of words, as the cosine of their counts (design choices). The place already agrees, so
// words only separate different findings at the same place. Pairs about the same defect are rarely below.
const (
	minLikeness  = 0.15 // share of the finding's lines plus words, if both have words
	minFileWords = 0.30 // words alone, for a finding without lines
)

// familyBonus is the weight of equal families of categories (design choice: below a difference of lines or words that
// a reader would notice). Families decide between findings of one place, and never whether a finding fits: a missing
// check is a bug to one reviewer and a vulnerability to another.
const familyBonus = 0.25

// likeness measures how well a finding fits a place.
type likeness struct {
	iou   float64 // common lines divided by lines of either; 0 if they do not meet
	words float64 // cosine of the words
	meets bool    // they share a line
	kin   bool    // their categories are of one family
}

// maxWeight is the greatest weight of a fit.
const maxWeight = 2 + familyBonus

// weight returns the value that orders two fits.
func (l likeness) weight() float64 { return l.iou + l.words + familyBonus*float64(boolToInt(l.kin)) }

// fits reports whether a finding is at a place of a defect and, as far as words show, about the same
// defect. It compares the file under either name, the lines within gap, and then lines and words together.
func fits(f *found, p *place, gap int) (likeness, bool) {
	if p.StartLine == 0 || p.Head != f.head || !slices.Contains(f.paths, p.Path) {
		return likeness{}, false
	}
	l := likeness{words: anchor.Cosine(f.words, p.words), kin: f.kind != "" && f.kind == p.family}
	if f.StartLine == 0 {
		return l, l.words >= minFileWords
	}
	at, known := f.on(p.Side)
	if !known || lineDistance(at.first, at.last, p.StartLine, p.EndLine) > gap {
		return l, false
	}
	both, own := commonLines(at.first, at.last, p.StartLine, p.EndLine), at.last-at.first+1
	l.meets = both > 0
	l.iou = float64(both) / float64(own+p.EndLine-p.StartLine+1-both)
	said := len(f.words) > 0 && len(p.words) > 0
	return l, !said || float64(both)/float64(own)+l.words >= minLikeness
}

// lineDistance returns the distance of two ranges of lines: 0 if they share one, 1 for neighbours.
func lineDistance(a, b, c, d int) int { return max(c-b, a-d, 0) }

// commonLines returns the number of lines that two ranges share.
func commonLines(a, b, c, d int) int { return max(min(b, d)-max(a, c)+1, 0) }

// edges lists the findings that fit defects, each with the place that fits best.
func edges(list []found, defects []defect, gap int) (out []edge) {
	byPath := map[string][]int{}
	for j := range defects {
		for _, p := range defects[j].places {
			if at := byPath[p.Path]; len(at) == 0 || at[len(at)-1] != j {
				byPath[p.Path] = append(at, j)
			}
		}
	}
	for i := range list {
		var near []int
		for _, name := range list[i].paths {
			near = append(near, byPath[name]...)
		}
		slices.Sort(near)
		for _, j := range slices.Compact(near) {
			if l, ok := best(&list[i], &defects[j], gap); ok {
				out = append(out, edge{i, j, l})
			}
		}
	}
	return out
}

func best(f *found, d *defect, gap int) (out likeness, ok bool) {
	for k := range d.places {
		if l, fit := fits(f, &d.places[k], gap); fit && (!ok || l.weight() > out.weight()) {
			out, ok = l, true
		}
	}
	return out, ok
}

// isAlike reports whether two findings of one head make the same claim at one place.
func isAlike(a, b *found) bool {
	switch {
	case a.head != b.head || a.Path != b.Path || a.Side != b.Side || (a.StartLine == 0) != (b.StartLine == 0):
		return false
	case lineDistance(a.StartLine, a.EndLine, b.StartLine, b.EndLine) > 0:
		return false
	}
	return anchor.Cosine(a.words, b.words) >= alikeWords
}

// alikeWords is the likeness of words above which the engine takes two reports on one place for one
// (docs/engine/identity.md).
const alikeWords = 0.60

// ref returns the finding's reference for judgements.
func (f *found) ref() Ref { return Ref{f.head, f.index} }

// wordless reports whether a defect has no text that a judge could compare.
func wordless(d *defect) bool { return strings.TrimSpace(d.text()) == "" }
