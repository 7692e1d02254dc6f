package anchor

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a piece of code is.
type kind uint8

const (
	kindCode    kind = iota // a word, a number, or one sign
	kindLiteral             // a string with its quotes
	kindComment
)

// scanTokens reads a text piece by piece, without white space between the pieces,
// and says at which byte each begins. A piece may have several lines. It looks at every byte a constant number of
// times, whatever the text is: what the usual lexers do with expressions that go
// back and try again took 10 s for 8 KiB of "a<b " in Java.
func (syn *syntax) scanTokens(s string, emit func(k kind, at int, piece string)) {
	for at := 0; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		switch k, size := syn.piece(s, at); {
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
}

func partOfWord(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// piece returns the length of the comment or string that begins at a place, 0 if
// none does.
func (syn *syntax) piece(s string, at int) (kind, int) {
	rest := s[at:]
	for _, b := range syn.block {
		if strings.HasPrefix(rest, b[0]) {
			return kindComment, upTo(rest, len(b[0]), b[1])
		}
	}
	for _, c := range syn.line {
		if strings.HasPrefix(rest, c) && (len(c) > 1 || at == 0 || unicode.IsSpace(rune(s[at-1]))) {
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				return kindComment, end
			}
			return kindComment, len(rest)
		}
	}
	for _, q := range []string{`"""`, "'''"} {
		if strings.HasPrefix(rest, q) && strings.Contains(syn.quotes, q[:1]) {
			return kindLiteral, upTo(rest, len(q), q)
		}
	}
	switch {
	case strings.IndexByte(syn.raw, rest[0]) >= 0:
		return kindLiteral, upTo(rest, 1, rest[:1])
	case strings.IndexByte(syn.quotes, rest[0]) >= 0:
		return kindLiteral, quoted(rest)
	}
	return kindCode, 0
}

// upTo is the length of a piece that ends with a mark, or with the text.
func upTo(s string, from int, mark string) int {
	if end := strings.Index(s[from:], mark); end >= 0 {
		return from + end + len(mark)
	}
	return len(s)
}

// quoted is the length of a string of one line. One that does not end there is a
// single sign: a quotation mark may be something else too.
func quoted(s string) int {
	for i := 1; i < len(s) && s[i] != '\n'; i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return 0
}

// normLines returns for every line of a text its tokens without comments and
// white space, joined by spaces; identifiers and literals are kept. Where the form
// of the language is not known the words of the line are used.
func normLines(language, s string) []string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	syn := syntaxOf(language)
	if syn == nil {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			lines[i] = strings.Join(strings.Fields(l), " ")
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
			if words := strings.Join(strings.Fields(part), " "); k != kindComment && words != "" {
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
