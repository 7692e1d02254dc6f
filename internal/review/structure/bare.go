package structure

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bare returns the lines of a text without comments and the text of literals, each as long as before. The code within literals
// stays: expressions of templates, and names behind a dollar sign. Where in doubt text is code. A line above [MaxBareLine]
// stays as it is. Use [github.com/assay-dev/assay/internal/review/anchor.Blank] where an author must not be able to pass off text as code.
func Bare(language string, lines []string) []string {
	x := newMasker(syntaxOf(language), lines)
	x.bare = make([]string, len(lines))
	x.readAll()
	return x.bare
}

// MaxBareLine is the most bytes of a line that [Bare] masks.
const MaxBareLine = 2_000

func newMasker(s syntax, lines []string) *masker {
	return &masker{syntax: s, lines: lines, missing: map[string]bool{}, comment: -1,
		masked: masked{code: make([]string, len(lines)), kinds: make([]lineKind, len(lines))}}
}

// keepBare keeps a line with the code within its literals.
func (x *masker) keepBare(i int) {
	if x.bare == nil {
		return
	}
	x.bare[i] = x.lines[i]
	if x.look == nil || len(x.look) > MaxBareLine {
		return
	}
	for _, s := range x.shown {
		copy(x.look[s[0]:s[1]], x.lines[i][s[0]:s[1]])
	}
	x.bare[i] = string(x.look)
}

// innerOf returns the code that literals in a kind of quotes have, by what stands before the literal at a place.
func (x *masker) innerOf(l string, at int, quote byte) (out []inner) {
	if x.bare == nil {
		return nil
	}
	start := at
	for start > 0 && at-start < 3 && (wordByte(l[start-1]) || strings.IndexByte("$@&", l[start-1]) >= 0) {
		start--
	}
	word := l[start:at]
	for _, in := range x.inner {
		fits := in.before == "" || in.before == "*" && word != "" || strings.ContainsAny(word, in.before)
		if fits && strings.IndexByte(in.quotes, quote) >= 0 {
			out = append(out, in)
		}
	}
	return out
}

// reveal keeps the code in a part of a literal.
func (x *masker) reveal(i, from, to int, list []inner) {
	l := x.lines[i]
	if x.bare == nil || len(list) == 0 || len(l) > MaxBareLine {
		return
	}
next:
	for at := from; at < to; at++ {
		for _, in := range list {
			switch {
			case in.open != "" && strings.HasPrefix(l[at:], in.open):
				if in.format && strings.HasPrefix(l[at:], in.open+in.open) {
					at += 2*len(in.open) - 1
				} else {
					at = x.expression(i, at+len(in.open), to, in) - 1
				}
				continue next
			case in.names && l[at] == '$':
				form := plainName
				if in.dotted {
					form = dottedName
				}
				if n := len(form.FindString(l[at+1 : to])); n > 0 {
					x.shown = append(x.shown, [2]int{at + 1, at + 1 + n})
					at += n
					continue next
				}
			}
		}
		if l[at] == '\\' {
			at++
		}
	}
}

// The names behind a dollar sign.
var (
	plainName  = regexp.MustCompile(`^[A-Za-z_]\w{0,100}`)
	dottedName = regexp.MustCompile(`^[A-Za-z_]\w{0,100}(?:(?:->|\.)[A-Za-z_]\w{0,100}){0,5}`)
)

// maxExpression is the most bytes of an expression in a literal.
const maxExpression = 500

// expression keeps the expression that begins at a place of a literal, without the text of literals in it, and returns the
// place behind its end. An expression without an end in its line ends with the literal, at to.
func (x *masker) expression(i, from, to int, in inner) int {
	l := x.lines[i]
	var parts [][2]int
	part, depth, round, format := from, 1, 0, false
	end := func(at int) {
		if part >= 0 && part < at {
			parts = append(parts, [2]int{part, at})
		}
		part = -1
	}
	opens := byte('{')
	if in.end == ')' {
		opens = '('
	}
	l = l[:min(len(l), from+maxExpression)]
	for at := from; at < len(l); at++ {
		switch c := l[at]; {
		case c == '"' || c == '\'' || c == '`':
			n := quoteEnd(l, at+1, c)
			if n == 0 {
				continue
			}
			isShown := part >= 0
			if end(at); isShown {
				part = n
			}
			at = n - 1
		case c == opens:
			if depth++; format && depth == 2 {
				part = at + 1
			}
		case c == in.end:
			if depth--; depth == 0 || format && depth == 1 {
				end(at)
			}
			if depth == 0 {
				x.shown = append(x.shown, parts...)
				return at + 1
			}
		case c == '(' || c == '[':
			round++
		case c == ')' || c == ']':
			round--
		case c == ':' && in.format && depth == 1 && round == 0 && !format:
			end(at)
			format = true
		}
	}
	end(to)
	for _, p := range parts {
		if p[0] < to {
			x.shown = append(x.shown, [2]int{p[0], min(p[1], to)})
		}
	}
	return to
}

