package tickets

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// outsideCode returns a text without Markdown's fenced code, indented code and code spans, in which hosts do not look for
// references. Blocks are told apart as CommonMark does (sections 4.4, 4.5, 5.1 and 5.2), except that any list item may interrupt a
// paragraph. The time is linear in the text.
func outsideCode(text string) string {
	var out, paragraph strings.Builder
	var in blocks
	for line := range strings.Lines(text) {
		kind := in.next(strings.TrimRight(line, "\r\n"))
		if kind == textLine {
			paragraph.WriteString(line)
			continue
		}
		out.WriteString(outsideSpans(paragraph.String()))
		paragraph.Reset()
		if kind == blankLine {
			out.WriteByte('\n')
		}
	}
	return out.String() + outsideSpans(paragraph.String())
}

// The kinds of lines.
const (
	textLine = iota
	blankLine
	codeLine
)

// maxContainers is how many quotations and list items may stand within each other (design choice). The markers of deeper ones
// count as text.
const maxContainers = 50

// blocks is the state of Markdown's blocks after some lines.
type blocks struct {
	open      []int  // the quotations (0) and list items (columns of their content) in which the next line may stand
	fence     string // that began fenced code; "" outside
	paragraph bool   // the last line was text that the next line may continue
}

// next takes a line and returns its kind.
func (b *blocks) next(line string) int {
	line = b.within(line)
	bare := strings.TrimSpace(line)
	if b.fence != "" {
		if indentOf(line) < indentedCode && len(bare) >= len(b.fence) && strings.Trim(bare, b.fence[:1]) == "" {
			b.fence = ""
		}
		return codeLine
	}
	line = b.enter(line)
	bare = strings.TrimSpace(line)
	switch {
	case bare == "":
		b.paragraph = false
		return blankLine
	case indentOf(line) >= indentedCode && !b.paragraph:
		return codeLine
	case indentOf(line) < indentedCode && fenceOf(bare) != "":
		b.fence, b.paragraph = fenceOf(bare), false
		return codeLine
	}
	b.paragraph = !heading.MatchString(bare)
	return textLine
}

// within takes the marks of the open containers off a line. Containers without their mark end, with the code in them.
func (b *blocks) within(line string) string {
	for i, columns := range b.open {
		rest, is := strings.CutPrefix(strings.TrimLeft(line, " "), ">")
		switch {
		case columns == 0 && is && indentOf(line) < indentedCode:
			line = strings.TrimPrefix(rest, " ")
			continue
		case columns > 0 && strings.TrimSpace(line) == "":
			continue
		case columns > 0 && indentOf(line) >= columns:
			line = unindent(line, columns)
			continue
		}
		b.open, b.fence = b.open[:i], ""
		break
	}
	return line
}

// enter takes the marks of new containers off a line.
func (b *blocks) enter(line string) string {
	for len(b.open) < maxContainers && indentOf(line) < indentedCode {
		if rest, is := strings.CutPrefix(strings.TrimLeft(line, " "), ">"); is {
			b.open, b.paragraph = append(b.open, 0), false
			line = strings.TrimPrefix(rest, " ")
			continue
		}
		mark := listMark.FindString(line)
		if mark == "" {
			break
		}
		rest, columns := line[len(mark):], len(strings.TrimRight(mark, " \t"))+1
		further := 0 // columns before the content, besides the one that belongs to the mark
		if n := indentOf(rest); n < indentedCode && strings.TrimSpace(rest) != "" {
			further = n
		}
		b.open, b.paragraph = append(b.open, columns+further), false
		line = unindent(rest, further)
	}
	return line
}

// indentedCode is the indentation of code, in columns.
const indentedCode = 4

// indentOf returns the columns of white space at the start of a line. A tab goes to the next multiple of four.
func indentOf(line string) (columns int) {
	for _, c := range []byte(line) {
		switch c {
		case ' ':
			columns++
		case '\t':
			columns += 4 - columns%4
		default:
			return columns
		}
	}
	return columns
}

// unindent takes columns of white space off a line.
func unindent(line string, columns int) string {
	rest := strings.TrimLeft(line, " \t")
	return strings.Repeat(" ", max(indentOf(line)-columns, 0)) + rest
}

// fenceOf returns the fence that a line without indentation begins, "" if it begins none.
func fenceOf(line string) string {
	m := fenceBegins.FindStringSubmatch(line)
	if m == nil || m[1][0] == '`' && strings.Contains(m[2], "`") {
		return ""
	}
	return m[1]
}

// outsideSpans returns a paragraph with a space for each code span: what stands between two runs of equally many backticks.
func outsideSpans(s string) string {
	runs := backticks.FindAllStringIndex(s, -1)
	closer, later := make([]int, len(runs)), map[int]int{} // the next run of the same length; 0 without one
	for i := len(runs) - 1; i >= 0; i-- {
		n := runs[i][1] - runs[i][0]
		closer[i], later[n] = later[n], i
	}
	var b strings.Builder
	at := 0
	for i := 0; i < len(runs); i++ {
		before := s[:runs[i][0]]
		escaped := (len(before)-len(strings.TrimRight(before, `\`)))%2 == 1
		if closer[i] == 0 || escaped {
			continue
		}
		b.WriteString(s[at:runs[i][0]])
		b.WriteByte(' ')
		i = closer[i]
		at = runs[i][1]
	}
	return b.String() + s[at:]
}

var (
	// fenceBegins matches a line that begins fenced code.
	fenceBegins = regexp.MustCompile("^(`{3,}|~{3,})(.*)")
	// listMark matches the mark of a list item.
	listMark  = regexp.MustCompile(`^ {0,3}(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)`)
	heading   = regexp.MustCompile(`^#{1,6}(?:[ \t]|$)`)
	backticks = regexp.MustCompile("`+")
)
