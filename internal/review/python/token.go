package python

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is the kind of a token.
type kind uint8

const (
	end     kind = iota
	name         // an identifier or a keyword
	number       // a numeric literal
	text         // a string, or a part of one between its expressions
	sign         // an operator or a delimiter
	opening      // begins an expression in a string
	closing      // ends it
	newline      // ends a statement
	indent       // begins a block
	dedent       // ends a block
)

// token is a piece of a file.
type token struct {
	kind  kind
	value string // of a name or sign
}

// lexer splits a file into tokens.
type lexer struct {
	src    string
	at     int
	tokens []token
	open   []byte // open brackets
	levels []level
}

// level is the indentation of a block, with tabs of eight and of one column.
type level struct{ wide, narrow int }

// signs are the operators and delimiters, longest first.
var signs = strings.Fields("**= //= >>= <<= ... ** // >> << <= >= == != -> += -= *= /= %= &= |= ^= @= := + - * / % @ & | ^ ~ < > " +
	"( ) [ ] { } , : . ; =")

func (l *lexer) emit(k kind, value string) { l.tokens = append(l.tokens, token{k, value}) }

// lex returns the tokens of a file.
func lex(src string) []token {
	l := &lexer{src: strings.TrimPrefix(src, "\ufeff"), levels: []level{{}}}
	for l.at < len(l.src) {
		if l.indentation() {
			l.line(false)
		}
	}
	if len(l.open) > 0 {
		fail()
	}
	for range l.levels[1:] {
		l.emit(dedent, "")
	}
	l.emit(end, "")
	return l.tokens
}

// indentation reads the white space at the beginning of a line and opens or ends blocks. It skips a line
// without a statement and returns false.
func (l *lexer) indentation() bool {
	var in level
	for ; l.at < len(l.src); l.at++ {
		switch l.src[l.at] {
		case ' ':
			in.wide, in.narrow = in.wide+1, in.narrow+1
			continue
		case '\t':
			in.wide, in.narrow = (in.wide/8+1)*8, in.narrow+1
			continue
		case '\f':
			in = level{}
			continue
		}
		break
	}
	if l.at == len(l.src) {
		return false
	}
	if c := l.src[l.at]; c == '#' || c == '\n' || strings.HasPrefix(l.src[l.at:], "\r\n") {
		l.skipLine()
		return false
	}
	top := l.levels[len(l.levels)-1]
	switch {
	case in.wide == top.wide:
		l.same(in, top)
	case in.wide > top.wide:
		if in.narrow <= top.narrow {
			fail()
		}
		if len(l.levels) > maxDepth {
			giveUp()
		}
		l.levels = append(l.levels, in)
		l.emit(indent, "")
	default:
		for in.wide < l.levels[len(l.levels)-1].wide {
			l.levels = l.levels[:len(l.levels)-1]
			l.emit(dedent, "")
		}
		l.same(in, l.levels[len(l.levels)-1])
	}
	return true
}

func (l *lexer) same(a, b level) {
	if a != b {
		fail()
	}
}

func (l *lexer) skipLine() {
	if n := strings.IndexByte(l.src[l.at:], '\n'); n >= 0 {
		l.at += n + 1
		return
	}
	l.at = len(l.src)
}

// line reads a statement with its continuation lines. In a string it reads an expression up to its end: a
// brace, a conversion or a format.
func (l *lexer) line(inString bool) {
	outer := len(l.open)
	for l.at < len(l.src) {
		rest := l.src[l.at:]
		c := rest[0]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case c == ' ' || c == '\t' || c == '\f':
			l.at++
		case c == '\r' && strings.HasPrefix(rest, "\r\n"):
			l.at++
		case c == '#':
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				l.at += n
			} else {
				l.at = len(l.src)
			}
		case c == '\n':
			if l.at++; len(l.open) == 0 && !inString {
				l.emit(newline, "")
				return
			}
		case c == '\\':
			after := strings.TrimPrefix(rest[1:], "\r")
			if !strings.HasPrefix(after, "\n") || after == "\n" {
				fail()
			}
			l.at = len(l.src) - len(after) + 1
		case inString && len(l.open) == outer && (c == '}' || c == ':' || c == '!' && !strings.HasPrefix(rest, "!=")):
			return
		case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
			l.number()
		case c == '"' || c == '\'':
			l.text("")
		case r == '_' || unicode.IsLetter(r):
			l.word(size)
		default:
			l.sign(rest)
		}
	}
	if inString {
		fail()
	}
	l.emit(newline, "")
}

// word reads a name, or a string after its prefix.
func (l *lexer) word(size int) {
	from := l.at
	for l.at += size; l.at < len(l.src); l.at += size {
		var r rune
		if r, size = utf8.DecodeRuneInString(l.src[l.at:]); r != '_' && !unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Mc, unicode.Pc) {
			break
		}
	}
	value := l.src[from:l.at]
	if l.at < len(l.src) && (l.src[l.at] == '"' || l.src[l.at] == '\'') {
		switch prefix := strings.ToLower(value); prefix {
		case "r", "b", "u", "f", "t", "br", "rb", "fr", "rf", "tr", "rt":
			l.text(prefix)
			return
		}
	}
	l.emit(name, value)
}

