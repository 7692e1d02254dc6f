// Package jsonrepair reads JSON as language models write it: with sentences and code fences around it, a
// draft before the final answer, backslashes that do not begin an escape, raw line breaks in strings,
// trailing commas, single quotes, comments, Python literals, and missing ends.
//
// It never completes a value: an incomplete one is marked. It reads each byte a bounded number of times,
// and builds at most [maxValues] values.
//
// The meaning of an answer must not live here.
package jsonrepair

import (
	"strconv"
	"strings"
)

// Bounds of the input (design choice; answers of reviews have some hundred values and a depth of five).
const (
	maxDepth  = 64
	maxValues = 200_000
	maxKey    = 128 // bytes
)

// Kind is the kind of a [Value].
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// Value is a value of a text.
type Value struct {
	Kind  Kind
	Text  string   // of a string, a number ("12"), or a boolean ("true", "false")
	Keys  []string // of an object, in the order of Items
	Items []*Value // elements of a list, members of an object
	Whole bool     // it is complete and well-formed
	Start int      // beginning of an object or a list in the text
	End   int      // its end in the text
	// Guessed reports whether a string contains marks or backslashes that JSON would escape, so that its
	// text may differ from the model's intention.
	Guessed bool
}

// Parse returns the outermost objects and lists of a text, in their order. One that breaks off, or is
// malformed further on, has the part before that place.
func Parse(text string) (out []*Value) {
	p := parser{s: text}
	for p.values < maxValues {
		i := strings.IndexAny(p.s[p.at:], "{[")
		if i < 0 {
			return out
		}
		p.at += i
		start := p.at
		p.malformed = false
		v := p.container(0)
		p.at = max(p.at, start+1)
		if v.Whole || len(v.Items) > 0 {
			out = append(out, v)
		}
	}
	return out
}

// Unescape reads a text as the inside of a JSON string.
func Unescape(text string) string {
	p := parser{s: text}
	out, _ := p.until("", member)
	return out
}

// Get returns the last member of an object with a name in any letter case, or nil.
func (v *Value) Get(name string) *Value {
	for i := len(v.Keys) - 1; i >= 0; i-- {
		if strings.EqualFold(strings.TrimSpace(v.Keys[i]), name) {
			return v.Items[i]
		}
	}
	return nil
}

// Set appends a member to an object.
func (v *Value) Set(name string, member *Value) {
	v.Keys, v.Items = append(v.Keys, name), append(v.Items, member)
}

// parser reads one text from front to back.
type parser struct {
	s         string
	at        int
	values    int
	malformed bool // the text is malformed at the current place

	guessed bool // Guessed of the string that was read last
}

// place is the place of a string, which decides what can follow it.
type place uint8

const (
	key place = iota
	member
	element
)

func (p *parser) ended() bool { return p.at >= len(p.s) }

// container reads an object or a list, whose opening mark is next.
func (p *parser) container(depth int) *Value {
	v, end, where := &Value{Kind: Object, Start: p.at}, byte('}'), member
	if p.s[p.at] == '[' {
		v.Kind, end, where = List, ']', element
	}
	if p.values++; depth == maxDepth || p.values > maxValues {
		p.malformed = true
		return v
	}
	for p.at++; ; {
		p.space()
		switch {
		case p.ended():
			v.End = p.at
			return v
		case p.s[p.at] == end:
			p.at++
			v.Whole, v.End = true, p.at
			return v
		case p.s[p.at] == ',':
			p.at++
			continue
		}
		name := ""
		if v.Kind == Object {
			var ok bool
			if name, ok = p.key(); !ok {
				p.malformed = !p.ended()
				v.End = p.at
				return v
			}
		}
		p.space()
		if p.ended() {
			v.End = p.at
			return v
		}
		item := p.value(depth, where)
		if item != nil {
			v.Items = append(v.Items, item)
			if v.Kind == Object {
				v.Keys = append(v.Keys, name)
			}
		}
		if item == nil || !item.Whole || p.malformed {
			v.End = p.at
			return v
		}
	}
}

