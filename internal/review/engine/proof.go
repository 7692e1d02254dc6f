package engine

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// Bounds of a quotation that proves anything, in characters without white space: what
// is shorter, such as "return err" or "func", stands everywhere.
const (
	minProof = 12
	maxProof = 8 << 10 // bytes
)

// exhibit is a piece of code that a claim shows to the verifier, without white space.
type exhibit struct {
	path  string // of the file; "" where the claim says it
	left  bool   // of the version before the change
	text  string
	line  []int32 // of each byte
	code  []int32 // characters up to each byte that are outside comments
	bare  []int32 // and outside strings
	about []span  // the lines that the claim is about
}

// span is lines from first to last.
type span struct{ first, last int }

// newExhibit shows the lines of a text after some that are only read, so that a
// comment that begins before the others is known as one. The first that is shown has
// the number first. In JSON, which has nothing else, strings count as code.
func newExhibit(language string, lines []string, skip, first int, about ...span) exhibit {
	text := strings.Join(lines, "\n")
	code, bare := anchor.Blank(language, text)
	if language == "JSON" {
		bare = code
	}
	return exhibitOf(text, code, withoutSentences(bare), skip, first, about...)
}

// exhibitOf shows a text of which it is known what is no comment, and what counts.
func exhibitOf(text, code, bare string, skip, first int, about ...span) exhibit {
	e := exhibit{about: about, code: []int32{0}, bare: []int32{0}}
	var b strings.Builder
	line := 0
	for i, r := range text {
		if r == '\n' {
			line++
		}
		if line < skip || unicode.IsSpace(r) {
			continue
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[i : i+size])
		for j := range size {
			e.line = append(e.line, int32(first+line-skip)) //nolint:gosec // a file has fewer lines
			e.code = append(e.code, e.code[len(e.code)-1]+solid(code[i], j))
			e.bare = append(e.bare, e.bare[len(e.bare)-1]+solid(bare[i], j))
		}
	}
	e.text = b.String()
	return e
}

// Bounds of a name that is code: what is longer, or of more words, is a sentence, and
// says what its author likes, as a comment does.
const (
	maxName      = 32 // characters
	maxNameWords = 5
)

var (
	wordlike = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)
	nameWord = regexp.MustCompile(`\p{Lu}+\P{Lu}*|\P{Lu}+`)
)

// withoutSentences blanks the names of a text that are sentences.
func withoutSentences(text string) string {
	return wordlike.ReplaceAllStringFunc(text, func(name string) string {
		words := 0
		for part := range strings.SplitSeq(name, "_") {
			words += len(nameWord.FindAllString(part, -1))
		}
		if utf8.RuneCountInString(name) <= maxName && words <= maxNameWords {
			return name
		}
		return strings.Repeat(" ", len(name))
	})
}

// solid counts the first byte of a character that was not blanked.
func solid(b byte, at int) int32 {
	if at > 0 || b == ' ' {
		return 0
	}
	return 1
}

// proves reports whether a quote stands in the exhibit, white space aside, at a
// place with enough characters of what counts: code for one that confirms, code
// outside strings for one that refutes. Near it must touch the lines that the claim
// is about.
func (e exhibit) proves(quote string, counts []int32, near bool) bool {
	q := squeeze(quote)
	if len(q) > maxProof || utf8.RuneCountInString(q) < minProof {
		return false
	}
	for start := 0; ; start++ {
		i := strings.Index(e.text[start:], q)
		if i < 0 {
			return false
		}
		start += i
		end := start + len(q)
		if counts[end]-counts[start] >= minProof && (!near || e.touches(start, end-1)) {
			return true
		}
	}
}

// touches reports whether bytes from first to last are on a line that the claim is about.
func (e exhibit) touches(first, last int) bool {
	return slices.ContainsFunc(e.about, func(s span) bool { return int(e.line[first]) <= s.last && int(e.line[last]) >= s.first })
}

// confirms reports whether a quote confirms the claim: code that touches the
// claimed lines or the evidence that was cited. A claim that cites code of other
// files needs a quote from there. Of a claim that was reported before the code
// changed any code is enough, as its place is of the past.
func (c claim) confirms(quote string) bool {
	near, exhibits, cited := !c.it.resolves, slices.Concat(c.shown, c.seenAt(c.it.f.Anchor.Path)), c.citedNow()
	if near && slices.ContainsFunc(cited, func(e exhibit) bool { return e.code[len(e.text)] >= minProof }) {
		exhibits = slices.Clone(cited)
		for _, e := range c.it.f.Evidence {
			if e.Path != c.it.f.Anchor.Path {
				exhibits = append(exhibits, c.seenAt(e.Path)...)
			}
		}
	}
	return proven(exhibits, quote, func(e exhibit, q string) bool { return e.proves(q, e.code, near) })
}

// citedNow is the cited code of other files that counts: what the change removed from
// them does only for a claim about removed lines.
func (c claim) citedNow() []exhibit {
	return slices.DeleteFunc(slices.Clone(c.cited), func(e exhibit) bool { return !c.stands(e) })
}

// refutes reports whether a quote refutes the claim: code of what is shown, outside
// comments and strings, which say what their author likes. What the change removed
// refutes nothing. What was looked up counts where it has to do with the claim.
func (c claim) refutes(quote string) bool {
	return proven(slices.Concat(c.shown, c.citedNow(), c.related()), quote, func(e exhibit, q string) bool { return e.proves(q, e.bare, false) })
}

// proven tries a quote as it is and without what models put around code. One with ellipses is proven if all its
// pieces stand in one exhibit and one of them proves.
func proven(exhibits []exhibit, quote string, proves func(exhibit, string) bool) bool {
	return slices.ContainsFunc(anchor.Readings(quote), func(q string) bool {
		pieces := anchor.Pieces(q)
		return slices.ContainsFunc(exhibits, func(e exhibit) bool {
			if proves(e, q) {
				return true
			}
			absent := func(p string) bool { return !strings.Contains(e.text, squeeze(p)) }
			return !slices.ContainsFunc(pieces, absent) && slices.ContainsFunc(pieces, func(p string) bool { return proves(e, p) })
		})
	})
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }
