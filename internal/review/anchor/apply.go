package anchor

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Apply returns a file with the lines from Start to End replaced by New, as a host writes it that applies
// the suggestion. The lines must be in the file. An empty New deletes them.
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

// linesOf returns lines of a file without their line ends, false if the file is shorter.
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

// byteOrderMark begins some UTF-8 files.
const byteOrderMark = "\ufeff"

// byHand returns why a host's result may differ from that of [Apply], "" if it cannot. Hosts do not
// document the line ends that they write. Applied suggestions have changed the line ends of files
// (github.com/w3c-fedid/digital-credentials, pull request 572), so people must edit files with carriage
// returns or in other encodings.
func byHand(content []byte, s domain.Suggestion, f *diff.File) string {
	atEnd := s.End == bytes.Count(content, []byte("\n"))+1 // the last line has no line feed
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
