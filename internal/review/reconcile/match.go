package reconcile

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// earlier is an earlier finding with the place of its quotation at the head.
type earlier struct {
	domain.Finding
	Place

	words, code anchor.Words // of the text and of the quotation; nil until counted
}

// agreements are the ways in which a candidate can be an earlier finding, the closest first: by a known name,
// by place, by the word of the model itself, and by the words of a finding whose code is gone. A place decides
// only together with the rule or the words.
var agreements = []struct {
	among func(it *finding.Item) string // key that both share, so that few pairs are compared
	agree func(it *finding.Item, e *earlier) bool
}{
	{ofName, byName},
	{ofPath, func(it *finding.Item, e *earlier) bool { return it.Deterministic() && sameCheck(it, e) }},
	{ofPath, func(it *finding.Item, e *earlier) bool {
		return standing(it, e) && meets(it, e) && (sameKey(it, e) || likeWords(it, e)) && !begins(it, e)
	}},
	{ofPath, saidSame},
	{ofPath, func(it *finding.Item, e *earlier) bool { return instead(it, e) && sameKey(it, e) && !intrudes(it, e) }},
	{ofPath, func(it *finding.Item, e *earlier) bool { return instead(it, e) && likeWords(it, e) && !intrudes(it, e) }},
	{ofContext, func(it *finding.Item, e *earlier) bool {
		return gone(it, e) && sameKey(it, e) && beside(it, e) && likeCode(it, e)
	}},
	{ofContext, func(it *finding.Item, e *earlier) bool { return gone(it, e) && sameKey(it, e) && likeCode(it, e) }},
	{ofContext, func(it *finding.Item, e *earlier) bool { return gone(it, e) && sameKey(it, e) && beside(it, e) }},
	{ofContext, func(it *finding.Item, e *earlier) bool { return gone(it, e) && beside(it, e) && likeWords(it, e) }},
	{ofHunk, func(it *finding.Item, e *earlier) bool { return asItWas(it, e) && sameKey(it, e) && likeWords(it, e) }},
}

func ofName(it *finding.Item) string    { return "name " + it.Fingerprints.Exact }
func ofContext(it *finding.Item) string { return "context " + it.Fingerprints.Context }
func ofCode(it *finding.Item) string    { return "code " + change.StripSpace(it.Anchor.Quote) }
func ofHunk(it *finding.Item) string    { return "hunk " + it.Anchor.HunkID }
func ofPath(it *finding.Item) string    { return "path " + it.Anchor.Path }

