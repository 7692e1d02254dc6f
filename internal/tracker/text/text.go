// Package text converts the formatted texts of trackers (the Atlassian Document Format, Jira's wiki text,
// HTML) to Markdown and back. Reading never fails: unknown parts become plain text. It keeps headings,
// lists, check boxes, code and tables, because acceptance criteria use them, and drops pictures, scripts
// and styles. Time and memory grow only with the size of a text, not with its depth. Text beyond the bound
// is cut and reported.
package text

import (
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// maxDepth is the deepest nesting of written blocks. Deeper ones become paragraphs of the block above
// (design choice).
const maxDepth = 30

type kind int

const (
	paragraph kind = iota
	heading
	list
	item
	quote
	code
	table
	row
	cell
	rule
)

// block is a part of a text, in any of the formats.
type block struct {
	kind     kind
	text     string // inline Markdown, or code
	lang     string
	level    int  // of a heading
	ordered  bool // a numbered list
	check    byte // of an item: 0 for no box, ' ' or 'x'
	head     bool // a header cell
	children []block
}

// writer writes Markdown up to a bound.
type writer struct {
	b    strings.Builder
	max  int
	full bool
}

// render returns blocks as Markdown of at most n bytes, and reports whether it was cut.
func render(blocks []block, n int) (string, bool) {
	w := &writer{max: n}
	w.blocks(blocks, "", "", 0)
	out, cut := wire.Clean(strings.TrimRight(w.b.String(), "\n"), n)
	return out, cut || w.full
}

func (w *writer) line(prefix, s string) {
	if w.full {
		return
	}
	if w.b.Len()+len(prefix)+len(s) > w.max {
		w.full = true
		s = s[:min(len(s), w.max)]
	}
	w.b.WriteString(strings.TrimRight(prefix+s, " \t"))
	w.b.WriteByte('\n')
}

// blocks writes blocks with first before the first line and rest before every other line.
func (w *writer) blocks(blocks []block, first, rest string, depth int) {
	for i, b := range blocks {
		if w.full {
			return
		}
		if i > 0 && (b.kind != list || depth == 0) {
			w.line(rest, "")
		}
		w.block(b, first, rest, depth)
		first = rest
	}
}

func (w *writer) block(b block, first, rest string, depth int) {
	switch b.kind {
	case heading:
		w.line(first, strings.Repeat("#", min(max(b.level, 1), 6))+" "+clip.Line(b.text))
	case list:
		w.list(b, first, rest, depth)
	case quote:
		w.nested(b.children, first+"> ", rest+"> ", depth)
	case code:
		w.code(b, first, rest)
	case table:
		w.table(b, first, rest)
	case rule:
		w.line(first, "---")
	default:
		for l := range strings.SplitSeq(b.text, "\n") {
			w.line(first, l)
			first = rest
		}
	}
}

// nested writes the blocks in a block, or only their words at too great a depth.
func (w *writer) nested(blocks []block, first, rest string, depth int) {
	if depth < maxDepth {
		w.blocks(blocks, first, rest, depth+1)
		return
	}
	w.line(first, clip.Line(plainWords(blocks, w.max)))
}

func (w *writer) list(b block, first, rest string, depth int) {
	for n, it := range b.children {
		if w.full {
			return
		}
		mark := "- "
		if b.ordered {
			mark = strconv.Itoa(n+1) + ". "
		}
		indent := strings.Repeat(" ", len(mark))
		if it.check != 0 {
			mark += "[" + string(it.check) + "] "
		}
		if len(it.children) == 0 {
			w.line(first, mark)
		} else {
			w.nested(it.children, first+mark, rest+indent, depth)
		}
		first = rest
	}
}

// code writes code between fences that are longer than all fences in it.
func (w *writer) code(b block, first, rest string) {
	fence := "```"
	for strings.Contains(b.text, fence) && len(fence) < 40 {
		fence += "`"
	}
	w.line(first, fence+clip.Line(b.lang))
	for l := range strings.SplitSeq(strings.TrimRight(b.text, "\n"), "\n") {
		w.line(rest, l)
	}
	w.line(rest, fence)
}

// table writes the rows, and the line that Markdown needs after the first one.
func (w *writer) table(b block, first, rest string) {
	for n, r := range b.children {
		var line strings.Builder
		line.WriteString("|")
		for _, c := range r.children {
			line.WriteString(" " + inCell(c, w.max) + " |")
			if line.Len() > w.max {
				break
			}
		}
		w.line(first, line.String())
		first = rest
		if n == 0 {
			w.line(rest, "|"+strings.Repeat(" --- |", min(max(len(r.children), 1), 100)))
		}
	}
}

// inCell returns the content of a cell in one line.
func inCell(c block, n int) string {
	s, _ := render(c.children, n)
	s = strings.ReplaceAll(strings.TrimSpace(s), "|", `\|`)
	return strings.ReplaceAll(s, "\n", "<br>")
}

// plainWords returns the texts of blocks and their descendants, in about n bytes.
func plainWords(blocks []block, n int) string {
	var b strings.Builder
	todo := [][]block{blocks}
	for len(todo) > 0 && b.Len() < n {
		last := len(todo) - 1
		if len(todo[last]) == 0 {
			todo = todo[:last]
			continue
		}
		x := todo[last][0]
		todo[last] = todo[last][1:]
		if x.text != "" {
			b.WriteString(x.text + " ")
		}
		todo = append(todo, x.children)
	}
	return b.String()
}

// markSpan puts marks around a text, inside its outer spaces.
func markSpan(mark, s string) string {
	inner := strings.TrimSpace(s)
	if inner == "" {
		return s
	}
	at := strings.Index(s, inner)
	return s[:at] + mark + inner + mark + s[at+len(inner):]
}

// inlineCode returns a text as inline code.
func inlineCode(s string) string {
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return markSpan("`", s)
}

// writeLink returns a link, or only the address if the words equal it.
func writeLink(words, address string) string {
	address = wire.Address(address)
	inner := strings.TrimSpace(words)
	switch {
	case address == "":
		return words
	case inner == "" || inner == address:
		return address
	}
	at := strings.Index(words, inner)
	return words[:at] + "[" + inner + "](" + strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(address) + ")" +
		words[at+len(inner):]
}

// extractCheckBox removes a check box from the beginning of an item and stores its state.
func extractCheckBox(it block) block {
	if it.check != 0 || len(it.children) == 0 || it.children[0].kind != paragraph {
		return it
	}
	first := it.children[0].text
	for prefix, check := range map[string]byte{"[ ] ": ' ', "[x] ": 'x', "[X] ": 'x', "☐ ": ' ', "☑ ": 'x', "☒ ": 'x', "✅ ": 'x'} {
		if rest, found := strings.CutPrefix(strings.TrimLeft(first, " "), prefix); found {
			it.check = check
			it.children[0].text = rest
			return it
		}
	}
	return it
}
