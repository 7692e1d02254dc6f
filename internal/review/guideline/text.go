package guideline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/regexp"
)

// reference matches a line with the target of a link. Readers of the page do not see it, and it can contain
// any words.
var reference = regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]*\]:.*$`)

// visible removes the parts of a text that its rendered page does not show, beyond those that [Clean]
// removes.
func visible(text string) string { return strings.TrimSpace(reference.ReplaceAllString(text, "")) }

// cutAtLine cuts a text to at most n bytes at the end of a line, and reports whether it did.
func cutAtLine(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, false
	}
	text = text[:n+1] // one line may end just here
	return strings.TrimRight(text[:strings.LastIndexByte(text, '\n')+1], "\r\n"), true
}

// Accept selects the sentences of a model's answer that stand in the text, word for word and in one line,
// at most maxSentences. It drops sentences that address a reviewer. dropped counts the rest.
func (f File) Accept(sentences []string) (out []string, dropped int) {
	text := squeeze(f.Text)
	for _, s := range sentences {
		s = clip.Line(s)
		n := utf8.RuneCountInString(s)
		if n < minSentence || n > maxSentence || len(out) == maxSentences || slices.Contains(out, s) ||
			!strings.Contains(text, squeeze(s)) || AddressesReviewer(s) {
			dropped++
			continue
		}
		out = append(out, s)
	}
	return out, dropped
}

// squeeze removes the white space from a text.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
