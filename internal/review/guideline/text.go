package guideline

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/regexp"
)

// reference is a line that names where a link leads: people who read the page do
// not see it, and it can hold any words.
var reference = regexp.MustCompile(`(?m)^ {0,3}\[[^\]\n]*\]:.*$`)

// visible takes out of a text what the page that is made of it does not show, beside
// what [Clean] has taken out.
func visible(text string) string { return strings.TrimSpace(reference.ReplaceAllString(text, "")) }

// beginning cuts a text to at most n bytes at the end of a line, and says whether it did.
func beginning(text string, n int) (string, bool) {
	if len(text) <= n {
		return text, false
	}
	text = text[:n+1] // one line may end just here
	return strings.TrimRight(text[:strings.LastIndexByte(text, '\n')+1], "\r\n"), true
}

// Accept returns of the sentences that a model gives those that stand in the text,
// word for word, in one line and at most maxSentences; none that speaks to a
// reviewer rather than of code. dropped are the others.
func (f File) Accept(sentences []string) (out []string, dropped int) {
	text := squeeze(f.Text)
	for _, s := range sentences {
		s = clip.Line(s)
		n := utf8.RuneCountInString(s)
		if n < minSentence || n > maxSentence || len(out) == maxSentences || slices.Contains(out, s) || !strings.Contains(text, squeeze(s)) || steers(s) {
			dropped++
			continue
		}
		out = append(out, s)
	}
	return out, dropped
}

// squeeze is a text without white space.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
