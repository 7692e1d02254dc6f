package engine

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/anchor"
)

// minProof is the fewest characters of code without white space that prove
// anything: what is shorter, such as "return err" or "func", stands everywhere.
const minProof = 12

// exhibit is a piece of code that a claim shows to the verifier.
type exhibit struct {
	path  string
	first int      // number of the first line
	lines []string // as they are shown
	code  []string // without comments; spaces in their place
	bare  []string // without comments and strings
	about []span   // the lines that the claim is about
}

// span is lines from first to last.
type span struct{ first, last int }

// newExhibit shows the lines from first on of a text, which is read from its
// beginning, so that a comment that begins before them is known as one.
func newExhibit(path, language string, text []string, first int, about ...span) exhibit {
	code, bare := anchor.Blank(language, strings.Join(text, "\n"))
	from := func(lines []string) []string { return lines[min(first-1, len(lines)):] }
	return exhibit{path: path, first: first, lines: from(text), code: from(strings.Split(code, "\n")), bare: from(strings.Split(bare, "\n")), about: about}
}

// proves reports whether a quote stands in the exhibit, white space aside, at a
// place with enough characters of what counts: code for one that confirms, code
// outside strings for one that refutes. Near it must touch the lines that the
// claim is about.
func (e exhibit) proves(quote string, counts []string, near bool) bool {
	q := squeeze(bareQuote(quote))
	if len(q) < minProof || near && len(e.about) == 0 {
		return false
	}
	var text []byte
	var at []int // line of each byte
	var solid []bool
	for i, l := range e.lines {
		for j := range len(l) {
			if space(l[j]) {
				continue
			}
			text, at, solid = append(text, l[j]), append(at, e.first+i), append(solid, i < len(counts) && j < len(counts[i]) && !space(counts[i][j]))
		}
	}
	all := string(text)
	for start := 0; ; start++ {
		i := strings.Index(all[start:], q)
		if i < 0 {
			return false
		}
		start += i
		end := start + len(q)
		touches := slices.ContainsFunc(e.about, func(s span) bool { return at[start] <= s.last && at[end-1] >= s.first })
		if (touches || !near) && count(solid[start:end]) >= minProof {
			return true
		}
	}
}

func space(b byte) bool {
	return b == ' ' || b == '\t' || b == '\r' || b == '\n' || b == '\v' || b == '\f'
}

func count(list []bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}

// confirms reports whether a quote confirms the claim: code that touches the
// claimed lines or the evidence that was cited. A claim that cites code of other
// files needs a quote from there. Of a claim that was reported before the code
// changed any code is enough, as its place is of the past.
func (c claim) confirms(quote string) bool {
	if c.it != nil && c.it.resolves {
		return slices.ContainsFunc(c.shown, func(e exhibit) bool { return e.proves(quote, e.code, false) })
	}
	exhibits := c.shown
	if len(c.cited) > 0 {
		exhibits = c.cited
	}
	return slices.ContainsFunc(exhibits, func(e exhibit) bool { return e.proves(quote, e.code, true) })
}

// refutes reports whether a quote refutes the claim: code of what is shown, outside
// comments and strings, which say what their author likes. What the change removed
// refutes nothing.
func (c claim) refutes(quote string) bool {
	return slices.ContainsFunc(append(slices.Clone(c.shown), c.cited...), func(e exhibit) bool { return e.proves(quote, e.bare, false) })
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
