package structure

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of the search for the ends of comments and literals.
const (
	maxMissing  = 4   // ends that the file lacks; with more, no comment or literal goes on in the next line
	maxSpanning = 60  // lines of a literal in common quotes
	maxInside   = 32  // literals within literals
	maxLabel    = 120 // bytes of a line that may be a label
	maxPattern  = 500 // bytes of a regular expression, and of a literal in a line after maxMissing
)

// lineKind says whether the indentation of a line shows the structure of the file.
type lineKind uint8

// The kinds.
const (
	codeLine    lineKind = iota
	asideLine            // a comment or a label
	directive            // for the preprocessor
	literalLine          // begins within a literal
)

// masked holds the lines of a file without their comments and the text of their literals.
type masked struct {
	code  []string // with spaces in place of comments and text
	kinds []lineKind
	depth []int  // open brackets at the beginning of each line; nil if brackets do not match
	until []int  // index of the next line that begins in no more brackets than each line; nil if brackets do not match
	other []bool // the line stands in a further branch of the preprocessor, beside one that leaves a bracket open
}

// frame is a comment or literal, or the code within a template, that is open.
type frame struct {
	end     string // "" for code
	comment bool
	escapes bool    // a backslash hides the next character
	doubled bool    // the end twice is text
	alone   bool    // the end stands at the beginning of a line
	braces  int     // that are open in the code
	line    int     // index of the first line
	before  []frame // that were open at the beginning of that line
	text    bool    // around code
	nests   string  // begins a comment in the comment
	inner   []inner // code in the literal
}

// masker reads lines one after the other.
type masker struct {
	syntax
	lines   []string
	open    []frame
	start   []frame // that were open at the beginning of the line
	next    []frame // here-documents that begin with the next line
	missing map[string]bool
	retries int
	single  bool // nothing goes on in the next line

	comment int // where the comment at the end of the last line begins, if it has one

	masked
	buf   []byte   // the present line; nil if nothing was masked
	bare  []string // the lines with the code in literals; nil if it is not asked for
	look  []byte   // the present line of bare
	shown [][2]int // bytes of it that are code
	last  byte     // last character of code that is not white space
	word  string   // the last word of code
}

// mask removes comments and the text of literals from lines. A comment or literal without an end does not go
// on in the next line.
func mask(language string, lines []string) masked {
	x := newMasker(syntaxOf(language), lines)
	x.readAll()
	x.nest()
	return x.masked
}

// readAll masks the lines.
func (x *masker) readAll() {
	x.beginPage()
	for i := 0; i < len(x.lines); i++ {
		x.read(i)
		if i < len(x.lines)-1 || len(x.open) == 0 || x.open[0].text {
			continue
		}
		if x.retries++; x.retries > maxMissing+1 {
			break
		}
		first := x.open[0]
		x.missing[first.end] = true
		x.single = x.single || x.retries > maxMissing
		x.open, i = first.before, first.line-1
	}
}

// read masks one line.
func (x *masker) read(i int) {
	l := x.lines[i]
	x.start, x.next, x.buf, x.look, x.shown, x.last, x.word = slices.Clone(x.open), nil, nil, nil, nil, 0, ""
	x.kinds[i] = codeLine
	if n := len(x.open); n > 0 {
		x.kinds[i] = literalLine
		if x.open[n-1].comment {
			x.kinds[i] = asideLine
		}
	}
	for at := 0; at < len(l); {
		if n := len(x.open); n > 0 && x.open[n-1].end != "" {
			at = x.literal(i, at)
		} else {
			at = x.codeAt(i, at)
		}
	}
	if !x.single {
		for _, f := range slices.Backward(x.next) {
			x.push(i, f)
		}
	}
	x.code[i] = l
	if x.buf != nil {
		x.code[i] = string(x.buf)
	}
	x.keepBare(i)
	x.classify(i)
}

