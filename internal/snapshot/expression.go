package snapshot

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/errs"
)

// maxExpression is how many bytes a text or an expression may have of which
// [Containing] and [Matching] make a query.
const maxExpression = 200

// maxProgram is how many instructions an expression may have for [Matching] (a design
// choice: a line costs as many steps for each of its characters, and nothing ends them;
// of 200 bytes, repetitions make 160,000).
const maxProgram = 1_000

// Containing is the query for lines that hold a text. An error is of kind Malformed: the
// text is empty, too long, or no part of a line.
func Containing(text string) (Query, error) {
	if text == "" || len(text) > maxExpression || strings.ContainsAny(text, "\x00\n\r") {
		return Query{}, errs.New(errs.Malformed, "bad_search", "A text to search for is part of one line and has 1 to %d bytes.", maxExpression)
	}
	return Query{Expressions: []string{literal(text)}, Line: func(line string) bool { return strings.Contains(line, text) }}, nil
}

// Matching is the query for lines that match an expression in the syntax of RE2
// (regexp/syntax), whose ^ and $ are the ends of the line. git is asked by an expression
// of its own that fits those lines and maybe others, which Line takes out. An error is of kind Malformed: the
// expression is not understood, too long, also with its repetitions written out, or fits
// an empty line and so all.
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

// anyText is what stands for a character that is not of ASCII: git compares bytes, and
// it has several.
const anyText = ".+"

// wider makes a POSIX extended regular expression that fits each line that a tree of RE2
// fits, and maybe others: it counts no repetitions and knows no boundaries of words. It
// is "" where it would fit all, and false where no line can fit.
func wider(re *syntax.Regexp) (string, bool) {
	switch re.Op {
	case syntax.OpNoMatch:
		return "", false
	case syntax.OpLiteral:
		return widerLiteral(re)
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return anyText, true
	case syntax.OpBeginLine, syntax.OpBeginText:
		return "^", true
	case syntax.OpEndLine, syntax.OpEndText:
		return "\r?$", true // git sees the character that some systems end lines with
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

// group puts an expression in parentheses.
func group(e string, needed bool) string {
	if e == "" || !needed {
		return e
	}
	return "(" + e + ")"
}

func widerRepeat(re *syntax.Regexp) (string, bool) {
	inner, possible := wider(re.Sub[0])
	least := re.Op == syntax.OpPlus || re.Op == syntax.OpRepeat && re.Min > 0
	switch {
	case !possible && !least:
		return "", true
	case !possible || inner == "":
		return "", possible
	case inner == anyText && least:
		return anyText, true
	case inner == anyText || inner == ".*":
		return ".*", true
	case least:
		return "(" + inner + ")+", true
	}
	return "(" + inner + ")*", true
}

func widerAlternate(re *syntax.Regexp) (string, bool) {
	var parts []string
	every := false // a branch fits everything
	for _, sub := range re.Sub {
		part, possible := wider(sub)
		if possible && part != "" {
			parts = append(parts, part)
		}
		every = every || possible && part == ""
	}
	if every { // a line may still hold what another branch fits
		return ".*", true
	}
	return strings.Join(parts, "|"), len(parts) > 0
}

// widerLiteral is the expression of characters, of letters both forms where the case
// does not matter.
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

// literal is the expression of a text.
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

// class is the expression of one of the characters in ranges.
func class(ranges []rune) (string, bool) {
	var b strings.Builder
	first, last, dash := "", "", false // what has a meaning of its own elsewhere
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
	inside := first + runs(b.String()) + last
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

// runs writes runs of digits and letters as ranges: an expression has few characters.
func runs(set string) string {
	var b strings.Builder
	for i := 0; i < len(set); {
		j := i
		for j+1 < len(set) && set[j+1] == set[j]+1 && alike(set[i], set[j+1]) {
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

// alike reports whether two bytes are digits, or letters of one case.
func alike(a, b byte) bool {
	within := func(lo, hi byte) bool { return a >= lo && a <= hi && b >= lo && b <= hi }
	return within('0', '9') || within('a', 'z') || within('A', 'Z')
}
