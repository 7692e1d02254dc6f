package tracker

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/regexp"
)

// entry is a criterion, or a part of a scenario, in a section.
type entry struct {
	text  string
	form  CriterionForm
	group string // heading of the group above it
}

// node is a list item with the items below it.
type node struct {
	indent int
	form   CriterionForm
	text   []string
	below  []*node
}

// maxNesting is the deepest level of lists. Deeper items join the last level.
const maxNesting = 5

var (
	listMark = regexp.MustCompile(`^(\s*)(?:([-*+•◦▪–])\s+|(\d{1,3}[.)]|[a-z]\))\s+)?(\[[ xX✓✔]?\]\s+|[☐☑☒✅✔]\x{fe0f}?\s*)?(\S.*)$`)
	divider  = regexp.MustCompile(`^\s*\|?[\s:|-]*-[\s:|-]*$`)
)

// isItem reports whether a line begins a list item.
func isItem(line string) bool {
	_, _, _, is := mark(line)
	return is
}

// mark reads the mark before a list item. is reports whether the line has one.
func mark(line string) (indent int, form CriterionForm, text string, is bool) {
	m := listMark.FindStringSubmatch(line)
	if m == nil || m[2] == "" && m[3] == "" && m[4] == "" {
		return 0, "", "", false
	}
	switch {
	case m[4] != "":
		form = FormBox
	case m[3] != "":
		form = FormNumbered
	default:
		form = FormBulleted
	}
	return len(m[1]), form, m[5], true
}

// reader reads the lines of a section.
type reader struct {
	names [][]string // headings that are not groups
	out   []entry
	group string
	roots []*node
	open  []*node // from the outermost to the innermost
	para  []string
	blank bool // the previous line was blank
	rows  int  // rows read from the current table
}

// readItems returns the entries of a section in their order.
func readItems(lines []string, names [][]string) []entry {
	r := &reader{names: names}
	code := false
	for at := 0; at < len(lines); at++ {
		line := lines[at]
		if fence.MatchString(line) {
			code = !code
			r.finish()
			continue
		}
		if code && len(r.para) == 0 && stepOf(plainLine(line)) == stepNone && !strings.HasPrefix(strings.TrimSpace(line), "|") {
			continue // code is not a criterion, but may contain scenarios
		}
		if !code {
			if level, text, length := headingAt(lines, at); level != levelNone {
				r.heading(text)
				at += length - 1
				continue
			}
		}
		r.line(line, lines[at+1:])
	}
	r.finish()
	return r.out
}

// finish ends the current list, paragraph or table.
func (r *reader) finish() {
	for _, n := range r.roots {
		r.flatten(n, "")
	}
	if text := plainLine(strings.Join(r.para, " ")); text != "" {
		r.emit(text, FormParagraph)
	}
	r.roots, r.open, r.para, r.rows = nil, nil, nil, 0
}

func (r *reader) heading(text string) {
	r.finish()
	name := sectionName(text)
	r.group = strings.TrimSuffix(plainLine(text), ":")
	for _, names := range r.names {
		for _, n := range names {
			if n == name {
				r.group = ""
			}
		}
	}
	if scenarioName.MatchString(r.group) {
		r.out, r.group = append(r.out, entry{text: r.group, form: FormScenario}), ""
	}
}

func (r *reader) emit(text string, form CriterionForm) {
	r.out = append(r.out, entry{text, form, r.group})
}

func (r *reader) line(line string, next []string) {
	trimmed := strings.TrimSpace(line)
	blank := r.blank
	r.blank = trimmed == ""
	if r.blank {
		if len(r.para) > 0 || r.rows > 0 {
			r.finish()
		}
		return
	}
	if strings.HasPrefix(trimmed, "|") && len(trimmed) > 1 {
		r.row(trimmed, next)
		return
	}
	if indent, form, text, is := mark(line); is {
		r.item(indent, form, text)
		return
	}
	if len(r.open) > 0 {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if !blank || indent > r.open[0].indent {
			last := r.open[len(r.open)-1]
			last.text = append(last.text, trimmed)
			return
		}
	}
	if len(r.open) > 0 || r.beginsStep(plainLine(trimmed)) {
		r.finish()
	}
	r.para = append(r.para, trimmed)
}