// odd keeps what stands behind a quote without an end, which may be a sign of its own: without comments and literals. A
// literal that goes on in the next line has no code.
func (x *masker) odd(i, from int) {
	l := x.lines[i]
	if x.bare == nil || len(l) > MaxBareLine || strings.HasSuffix(l, `\`) {
		x.hide(i, from, len(l))
		return
	}
	for at := from; at < len(l); at++ {
		switch {
		case l[at] == '\\': // so that each kind of quote lacks its end once at most
			at++
		case strings.IndexByte(x.quotes, l[at]) >= 0:
			if end := quoteEnd(l, at+1, l[at]); end > 0 {
				x.hide(i, at+1, end-1)
				at = end - 1
			}
		case slices.ContainsFunc(x.lineSigns, func(sign string) bool { return x.begins(l, at, sign) }):
			x.hide(i, at, len(l))
			return
		}
	}
}

// beforeQuote are words before a literal without a blank between, as in minified code.
var beforeQuote = words(`return typeof case in of else from import export as await yield instanceof throw new void delete echo print
	include require default and or xor do`)

func words(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

// isLetter reports whether a quote stands for itself: the apostrophe of a word in text, or the character of Ruby's ?'.
func (x *masker) isLetter(l string, at int) bool {
	letter := func(n int) bool {
		return n >= 0 && n < len(l) && (l[n]|0x20 >= 'a' && l[n]|0x20 <= 'z' || l[n] >= 0x80)
	}
	return x.prose && l[at] == '\'' && letter(at-1) && letter(at+1) && !beforeQuote[x.word] ||
		x.percents && at > 0 && l[at-1] == '?' && (at == 1 || !wordByte(l[at-2]) && strings.IndexByte(")]}", l[at-2]) < 0)
}

// isTested reports whether the slash behind a condition begins a regular expression: its text begins at once, and its end is
// used.
func (x *masker) isTested(l string, at int) bool {
	if !x.templates || x.last != ')' || at+1 >= len(l) || strings.IndexByte(" \t=/*", l[at+1]) >= 0 {
		return false
	}
	end := patternEnd(l, at)
	return end > 0 && behindPattern.MatchString(l[end:])
}

var behindPattern = regexp.MustCompile(`^[dgimsuvy]{0,8}\s*(?:[.,;)\]}]|$)`)

// percentForm matches the beginning of a literal of Ruby.
var percentForm = regexp.MustCompile(`^%([qQwWiIrsx]?)([(\[{<|!/])`)

// percent reads a literal of Ruby such as %q(it's) that ends in its line, and returns the place behind it, or 0.
func (x *masker) percent(i, at int) int {
	l := x.lines[i]
	m := percentForm.FindStringSubmatch(l[at:])
	if m == nil || !x.mayBegin() && (m[1] == "" || at == 0 || l[at-1] != ' ') {
		return 0
	}
	open, depth := m[2][0], 0
	end := open
	if n := strings.IndexByte("([{<", open); n >= 0 {
		end = ")]}>"[n]
	}
	from := at + len(m[0])
	for n := from; n < min(len(l), from+maxPattern); n++ {
		switch {
		case l[n] == '\\':
			n++
		case l[n] == end && depth == 0:
			x.hide(i, from, n)
			if strings.Contains("QWIrx", m[1]) {
				x.reveal(i, from, n, x.innerOf(l, at, '"'))
			}
			x.hideInside(i, at, n+1)
			x.last = '"'
			return n + 1
		case l[n] == end:
			depth--
		case l[n] == open:
			depth++
		}
	}
	return 0
}

// The signs around code in pages.
const (
	pageOpens = "<?"
	pageEnds  = "?>"
)

// pageText is the text around code in pages.
var pageText = frame{end: pageOpens, text: true}

// beginPage begins with the text before the first code of a page.
func (x *masker) beginPage() {
	if x.pages && len(x.lines) > 0 && !strings.HasPrefix(x.lines[0], pageOpens) &&
		slices.ContainsFunc(x.lines, func(l string) bool { return strings.Contains(l, pageOpens) }) {
		x.push(0, pageText)
	}
}
