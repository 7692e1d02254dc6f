package snapshot

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/errs"
)

// maxExpression bounds the text or expression of a [Containing] or [Matching] query, in bytes.
const maxExpression = 200

// maxProgram bounds the instructions of an expression for [Matching] (a design choice: a line costs up to
// that many steps per character, and nothing ends them; repetitions in 200 bytes make 160,000
// instructions).
const maxProgram = 1_000

// Containing returns the query for lines that contain a text. The error is of kind Malformed: the text is
// empty, too long, or not a part of a line.
func Containing(text string) (Query, error) {
	if text == "" || len(text) > maxExpression || strings.ContainsAny(text, "\x00\n\r") {
		return Query{}, errs.New(errs.Malformed, "bad_search", "A text to search for is part of one line and has 1 to %d bytes.", maxExpression)
	}
	return Query{Expressions: []string{literal(text)}, Line: func(line string) bool { return strings.Contains(line, text) }}, nil
}

// Matching returns the query for lines that match an expression in the syntax of RE2 (regexp/syntax); ^ and
// $ match the ends of the line. git gets a wider expression, whose extra lines Line removes. The error is
// of kind Malformed: the expression is invalid, too long (also with its repetitions written out), or
// matches an empty line and so every line.
func Matching(expression string) (Query, error) {
	if expression == "" || len(expression) > maxExpression {
		return Query{}, errs.New(errs.Malformed, "bad_search", "An expression has 1 to %d bytes.", maxExpression)
	}
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return Query{}, errs.New(errs.Malformed, "bad_search", "The expression is not in the syntax of RE2.")
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil || len(prog.Inst) > maxProgram {
		return Query{}, errs.New(errs.Malformed, "bad_search", "The expression is too long.")
	}
	exact, err := regexp.Compile(expression)
	if err != nil {
		return Query{}, errs.New(errs.Malformed, "bad_search", "The expression is not in the syntax of RE2.")
	}
	wide, possible := wider(tree)
	switch {
	case !possible:
		return Query{}, errs.New(errs.Malformed, "bad_search", "No line fits the expression.")
	case wide == "" || exact.MatchString(""):
		return Query{}, errs.New(errs.Malformed, "bad_search", "The expression fits every line.")
	case badExpression(wide):
		return Query{}, errs.New(errs.Malformed, "bad_search", "The expression is too long.")
	}
	return Query{Expressions: []string{wide}, Line: exact.MatchString}, nil
}

// anyText stands for a non-ASCII character, because git compares bytes and such a character has several.
const anyText = ".+"

// wider returns a POSIX extended regular expression that matches each line that an RE2 tree matches, and
// maybe others: it counts no repetitions and has no word boundaries. It returns "" if it would match every
// line, and false if no line can match.
func wider(re *syntax.Regexp) (string, bool) {
	switch re.Op {
	case syntax.OpNoMatch:
		return "", false
	case syntax.OpLiteral:
		return widerLiteral(re)
	case syntax.OpCharClass:
		return charClass(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return anyText, true
	case syntax.OpBeginLine, syntax.OpBeginText:
		return "^", true
	case syntax.OpEndLine, syntax.OpEndText:
		return "\r?$", true // git sees the carriage return at the end of some lines
	case syntax.OpCapture:
		return wider(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest, syntax.OpPlus, syntax.OpRepeat:
		return widerRepeat(re)
	case syntax.OpConcat:
		var b strings.Builder
		for _, sub := range re.Sub {
			part, possible := wider(sub)
			if !possible {
				return "", false
			}
			b.WriteString(group(part, sub.Op == syntax.OpAlternate || sub.Op == syntax.OpCapture))
		}
		return b.String(), true
	case syntax.OpAlternate:
		return widerAlternate(re)
	}
	return "", true
}

// group puts an expression in parentheses if needed.
func group(e string, needed bool) string {
	if e == "" || !needed {
		return e
	}
	return "(" + e + ")"
}

func widerRepeat(re *syntax.Regexp) (string, bool) {
	inner, possible := wider(re.Sub[0])
	atLeastOnce := re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Min > 0
	switch {
	case !possible && !atLeastOnce:
		return "", true
	case !possible || inner == "":
		return "", possible
	case inner == anyText && atLeastOnce:
		return anyText, true
	case inner == anyText || inner == ".*":
		return ".*", true
	case atLeastOnce:
		return "(" + inner + ")+", true
	}
	return "(" + inner + ")*", true
}

func widerAlternate(re *syntax.Regexp) (string, bool) {
	var parts []string
	every := false // a branch matches everything
	for _, sub := range re.Sub {
		part, possible := wider(sub)
		if possible && part != "" {
			parts = append(parts, part)
		}
		every = every || possible && part == ""
	}
	if every { // a line may still contain a match of another branch
		return ".*", true
	}
	return strings.Join(parts, "|"), len(parts) > 0
}

// widerLiteral returns the expression for characters, with both cases of a letter if the case does not
// matter.
func widerLiteral(re *syntax.Regexp) (string, bool) {
	var b strings.Builder
	for _, r := range re.Rune {
		lower, upper := r|0x20, r&^0x20
		switch {
		case r == 0 || r == '\n':
			return "", false
		case re.Flags&syntax.FoldCase != 0 && r >= utf8.RuneSelf:
			b.WriteString(anyText)
		case re.Flags&syntax.FoldCase != 0 && lower >= 'a' && lower <= 'z':
			b.WriteString("[" + string(lower) + string(upper) + "]")
		default:
			b.WriteString(literal(string(r)))
		}
	}
	return b.String(), true
}

// literal returns the expression for a text.
func literal(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		if strings.IndexByte(`\.[()*+?{|^$`, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// charClass returns the expression for one character out of ranges.
func charClass(ranges []rune) (string, bool) {
	var b strings.Builder
	first, last, dash := "", "", false // characters with a meaning of their own at other places
	for i := 0; i+1 < len(ranges); i += 2 {
		if ranges[i+1] >= utf8.RuneSelf {
			return anyText, true
		}
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			switch r {
			case 0, '\n':
			case ']':
				first = "]"
			case '^':
				last = "^"
			case '-':
				dash = true
			default:
				b.WriteRune(r)
			}
		}
	}
	inside := first + charRanges(b.String()) + last
	switch {
	case dash && first == "":
		inside = "-" + inside
	case dash:
		inside += "-"
	}
	switch inside {
	case "":
		return "", false
	case "^":
		return `\^`, true
	}
	return "[" + inside + "]", true
}

// charRanges writes runs of digits and letters as ranges, to keep the expression short.
func charRanges(set string) string {
	var b strings.Builder
	for i := 0; i < len(set); {
		j := i
		for j+1 < len(set) && set[j+1] == set[j]+1 && sameCharClass(set[i], set[j+1]) {
			j++
		}
		if j-i > 2 {
			b.WriteString(set[i:i+1] + "-" + set[j:j+1])
		} else {
			b.WriteString(set[i : j+1])
		}
		i = j + 1
	}
	return b.String()
}

// sameCharClass reports whether two bytes are both digits, or letters of the same case.
func sameCharClass(a, b byte) bool {
	within := func(lo, hi byte) bool { return a >= lo && a <= hi && b >= lo && b <= hi }
	return within('0', '9') || within('a', 'z') || within('A', 'Z')
}
