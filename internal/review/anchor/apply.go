package anchor

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Apply returns a file whose lines from Start to End are those of New, as a host
// leaves it that applies the suggestion: nothing else of the file changes. The
// lines must be in the file; no New deletes them.
func Apply(content []byte, s domain.Suggestion) []byte {
	lines := bytes.SplitAfter(content, []byte("\n"))
	out := bytes.Join(lines[:s.Start-1], nil)
	if s.New != "" {
		out = append(out, s.New...)
		if bytes.HasSuffix(lines[s.End-1], []byte("\n")) {
			out = append(out, '\n')
		}
	}
	return append(out, bytes.Join(lines[s.End:], nil)...)
}

// linesOf returns lines of a file without their ends, false where it has not so many.
func linesOf(content []byte, first, last int) ([]string, bool) {
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	if len(content) == 0 || last > len(lines) {
		return nil, false
	}
	out := make([]string, 0, last-first+1)
	for _, l := range lines[first-1 : last] {
		out = append(out, strings.TrimSuffix(l, "\r"))
	}
	return out, true
}

// byteOrderMark is what some files in UTF-8 begin with.
const byteOrderMark = "\ufeff"

// byHand says why a host may make something else of a suggestion than [Apply], ""
// where it does not. What hosts write at the ends of lines is described nowhere:
// applied suggestions have left files with other ends than they had
// (github.com/w3c-fedid/digital-credentials, pull request 572), so files with
// carriage returns are left to people, as are those in other encodings.
func byHand(content []byte, s domain.Suggestion, f *diff.File) string {
	atEnd := s.End == bytes.Count(content, []byte("\n"))+1 // the last line, which no line feed ends
	switch {
	case f != nil && (f.Mode == diff.ModeSymlink || f.Mode == diff.ModeSubmodule):
		return "the path is a link, not a file"
	case bytes.ContainsRune(content, '\r') || strings.ContainsRune(s.New, '\r'):
		return "the file has other ends of lines than line feeds"
	case f != nil && f.Transcoded:
		return "the lines that were read are not those of the file as it is stored"
	case !utf8.Valid(content) || !utf8.ValidString(s.New):
		return "the file is not in UTF-8"
	case s.Start == 1 && bytes.HasPrefix(content, []byte(byteOrderMark)):
		return "the first line begins with a byte order mark"
	case s.New == "" && atEnd:
		return "the last line that goes has no line feed, and the one before it may lose its own"
	case s.New != "" && strings.TrimSpace(s.New) == "":
		return "the new text is only space, which a host may take for a deletion"
	}
	return ""
}
