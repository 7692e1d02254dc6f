package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
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
		if !ok || !w.concernsRule(it.RuleID, e.Path) {
			lost++
			continue
		}
		it.AddPlaces(e)
	}
	w.drop(whyPlace, lost)
}

// concernsRule reports whether a rule of the repository concerns a file. Other rules concern all files.
func (w *work) concernsRule(id, path string) bool {
	r, ok := w.ruleOf(id)
	if !ok {
		return true
	}
	_, language := diff.Classify(path, nil)
	if f := w.set.File(path); f != nil {
		language = f.Language
	}
	return r.Concerns(path, language)
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

// takeConfirmedPlaces leaves an earlier finding the further places that a verdict names, or all if it names none. If the finding's own
// code is gone or its file was taken back, a place in the hunks of the change with the verdict's quotation becomes its own; after its
// file was taken back, the first place in the hunks if none has the quotation. It returns false for a finding whose file was taken back
// if all places could be read and no hunk has one of them.
func (w *work) takeConfirmedPlaces(ctx context.Context, it *finding.Item, quote string) bool {
	if len(it.Check.AlsoAt) > 0 {
		it.KeepPlaces(func(i int) bool { return slices.Contains(it.Check.AlsoAt, furtherLabel(i)) })
	}
	takenBack := wasTakenBack(it)
	if !takenBack && (it.Changed || hasQuote(it.Instead.Quote, quote)) {
		return true
	}
	var left domain.Anchor
	unread := false
	for _, e := range it.AlsoAt() {
		a := finding.PlaceAnchor(e)
		res, err := anchor.Locate(ctx, &a, w.set, w.src)
		switch {
		case err != nil:
			unread = true
		case !res.Inline():
		case hasQuote(e.Quote, quote):
			it.Instead = a
			return true
		case left.Path == "":
			left = a
		}
	}
	if takenBack {
		it.Instead = left
	}
	return !takenBack || unread || left.Path != ""
}

// wasTakenBack reports whether the change no longer touches the file of an earlier finding, and only its further places.
func wasTakenBack(it *finding.Item) bool { return it.Changed && it.Instead.Path != "" }

// headPath returns the path at the head of a file that may have been renamed.
func (w *work) headPath(path string) string {
	if f := w.set.File(path); f != nil {
		return f.Path
	}
	return path
}

// hasQuote reports whether code contains a quotation, or the quotation all lines of the code. White space does not count.
func hasQuote(code, quote string) bool {
	lines := func(s string) string {
		var b strings.Builder
		for l := range strings.Lines(s) {
			b.WriteString("\n" + change.StripSpace(l))
		}
		return b.String() + "\n"
	}
	return change.StripSpace(code) != "" && (strings.Contains(change.StripSpace(code), change.StripSpace(quote)) ||
		strings.Contains(lines(quote), lines(code)))
}

// withStandingPlaces returns earlier findings with only the further places whose code is still at the head, at its lines there. It leaves
// out places in files that the policy excludes, and tells the reconciler which findings have lost another place. Without a model all
// places stay, because no verifier can be asked.
func (w *work) withStandingPlaces(ctx context.Context, known []domain.Finding) []domain.Finding {
	if w.in.Models == nil {
		return known
	}
	out := slices.Clone(known)
	w.reconciler.PlaceGone = map[string]bool{}
	for i, k := range known {
		places := k.AlsoAt()
		if len(places) == 0 || k.IsSecret() { // the scanner finds the places of a secret again
			continue
		}
		it := finding.Item{Finding: k}
		it.Anchor = domain.Anchor{} // its line is that of an earlier head
		it.KeepPlaces(func(int) bool { return false })
		for _, e := range places {
			if e, ok := w.standing(ctx, e); ok {
				it.AddPlaces(e)
			} else if change.ExcludedPath(e.Path, w.in.Policy) == "" {
				w.reconciler.PlaceGone[k.ID] = true
			}
		}
		out[i].Evidence = it.Evidence
	}
	return out
}

// keepGonePlaces lists places of an earlier finding again whose code it has at no place of their file. Places in files that the policy
// excludes are left out.
func (w *work) keepGonePlaces(it *finding.Item, places []domain.Evidence) {
	for _, p := range places {
		path := w.headPath(p.Path)
		has := func(o domain.Evidence) bool { return o.Path == path && o.Quote == p.Quote }
		if change.ExcludedPath(path, w.in.Policy) == "" && !slices.ContainsFunc(it.AlsoAt(), has) {
			it.Evidence = append(it.Evidence, p)
		}
	}
}

// standing returns a further place at the lines of the head that have its code: those with its numbers, or the only such lines of the
// file, because other lines with equal code are not the ones that were checked. A file that cannot be read now keeps its places.
func (w *work) standing(ctx context.Context, e domain.Evidence) (domain.Evidence, bool) {
	e.Path = w.headPath(e.Path)
	if change.ExcludedPath(e.Path, w.in.Policy) != "" {
		return e, false
	}
	lines, err := w.codeLines(ctx, e.Path)
	if err != nil {
		return e, !errors.Is(err, fs.ErrNotExist)
	}
	equal := lines.find(e.Quote)
	switch {
	case slices.Contains(equal, e.Start):
	case len(equal) == 1:
		e.Start = equal[0]
	default:
		return e, false
	}
	e.End = e.Start + strings.Count(e.Quote, "\n")
	return e, true
}

// furtherPlaces writes the further places of a claim, each with a label and the lines around it. They prove nothing about a new claim.
// An earlier report holds if one of them still has the defect, so that they prove it like its own lines.
func (c *claim) furtherPlaces(ctx context.Context, src change.Source) string {
	out := places{room: maxFurtherBytes}
	for i, e := range c.it.AlsoAt() {
		l := finding.Lines{Path: e.Path, First: max(e.Start-furtherMargin, 1), Last: e.End + furtherMargin}
		x, text, ok := c.piece(ctx, src, l)
		heading := fmt.Sprintf("--- %s %s:%d", furtherLabel(i), change.CleanPath(e.Path), e.Start)
		if !ok || !out.put(heading, text) {
			c.unread = true
			continue
		}
		c.further = append(c.further, furtherLabel(i))
		if c.it.Resolves {
			c.cited = append(c.cited, x)
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
				(alikeCode(it, o) || it.RuleID == o.RuleID && domain.NamesDefect(it.RuleID)) {
				it.Twin = o
				break
			}
		}
	}
}

// markListed marks new findings that repeat an earlier finding at one of its further places, also if that place has become its own in
// this review. The earlier finding must stay, and must be published, dismissed or suppressed.
func (w *work) markListed(ctx context.Context, rec *reconcile.Result) {
	stays := maps.Clone(rec.Known)
	for _, k := range rec.Resolved {
		delete(stays, k.ID)
	}
	for _, it := range rec.Carried {
		k := it.Finding
		if a := it.Anchor; it.Resolves && a.Path == it.Instead.Path && a.StartLine == it.Instead.StartLine {
			k.Evidence = append(slices.Clone(k.Evidence),
				domain.Evidence{Kind: domain.EvidencePlace, Path: a.Path, Start: a.StartLine, End: a.EndLine, Quote: a.Quote})
		}
		stays[it.ID] = k
	}
	for _, it := range rec.Fresh {
		if it.Origin == domain.OriginSecret {
			continue
		}
		for _, k := range stays {
			if w.isListed(ctx, it, k) {
				it.ToldBy = finding.AtPlace
			}
		}
	}
}

// isListed reports whether an earlier finding covers a new one: the same defect, overlapping lines, at least its severity and proof, and
// its further places. If a person set the earlier finding aside, the code of the place must occur once in its file, because the person
// saw only the listed place.
func (w *work) isListed(ctx context.Context, it *finding.Item, k domain.Finding) bool {
	aside := k.State == domain.FindingDismissed || k.State == domain.FindingSuppressed
	shown := k.State == domain.FindingOpen && (&finding.Item{Finding: k}).Published()
	a := it.Anchor
	earlier := &finding.Item{Finding: k}
	if aside { // its anchor is that of an earlier head
		earlier.Anchor = domain.Anchor{}
		if p := w.reconciler.Place(ctx, k); p.Stands {
			earlier.Anchor = p.Anchor
		}
	}
	alike := domain.NamesDefect(it.RuleID) && k.HasRule(it.RuleID) || finding.LikeTexts(earlier.Words(), it.Words())
	if !aside && !shown || k.ID == it.ID || !alike || !earlier.HasPlaces(it.AlsoAt()) || it.Severity > k.Severity || a.Side == domain.Left ||
		a.Level != domain.AnchorLine || k.Verdict == domain.VerdictUnproven && it.Verdict != domain.VerdictUnproven {
		return false
	}
	return slices.ContainsFunc(k.AlsoAt(), func(e domain.Evidence) bool {
		more := (a.EndLine - a.StartLine) - (e.End - e.Start) // lines of the report beyond the place
		if e.Path != a.Path || !finding.Overlap(finding.PlaceAnchor(e), a, 0) || more > finding.LineSlack {
			return false
		}
		if shown || it.ID != "" { // an earlier run stored the report
			return true
		}
		lines, err := w.codeLines(ctx, e.Path)
		return err == nil && len(lines.find(e.Quote)) == 1
	})
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
