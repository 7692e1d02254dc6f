package jsonrepair

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// quotes are the marks that begin strings, with those that end them.
var quotes = [...]struct{ open, end string }{
	{`"""`, `"""`}, {`'''`, `'''`}, {`"`, `"`}, {`'`, `'`}, {"`", "`"}, {"“", "”"},
}

// quoteAt returns the mark that ends the string which begins here.
func quoteAt(s string, at int) (end string, ok bool) {
	for _, q := range quotes {
		if strings.HasPrefix(s[at:], q.open) {
			return q.end, true
		}
	}
	return "", false
}

// quoted reads a string whose opening mark is next. whole is false if it breaks off.
func (p *parser) quoted(where place) (text string, whole bool) {
	end, _ := quoteAt(p.s, p.at)
	p.at += len(end) // an opening mark is as long as its end
	return p.until(end, where)
}

// until reads a string up to its end. A mark that JSON syntax does not follow belongs to the string.
func (p *parser) until(end string, where place) (text string, whole bool) {
	var b strings.Builder
	from := p.at
	for p.at < len(p.s) {
		switch {
		case p.s[p.at] == '\\':
			b.WriteString(p.s[from:p.at])
			if end == `"` && strings.HasPrefix(p.s[p.at:], `\"`) && p.pathEnds(p.at+2, where) {
				b.WriteByte('\\')
				p.at += 2
				p.guessed = true
				return b.String(), true
			}
			if p.at+1 == len(p.s) && end != "" {
				p.at++
				return b.String(), false
			}
			p.escape(&b)
			from = p.at
		case end != "" && strings.HasPrefix(p.s[p.at:], end) && (len(end) == 3 && end[0] == end[1] || p.closes(p.at+len(end), where)):
			b.WriteString(p.s[from:p.at])
			p.at += len(end)
			return b.String(), true
		default:
			p.guessed = p.guessed || end != "" && strings.HasPrefix(p.s[p.at:], end)
			p.at++
		}
	}
	b.WriteString(p.s[from:p.at])
	return b.String(), false
}

// escape reads a backslash with the next bytes. A backslash that does not begin a JSON escape stands for
// itself, and so does one before a b, because texts about code mean the expression.
func (p *parser) escape(b *strings.Builder) {
	if p.at+1 == len(p.s) {
		b.WriteByte('\\')
		p.at++
		return
	}
	c := p.s[p.at+1]
	p.at += 2
	switch c {
	case '"', '\\', '/', '\'', '`':
		b.WriteByte(c)
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'f':
		b.WriteByte('\f')
	case 'u':
		r, n := unicodeAt(p.s[p.at:])
		if n == 0 {
			b.WriteString(`\u`)
			p.guessed = true
			return
		}
		p.at += n
		b.WriteRune(r)
	default:
		b.WriteByte('\\')
		p.guessed = true
		p.at-- // the next byte may begin a character
	}
}

// unicodeAt reads four digits, and the other half of a pair. n is the number of bytes, 0 if there are no
// such digits.
func unicodeAt(s string) (r rune, n int) {
	one := func(s string) (rune, bool) {
		if len(s) < 4 {
			return 0, false
		}
		v, err := strconv.ParseUint(s[:4], 16, 16)
		return rune(v), err == nil
	}
	r, ok := one(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 4
	}
	if strings.HasPrefix(s[4:], `\u`) {
		if low, ok := one(s[6:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 10
			}
		}
	}
	return utf8.RuneError, 4
}

// closes reports whether a string can end before this place, by the text that follows. In JSON nothing else
// can follow, so marks of valid strings always end them.
func (p *parser) closes(at int, where place) bool {
	i, broken := skipSpace(p.s, at)
	if i == len(p.s) {
		return true
	}
	switch c := p.s[i]; {
	case where == key:
		return c == ':'
	case c == '}' && where == member, c == ']' && where == element:
		return true
	case c == ',':
		next, _ := skipSpace(p.s, i+1)
		return next == len(p.s) || strings.IndexByte("]},", p.s[next]) >= 0 || comment(p.s, next) || p.begins(next, where)
	case comment(p.s, i):
		return c == '/' || i > at
	}
	return broken && p.begins(i, where)
}

// begins reports whether a member or an element begins here.
func (p *parser) begins(at int, where place) bool {
	end, ok := quoteAt(p.s, at)
	if where == element {
		return ok || strings.IndexByte("{[-0123456789tfnTFN", p.s[at]) >= 0
	}
	i := at
	if ok {
		rest := p.s[at+len(end) : min(len(p.s), at+maxKey)]
		n := strings.Index(rest, end)
		if n < 0 {
			return len(p.s) <= at+maxKey // it breaks off
		}
		i = at + 2*len(end) + n
	} else {
		w := parser{s: p.s, at: at}
		if w.word(maxKey) == "" {
			return false
		}
		i = w.at
	}
	i, _ = skipSpace(p.s, i)
	return i == len(p.s) || p.s[i] == ':'
}

// pathEnds reports whether a string ends after a backslash and a mark before this place: a line break
// follows, which JSON strings cannot contain.
func (p *parser) pathEnds(at int, where place) bool {
	i := at
	if i < len(p.s) && p.s[i] == ',' {
		i++
	}
	next, broken := skipSpace(p.s, i)
	return broken && next < len(p.s) && (strings.IndexByte("]}", p.s[next]) >= 0 || i > at && p.begins(next, where))
}
