package anchor

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// MaxSuggestion is the most lines that a suggestion replaces or inserts; longer changes are described in
// prose (section 9).
const MaxSuggestion = 6

// The values of Parses that [Suggestion] sets.
const (
	Parses        = "yes"
	DoesNotParse  = "no"
	ParsesUnknown = "unknown"
)

// Suggestion applies a suggestion in memory and sets its fields: Path and Old as they stand in the file,
// New in the form that fits there, Applies and Parses. It returns why a click must not apply it, "" if the
// file keeps its structure and indentation. The caller looks for secrets in New.
//
// The range must lie inside the anchor's, on RIGHT, and the change must not be empty. A range of 0 means
// the anchor's. If a host may not apply the change byte for byte, Applies is false.
func Suggestion(ctx context.Context, s *domain.Suggestion, a domain.Anchor, f *diff.File, src Source) (why string, err error) {
	s.Applies, s.Parses = false, ParsesUnknown
	if a.Level != domain.AnchorLine || a.Side != domain.Right {
		return "the anchor is not on lines of the new version", nil
	}
	if s.Start == 0 && s.End == 0 {
		s.Start, s.End = a.StartLine, a.EndLine
	}
	if s.Path = a.Path; s.Start > s.End || s.Start < a.StartLine || s.End > a.EndLine {
		return "the range is not inside the anchor's", nil
	}
	if src == nil {
		return "the file is not at hand", nil
	}
	content, err := src.Blob(ctx, domain.Right, a.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return "the file is not at hand", nil
	}
	if err != nil {
		return "", err
	}
	old, ok := linesOf(content, s.Start, s.End)
	if !ok {
		return "the range is outside the file", nil
	}
	text := strings.TrimRight(strings.ReplaceAll(s.New, "\r\n", "\n"), "\n")
	p := newProposal(content, old, s, f)
	if p.claimed = s.Old; s.Old != "" {
		if !sameQuote(s.Old, old) {
			if p.claimed, why = p.unwrap(s.Old); why != "" || !sameQuote(p.claimed, old) {
				return "the old text is not what stands there", nil
			}
		}
	}
	s.Old, s.New = strings.Join(old, "\n"), text
	if s.New, why = p.unwrap(text); why != "" {
		return why, nil
	}
	if s.New, why = p.offer(s.New); why != "" {
		if why == whyDoesNotParse {
			s.Parses = DoesNotParse
		}
		return why, nil
	}
	s.Parses = p.parses(Apply(content, *s))
	why = byHand(content, *s, f)
	s.Applies = why == ""
	return why, nil
}

// offer returns a proposed text in the form in which it can be offered, without lines that repeat the code
// around. If it cannot be offered, offer returns the text and the reason.
func (p *proposal) offer(text string) (string, string) {
	ways, said := p.trimRepeats(text)
	for i, way := range ways {
		fit, why := p.offerAs(way)
		if why == "" {
			return fit, ""
		}
		if i == 0 {
			said = why
		}
	}
	return text, said
}

func (p *proposal) offerAs(text string) (string, string) {
	const nothing = "it changes nothing"
	old := strings.Join(p.old, "\n")
	if text == old {
		return text, nothing
	}
	if strings.Count(text, "\n") >= MaxSuggestion || len(p.old) > MaxSuggestion {
		return text, "it is too long to be applied by a click"
	}
	fit, why := p.fitIndentation(text)
	switch {
	case why != "":
		return fit, why
	case fit == old:
		return fit, nothing
	case fit != "" && p.repeatsCode(strings.Split(fit, "\n")):
		return fit, whyRepeats
	}
	return fit, ""
}

// sameQuote reports whether a quotation has the words of lines.
func sameQuote(quote string, lines []string) bool {
	return normalizeQuote(quote) == normalizeQuote(strings.Join(lines, "\n"))
}