// beginsStep reports whether a text line begins a step, and not the middle of a sentence.
func (r *reader) beginsStep(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return stepOf(text) != stepNone && (len(r.para) == 0 || stepOf(plainLine(r.para[0])) != stepNone || !unicode.IsLower(first))
}

func (r *reader) item(indent int, form CriterionForm, text string) {
	if len(r.para) > 0 || r.rows > 0 {
		r.finish()
	}
	n := &node{indent: indent, form: form, text: []string{text}}
	for len(r.open) > 0 && (indent < r.open[len(r.open)-1].indent+2 || len(r.open) >= maxNesting) {
		r.open = r.open[:len(r.open)-1]
	}
	if len(r.open) == 0 {
		r.roots = append(r.roots, n)
	} else {
		upper := r.open[len(r.open)-1]
		upper.below = append(upper.below, n)
	}
	r.open = append(r.open, n)
}

// row reads a row of a table. The row above a divider is the header.
func (r *reader) row(line string, next []string) {
	if r.rows == 0 {
		r.finish()
	}
	r.rows++
	if divider.MatchString(line) || len(next) > 0 && r.rows == 1 && divider.MatchString(next[0]) && strings.Contains(next[0], "|") {
		return
	}
	var cells []string
	for _, c := range strings.Split(strings.Trim(line, "|"), "|") {
		if c = plainLine(c); hasLetters(c) {
			cells = append(cells, c)
		}
	}
	if len(cells) > 0 {
		r.emit(strings.Join(cells, "; "), FormRow)
	}
}

// flatten adds the entries of an item and the items below it.
func (r *reader) flatten(n *node, above string) {
	text := plainLine(strings.Join(n.text, " "))
	if isStruckOut(strings.Join(n.text, " ")) {
		return
	}
	whole := join(above, text)
	if len(n.below) == 0 {
		r.emit(whole, n.form)
		return
	}
	boxes := false
	for _, b := range n.below {
		boxes = boxes || b.form == FormBox
	}
	if boxes || strings.HasSuffix(text, ":") {
		for _, b := range n.below {
			r.flatten(b, whole)
		}
		return
	}
	r.emit(join(whole, strings.Join(r.innerTexts(n), "; ")), n.form)
}

// innerTexts returns the texts of the items below one.
func (r *reader) innerTexts(n *node) (out []string) {
	for _, b := range n.below {
		raw := strings.Join(b.text, " ")
		if isStruckOut(raw) {
			continue
		}
		out = append(append(out, plainLine(raw)), r.innerTexts(b)...)
	}
	return out
}

// join prefixes a text with the text above it.
func join(above, text string) string {
	above = strings.TrimSpace(strings.TrimRight(above, ":： "))
	switch {
	case above == "":
		return text
	case text == "":
		return above
	}
	return above + ": " + text
}

var (
	image    = regexp.MustCompile(`!\[([^\]]*)\]\([^()\s]*\)`)
	link     = regexp.MustCompile(`\[([^\[\]]+)\]\([^()\s]*(?:\s+"[^"]*")?\)`)
	lineEnd  = regexp.MustCompile(`(?i)<br\s*/?>`)
	escaped  = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")
	wholeCut = regexp.MustCompile(`^\s*~~[^~]+~~[\s.]*$`)
)

// isStruckOut reports whether a whole text is struck out.
func isStruckOut(text string) bool { return wholeCut.MatchString(text) }

// plainLine returns a text as one line without invisible characters and without Markdown marks that carry no
// meaning. It keeps code with its marks.
func plainLine(text string) string {
	parts := strings.Split(lineEnd.ReplaceAllString(text, " "), "`")
	for i := 0; i < len(parts); i += 2 {
		s := link.ReplaceAllString(image.ReplaceAllString(parts[i], "$1"), "$1")
		s = strings.NewReplacer("**", "", "__", "", "~~", "").Replace(s)
		parts[i] = escaped.ReplaceAllString(s, "$1")
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), unicode.Is(unicode.Variation_Selector, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.Join(parts, "`"))
	return strings.Join(strings.Fields(text), " ")
}

// hasLetters reports whether a text has a letter.
func hasLetters(text string) bool { return strings.IndexFunc(text, unicode.IsLetter) >= 0 }
