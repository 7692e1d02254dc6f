package structure

import (
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of enclosing lines. maxAround bounds the lines that [Outline.Place] names; it does not distinguish
// deeper places. maxLevels bounds the lines that are searched for a symbol, because people's code is never
// nested so deeply and each question walks over them.
const (
	maxAround = 32
	maxLevels = 128
)

// blocks maps every line to the lines that enclose it: those above with less indentation. It is built in
// one pass. A question about it costs at most its levels.
type blocks struct {
	masked
	language string
	lines    []string
	indent   []int  // -1 for a blank line, and for one that begins within a literal
	closes   []bool // the line only ends a block or a list
	outer    []int  // nearest line above that is indented less and opens a block; the nearest one above for a line without indentation; or -1
	brace    []int  // nearest line above that is indented less and has only a brace, or -1

	mu    sync.Mutex
	heads map[int]string     // by the index of a line
	names map[string]defined // by the text of a line
	ends  map[int]int        // by the first line of a block

	scopes map[string]openedScope // by the text of a line
}

// newBlocks reads lines; nil if there are more than maxLines.
func newBlocks(language string, lines []string) *blocks {
	n := len(lines)
	if n > maxLines {
		return nil
	}
	b := &blocks{masked: mask(maskedAs(language), lines), language: language, lines: lines, indent: make([]int, n), closes: make([]bool, n),
		outer: make([]int, n), brace: make([]int, n), heads: map[int]string{}, names: map[string]defined{}, ends: map[int]int{},
		scopes: map[string]openedScope{}}
	for i, l := range lines {
		if b.indent[i] = indent(l); b.kinds[i] == literalLine {
			b.indent[i] = -1
		}
		b.closes[i] = b.kinds[i] == codeLine && onlyCloses(b.code[i])
	}
	within := b.levels()
	var opens, braces []int // lines that may enclose later ones, each indented more than the one before
	filled := -1
	for i, in := range b.indent {
		if in < 0 {
			b.outer[i], b.brace[i] = filled, -1
			continue
		}
		filled = i
		b.outer[i], b.brace[i] = last(b.lessIndented(opens, within[i])), last(b.lessIndented(braces, within[i]))
		switch {
		case b.kinds[i] != codeLine:
		case strings.TrimSpace(b.code[i]) == "{":
			braces = append(b.lessIndented(braces, in), i)
		case !b.closes[i]:
			opens = append(b.lessIndented(opens, in), i)
		}
	}
	return b
}

// maskedAs returns the language by whose signs blocks are read. Go has a parser and other languages without blocks are not code:
// both are read with the usual signs, for their lines are only compared.
func maskedAs(language string) string {
	if language == "" || language != "Go" && blockLanguage(language) {
		return language
	}
	return "plain"
}

// levels returns the indentation by which each line is enclosed. A line that closes a block belongs to that
// block, so the line that opened it encloses it. A comment or label belongs to the next line of code, if that
// is indented more.
func (b *blocks) levels() []int {
	out, next := make([]int, len(b.indent)), 0
	for i := len(b.indent) - 1; i >= 0; i-- {
		out[i] = b.indent[i]
		switch {
		case b.kinds[i] == asideLine || b.kinds[i] == directive:
			out[i] = max(out[i], next)
		case b.closes[i]:
			out[i]++
		}
		if b.indent[i] >= 0 {
			next = out[i]
		}
	}
	return out
}

// lessIndented returns the beginning of a list of lines that is indented less than in.
func (b *blocks) lessIndented(lines []int, in int) []int {
	n, _ := slices.BinarySearchFunc(lines, in, func(i, in int) int { return b.indent[i] - in })
	return lines[:n]
}

func last(list []int) int {
	if len(list) == 0 {
		return -1
	}
	return list[len(list)-1]
}

// start returns the index from which the lines around a line are searched: the line itself or, if it is
// blank, the one above; -1 if neither exists. Indexes begin at 0.
func (b *blocks) start(line int) int {
	if b == nil || line < 1 || line > len(b.lines) {
		return -1
	}
	if at := line - 1; b.indent[at] >= 0 {
		return at
	}
	return b.outer[line-1]
}

// enclosing returns the next line that encloses a line, and its text. The text includes a brace that stands alone
// below the line, because the brace makes it a definition.
func (b *blocks) enclosing(at int) (int, string) {
	outer := b.outer[at]
	switch {
	case outer < 0:
		return -1, ""
	case b.brace[at] > outer:
		return outer, b.lines[outer] + " {"
	}
	return outer, b.lines[outer]
}

// symbol joins the definitions among the lines that enclose a line.
func (b *blocks) symbol(line int) (Symbol, bool) {
	at := b.start(line)
	if at < 0 {
		return Symbol{}, false
	}
	var names []string
	inner, text := Symbol{}, b.head(at)
	for level := 0; at >= 0 && level < maxLevels && len(names) < 3; level++ {
		if d := b.defined(text); d.name != "" {
			names = append(names, d.full())
			if inner.Start == 0 {
				inner.Start = at + 1
			}
		}
		at, text = b.outerHead(at)
	}
	if len(names) == 0 {
		return Symbol{}, false
	}
	slices.Reverse(names)
	inner.Name = strings.Join(names, ".")
	inner.End = b.end(inner.Start)
	return inner, inner.Contains(line)
}

// types returns the names of the types and objects around a line, innermost first.
func (b *blocks) types(line int) (out []string) {
	at := b.start(line)
	if at < 0 {
		return nil
	}
	text := b.head(at)
	for level := 0; at >= 0 && level < maxLevels; level++ {
		switch kind, name := b.opens(text); {
		case kind == inFunction:
			name = b.defined(text).owner
			fallthrough
		case kind == inType || kind == inEnum || kind == inObject:
			if name != "" {
				out = append(out, (Symbol{Name: name}).Base())
			}
		}
		at, text = b.outerHead(at)
	}
	return out
}

// block matches the brace of a block at the end of a line. Other braces begin an object or its type.
var block = regexp.MustCompile(`(?:[)>\]\w$}"'` + "`" + `]|^)\s*\{\s*$`)

// outerHead returns the next line that encloses a line, and its code as head has it.
func (b *blocks) outerHead(at int) (int, string) {
	outer, line := b.enclosing(at)
	if outer < 0 {
		return -1, ""
	}
	text := b.head(outer)
	if strings.HasSuffix(line, " {") && text != "" && !strings.HasSuffix(text, "{") && b.brace[at] > outer {
		text += " {"
	}
	return outer, text
}

// maxHeadLines and maxHeadBytes bound a parameter list.
const (
	maxHeadLines = 40
	maxHeadBytes = 2000
)

// head returns the code of a line, and of those after it until the parentheses of a parameter list match. If
// they do not match within the bounds, only a line that ends with its parenthesis goes on, in the next one.
func (b *blocks) head(at int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, known := b.heads[at]
	if !known {
		text = b.readHead(at)
		b.heads[at] = text
	}
	return text
}

func (b *blocks) readHead(at int) string {
	text := b.code[at]
	if b.kinds[at] != codeLine || len(text) > maxDefinition {
		return ""
	}
	end := at
	long := strings.TrimRight(text, " \t")
	if IsScript(b.language) && strings.HasSuffix(long, " =") && at+1 < len(b.code) { // the function begins in the next line
		end++
		long += " " + strings.TrimSpace(b.code[end])
		text = long
	}
	n := strings.Count(long, "(") - strings.Count(long, ")")
	if block.MatchString(long) { // it belongs to an argument, or the list is complete
		return text
	}
	opens, next, types := strings.HasSuffix(long, "("), "", IsScript(b.language) && strings.HasSuffix(long, "<")
	for (n > 0 || types) && end+1 < min(at+maxHeadLines, len(b.code)) && len(long)+len(b.code[end+1]) <= maxHeadBytes {
		end++
		l := strings.TrimSpace(b.code[end])
		types = types && !strings.HasPrefix(l, ">")
		n += strings.Count(l, "(") - strings.Count(l, ")")
		if long = strings.TrimRight(long+" "+l, " "); next == "" {
			next = l
		}
	}
	switch {
	case n > 0 && opens:
		return text + next
	case n > 0:
		return text
	case !b.closes[at] && end+1 < len(b.code) && strings.TrimSpace(b.code[end+1]) == "{" && b.indent[end+1] == b.indent[at]:
		return long + " {"
	case end > at:
		return long
	}
	return text
}

// defined returns what a line defines.
func (b *blocks) defined(text string) defined {
	b.mu.Lock()
	defer b.mu.Unlock()
	d, known := b.names[text]
	if !known {
		d = definitionIn(b.language, text)
		b.names[text] = d
	}
	return d
}

// name returns the name that a line defines.
func (b *blocks) name(at int) string { return b.defined(b.head(at)).name }

// end returns the last line of the block that begins in a line, counted from 1.
func (b *blocks) end(start int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	end, known := b.ends[start]
	if !known {
		end = b.findEnd(start)
		b.ends[start] = end
	}
	return end
}

// maxParts is the most parts of a definition, such as branches that each end with a line of their own.
const maxParts = 200

// findEnd returns the last line of a definition: the last one that is indented more, stands in an open
// bracket or goes on with a literal, and the line that closes the definition. Blank lines, comments, labels
// and lines for the preprocessor do not end it.
func (b *blocks) findEnd(start int) int {
	level, end := b.indent[start-1], start
	enclosed := true // all lines so far stand in the brackets of the definition
	parts := 0       // of the definition that ended and went on
	if b.complete(start-1, start-1) {
		return start
	}
	for i := start; i < len(b.lines); i++ {
		in, open := b.indent[i], b.opened(start-1, i)
		switch {
		case open: // all lines up to the one that closes the bracket
			end = b.until[i-1]
			if i = end - 1; enclosed && b.complete(start-1, i) {
				return end
			}
			continue
		case b.kinds[i] == literalLine && end == i:
			end = i + 1
			continue
		case in < 0, b.kinds[i] != codeLine, b.other[i] && !b.other[start-1]:
			continue
		case in <= level:
			t := strings.TrimSpace(b.code[i])
			if in < level || !b.closes[i] && t != "end" {
				return end
			}
			if parts++; !goesOn(t) || parts == maxParts {
				return i + 1
			}
		}
		enclosed = enclosed && strings.TrimSpace(b.code[i]) == "{"
		end = i + 1
	}
	return end
}

// goesOn reports whether a line that closes a list opens the next part of the definition.
func goesOn(line string) bool {
	last := line[len(line)-1]
	return last == '{' || last == ':' || line[0] == '>' && strings.Trim(line, ">;,) ") != ""
}

// opened reports whether a line begins in a bracket that a definition opens. It returns false if the
// brackets of the file do not match.
func (b *blocks) opened(start, at int) bool {
	return b.depth != nil && at < len(b.depth) && b.depth[at] > b.depth[start]
}

// complete reports whether a line ends the statement that a definition begins: all its brackets are closed,
// and the line ends like the last one.
func (b *blocks) complete(start, at int) bool {
	if b.depth == nil || at+1 < len(b.depth) && b.depth[at+1] != b.depth[start] {
		return false
	}
	t := strings.TrimRight(b.code[at], " \t")
	return strings.HasSuffix(t, ";") || at > start && (strings.HasSuffix(t, "}") || strings.HasSuffix(t, ","))
}

// enclosingLines returns the lines, below another line, that enclose a line, innermost first and without white
// space around them.
func (b *blocks) enclosingLines(line, below int) []string {
	at := b.start(line)
	if at < 0 {
		return nil
	}
	var out []string
	for i, text := b.enclosing(at); i >= below && i >= 0 && len(out) < maxAround; i, text = b.enclosing(i) {
		out = append(out, strings.TrimSpace(text))
	}
	return out
}
