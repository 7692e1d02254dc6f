package text

import (
	"strings"

	"golang.org/x/net/html"
)

// frame is an open element.
type frame struct {
	tag   string
	block block
	line  []byte         // words outside any block so far
	marks map[string]int // positions in line where open inline marks begin
	href  string         // of the open link
}

// reader reads HTML token by token. It builds no tree, so that nesting costs no more than the size of the
// text.
type reader struct {
	open []*frame
	skip string // element whose content is skipped; "" outside
	left int    // bytes of words that may still follow
	cut  bool
}

// blockTags are elements that begin a line and leave nothing else.
var blockTags = map[string]bool{"p": true, "div": true, "section": true, "article": true, "header": true, "footer": true,
	"address": true, "dl": true,
	"dt": true, "dd": true, "figure": true, "figcaption": true, "center": true, "form": true, "details": true, "summary": true,
	"main": true, "aside": true}

// frames are elements that contain blocks.
var frames = map[string]kind{"h1": heading, "h2": heading, "h3": heading, "h4": heading, "h5": heading, "h6": heading, "ul": list,
	"ol": list, "li": item,
	"blockquote": quote, "pre": code, "table": table, "tr": row, "td": cell, "th": cell}

var marks = map[string]string{"b": "**", "strong": "**", "i": "*", "em": "*", "s": "~~", "del": "~~", "strike": "~~", "code": "`",
	"tt": "`", "kbd": "`"}

// skippedTags are elements whose content is not text.
var skippedTags = map[string]bool{"script": true, "style": true, "head": true, "title": true, "template": true, "object": true,
	"iframe": true, "noscript": true, "svg": true, "math": true}

// FromHTML returns HTML as Markdown of at most n bytes, and reports whether it was cut.
func FromHTML(s string, n int) (md string, cut bool) {
	r := &reader{open: []*frame{{}}, left: 2 * n}
	z := html.NewTokenizer(strings.NewReader(s))
	z.SetMaxBuf(1 << 20)
	for !r.cut {
		switch z.Next() {
		case html.ErrorToken: // the end, or a token beyond the bound: a reader of memory has no other errors
			r.cut = r.cut || z.Err() == html.ErrBufferExceeded
			r.closeTo(0)
			md, cut = render(r.open[0].block.children, n)
			return md, cut || r.cut
		case html.TextToken:
			r.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			r.start(z)
		case html.EndTagToken:
			name, _ := z.TagName()
			r.end(string(name))
		}
	}
	r.closeTo(0)
	md, _ = render(r.open[0].block.children, n)
	return md, true
}

func (r *reader) top() *frame { return r.open[len(r.open)-1] }

func (r *reader) text(s string) {
	if r.skip != "" {
		return
	}
	if r.left -= len(s); r.left < 0 {
		r.cut, s = true, s[:max(0, len(s)+r.left)]
	}
	f := r.top()
	if f.block.kind == code {
		f.line = append(f.line, s...)
		return
	}
	for i, w := range strings.FieldsFunc(s, isSpace) {
		if i > 0 {
			f.line = append(f.line, ' ')
		} else if isSpace(rune(s[0])) {
			f.space()
		}
		f.line = append(f.line, w...)
	}
	if s != "" && isSpace(rune(s[len(s)-1])) {
		f.space()
	}
}

func isSpace(c rune) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

// space writes a space unless the line ends with one.
func (f *frame) space() {
	if n := len(f.line); n > 0 && !isSpace(rune(f.line[n-1])) {
		f.line = append(f.line, ' ')
	}
}

// flush makes a paragraph of the words so far.
func (f *frame) flush() {
	if f.block.kind == code {
		return
	}
	s := strings.Trim(string(f.line), " \n")
	f.line, f.marks = f.line[:0], nil
	if s != "" {
		f.block.children = append(f.block.children, block{text: s})
	}
}

