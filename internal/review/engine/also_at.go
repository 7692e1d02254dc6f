package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	if change.ExcludedPath(where.path, w.in.Policy) != "" {
		return domain.Evidence{}, false
	}
	f, _ := w.placeReader().Open(ctx, domain.Right, where.path)
	if f == nil || s.Line < 1 || s.Line > len(f.Lines) || strings.TrimSpace(f.Lines[s.Line-1]) == "" {
		return domain.Evidence{}, false
	}
	return domain.Evidence{Kind: domain.EvidencePlace, Path: where.path, Start: s.Line, End: s.Line,
		Quote: change.Cut(f.Lines[s.Line-1], finding.MaxExplanation)}, true
}

// hasPlaceAlone reports whether a finding has a further place that is not on the lines of another finding.
func hasPlaceAlone(it *finding.Item, others []*finding.Item) bool {
	return slices.ContainsFunc(it.AlsoAt(), func(e domain.Evidence) bool {
		a := domain.Anchor{Path: e.Path, Side: domain.Right, Level: domain.AnchorLine, StartLine: e.Start, EndLine: e.End}
		return !slices.ContainsFunc(others, func(o *finding.Item) bool {
			return o.ID != it.ID && o.Anchor.Path == a.Path && finding.Overlap(o.Anchor, a, 0)
		})
	})
}

// withStandingPlaces returns earlier findings with those of their further places that still stand at the head, at their lines there.
// Places in files that the policy excludes are left out.
func (w *work) withStandingPlaces(ctx context.Context, known []domain.Finding) []domain.Finding {
	out := slices.Clone(known)
	for i, k := range known {
		places := k.AlsoAt()
		if len(places) == 0 {
			continue
		}
		it := finding.Item{Finding: k}
		it.KeepPlaces(func(int) bool { return false })
		for _, e := range places {
			if e, ok := w.standing(ctx, e); ok {
				it.AddPlaces(e)
			}
		}
		out[i].Evidence = it.Evidence
	}
	return out
}

// standing returns a further place at the line of the head, nearest to its own, that has its code. A file that cannot be read now keeps
// its places.
func (w *work) standing(ctx context.Context, e domain.Evidence) (domain.Evidence, bool) {
	if f := w.set.File(e.Path); f != nil {
		e.Path = f.Path // it was renamed
	}
	if change.ExcludedPath(e.Path, w.in.Policy) != "" {
		return e, false
	}
	blob, err := w.src.Blob(ctx, domain.Right, e.Path)
	if err != nil {
		return e, !errors.Is(err, fs.ErrNotExist)
	}
	at, code := 0, change.StripSpace(e.Quote)
	for i, text := range change.Lines(blob) {
		line := i + 1
		nearer := at == 0 || max(line-e.Start, e.Start-line) < max(at-e.Start, e.Start-at)
		if nearer && change.StripSpace(change.Cut(text, finding.MaxExplanation)) == code {
			at = line
		}
	}
	e.Start, e.End = at, at
	return e, at > 0
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
