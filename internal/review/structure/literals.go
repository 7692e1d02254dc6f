package structure

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/regexp"
)

// document and shellDocument match the beginning of a here-document. Only in shells a blank may stand before its name;
// elsewhere "<<" is an operator then.
var (
	document      = regexp.MustCompile(`^<<<?[-~]?["'` + "`" + `]?([A-Za-z_]\w*)["'` + "`" + `]?`)
	shellDocument = regexp.MustCompile(`^<<<?[-~]?[ \t]*["'` + "`" + `]?([A-Za-z_]\w*)["'` + "`" + `]?`)
)

// documentAt returns the name of the here-document that begins at a place, and the length of its beginning; "" if none does.
func (x *masker) documentAt(l string, at int) (name string, n int) {
	form := document
	if x.shell {
		form = shellDocument
	}
	m := form.FindStringSubmatch(l[at:])
	isBare := m != nil && strings.TrimLeft(m[0], "<") == m[1]
	if m == nil || !x.shell && isBare && at > 0 && (wordByte(l[at-1]) || strings.IndexByte(")]", l[at-1]) >= 0) {
		return "", 0
	}
	return m[1], len(m[0])
}

// opening returns the comment or literal over lines that begins at a place, and the length of its sign.
func (x *masker) opening(l string, at int) (frame, int) {
	rest := l[at:]
	fits := func(end string) bool {
		return !x.missing[end] && (!x.single || strings.Contains(rest[1:min(len(rest), maxPattern)], end))
	}
	for _, p := range slices.Concat(x.comments, x.further) {
		if strings.HasPrefix(rest, p[0]) && (p[0][0] != '=' || at == 0) && fits(p[1]) {
			f := frame{end: p[1], comment: true, alone: p[0][0] == '='}
			if x.nested {
				f.nests = p[0]
			}
			return f, len(p[0])
		}
	}
	for _, p := range x.literals {
		if strings.HasPrefix(rest, p[0]) && fits(p[1]) {
			return frame{end: p[1], escapes: p[0] != "[[" && p[0] != "`", inner: x.innerOf(l, at, l[at])}, len(p[0])
		}
	}
	switch {
	case x.templates && rest[0] == '`' && fits("`"):
		return frame{end: "`", escapes: true}, 1
	case x.raw && (at == 0 || !wordByte(l[at-1])):
		f, n := x.rawLiteral(rest, fits)
		if f.doubled {
			f.inner = x.innerOf(l, at+n-1, '"')
		}
		return f, n
	}
	return frame{}, 0
}

// rawForm matches the beginning of a raw literal of Rust, C++ or C#.
var rawForm = regexp.MustCompile(`^(?:b?r(#{0,8})"|R"([^()\\\s"]{0,16})\(|(\$?@\$?)")`)

// rawLiteral returns the raw literal at the beginning of a text.
func (x *masker) rawLiteral(rest string, fits func(string) bool) (frame, int) {
	if strings.IndexByte("brR$@", rest[0]) < 0 {
		return frame{}, 0
	}
	m := rawForm.FindStringSubmatch(rest)
	if m == nil || m[3] != "" && !x.verbatim {
		return frame{}, 0
	}
	f := frame{end: `"` + m[1]}
	switch {
	case m[3] != "":
		f.doubled = true
	case strings.HasPrefix(rest, "R"):
		f.end = ")" + m[2] + `"`
	}
	if !fits(f.end) {
		return frame{}, 0
	}
	return f, len(m[0])
}

// quoted reads a literal in quotes. If its end is in one of the next lines, it stays open.
func (x *masker) quoted(i, at int) int {
	l := x.lines[i]
	if end := quoteEnd(l, at+1, l[at]); end > 0 {
		x.hide(i, at+1, end-1)
		x.reveal(i, at+1, end-1, x.innerOf(l, at, l[at]))
		x.hideInside(i, at, end)
		x.last = '"'
		return end
	}
	if strings.IndexByte(x.spanning, l[at]) >= 0 && !x.single && len(x.open) == 0 && x.goesOn(i, l[at]) {
		f := frame{end: l[at : at+1], escapes: true, inner: x.innerOf(l, at, l[at])}
		x.push(i, f)
		x.hide(i, at+1, len(l))
		x.reveal(i, at+1, len(l), f.inner)
		return len(l)
	}
	x.hideCode(i, at+1, len(l))
	x.odd(i, at+1)
	return len(l)
}

// goesOn reports whether one of the next lines ends a literal: no word follows its quote.
func (x *masker) goesOn(i int, quote byte) bool {
	for _, l := range x.lines[i+1 : min(i+1+maxSpanning, len(x.lines))] {
		if end := quoteEnd(l, 0, quote); end > 0 {
			return end == len(l) || !wordByte(l[end]) && l[end] != quote
		}
	}
	return false
}

// quoteEnd returns the place after the quote that ends a literal, 0 if the line does not end it.
func quoteEnd(l string, from int, quote byte) int {
	for at := from; at < len(l); at++ {
		switch l[at] {
		case '\\':
			at++
		case quote:
			return at + 1
		}
	}
	return 0
}

// character reads a literal of one character. An apostrophe without such a literal is code.
func (x *masker) character(i, at int) int {
	l := x.lines[i]
	_, size := utf8.DecodeRuneInString(l[min(at+1, len(l)):])
	end := at + 1 + size
	if strings.HasPrefix(l[at+1:], `\`) {
		end = max(quoteEnd(l[:min(len(l), at+16)], at+1, '\'')-1, 0)
	}
	if size == 0 || end == 0 || end >= len(l) || l[end] != '\'' {
		return at + 1
	}
	x.hide(i, at+1, end)
	x.last = '"'
	return end + 1
}

// beforePattern are words before a regular expression.
var beforePattern = map[string]bool{"return": true, "typeof": true, "case": true, "in": true, "of": true, "if": true, "unless": true,
	"when": true, "while": true, "and": true, "or": true, "not": true}

// mayBegin reports whether a slash begins a regular expression after the code before it.
func (x *masker) mayBegin() bool {
	return x.last == 0 || strings.IndexByte("(,=:[!&|?{;~+-*%^", x.last) >= 0 || beforePattern[x.word]
}

// patternEnd returns the place after a regular expression, 0 if the line does not end it.
func patternEnd(l string, at int) int {
	class := false
	for n := at + 1; n < min(len(l), at+maxPattern); n++ {
		switch l[n] {
		case '\\':
			n++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return n + 1
			}
		}
	}
	return 0
}
