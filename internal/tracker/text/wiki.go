package text

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// FromWiki returns Jira's wiki text (jira.atlassian.com/secure/WikiRendererHelpAction.jspa) as Markdown of
// at most n bytes, and reports whether it was cut.
func FromWiki(s string, n int) (md string, cut bool) {
	if len(s) > 4*n {
		s, cut = s[:4*n], true
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	w := &wikiReader{}
	for line := range strings.SplitSeq(s, "\n") {
		w.line(strings.TrimRight(line, " \t"))
	}
	if w.fence != "" {
		w.endCode()
	}
	w.flush()
	for len(w.quotes) > 0 {
		w.endQuote()
	}
	md, more := render(w.out, n)
	return md, cut || more
}

type wikiReader struct {
	out    []block
	quotes []openQuote // open {quote} and {panel} tags
	para   []string
	rows   []block
	lists  []block // the open lists, outermost first; items join the last
	fence  string  // "{code}" or "{noformat}" while one is open
	lang   string
	code   []string
}

type openQuote struct {
	tag   string
	outer []block
}

var (
	wikiHeading = regexp.MustCompile(`^h([1-6])\.\s+(.*)$`)
	wikiItem    = regexp.MustCompile(`^\s*([*#]+|-)\s+(.*)$`)
	wikiOpen    = regexp.MustCompile(`^\s*\{(code|noformat)(?::([^}]*))?\}(.*)$`)
	wikiPanel   = regexp.MustCompile(`^\s*\{(quote|panel)(?::([^}]*))?\}(.*)$`)
	wikiTitle   = regexp.MustCompile(`(?:^|\|)title=([^|]*)`)
)

func (w *wikiReader) line(l string) {
	if w.fence != "" {
		if before, after, found := strings.Cut(l, w.fence); found {
			w.code = append(w.code, before)
			w.endCode()
			if strings.TrimSpace(after) != "" {
				w.line(after)
			}
			return
		}
		w.code = append(w.code, l)
		return
	}
	if m := wikiOpen.FindStringSubmatch(l); m != nil {
		w.openCode(m)
		return
	}
	if m := wikiPanel.FindStringSubmatch(l); m != nil {
		w.panel(m)
		return
	}
	trimmed := strings.TrimSpace(l)
	if !strings.HasPrefix(trimmed, "|") {
		w.endTable()
	}
	switch {
	case trimmed == "":
		w.flush()
	case strings.Trim(trimmed, "-") == "" && len(trimmed) >= 4:
		w.flush()
		w.out = append(w.out, block{kind: rule})
	case strings.HasPrefix(trimmed, "bq. "):
		w.flush()
		w.out = append(w.out, block{kind: quote, children: []block{{text: wikiInline(trimmed[4:])}}})
	case strings.HasPrefix(trimmed, "|"):
		w.endText()
		w.rows = append(w.rows, wikiRow(trimmed))
	default:
		w.words(l)
	}
}

func (w *wikiReader) words(l string) {
	if m := wikiHeading.FindStringSubmatch(l); m != nil {
		w.flush()
		w.out = append(w.out, block{kind: heading, level: int(m[1][0] - '0'), text: wikiInline(m[2])})
		return
	}
	if m := wikiItem.FindStringSubmatch(l); m != nil {
		w.endPara()
		w.item(m[1], block{kind: item, children: []block{{text: wikiInline(m[2])}}})
		return
	}
	if n := len(w.lists); n > 0 { // a line below an item belongs to the item
		items := w.lists[n-1].children
		last := &items[len(items)-1].children[0]
		last.text += "\n" + wikiInline(strings.TrimSpace(l))
		return
	}
	w.para = append(w.para, wikiInline(strings.TrimSpace(l)))
}

// item adds an item at the depth of its marks.
func (w *wikiReader) item(marks string, it block) {
	depth, ordered := min(len(marks), maxDepth), strings.HasSuffix(marks, "#")
	for len(w.lists) > depth {
		w.endList()
	}
	if n := len(w.lists); n == depth && w.lists[n-1].ordered != ordered {
		w.endList()
	}
	if len(w.lists) < depth { // a list that skips a depth begins at the next one
		w.lists = append(w.lists, block{kind: list, ordered: ordered})
	}
	open := &w.lists[len(w.lists)-1]
	open.children = append(open.children, extractCheckBox(it))
}

// endList moves the innermost list into the item above it, or to the text.
func (w *wikiReader) endList() {
	n := len(w.lists)
	l := w.lists[n-1]
	w.lists = w.lists[:n-1]
	if n == 1 {
		w.out = append(w.out, l)
		return
	}
	items := w.lists[n-2].children
	up := &items[len(items)-1]
	up.children = append(up.children, l)
}

func (w *wikiReader) endPara() {
	if len(w.para) > 0 {
		w.out = append(w.out, block{text: strings.Join(w.para, "\n")})
		w.para = nil
	}
}

func (w *wikiReader) endTable() {
	if len(w.rows) > 0 {
		w.out = append(w.out, block{kind: table, children: w.rows})
		w.rows = nil
	}
}

// endText ends paragraphs and lists; flush also ends tables.
func (w *wikiReader) endText() {
	w.endPara()
	for len(w.lists) > 0 {
		w.endList()
	}
}

func (w *wikiReader) flush() {
	w.endText()
	w.endTable()
}

func (w *wikiReader) openCode(m []string) {
	w.endPara()
	if len(w.lists) == 0 {
		w.flush()
	}
	w.fence, w.lang = "{"+m[1]+"}", ""
	if lang, _, _ := strings.Cut(m[2], "|"); m[1] == "code" && !strings.Contains(lang, "=") {
		w.lang = lang
	}
	if m[3] != "" {
		w.line(m[3])
	}
}

// endCode moves the code into the item above it, or to the text.
func (w *wikiReader) endCode() {
	b := block{kind: code, lang: w.lang, text: strings.Trim(strings.Join(w.code, "\n"), "\n")}
	w.fence, w.code = "", nil
	if n := len(w.lists); n > 0 {
		items := w.lists[n-1].children
		last := &items[len(items)-1]
		last.children = append(last.children, b)
		return
	}
	w.out = append(w.out, b)
}

// panel opens or ends a quote or a panel. Both tags may be on one line.
func (w *wikiReader) panel(m []string) {
	w.flush()
	if n := len(w.quotes); n > 0 && w.quotes[n-1].tag == m[1] && m[2] == "" {
		w.endQuote()
		if m[3] != "" {
			w.line(m[3])
		}
		return
	}
	if len(w.quotes) < maxDepth {
		w.quotes = append(w.quotes, openQuote{m[1], w.out})
		w.out = nil
	}
	if t := wikiTitle.FindStringSubmatch(m[2]); t != nil {
		w.out = append(w.out, block{text: markSpan("**", t[1])})
	}
	if rest, closed := strings.CutSuffix(m[3], "{"+m[1]+"}"); closed {
		w.line(rest)
		w.flush()
		w.endQuote()
	} else if m[3] != "" {
		w.line(m[3])
	}
}

func (w *wikiReader) endQuote() {
	n := len(w.quotes)
	if n == 0 {
		return
	}
	inside := w.out
	w.out = append(w.quotes[n-1].outer, block{kind: quote, children: inside})
	w.quotes = w.quotes[:n-1]
}

// wikiRow reads |a|b| or ||a||b||. Bars inside links and monospaced words do not separate cells.
func wikiRow(l string) block {
	r := block{kind: row}
	l = strings.TrimSuffix(strings.TrimSuffix(l, "|"), "|")
	for len(l) > 0 && len(r.children) < 200 {
		head := strings.HasPrefix(l, "||")
		l = strings.TrimPrefix(strings.TrimPrefix(l, "|"), "|")
		end, depth := len(l), 0
		for i := 0; i < len(l) && end == len(l); i++ {
			switch c := l[i]; {
			case c == '\\':
				i++
			case c == '[' || c == '{':
				depth++
			case c == ']' || c == '}':
				depth--
			case c == '|' && depth <= 0:
				end = i
			}
		}
		r.children = append(r.children, block{kind: cell, head: head, children: []block{{text: wikiInline(strings.TrimSpace(l[:end]))}}})
		l = l[end:]
	}
	return r
}

// wikiEscape matches an escaped character.
var wikiEscape = regexp.MustCompile(`\\([*_{}\[\]\-+^~!|#?])`)

// wikiRules convert inline marks. Each takes time proportional to the text.
var wikiRules = []struct {
	form *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`\{color(?::[^}]*)?\}`), ""},
	{regexp.MustCompile(`\{anchor:[^}]*\}`), ""},
	{regexp.MustCompile(`\[~(?:accountid:)?([^\]|]+)\]`), "@$1"},
	{regexp.MustCompile(`!\S+?\.(?i:png|jpe?g|gif|svg|bmp|webp)(?:\|[^!]*)?!`), ""},
	{regexp.MustCompile(`(^|[\s(])\*(\S(?:[^*\n]*\S)?)\*`), "$1**$2**"},
	{regexp.MustCompile(`(^|[\s(*])_(\S(?:[^_\n]*\S)?)_($|[\s).,;:!?*])`), "$1*$2*$3"},
	{regexp.MustCompile(`(^|[\s(])-(\S(?:[^-\n]*\S)?)-($|[\s).,;:!?])`), "$1~~$2~~$3"},
	{regexp.MustCompile(`\\\\`), "\n"},
	{wikiEscape, "$1"},
}

var (
	wikiMono = regexp.MustCompile(`\{\{(.+?)\}\}|\{code\}(.+?)\{code\}|\{noformat\}(.+?)\{noformat\}`)
	wikiLink = regexp.MustCompile(`\[(?:([^\]|\n]*)\|)?((?:https?)://[^\]|\s]+)(?:\|[^\]\n]*)?\]`)
)

func wikiInline(s string) string {
	var b strings.Builder
	for {
		m := wikiMono.FindStringSubmatchIndex(s)
		if m == nil {
			break
		}
		b.WriteString(wikiMarks(s[:m[0]]))
		for _, g := range []int{2, 4, 6} {
			if m[g] >= 0 {
				b.WriteString(inlineCode(wikiEscape.ReplaceAllString(s[m[g]:m[g+1]], "$1")))
			}
		}
		s = s[m[1]:]
	}
	b.WriteString(wikiMarks(s))
	return b.String()
}

func wikiMarks(s string) string {
	for _, r := range wikiRules {
		s = r.form.ReplaceAllString(s, r.with)
	}
	return wikiLink.ReplaceAllStringFunc(s, func(link string) string {
		m := wikiLink.FindStringSubmatch(link)
		return writeLink(m[1], m[2])
	})
}
