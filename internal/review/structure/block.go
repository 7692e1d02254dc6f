package structure

import (
	"slices"
	"strings"
	"sync"
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
	lines  []string
	indent []int  // -1 for a blank line
	closes []bool // the line only ends a block or a list
	outer  []int  // nearest line above that is indented less and opens a block, or -1; for a blank line the nearest one above that is not
	brace  []int  // nearest line above that is indented less and has only a brace, or -1

	mu    sync.Mutex
	names map[string]string // by the text of a line
	ends  map[int]int       // by the first line of a block
}

// newBlocks reads lines; nil if there are more than maxLines.
func newBlocks(lines []string) *blocks {
	n := len(lines)
	if n > maxLines {
		return nil
	}
	b := &blocks{lines: lines, indent: make([]int, n), closes: make([]bool, n), outer: make([]int, n), brace: make([]int, n),
		names: map[string]string{}, ends: map[int]int{}}
	var opens, braces []int // lines that may enclose later ones, each indented more than the one before
	filled := -1
	for i, l := range lines {
		in := indent(l)
		b.indent[i], b.closes[i] = in, onlyCloses(l)
		if in < 0 {
			b.outer[i], b.brace[i] = filled, -1
			continue
		}
		filled = i
		// A line that closes a block belongs to that block, so the line that opened it encloses it.
		within := in
		if b.closes[i] {
			within++
		}
		b.outer[i], b.brace[i] = last(b.lessIndented(opens, within)), last(b.lessIndented(braces, within))
		switch {
		case strings.TrimSpace(l) == "{":
			braces = append(b.lessIndented(braces, in), i)
		case !b.closes[i]:
			opens = append(b.lessIndented(opens, in), i)
		}
	}
	return b
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
	inner, text := Symbol{}, b.lines[at]
	for level := 0; at >= 0 && level < maxLevels && len(names) < 3; level++ {
		if name := b.name(text); name != "" {
			names = append(names, name)
			if inner.Start == 0 {
				inner.Start = at + 1
			}
		}
		at, text = b.enclosing(at)
	}
	if len(names) == 0 {
		return Symbol{}, false
	}
	slices.Reverse(names)
	inner.Name = strings.Join(names, ".")
	inner.End = b.end(inner.Start)
	return inner, inner.Contains(line)
}

// name returns the name that a line defines.
func (b *blocks) name(text string) string {
	if len(text) > maxDefinition {
		return ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	name, known := b.names[text]
	if !known {
		name = definedName(text)
		b.names[text] = name
	}
	return name
}

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

// findEnd returns the last line of the block that a definition opens: the last one indented more, and the
// line that closes it.
func (b *blocks) findEnd(start int) int {
	level, end := b.indent[start-1], start
	for i := start; i < len(b.lines); i++ {
		in := b.indent[i]
		if in < 0 {
			continue
		}
		if in <= level {
			t := strings.TrimSpace(b.lines[i])
			if in < level || !b.closes[i] && t != "end" {
				return end
			}
			if !strings.HasSuffix(t, "{") && !strings.HasSuffix(t, ":") {
				return i + 1
			}
		}
		end = i + 1
	}
	return end
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