// key reads the name of a member and the colon behind it. If there is no name, it stops at the first byte
// with which a value could begin.
func (p *parser) key() (string, bool) {
	name, start := "", p.at
	if _, ok := quoteAt(p.s, p.at); ok {
		limited := parser{s: p.s[:min(len(p.s), start+maxKey)], at: start}
		text, whole := limited.quoted(key)
		switch {
		case whole && !strings.ContainsAny(text, "\n{"):
			name, p.at = text, limited.at
		case len(limited.s) == len(p.s) && !strings.ContainsAny(text, "\n{"): // it breaks off
			p.at = len(p.s)
			return "", false
		default:
			p.at = start + 1
			return "", false
		}
	} else if name = p.word(maxKey); name == "" {
		return "", false
	}
	after := p.at
	if p.space(); p.ended() || p.s[p.at] != ':' {
		if !p.ended() {
			p.at = after
		}
		return "", false
	}
	p.at++
	return name, true
}

// value reads the next value, or returns nil.
func (p *parser) value(depth int, where place) *Value {
	if c := p.s[p.at]; c == '{' || c == '[' {
		return p.container(depth + 1)
	}
	if p.values++; p.values > maxValues {
		p.malformed = true
		return nil
	}
	if _, ok := quoteAt(p.s, p.at); ok {
		p.guessed = false
		text, whole := p.quoted(where)
		return &Value{Kind: String, Text: text, Whole: whole, End: p.at, Guessed: p.guessed}
	}
	start := p.at
	text := p.word(len(p.s))
	if text == "" || !p.delimited() {
		if !p.ended() {
			p.at, p.malformed = start, true
		}
		return nil
	}
	v := scalar(text)
	v.Whole, v.End = !p.ended(), p.at // the last word may be cut off
	return v
}

// scalar reads a literal or a number; any other word becomes a string.
func scalar(text string) *Value {
	switch strings.ToLower(text) {
	case "true", "false":
		return &Value{Kind: Bool, Text: strings.ToLower(text)}
	case "null", "none", "nil", "undefined", "nan", "infinity", "-infinity", "+infinity", "inf", "-inf":
		return &Value{}
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return &Value{Kind: Number, Text: text}
	}
	return &Value{Kind: String, Text: text}
}

// word reads letters, digits and marks of numbers and paths.
func (p *parser) word(most int) string {
	start := p.at
	for p.at < len(p.s) && p.at-start < most {
		c := p.s[p.at]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && strings.IndexByte("_-+.$%", c) < 0 {
			break
		}
		p.at++
	}
	return p.s[start:p.at]
}

// delimited reports whether a word can end here.
func (p *parser) delimited() bool {
	i, broken := skipSpace(p.s, p.at)
	return broken || i == len(p.s) || strings.IndexByte(",}]", p.s[i]) >= 0 || comment(p.s, i) && i > p.at
}

// space skips white space and comments.
func (p *parser) space() {
	for {
		p.at, _ = skipSpace(p.s, p.at)
		if !comment(p.s, p.at) {
			return
		}
		end := "\n"
		if strings.HasPrefix(p.s[p.at:], "/*") {
			end = "*/"
		}
		i := strings.Index(p.s[p.at:], end)
		if i < 0 {
			p.at = len(p.s)
			return
		}
		p.at += i + len(end)
	}
}

// comment reports whether a comment begins here.
func comment(s string, at int) bool {
	rest := s[at:]
	return strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*") || strings.HasPrefix(rest, "#")
}

// skipSpace returns the end of white space, and whether it contains a line break.
func skipSpace(s string, at int) (next int, broken bool) {
	for at < len(s) {
		switch {
		case s[at] == '\n':
			broken = true
			at++
		case s[at] == ' ' || s[at] == '\t' || s[at] == '\r':
			at++
		case strings.HasPrefix(s[at:], nbsp):
			at += len(nbsp)
		case strings.HasPrefix(s[at:], byteOrderMark):
			at += len(byteOrderMark)
		default:
			return at, broken
		}
	}
	return at, broken
}

const (
	nbsp          = "\u00a0"
	byteOrderMark = "\ufeff" // byte order mark
)