func (l *lexer) sign(rest string) {
	for _, s := range signs {
		if !strings.HasPrefix(rest, s) {
			continue
		}
		switch s {
		case "(", "[", "{":
			if len(l.open) > maxDepth {
				giveUp()
			}
			l.open = append(l.open, s[0])
		case ")", "]", "}":
			last := len(l.open) - 1
			if last < 0 || l.open[last] != map[string]byte{")": '(', "]": '[', "}": '{'}[s] {
				fail()
			}
			l.open = l.open[:last]
		}
		l.emit(sign, s)
		l.at += len(s)
		return
	}
	fail()
}

// wordsAfterNumber are words that may follow a number without a space.
var wordsAfterNumber = []string{"and", "else", "for", "if", "in", "is", "not", "or"}

func (l *lexer) number() {
	digits := func(set string) (n int) {
		for l.at < len(l.src) && (strings.IndexByte(set, l.src[l.at]) >= 0 || n > 0 && l.src[l.at] == '_' && l.src[l.at-1] != '_') {
			l.at++
			n++
		}
		if n > 0 && l.src[l.at-1] == '_' {
			fail()
		}
		return n
	}
	const decimal = "0123456789"
	from := l.at
	switch prefix := strings.ToLower(l.src[l.at:min(l.at+2, len(l.src))]); prefix {
	case "0x", "0o", "0b":
		l.at += 2
		if l.at < len(l.src) && l.src[l.at] == '_' {
			l.at++
		}
		if digits(map[string]string{"0x": decimal + "abcdefABCDEF", "0o": "01234567", "0b": "01"}[prefix]) == 0 {
			fail()
		}
	default:
		digits(decimal)
		whole := l.src[from:l.at]
		float := false
		if strings.HasPrefix(l.src[l.at:], ".") {
			float = true
			l.at++
			digits(decimal)
		}
		if rest := strings.ToLower(l.src[l.at:min(l.at+3, len(l.src))]); len(rest) > 1 && rest[0] == 'e' &&
			(strings.IndexByte(decimal, rest[1]) >= 0 || len(rest) > 2 && strings.IndexByte("+-", rest[1]) >= 0 &&
				strings.IndexByte(decimal, rest[2]) >= 0) {
			float = true
			l.at += 2
			digits(decimal)
		}
		if l.at < len(l.src) && (l.src[l.at] == 'j' || l.src[l.at] == 'J') {
			float = true
			l.at++
		}
		if len(whole) > 1 && whole[0] == '0' && strings.Trim(whole, "0_") != "" && !float {
			fail()
		}
	}
	if r, _ := utf8.DecodeRuneInString(l.src[l.at:]); l.at < len(l.src) && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)) {
		found := false
		for _, w := range wordsAfterNumber {
			found = found || strings.HasPrefix(l.src[l.at:], w)
		}
		if !found {
			fail()
		}
	}
	l.emit(number, "")
}

// text reads a string from its quotation mark on.
func (l *lexer) text(prefix string) {
	mark := l.src[l.at : l.at+1]
	if long := strings.Repeat(mark, 3); strings.HasPrefix(l.src[l.at:], long) {
		mark = long
	}
	l.at += len(mark)
	value := ""
	if strings.Contains(prefix, "b") {
		value = "b"
	}
	l.emit(text, value)
	l.until(mark, strings.ContainsAny(prefix, "ft"), strings.Contains(prefix, "r"), false)
	l.at += len(mark)
}

// until reads a string up to its mark, or the format of an expression in it up to its brace.
func (l *lexer) until(mark string, filled, raw, format bool) {
	for l.at < len(l.src) {
		rest := l.src[l.at:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, mark):
			if format {
				fail()
			}
			return
		case c == '\n' && len(mark) == 1, c == 0:
			fail()
		case filled && !raw && !format && strings.HasPrefix(rest, `\N{`):
			n := strings.IndexAny(rest, "}\n")
			if n < 0 || rest[n] != '}' {
				fail()
			}
			l.at += n + 1
		case c == '\\' && filled && len(rest) > 1 && (rest[1] == '{' || rest[1] == '}'): // an expression may follow a backslash
			l.at++
		case c == '\\' && strings.HasPrefix(rest, "\\\r\n"):
			l.at += 3
		case c == '\\':
			l.at += 2
		case format && c == '}':
			return
		case filled && !format && (strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "}}")):
			l.at += 2
		case filled && c == '}':
			fail()
		case filled && c == '{':
			l.expression(mark, raw)
		default:
			l.at++
		}
	}
	fail()
}

// expression reads an expression in a string with its braces.
func (l *lexer) expression(mark string, raw bool) {
	if len(l.open) > maxDepth {
		giveUp()
	}
	l.open = append(l.open, 'f')
	l.at++
	l.emit(opening, "")
	l.line(true)
	l.emit(closing, "")
	if strings.HasPrefix(l.src[l.at:], "!") {
		conversion := strings.TrimLeft(l.src[l.at+1:], " ")
		if conversion == "" || strings.IndexByte("rsa", conversion[0]) < 0 {
			fail()
		}
		l.at = len(l.src) - len(strings.TrimLeft(conversion[1:], " "))
	}
	if strings.HasPrefix(l.src[l.at:], ":") {
		l.at++
		l.until(mark, true, raw, true)
	}
	if !strings.HasPrefix(l.src[l.at:], "}") {
		fail()
	}
	l.at++
	l.open = l.open[:len(l.open)-1]
}
