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
// empty. A range of 0 means the anchor's.
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
	lines := strings.SplitAfter(string(content), "\n")
	if n := len(lines); n > 0 && lines[n-1] == "" {
		lines = lines[:n-1]
	}
	if s.End > len(lines) {
		return "the range is outside the file", nil
	}
	var old []string
	ending := "\n"
	for _, l := range lines[s.Start-1 : s.End] {
		if strings.HasSuffix(l, "\r\n") {
			ending = "\r\n"
		}
		old = append(old, strings.TrimRight(l, "\r\n"))
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
	var put []string
	if text != "" {
		put = strings.Split(text, "\n")
	}
	if len(put) > MaxSuggestion || len(old) > MaxSuggestion {
		return "it is too long to be applied by a click", nil
	}
	var b strings.Builder
	b.WriteString(strings.Join(lines[:s.Start-1], ""))
	for i, l := range put {
		b.WriteString(l)
		if i < len(put)-1 || strings.HasSuffix(lines[s.End-1], "\n") {
			b.WriteString(ending)
		}
	}
	b.WriteString(strings.Join(lines[s.End:], ""))
	s.Applies = true
	if s.Parses = parses(f, string(content), b.String()); s.Parses == DoesNotParse {
		return "the result does not parse", nil
	}
	return "", nil
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