// classify finds lines without code.
func (x *masker) classify(i int) {
	if x.kinds[i] == literalLine {
		return
	}
	t := strings.TrimSpace(x.code[i])
	switch {
	case x.directives && (strings.HasPrefix(t, "#") || i > 0 && x.kinds[i-1] == directive && strings.HasSuffix(x.lines[i-1], `\`)):
		x.kinds[i], x.code[i] = directive, ""
	case t == "" && strings.TrimSpace(x.lines[i]) != "":
		x.kinds[i] = asideLine
	case t != "" && x.kinds[i] == asideLine: // code behind the end of a comment
		x.kinds[i] = codeLine
	}
	if x.labels && len(t) <= maxLabel && x.kinds[i] == codeLine && !strings.HasPrefix(t, "default") && label.MatchString(x.code[i]) {
		x.kinds[i] = asideLine
	}
}

// label matches a label or an access specifier, alone in its line or at the beginning of one.
var label = regexp.MustCompile(`^\s*(?:(?:public|private|protected)\s+)?[A-Za-z_]\w*\s*:\s*$|^[A-Za-z_]\w*:\s+[^:\s]`)

// push opens a comment or literal in line i.
func (x *masker) push(i int, f frame) {
	f.line = i
	if len(x.open) == 0 {
		f.before = x.start
	}
	x.open = append(x.open, f)
}

func (x *masker) pop() { x.open = x.open[:len(x.open)-1] }

// hide masks bytes of the line, which are no code.
func (x *masker) hide(i, from, to int) {
	x.hideCode(i, from, to)
	if x.bare != nil {
		x.look = x.blank(x.look, i, from, to)
	}
}

// hideCode masks bytes of the line that may be code within a literal.
func (x *masker) hideCode(i, from, to int) { x.buf = x.blank(x.buf, i, from, to) }

func (x *masker) blank(buf []byte, i, from, to int) []byte {
	if from >= to {
		return buf
	}
	if buf == nil {
		buf = []byte(x.lines[i])
	}
	for n := from; n < to; n++ {
		if buf[n] != '\t' {
			buf[n] = ' '
		}
	}
	return buf
}

// literal reads on in the open comment or literal, and returns where it stops.
func (x *masker) literal(i, from int) int {
	l, f := x.lines[i], x.open[len(x.open)-1]
	if f.alone {
		t := strings.TrimLeft(l, " \t")
		if rest, is := strings.CutPrefix(t, f.end); is && (rest == "" || !wordByte(rest[0])) {
			x.pop()
			x.hide(i, 0, len(l)-len(rest))
			return len(l) - len(rest)
		}
		x.hide(i, 0, len(l))
		x.reveal(i, 0, len(l), f.inner)
		return len(l)
	}
	for at := from; at < len(l); at++ {
		switch {
		case f.escapes && l[at] == '\\':
			at++
		case f.doubled && strings.HasPrefix(l[at:], f.end+f.end):
			at += len(f.end)
		case f.nests != "" && strings.HasPrefix(l[at:], f.nests) && len(x.open) < maxInside:
			x.push(i, f)
			x.hide(i, from, at+len(f.nests))
			return at + len(f.nests)
		case strings.HasPrefix(l[at:], f.end):
			x.pop()
			end := at + len(f.end)
			if f.comment {
				at = end
			}
			x.hide(i, from, at)
			x.reveal(i, from, at, f.inner)
			x.hideInside(i, at, end)
			x.last = '"'
			return end
		case x.templates && f.end == "`" && strings.HasPrefix(l[at:], "${") && len(x.open) < maxInside:
			x.push(i, frame{})
			x.hide(i, from, at+2)
			return at + 2
		}
	}
	x.hide(i, from, len(l))
	x.reveal(i, from, len(l), f.inner)
	return len(l)
}

// codeAt reads code at a place, and returns where it goes on.
func (x *masker) codeAt(i, at int) int {
	l := x.lines[i]
	c := l[at]
	rest := l[at:]
	if wordByte(c) && !(x.raw && strings.IndexByte("brR$", c) >= 0) {
		end := at + 1
		for end < len(l) && wordByte(l[end]) {
			end++
		}
		x.word, x.last = l[at:end], c
		x.hideInside(i, at, end)
		return end
	}
	if f, n := x.opening(l, at); n > 0 {
		if f.comment || len(x.open) > 0 {
			x.hide(i, at, at+n)
		}
		x.push(i, f)
		return at + n
	}
	if slices.ContainsFunc(x.lineSigns, func(sign string) bool { return x.begins(l, at, sign) }) {
		end := len(l)
		if n := strings.Index(rest, pageEnds); x.pages && n >= 0 { // it ends the comment, too
			end = at + n
		}
		x.hide(i, at, end)
		x.comment = at
		return end
	}
	switch {
	case strings.IndexByte(x.quotes, c) >= 0 && !x.isLetter(l, at):
		return x.quoted(i, at)
	case x.shell && c == '\\' && at+1 < len(l):
		return at + 2
	case x.percents && c == '%':
		if end := x.percent(i, at); end > 0 {
			return end
		}
	case x.pages && strings.HasPrefix(rest, pageEnds):
		x.hide(i, at, at+len(pageEnds))
		x.push(i, pageText)
		return at + len(pageEnds)
	case x.chars && c == '\'':
		return x.character(i, at)
	case x.patterns && c == '/' && (x.mayBegin() || x.isTested(l, at)):
		if end := patternEnd(l, at); end > 0 {
			x.hide(i, at+1, end-1)
			x.reveal(i, at+1, end-1, x.innerOf(l, at, '"'))
			x.last = '"'
			return end
		}
	case x.documents && strings.HasPrefix(rest, "<<"):
		if name, n := x.documentAt(l, at); n > 0 && !x.missing[name] && len(x.next) < maxInside {
			f := frame{end: name, alone: true}
			if !strings.Contains(l[at:at+n], "'") {
				f.inner = x.innerOf(l, at, '"')
			}
			x.next = append(x.next, f)
			x.last = '"'
			return at + n
		}
	case len(x.open) > 0 && c == '{':
		x.open[len(x.open)-1].braces++
	case len(x.open) > 0 && c == '}':
		if x.open[len(x.open)-1].braces == 0 {
			x.pop()
		} else {
			x.open[len(x.open)-1].braces--
		}
	}
	_, size := utf8.DecodeRuneInString(rest)
	if c != ' ' && c != '\t' {
		x.last, x.word = c, ""
		if c == '>' && at > 0 && l[at-1] == '=' { // the arrow of a function
			x.last = '='
		}
	}
	x.hideInside(i, at, at+size)
	return at + size
}

// hideInside masks code within a template.
func (x *masker) hideInside(i, from, to int) {
	if len(x.open) > 0 {
		x.hideCode(i, from, to)
	}
}

// begins reports whether the sign of a comment stands at a place.
func (x *masker) begins(l string, at int, sign string) bool {
	if !strings.HasPrefix(l[at:], sign) || sign == "#" && len(x.lineSigns) > 1 && strings.HasPrefix(l[at:], "#[") {
		return false
	}
	return !x.apart || at == 0 || strings.IndexByte(" \t;)", l[at-1]) >= 0
}

// nest counts the open brackets. The branches of a condition of the preprocessor begin with the same number.
func (x *masker) nest() {
	type branch struct {
		begin int
		other bool
	}
	depth, n := make([]int, len(x.lines)), 0
	x.other = make([]bool, len(x.lines))
	var branches []branch
	for i, l := range x.code {
		depth[i] = n
		last := len(branches) - 1
		if x.kinds[i] == directive {
			switch t := strings.TrimLeft(strings.TrimLeft(x.lines[i], " \t"), "# \t"); {
			case strings.HasPrefix(t, "if"):
				branches = append(branches, branch{begin: n})
			case last >= 0 && strings.HasPrefix(t, "el"):
				branches[last].other = branches[last].other || n > branches[last].begin
				n = branches[last].begin
			case last >= 0 && strings.HasPrefix(t, "endif"):
				branches = branches[:last]
			}
			continue
		}
		x.other[i] = last >= 0 && branches[last].other
		for at := range len(l) {
			switch l[at] {
			case '(', '[', '{':
				n++
			case ')', ']', '}':
				n--
			}
		}
		if n < 0 {
			return
		}
	}
	if n == 0 {
		x.depth, x.until = depth, nextShallow(depth)
	}
}

// nextShallow returns for each number the index of the next one that is not larger, or the length of the list.
func nextShallow(depth []int) []int {
	out := make([]int, len(depth))
	var open []int // indexes whose next one is not known, with rising numbers
	for i, n := range depth {
		for len(open) > 0 && depth[open[len(open)-1]] >= n {
			out[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
		open = append(open, i)
	}
	for _, i := range open {
		out[i] = len(depth)
	}
	return out
}