func (r *reader) start(z *html.Tokenizer) {
	name, more := z.TagName()
	tag := string(name)
	if r.skip != "" {
		return
	}
	attrs := map[string]string{}
	for more && len(attrs) < 20 {
		var k, v []byte
		k, v, more = z.TagAttr()
		attrs[string(k)] = string(v)
	}
	f := r.top()
	k, isFrame := frames[tag]
	switch {
	case skippedTags[tag]:
		r.skip = tag
	case f.block.kind == code && tag != "br":
	case tag == "br":
		f.line = append(f.line, '\n')
	case tag == "hr":
		f.flush()
		f.block.children = append(f.block.children, block{kind: rule})
	case blockTags[tag]:
		f.flush()
	case tag == "a":
		f.href = attrs["href"]
		f.beginMark("a")
	case tag == "input" && attrs["type"] == "checkbox":
		_, on := attrs["checked"]
		f.line = append(f.line, map[bool]string{true: "[x] ", false: "[ ] "}[on]...)
	case marks[tag] != "":
		f.beginMark(marks[tag])
	case isFrame:
		r.push(tag, k)
	}
}

// push opens an element that contains blocks, and ends the elements that cannot contain it.
func (r *reader) push(tag string, k kind) {
	switch tag {
	case "li":
		r.endWithin(tag, "ul", "ol")
	case "tr":
		r.endWithin(tag, "table")
	case "td", "th":
		r.endWithin("td", "tr")
		r.endWithin("th", "tr")
	}
	r.top().flush()
	if len(r.open) > maxDepth { // deeper content becomes words of the current element
		return
	}
	b := block{kind: k, ordered: tag == "ol", head: tag == "th"}
	if k == heading {
		b.level = int(tag[1] - '0')
	}
	r.open = append(r.open, &frame{tag: tag, block: b})
}

// endWithin ends an open element, unless one of the others was opened in it.
func (r *reader) endWithin(tag string, others ...string) {
	for i := len(r.open) - 1; i > 0; i-- {
		if r.open[i].tag == tag {
			r.closeTo(i)
			return
		}
		for _, o := range others {
			if r.open[i].tag == o {
				return
			}
		}
	}
}

func (r *reader) end(tag string) {
	if r.skip != "" {
		if r.skip == tag {
			r.skip = ""
		}
		return
	}
	f := r.top()
	switch {
	case f.block.kind == code && tag != "pre":
	case tag == "a":
		f.finishMark("a", func(s string) string { return writeLink(s, f.href) })
	case marks[tag] != "":
		f.finishMark(marks[tag], func(s string) string { return markSpan(marks[tag], s) })
	case blockTags[tag]:
		f.flush()
	case frames[tag] != 0:
		for i := len(r.open) - 1; i > 0; i-- {
			if r.open[i].tag == tag {
				r.closeTo(i)
				return
			}
		}
	}
}

// beginMark stores the position where the words of a mark begin. A nested equal mark replaces the position, so
// that no words are read twice.
func (f *frame) beginMark(mark string) {
	if f.marks == nil {
		f.marks = map[string]int{}
	}
	f.marks[mark] = len(f.line)
}

// finishMark puts a mark around the words since its beginning.
func (f *frame) finishMark(mark string, around func(string) string) {
	if at, open := f.marks[mark]; open && at <= len(f.line) {
		f.line = append(f.line[:at], around(string(f.line[at:]))...)
	}
	delete(f.marks, mark)
}

// closeTo ends the open elements from a position on.
func (r *reader) closeTo(at int) {
	for i := len(r.open) - 1; i >= max(at, 1); i-- {
		f := r.open[i]
		f.flush()
		b := f.block
		switch b.kind {
		case code:
			b.text = string(f.line)
		case heading:
			b.text, b.children = plainWords(b.children, 1<<20), nil
		case item:
			b = extractCheckBox(b)
		}
		r.open = r.open[:i]
		up := r.top()
		up.flush()
		up.block.children = append(up.block.children, fitInto(up.block.kind, b)...)
	}
	if at == 0 {
		r.open[0].flush()
	}
}

// fitInto returns a block in the form that its parent allows: lists contain items, tables contain rows.
func fitInto(in kind, b block) []block {
	switch {
	case in == list && b.kind != item:
		return []block{{kind: item, children: []block{b}}}
	case in == table && b.kind != row, in == row && b.kind != cell:
		return fitInto(table, block{kind: map[kind]kind{table: row, row: cell}[in], children: []block{b}})
	case in != list && b.kind == item, in != table && b.kind == row, in != row && b.kind == cell:
		return b.children
	}
	return []block{b}
}
