package prompt

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// minQuoteLength is the number of characters of code that a verdict must quote.
const minQuoteLength = 12

// Proof returns a quote that confirms the claim: cited code of another file if there is any, otherwise the
// claimed lines, with lines around them if they are short.
func (c Claim) Proof() string {
	if len(c.Cited) > 0 {
		return strings.Join(c.Cited, "\n")
	}
	if solid(c.Quote...) >= minQuoteLength {
		return strings.Join(c.Quote, "\n")
	}
	from, to := c.First-c.From, c.Last-c.From+1
	if from < 0 || from >= to || to > len(c.Code) {
		return Telling(c.Quote)
	}
	for solid(c.Code[from:to]...) < minQuoteLength && (from > 0 || to < len(c.Code)) {
		from, to = max(from-1, 0), min(to+1, len(c.Code))
	}
	return strings.Join(c.Code[from:to], "\n")
}

// Rebuttal returns a quote that refutes a claim: the first line with enough code outside comments and strings,
// otherwise all the code shown.
func (c Claim) Rebuttal() string {
	for _, l := range c.Code {
		if solid(l) >= minQuoteLength {
			return l
		}
	}
	if len(c.Code) == 0 {
		return strings.Join(c.Quote, "\n")
	}
	return strings.Join(c.Code, "\n")
}

// notCode matches strings and comments of most languages.
var notCode = regexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`|//.*|/\\*.*|^\\s*(?:#|\\*|--).*")

// solid counts the characters of code in lines.
func solid(lines ...string) (n int) {
	for _, l := range lines {
		n += len(squeezed(notCode.ReplaceAllString(l, "")))
	}
	return n
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }
