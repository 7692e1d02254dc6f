package anchor

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
)

// kind is the kind of a piece of code.
type kind uint8

const (
	kindCode    kind = iota // a word, a number, or one sign
	kindLiteral             // a string with its quotes
	kindComment
)

// scanTokens passes each piece of a text with the byte at which it begins, without the white space between.
// A piece may have several lines. It examines every byte a constant number of times, whatever the text is:
// usual lexers, whose expressions backtrack, took 10 s for 8 KiB of "a<b " in Java. It returns how many
// bytes it examined: at most the length of the text, and once more for each kind of quotation mark.
func (syn *syntax) scanTokens(s string, emit func(k kind, at int, piece string)) (looked int) {
	sc := &scan{syntax: syn, text: s}
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		switch k, size := sc.piece(at); {
		case size > 0:
			emit(k, at, s[at:at+size])
			n = size
		case unicode.IsSpace(r):
		case partOfWord(r):
			for at+n < len(s) {
				r, m := utf8.DecodeRuneInString(s[at+n:])
				if !partOfWord(r) {
					break
				}
				n += m
			}
			emit(kindCode, at, s[at:at+n])
		default:
			emit(kindCode, at, s[at:at+n])
		}
		at += n
	}
	return len(s) + sc.inVain
}

func partOfWord(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// scan is the state of reading one text.
type scan struct {
	*syntax
	text   string
	open   [utf8.RuneSelf]int // by quotation mark: before this byte it does not begin a string
	inVain int                // bytes that were searched for the end of a string without finding it
}

// piece returns the length of the comment or string that begins at a place, else 0.
func (sc *scan) piece(at int) (kind, int) {
	rest := sc.text[at:]
	for _, b := range sc.block {
		if strings.HasPrefix(rest, b[0]) {
			if sc.strict != nil && sc.strict.nested {
				return kindComment, nestedUpTo(rest, b[0], b[1])
			}
			return kindComment, upTo(rest, len(b[0]), b[1])
		}
	}
	for _, c := range sc.line {
		if c == "#" && len(sc.line) > 1 && sc.strict == nil && strings.HasPrefix(rest, "#[") {
			continue // an attribute of PHP
		}
		if strings.HasPrefix(rest, c) && (sc.strict != nil || len(c) > 1 || at == 0 || unicode.IsSpace(rune(sc.text[at-1]))) {
			return kindComment, sc.lineComment(rest)
		}
	}
	for _, q := range []string{`"""`, "'''"} {
		if strings.HasPrefix(rest, q) && sc.tripled(q[:1]) {
			return kindLiteral, sc.ending(rest, q)
		}
	}
	switch {
	case strings.IndexByte(sc.raw, rest[0]) >= 0:
		return kindLiteral, sc.ending(rest, rest[:1])
	case strings.IndexByte(sc.quotes, rest[0]) >= 0:
		return kindLiteral, sc.quoted(at)
	}
	return kindCode, 0
}

// lineComment returns the length of a comment up to the end of its line. In strict mode a backslash at the
// end continues it, as in C.
func (sc *scan) lineComment(rest string) int {
	for at := 0; ; at++ {
		end := strings.IndexByte(rest[at:], '\n')
		if end < 0 {
			return len(rest)
		}
		if at += end; sc.strict == nil || at == 0 || rest[at-1] != '\\' {
			return at
		}
	}
}

func (sc *scan) tripled(quote string) bool {
	if sc.strict != nil {
		return strings.Contains(sc.strict.triple, quote)
	}
	return strings.Contains(sc.quotes, quote)
}

// ending returns the length of a string of several lines between two marks. In strict mode a backslash
// escapes the closing mark if the language has such escapes.
func (sc *scan) ending(rest, mark string) int {
	if sc.strict == nil || !sc.strict.escape {
		return upTo(rest, len(mark), mark)
	}
	for i := len(mark); i < len(rest); i++ {
		switch {
		case rest[i] == '\\':
			i++
		case strings.HasPrefix(rest[i:], mark):
			return i + len(mark)
		}
	}
	return len(rest)
}

// nestedUpTo returns the length of a comment that may contain others of its kind.
func nestedUpTo(s, begin, end string) int {
	depth := 1
	for i := len(begin); i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], end):
			i += len(end)
			if depth--; depth == 0 {
				return i
			}
		case strings.HasPrefix(s[i:], begin):
			depth++
			i += len(begin)
		default:
			i++
		}
	}
	return len(s)
}

// upTo returns the length of a piece that ends with a mark, or with the text.
func upTo(s string, from int, mark string) int {
	if end := strings.Index(s[from:], mark); end >= 0 {
		return from + end + len(mark)
	}
	return len(s)
}

// quoted returns the length of a string of one line, 0 if it does not end in that line: its mark then
// counts as a single sign. The same mark is then not searched again up to the end of this search, because
// each one was escaped and a search from it would read the same bytes in the same way.
func (sc *scan) quoted(at int) int {
	mark := sc.text[at]
	if at < sc.open[mark] {
		return 0
	}
	i := at + 1
	many := sc.strict != nil && strings.IndexByte(sc.strict.multi, mark) >= 0
	for ; i < len(sc.text) && (many || sc.text[i] != '\n'); i++ {
		switch sc.text[i] {
		case '\\':
			i++
		case mark:
			return i + 1 - at
		}
	}
	sc.open[mark] = i
	sc.inVain += i - at
	return 0
}

// normLines returns the tokens of every line of a text without comments and white space, joined by spaces;
// identifiers and literals stay. If the syntax of the language is not known, it returns the words of the
// lines.
func normLines(language, s string) []string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	syn := syntaxOf(language)
	if syn == nil {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			lines[i] = clip.Line(l)
		}
		return lines
	}
	lines := make([]string, strings.Count(s, "\n")+1)
	var line strings.Builder
	at, read := 0, 0
	next := func() {
		lines[at] = line.String()
		line.Reset()
		at++
	}
	syn.scanTokens(s, func(k kind, start int, piece string) {
		for range strings.Count(s[read:start], "\n") {
			next()
		}
		for i, part := range strings.Split(piece, "\n") {
			if i > 0 {
				next()
			}
			if words := clip.Line(part); k != kindComment && words != "" {
				if line.Len() > 0 {
					line.WriteByte(' ')
				}
				line.WriteString(words)
			}
		}
		read = start + len(piece)
	})
	lines[at] = line.String()
	return lines
}
