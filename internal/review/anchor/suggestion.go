package anchor

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/structure"
)

// MaxSuggestion is the most lines that a suggestion replaces or puts in; longer
// ones are told in prose (section 9).
const MaxSuggestion = 6

// What [Suggestion] writes to Parses.
const (
	Parses        = "yes"
	DoesNotParse  = "no"
	ParsesUnknown = "unknown"
)

// Suggestion applies a suggestion in memory and sets its fields: Path and Old as
// they stand in the file, New without a last newline, Applies and Parses. It
// returns why it must not be shown, "" if it may be. The caller looks for secrets
// in New.
//
// The range must lie inside the anchor's, on RIGHT, and the change must not be
// empty. A range of 0 means the anchor's. What a host does not apply byte for byte
// is for people: Applies is false then.
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
	if s.Old != "" {
		if normalizeQuote(s.Old) != normalizeQuote(strings.Join(old, "\n")) {
			return "the old text is not what stands there", nil
		}
		text = reindent(text, s.Old, old)
	}
	s.Old, s.New = strings.Join(old, "\n"), text
	if s.New == s.Old {
		return "it changes nothing", nil
	}
	if strings.Count(text, "\n") >= MaxSuggestion || len(old) > MaxSuggestion {
		return "it is too long to be applied by a click", nil
	}
	s.Applies = true
	if s.Parses = parses(f, string(content), string(Apply(content, *s))); s.Parses == DoesNotParse {
		return "the result does not parse", nil
	}
	why = byHand(content, *s, f)
	s.Applies = why == ""
	return why, nil
}

// reindent puts the indentation before every line of the new text that the model
// left out of the old text.
func reindent(text, claimed string, old []string) string {
	lead := func(s string) string { return s[:len(s)-len(strings.TrimLeft(s, " \t"))] }
	first, _, _ := strings.Cut(strings.TrimLeft(claimed, "\n"), "\n")
	missing, ok := strings.CutSuffix(lead(old[0]), lead(first))
	if !ok || missing == "" {
		return text
	}
	newFirst, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(newFirst, lead(old[0])) && lead(old[0]) != "" {
		return text // the new text has it already
	}
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = missing + l
		}
	}
	return strings.Join(lines, "\n")
}

// parses says whether a change keeps a file readable: by the parser for Go and
// JSON, else "no" if it unbalances brackets that were balanced, else unknown.
func parses(f *diff.File, before, after string) string {
	language := ""
	if f != nil {
		language = f.Language
	}
	var valid func(string) bool
	switch {
	case language == "Go":
		valid = func(s string) bool {
			_, _, err := structure.ParseGo([]byte(s), 0)
			return err == nil
		}
	case language == "JSON" && strings.HasSuffix(strings.ToLower(f.Path), ".json"):
		valid = func(s string) bool { return json.Valid([]byte(s)) }
	default:
		syn := syntaxOf(language)
		if syn != nil && balanced(syn, before) && !balanced(syn, after) {
			return DoesNotParse
		}
		return ParsesUnknown
	}
	switch {
	case valid(after):
		return Parses
	case valid(before):
		return DoesNotParse
	}
	return ParsesUnknown
}

// balanced reports whether the brackets outside strings and comments match.
func balanced(syn *syntax, s string) bool {
	var stack []byte
	matches := true
	closing := map[string]byte{")": '(', "]": '[', "}": '{'}
	syn.scanTokens(s, func(k kind, _ int, piece string) {
		switch {
		case k != kindCode || !matches:
		case piece == "(", piece == "[", piece == "{":
			stack = append(stack, piece[0])
		case closing[piece] != 0:
			if matches = len(stack) > 0 && stack[len(stack)-1] == closing[piece]; matches {
				stack = stack[:len(stack)-1]
			}
		}
	})
	return matches && len(stack) == 0
}
