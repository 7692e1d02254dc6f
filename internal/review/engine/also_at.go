package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// Bounds of the further places of a finding (design choices).
const (
	maxFurther      = 5       // that one report may name
	furtherMargin   = 3       // lines that a claim shows before and after each
	maxFurtherBytes = 4 << 10 // of their code in a claim
)

// addFurtherPlaces keeps the further places that a candidate names, each a line of code at the head. Others are dropped and counted.
// A line that the finding has already is left out.
func (w *work) addFurtherPlaces(ctx context.Context, it *finding.Item, said []furtherPlace) {
	lost := max(len(said)-maxFurther, 0)
	for _, s := range said[:len(said)-lost] {
		e, ok := w.furtherPlace(ctx, s)
		if !ok {
			lost++
			continue
		}
		it.AddPlaces(e)
	}
	w.drop(whyPlace, lost)
}

// furtherPlace returns a place that a model names, with its code. It returns false if no model may see the file, or if the line is
// blank or not there.
func (w *work) furtherPlace(ctx context.Context, s furtherPlace) (domain.Evidence, bool) {
	where, found, elsewhere := resolvePath(ctx, s.Path, w.set, w.src)
	if s.Line <= 0 {
		s.Line = where.first
	}
	if !found && !elsewhere {
		return domain.Evidence{}, false
	}
	f, _ := w.placeReader().Open(ctx, domain.Right, where.path)
	if f == nil || s.Line < 1 || s.Line > len(f.Lines) || strings.TrimSpace(f.Lines[s.Line-1]) == "" {
		return domain.Evidence{}, false
	}
	return domain.Evidence{Kind: domain.EvidencePlace, Path: where.path, Start: s.Line, End: s.Line,
		Quote: change.Cut(f.Lines[s.Line-1], finding.MaxExplanation)}, true
}

// furtherPlaces writes the further places of a claim, each with a label and the lines around it. They prove nothing about the claim.
func (c *claim) furtherPlaces(ctx context.Context, src change.Source) string {
	out := places{room: maxFurtherBytes}
	for i, e := range c.it.AlsoAt() {
		l := finding.Lines{Path: e.Path, First: max(e.Start-furtherMargin, 1), Last: e.End + furtherMargin}
		_, text, ok := c.piece(ctx, src, l)
		heading := fmt.Sprintf("--- %s %s:%d", furtherLabel(i), change.CleanPath(e.Path), e.Start)
		if !c.it.Resolves && ok && out.put(heading, text) {
			c.further = append(c.further, furtherLabel(i))
		}
	}
	return out.String()
}

func furtherLabel(i int) string { return fmt.Sprintf("p%d", i+1) }

// keepConfirmedPlaces leaves a confirmed finding the further places that the verdict confirms, and any other finding none, because
// only shown and checked places are published.
func (w *work) keepConfirmedPlaces(it *finding.Item) {
	if it.Resolves || len(it.AlsoAt()) == 0 {
		return
	}
	w.drop(whyPlaceUnsure, it.KeepPlaces(func(i int) bool {
		return it.Verdict == domain.VerdictConfirmed && slices.Contains(it.Check.AlsoAt, furtherLabel(i))
	}))
	if len(it.AlsoAt()) > 0 {
		leaveToPeople(it)
	}
}

// linkPlaces notes which findings another one lists as a further place, the later ones as part of the earlier ones. Lines that
// overlap do not make two reports one defect: the code or the rule must be alike too.
func (w *work) linkPlaces(fresh []*finding.Item) {
	for _, it := range slices.Backward(fresh) {
		named := slices.ContainsFunc(fresh, func(o *finding.Item) bool { return o.Twin == it })
		if it.Twin != nil || named || !w.in.Policy.Allows(it.Category) {
			continue
		}
		for _, o := range fresh {
			if o != it && o.Twin == nil && w.in.Policy.Allows(o.Category) && standAlike(it, o) && listsPlace(o, it.Anchor) &&
				(alikeCode(it, o) || it.RuleID == o.RuleID && finding.NamesDefect(it.RuleID)) {
				it.Twin = o
				break
			}
		}
	}
}

// listsPlace reports whether a further place of a finding is on the lines of an anchor.
func listsPlace(it *finding.Item, a domain.Anchor) bool {
	return a.Level == domain.AnchorLine && a.Side != domain.Left && slices.ContainsFunc(it.AlsoAt(), func(e domain.Evidence) bool {
		return e.Path == a.Path && e.Start <= a.EndLine && a.StartLine <= e.End
	})
}

// confirmedPlaces returns the labels of further places that a verdict names and the claim shows.
func (c claim) confirmedPlaces(v verdict) (out []string) {
	for _, said := range v.AlsoAt[:min(len(v.AlsoAt), maxQuotes)] {
		if l := ask.Label("p", said); slices.Contains(c.further, l) {
			out = append(out, l)
		}
	}
	return out
}