// common lists the keys that an earlier finding may share with a candidate.
func (e *earlier) common() []string {
	out := []string{"context " + e.Fingerprints.Context, "name " + e.Fingerprints.Exact, "code " + change.StripSpace(e.Finding.Anchor.Quote)}
	for _, a := range e.extents() {
		if path := "path " + a.Path; !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	for _, id := range seenIn(e.Finding) {
		out = append(out, "hunk "+id)
	}
	for _, n := range e.Names {
		if n != e.Fingerprints.Exact {
			out = append(out, "name "+n)
		}
	}
	return out
}

// match returns for each candidate the index of the earlier finding that it repeats, and -1 for a new one. A
// closer agreement of any candidate wins over a looser one of another, and within one agreement the closest
// pair wins. No earlier finding is given away twice. A model is asked about pairs that agree by place alone.
// No candidate is lost, whatever it answers. The error is the context's, or that of the model call.
func match(ctx context.Context, items []*finding.Item, known []domain.Finding, w world) ([]int, error) {
	all := make([]earlier, len(known))
	having := map[string][]int{}
	for i, k := range known {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e := &all[i]
		e.Finding = k
		e.Place = w.locate(k)
		for _, what := range e.common() {
			having[what] = append(having[what], i)
		}
	}
	out, used := slices.Repeat([]int{-1}, len(items)), make([]bool, len(known))
	for _, a := range agreements {
		var pairs []agreed
		for i, it := range items {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if out[i] >= 0 {
				continue
			}
			for _, k := range having[a.among(it)] {
				if !used[k] && a.agree(it, &all[k]) {
					pairs = append(pairs, closeness(it, &all[k], i, k))
				}
			}
		}
		slices.SortStableFunc(pairs, closer)
		for _, p := range pairs {
			if out[p.item] < 0 && !used[p.known] {
				out[p.item], used[p.known] = p.known, true
			}
		}
	}
	if w.same == nil {
		return out, nil
	}
	return out, askSame(ctx, w, items, all, out, used, having)
}

// agreed is a candidate and an earlier finding that agree, by their indexes, and how close they are.
type agreed struct {
	item, known int
	words       bool    // the words are alike
	place       float64 // share of their lines that both have
	likeness    float64 // of the words
}

func closeness(it *finding.Item, e *earlier, item, known int) agreed {
	out := agreed{item: item, known: known, words: likeWords(it, e), likeness: e.likeness(it)}
	for _, a := range e.extents() {
		if sameFile(a, it.Anchor) {
			out.place = max(out.place, inBoth(a, it.Anchor))
		}
	}
	return out
}

// closer orders pairs: like words first, then those with the most lines in common.
func closer(a, b agreed) int {
	return cmp.Or(finding.TrueFirst(a.words, b.words), cmp.Compare(b.place, a.place), cmp.Compare(b.likeness, a.likeness))
}

// inBoth returns the share of the lines of two places that both have, from 0 to 1.
func inBoth(a, b domain.Anchor) float64 {
	if a.Level != domain.AnchorLine || b.Level != domain.AnchorLine {
		return 0
	}
	both := min(a.EndLine, b.EndLine) - max(a.StartLine, b.StartLine) + 1
	return float64(max(both, 0)) / float64(max(a.EndLine, b.EndLine)-min(a.StartLine, b.StartLine)+1)
}

// byName reports whether a candidate has a name of an earlier finding. Names number equal lines, and an edit
// changes the numbers: if the place of the earlier finding is known to the line, the candidate must be there. The name of a finding
// without code does not decide alone.
func byName(it *finding.Item, e *earlier) bool {
	if !e.Named(it.Fingerprints.Exact) || !it.HasDistinctPrint() && !likeWords(it, e) {
		return false
	}
	placed := e.Around.Twins > 0 && (e.Stands || e.edited) && inFile(it, e) &&
		e.Place.Level == domain.AnchorLine && it.Anchor.Level == domain.AnchorLine
	return !placed || meets(it, e)
}

// sameCheck is the agreement of findings of checks beside their names: the same rule, in the same symbol or
// moved, where the quotation stands now. Findings with different subjects and secrets with different values are not the same. Only
// the first place counts while no decision is about the others.
func sameCheck(it *finding.Item, e *earlier) bool {
	if it.FirstPlace != "" && it.FirstPlace == e.FirstPlace && e.State != domain.FindingDismissed && e.State != domain.FindingSuppressed {
		return e.Origin == it.Origin && sameKey(it, e) && e.Place.Path == it.Anchor.Path
	}
	if it.Subject != e.Subject {
		return false
	}
	if len(it.SecretDigests) > 0 && len(e.SecretDigests) > 0 && !it.SameSecret(e.Finding) {
		return false
	}
	if e.Finding.Anchor.Level == domain.AnchorFile && it.Anchor.Level == domain.AnchorFile && it.SameSecret(e.Finding) {
		return sameKey(it, e) && e.Place.Path == it.Anchor.Path
	}
	return e.Stands && e.Origin == it.Origin && sameKey(it, e) &&
		(sameContext(it, e) || e.Place.Path != e.Finding.Anchor.Path) && finding.Overlap(e.Place.Anchor, it.Anchor, finding.LineSlack)
}

// saidSame reports whether the model of the candidate was shown the earlier finding and calls it the same. A
// model must not silence another place by its word: if the code of an open finding stands, or a person or a
// suppression has set the finding aside, the place must agree too.
func saidSame(it *finding.Item, e *earlier) bool {
	if it.SameAs == "" || it.SameAs != e.ID || !ofModels(it, e) || e.Place.Path != it.Anchor.Path {
		return false
	}
	aside := e.State == domain.FindingDismissed || e.State == domain.FindingSuppressed
	switch {
	case e.Stands && (aside || e.State == domain.FindingOpen):
		return meets(it, e)
	case aside:
		return sameContext(it, e) && beside(it, e)
	}
	return true
}

// standing reports whether models made both, in one file, and the code of the earlier finding stands at the
// head, so that its place is known to the line.
func standing(it *finding.Item, e *earlier) bool {
	return e.Stands && inFile(it, e)
}

// instead reports whether models made both, and the candidate is on lines that replaced those of the earlier
// finding.
func instead(it *finding.Item, e *earlier) bool {
	return e.edited && inFile(it, e) && meets(it, e) && back(it, e)
}

// back reports whether a candidate can be the earlier finding by its code. If the finding is resolved, new
// code in its place is another defect, unless it is like the old code.
func back(it *finding.Item, e *earlier) bool {
	return e.State != domain.FindingResolved || likeCode(it, e)
}

func inFile(it *finding.Item, e *earlier) bool {
	return ofModels(it, e) && slices.ContainsFunc(e.extents(), func(a domain.Anchor) bool { return sameFile(a, it.Anchor) })
}

func sameFile(a, b domain.Anchor) bool { return a.Path == b.Path && a.Side == b.Side }

// gone reports whether models made both, in one symbol, and the code of the earlier finding was edited or
// fixed. If the lines that replaced it are known, the candidate must be on them.
func gone(it *finding.Item, e *earlier) bool {
	return !e.Stands && ofModels(it, e) && sameContext(it, e) && (!e.edited || meets(it, e) && !intrudes(it, e)) && back(it, e)
}

func ofModels(it *finding.Item, e *earlier) bool {
	return !it.Deterministic() && !e.Origin.Deterministic()
}

func sameKey(it *finding.Item, e *earlier) bool {
	return domain.NamesDefect(it.RuleID) && e.HasRule(it.RuleID)
}

// sameContext reports whether both are in one symbol of one file, in the same family of rules.
func sameContext(it *finding.Item, e *earlier) bool {
	return e.Fingerprints.Context != "" && e.Fingerprints.Context == it.Fingerprints.Context
}

// sameCode reports whether models made both, the code of the earlier finding has left its place, and the
// candidate quotes the same code on lines that no run has reviewed.
func sameCode(it *finding.Item, e *earlier) bool {
	return !e.Stands && !e.edited && !it.Reviewed && ofModels(it, e) && quotes(it.Anchor.Quote, e.Finding.Anchor.Quote)
}

// copied reports whether models made both, and the candidate is about a copy of the earlier code on lines that
// no run has reviewed, while equal code stands at the old place in a hunk that has changed. The text does not
// show which of the two was moved.
func copied(it *finding.Item, e *earlier, w world) bool {
	return e.Stands && !it.Reviewed && ofModels(it, e) && !w.unchanged(e.Finding.Anchor) &&
		!meets(it, e) && quotes(it.Anchor.Quote, e.Finding.Anchor.Quote)
}

// quotes reports whether two quotations are equal without their line breaks, or one has all lines of the
// other.
func quotes(a, b string) bool {
	if change.StripSpace(a) == change.StripSpace(b) {
		return change.StripSpace(a) != ""
	}
	x, y := squeezed(a), squeezed(b)
	if len(x) < len(y) {
		x, y = y, x
	}
	for i := 0; len(y) > 0 && i+len(y) <= len(x); i++ {
		if slices.Equal(x[i:i+len(y)], y) {
			return true
		}
	}
	return false
}

// squeezed returns the lines of a quotation without white space and without empty lines.
func squeezed(quote string) (out []string) {
	for l := range strings.Lines(quote) {
		if l = change.StripSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}

// asItWas reports whether models made both, the code of the earlier finding is gone, and the hunk of the
// candidate is one in which the finding was seen before: edits were taken back.
func asItWas(it *finding.Item, e *earlier) bool {
	return !e.Stands && ofModels(it, e) && it.Anchor.HunkID != "" && slices.Contains(seenIn(e.Finding), it.Anchor.HunkID)
}

// meets reports whether the places share a line. Outside the diff it reports whether both have the same context, and the same code or
// words.
func meets(it *finding.Item, e *earlier) bool {
	return slices.ContainsFunc(e.extents(), func(a domain.Anchor) bool {
		return sameFile(a, it.Anchor) && finding.Overlap(a, it.Anchor, 0)
	}) && (it.Anchor.Level == domain.AnchorLine ||
		sameContext(it, e) && (quotes(it.Anchor.Quote, e.Finding.Anchor.Quote) || likeWords(it, e)))
}

// begins reports whether a candidate begins on a new line before the code of the earlier finding. It may be
// about that line, whatever else it shares with the finding.
func begins(it *finding.Item, e *earlier) bool {
	first := anchor.Neighbour(firstLine(it.Anchor))
	if first == "" || it.Anchor.StartLine == it.Anchor.EndLine || len(e.Around.Above) == 0 {
		return false
	}
	if slices.ContainsFunc(e.extents(), func(a domain.Anchor) bool {
		return sameFile(a, it.Anchor) && a.StartLine <= it.Anchor.StartLine && it.Anchor.StartLine <= a.EndLine
	}) {
		return false
	}
	return !slices.Contains(e.Around.Above, first)
}

// intrudes reports whether a candidate begins on a line that was put between those of the earlier finding, and
// that is not an edited form of one of them.
func intrudes(it *finding.Item, e *earlier) bool {
	if !e.edited {
		return false
	}
	own, its := firstLine(e.Finding.Anchor), firstLine(it.Anchor)
	return resembles(e.Place.Anchor, own) && !resembles(e.Finding.Anchor, its)
}

// firstLine returns the first line that a place quotes.
func firstLine(a domain.Anchor) string {
	first, _, _ := strings.Cut(strings.TrimLeft(a.Quote, "\r\n"), "\n")
	return first
}

// beside reports whether a candidate is where the missing code was, give or take the lines that an edit moves.
func beside(it *finding.Item, e *earlier) bool {
	return e.Finding.Anchor.Level == domain.AnchorLine && finding.Overlap(e.Finding.Anchor, it.Anchor, finding.LineSlack) ||
		e.edited && meets(it, e)
}

func likeCode(it *finding.Item, e *earlier) bool {
	if e.code == nil {
		e.code = anchor.CountWords(e.Finding.Anchor.Quote)
	}
	return finding.LikeTexts(e.code, it.QuotedWords())
}

func likeWords(it *finding.Item, e *earlier) bool { return finding.LikeTexts(e.said(), it.Words()) }

// likeness returns the likeness of the words of both, from 0 to 1.
func (e *earlier) likeness(it *finding.Item) float64 { return anchor.Cosine(e.said(), it.Words()) }

// said counts the words of the earlier finding.
func (e *earlier) said() anchor.Words {
	if e.words == nil {
		e.words = anchor.CountWords(e.Title + " " + e.Explanation)
	}
	return e.words
}
