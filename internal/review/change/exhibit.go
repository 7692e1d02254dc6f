package change

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// Bounds of a quotation that can prove a claim, without white space. Shorter quotations, such as "return err", stand
// in many places.
const (
	MinProof = 12      // characters
	MaxProof = 8 << 10 // bytes
)

// Exhibit is code that a model has seen and may quote as proof. Its text has no white space.
type Exhibit struct {
	Path  string // path of the file; "" if the claim names it
	Left  bool   // it is the version before the change
	Text  string
	Line  []int32 // line number of each byte of Text
	Code  []int32 // number of characters outside comments, up to each byte of Text
	Bare  []int32 // the same for characters outside comments and strings
	About []Span  // lines that the claim is about
}

// Span is a range of lines, both ends included.
type Span struct{ First, Last int }

// NewExhibit returns an exhibit of lines[skip:]. It reads the lines before to find the comments that begin
// there. first is the number of the first line of the exhibit, about are the lines that the claim is about.
// In JSON, which has nothing but strings, strings count as code.
func NewExhibit(language string, lines []string, skip, first int, about ...Span) Exhibit {
	text := strings.Join(lines, "\n")
	code, bare := anchor.Blank(language, text)
	if language == "JSON" {
		bare = code
	}
	return ExhibitOf(text, code, BlankSentences(bare), skip, first, about...)
}

// ExhibitOf is [NewExhibit] for a text that is given three times, with the same length: as it is, with
// blanked comments in code, and with blanked comments and strings in bare.
func ExhibitOf(text, code, bare string, skip, first int, about ...Span) Exhibit {
	e := Exhibit{About: about, Code: []int32{0}, Bare: []int32{0}}
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
			e.Line = append(e.Line, int32(first+line-skip)) //nolint:gosec // a file has fewer lines
			e.Code = append(e.Code, e.Code[len(e.Code)-1]+solid(code[i], j))
			e.Bare = append(e.Bare, e.Bare[len(e.Bare)-1]+solid(bare[i], j))
		}
	}
	e.Text = b.String()
	return e
}

// Bounds of a name that counts as code. A longer name, or one of more words, counts as a sentence: like a
// comment, it can say whatever its author wants.
const (
	maxName      = 32 // characters
	maxNameWords = 5
)

var (
	wordlike = regexp.MustCompile(`[\pL_$][\pL\pN_$]*`)
	nameWord = regexp.MustCompile(`\p{Lu}+\P{Lu}*|\P{Lu}+`)
)

// NameWords splits an identifier before its capital letters.
func NameWords(name string) []string { return nameWord.FindAllString(name, -1) }

// BlankSentences replaces names that are sentences by spaces.
func BlankSentences(text string) string {
	return wordlike.ReplaceAllStringFunc(text, func(name string) string {
		words := 0
		for part := range strings.SplitSeq(name, "_") {
			words += len(NameWords(part))
		}
		if utf8.RuneCountInString(name) <= maxName && words <= maxNameWords {
			return name
		}
		return strings.Repeat(" ", len(name))
	})
}

// solid returns 1 for the first byte of a character that is not blank, else 0.
func solid(b byte, at int) int32 {
	if at > 0 || b == ' ' {
		return 0
	}
	return 1
}

// Proves reports whether a quote stands in the exhibit, white space aside, at a place with at least
// [MinProof] characters that count. counts is [Exhibit.Code] for a quote that confirms a claim and
// [Exhibit.Bare] for one that refutes it. If near is true, the quote must touch the lines that the claim is
// about.
func (e Exhibit) Proves(quote string, counts []int32, near bool) bool {
	q := StripSpace(quote)
	if len(q) > MaxProof || utf8.RuneCountInString(q) < MinProof {
		return false
	}
	for start := 0; ; start++ {
		i := strings.Index(e.Text[start:], q)
		if i < 0 {
			return false
		}
		start += i
		end := start + len(q)
		if counts[end]-counts[start] >= MinProof && (!near || e.touches(start, end-1)) {
			return true
		}
	}
}

// touches reports whether a byte from first to last is on a line that the claim is about.
func (e Exhibit) touches(first, last int) bool {
	return slices.ContainsFunc(e.About, func(s Span) bool { return int(e.Line[first]) <= s.Last && int(e.Line[last]) >= s.First })
}

// Proven reports whether a quote proves something in one of the exhibits: as it is, or without the
// decorations of models. A quote with ellipses does if all its pieces stand in one exhibit and one of them
// proves.
func Proven(exhibits []Exhibit, quote string, proves func(Exhibit, string) bool) bool {
	return slices.ContainsFunc(anchor.Readings(quote), func(q string) bool {
		pieces := anchor.Pieces(q)
		return slices.ContainsFunc(exhibits, func(e Exhibit) bool {
			if proves(e, q) {
				return true
			}
			absent := func(p string) bool { return !strings.Contains(e.Text, StripSpace(p)) }
			return !slices.ContainsFunc(pieces, absent) && slices.ContainsFunc(pieces, func(p string) bool { return proves(e, p) })
		})
	})
}

// Counted returns the characters of the exhibit from byte from up to byte end that stand outside comments and strings.
func (e Exhibit) Counted(from, end int) string {
	var b strings.Builder
	for i, r := range e.Text[from:end] {
		if e.Bare[from+i+1] > e.Bare[from+i] {
			b.WriteRune(r)
		}
	}
	return b.String()
}
