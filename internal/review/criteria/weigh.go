package criteria

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/lookup"
	"github.com/assay-dev/assay/internal/wording"
)

// judgement is a verdict with the places that back it.
type judgement struct {
	Verdict, Reason string
	Places          []domain.Place
	Basis           string
}

func unjudged() judgement {
	return judgement{Verdict: domain.CriterionUnclear, Reason: wording.English(wording.CriterionNoAnswer)}
}

// weigh returns a verdict as far as it is backed: met and partly by code that stands at the head, not_met by
// places that the model has seen, not_applicable by a reason. A verdict without backing becomes unclear, with
// the reason.
func (j *Judge) weigh(ctx context.Context, t *ticket, c domain.Criterion, r verdictGiven, h ask.Reply) judgement {
	out := judgement{Verdict: domain.CriterionUnclear,
		Reason: clip.Runes(j.Session.Excerpt(change.OneLine(r.Reason), 4*maxReason), maxReason, "…")}
	if out.Reason == "" || !worded(out.Reason) {
		out.Reason = wording.English(wording.CriterionNoReason)
		return out
	}
	reason := out.Reason
	if t.repeats(out.Reason, c.Text) {
		out.Reason = wording.English(wording.CriterionWithheld)
	}
	switch r.Verdict {
	case domain.CriterionMet, domain.CriterionPartly:
		if out.Places = j.proofs(ctx, t, c, r.Quotes); len(out.Places) == 0 {
			out.Reason = wording.English(wording.CriterionUnproven)
			return out
		}
		out.Basis = j.evidenceBasis(ctx, out.Places)
		if r.Verdict == domain.CriterionPartly {
			out.Basis = j.basisOf(c) + out.Basis
		}
	case domain.CriterionNotMet:
		if out.Places = j.searched(t, c, r.Searched, h); len(out.Places) == 0 {
			out.Reason = wording.English(wording.CriterionUnsearched)
			return out
		}
		out.Basis = j.basisOf(c)
	case domain.CriterionNotApplicable:
		if len(strings.Fields(reason)) < 2 && utf8.RuneCountInString(reason) < change.MinProof {
			out.Reason = wording.English(wording.CriterionNoReason)
			return out
		}
		out.Basis = j.basisOf(c)
	default:
		return out
	}
	out.Verdict = r.Verdict
	return out
}

func worded(s string) bool { return strings.IndexFunc(s, unicode.IsLetter) >= 0 }

// proofs returns the quotes of a model that stand at the head and prove anything. Code proves by its text
// outside comments and strings, which say what their author likes, and outside names that speak of the
// criteria. Tests, settings, markup and documents prove only beside code, or a criterion about such files.
func (j *Judge) proofs(ctx context.Context, t *ticket, c domain.Criterion, quotes []proofGiven) (out []domain.Place) {
	claiming, of := claims(t.Key), themeOf(c.Text)
	enough := false // one of them proves by itself
	for _, q := range quotes[:min(len(quotes), 4*maxBacking)] {
		f, why := j.Reader.Open(ctx, domain.Right, q.Path)
		if why != "" || len(out) == maxBacking {
			continue
		}
		at, alone, ok := stands(j.weighed(f), q, of, claiming)
		listed := func(p domain.Place) bool { return p.Path == q.Path && p.StartLine == at.First && p.EndLine == at.Last }
		if !ok || !alone && !enough && len(out) == maxBacking-1 || slices.ContainsFunc(out, listed) {
			continue
		}
		enough = enough || alone
		out = append(out, domain.Place{Path: q.Path, StartLine: at.First, EndLine: at.Last, Note: j.note(t, c, q.Note)})
	}
	if !enough {
		return nil
	}
	return out
}

// claims returns the pattern of names that speak of criteria or of the ticket. They prove nothing.
func claims(key string) *regexp.Regexp {
	words := "criteri|acceptance|akzeptanz"
	if parts := strings.FieldsFunc(key, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); len(parts) > 0 {
		words += "|" + strings.Join(parts, `[^\pL\pN]*`)
	}
	return regexp.MustCompile(`(?i)[\pL\pN_$]*(?:` + words + `)[\pL\pN_$]*`)
}

// stands looks for a quote in a file, without white space and as near as possible to the line that the model
// gives. alone reports whether the quote proves the criterion by itself.
func stands(shown shownText, q proofGiven, of theme, claiming *regexp.Regexp) (at change.Span, alone, ok bool) {
	what, _ := matterOf(q.Path)
	if !of.provable(q.Path) {
		return change.Span{}, false, false
	}
	w := weighing{what: what, of: of, claiming: claiming, strong: change.ExhibitOf(shown.text, shown.code, shown.strong, 0, 1)}
	if w.weak = w.strong; what != matterCode {
		w.weak = change.ExhibitOf(shown.text, shown.code, shown.weak, 0, 1)
	}
	class, _ := diff.Classify(q.Path, nil)
	for _, variant := range anchor.Readings(change.UnwrapQuote(q.Quote)) {
		quote := change.StripSpace(variant)
		if len(quote) > change.MaxProof || utf8.RuneCountInString(quote) < change.MinProof {
			continue
		}
		for from := 0; ; from++ {
			i := strings.Index(w.strong.Text[from:], quote)
			if i < 0 {
				break
			}
			from += i
			here := change.Span{First: int(w.strong.Line[from]), Last: int(w.strong.Line[from+len(quote)-1])}
			counts, by := w.piece(from, from+len(quote), func() bool {
				lines := strings.Join(strings.Split(shown.weak, "\n")[here.First-1:here.Last], "\n")
				return of.each(func(s sentence) bool { return s.setting(q.Path, lines, w.weak.Counted(from, from+len(quote))) })
			})
			if by = by && (class != diff.ClassTest || of.tests); !counts {
				continue
			}
			if !ok || by && !alone || by == alone && linesOff(here, q.Start) < linesOff(at, q.Start) {
				at, alone, ok = here, by, true
			}
		}
	}
	return at, alone, ok
}

// weighing is a file whose pieces are compared with the subject of a criterion.
type weighing struct {
	what         matter
	of           theme
	claiming     *regexp.Regexp
	strong, weak change.Exhibit
}

// piece reports whether a piece of the file has enough text that counts, and whether that proves the criterion
// by itself.
func (w weighing) piece(from, end int, setting func() bool) (counts, alone bool) {
	switch {
	case w.what == matterDocument || w.what == matterWords:
		counts = bareText(w.weak, from, end, nil, nil) >= change.MinProof
		return counts, counts
	case bareText(w.strong, from, end, w.claiming, w.of.named) >= change.MinProof:
		return true, true
	case bareText(w.weak, from, end, w.claiming, w.of.named) < change.MinProof:
		return false, false
	}
	return true, w.what == matterSetting && setting() || w.what == matterMarkup && w.of.shown
}

func linesOff(s change.Span, line int) int { return max(s.First-line, line-s.First) }

// bareText counts the characters of a piece that count: without names that claim something, and with the texts
// that the criterion names, if they stand outside comments.
func bareText(e change.Exhibit, from, end int, claiming *regexp.Regexp, named []string) int {
	piece, counted := e.Text[from:end], e.Counted(from, end)
	if claiming != nil {
		counted = claiming.ReplaceAllString(counted, "")
	}
	n := utf8.RuneCountInString(counted)
	for _, text := range named {
		if i := strings.Index(piece, text); i >= 0 && int(e.Code[from+i+len(text)]-e.Code[from+i]) == utf8.RuneCountInString(text) {
			n += utf8.RuneCountInString(text)
		}
	}
	return n
}

// searched returns the places that a model names among those that it was shown: lines of files, and its own
// searches. A model that called no tool has seen the change only if all of it was shown.
func (j *Judge) searched(t *ticket, c domain.Criterion, given []lookGiven, h ask.Reply) (out []domain.Place) {
	seen := h.Seen
	if len(h.Calls) > 0 || j.whole {
		seen = slices.Concat(seen, j.shown)
	}
	add := func(p domain.Place) {
		if len(out) < maxBacking && !slices.ContainsFunc(out, func(o domain.Place) bool { p.Note = o.Note; return o == p }) {
			out = append(out, p)
		}
	}
	for _, g := range given[:min(len(given), 4*maxBacking)] {
		note := j.note(t, c, g.Note)
		for _, e := range seen {
			if g.Path != "" && e.Path == g.Path && !e.Left && len(e.About) > 0 {
				add(domain.Place{Path: e.Path, StartLine: e.About[0].First, EndLine: e.About[0].Last, Note: note})
			}
		}
		for _, call := range h.Calls {
			if pattern, ok := searchedFor(call.Arguments, g.Query); ok {
				add(domain.Place{Path: pattern, Note: note})
			}
		}
	}
	return out
}

// searchedFor reports whether a call has searched for a text, and in which files.
func searchedFor(arguments, query string) (pattern string, ok bool) {
	a, is := lookup.ReadArguments[lookup.SearchArguments](arguments)
	if !is || strings.TrimSpace(query) == "" || !strings.EqualFold(strings.TrimSpace(a.Query), strings.TrimSpace(query)) {
		return "", false
	}
	if a.Glob != nil && *a.Glob != "" {
		return *a.Glob, true
	}
	return "**", true
}

// note returns a model's note about a place, fit to be kept. It is "" if it repeats the ticket.
func (j *Judge) note(t *ticket, c domain.Criterion, s string) string {
	s = clip.Runes(j.Session.Excerpt(change.OneLine(s), 1000), 200, "…")
	if t.repeats(s, c.Text) {
		return ""
	}
	return s
}
