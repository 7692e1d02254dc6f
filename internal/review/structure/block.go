package structure

import (
	"slices"
	"strings"
	"sync"
)

// maxAround bounds the lines that [Outline.Place] names: deeper ones are not told
// apart. maxBlock bounds the search for the line that opened a block.
const (
	maxAround = 32
	maxBlock  = 2000
)

// blocks knows for every line which lines enclose it: those above it with less
// indentation. It is made in one pass.
type blocks struct {
	lines  []string
	indent []int // -1 for a blank line
	outer  []int // nearest line above that is indented less and opens something, -1 for none
	brace  []int // nearest line above that is indented less and holds a brace alone, -1 for none

	mu    sync.Mutex
	names map[string]string // by the text of a line
	ends  map[int]int       // by the first line of a block
}

// newBlocks reads lines; nil where there are more than the heuristics look at.
func newBlocks(lines []string) *blocks {
	if len(lines) > maxLines {
		return nil
	}
	b := &blocks{lines: lines, names: map[string]string{}, ends: map[int]int{}}
	var opens, braces []int // lines that may enclose what follows, each indented more than the one before
	for i, l := range lines {
		in := indent(l)
		b.indent = append(b.indent, in)
		b.outer = append(b.outer, last(b.less(opens, in)))
		b.brace = append(b.brace, last(b.less(braces, in)))
		switch {
		case strings.TrimSpace(l) == "{":
			braces = append(b.less(braces, in), i)
		case in >= 0 && !closes(l):
			opens = append(b.less(opens, in), i)
		}
	}
	return b
}

// less returns the beginning of a list of lines that is indented less than in.
func (b *blocks) less(lines []int, in int) []int {
	n, _ := slices.BinarySearchFunc(lines, in, func(i, in int) int { return b.indent[i] - in })
	return lines[:n]
}

func last(list []int) int {
	if len(list) == 0 {
		return -1
	}
	return list[len(list)-1]
}

// start is where the search for the lines around a line begins: the line or, if
// it is blank, the one above; -1 if there is none. Lines are counted from 0 here.
func (b *blocks) start(line int) int {
	if b == nil || line < 1 || line > len(b.lines) {
		return -1
	}
	at := line - 1
	for at > 0 && b.indent[at] < 0 {
		at--
	}
	return at
}

// up is the next line that encloses a line, and its text: with the brace that
// stands alone below it, which makes it a definition. A line that closes a block
// belongs to that block, so the line that opened it encloses it.
func (b *blocks) up(at int) (int, string) {
	outer, brace := b.outer[at], b.brace[at]
	if closes(b.lines[at]) {
		for i := at - 1; i > max(outer, at-maxBlock); i-- {
			if b.indent[i] != b.indent[at] {
				continue
			}
			if strings.TrimSpace(b.lines[i]) == "{" {
				brace = i
			} else if !closes(b.lines[i]) {
				outer = i // ends the loop
			}
		}
	}
	if outer >= 0 && brace > outer {
		return outer, b.lines[outer] + " {"
	}
	if outer >= 0 {
		return outer, b.lines[outer]
	}
	return -1, ""
}

// symbol collects the definitions among the lines that enclose a line.
func (b *blocks) symbol(line int) (Symbol, bool) {
	at := b.start(line)
	if at < 0 {
		return Symbol{}, false
	}
	var names []string
	inner := Symbol{}
	for i, text := at, b.lines[at]; i >= 0; i, text = b.up(i) {
		if name := b.name(text); name != "" {
			names = append(names, name)
			if inner.Start == 0 {
				inner.Start = i + 1
			}
		}
	}
	if len(names) == 0 {
		return Symbol{}, false
	}
	slices.Reverse(names)
	inner.Name = strings.Join(names[max(len(names)-3, 0):], ".")
	inner.End = b.end(inner.Start)
	return inner, inner.Contains(line)
}

// name is the name that a line defines.
func (b *blocks) name(text string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	name, known := b.names[text]
	if !known {
		name = definedName(text)
		b.names[text] = name
	}
	return name
}

// end is the last line of the block that begins in a line, counted from 1.
func (b *blocks) end(start int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	end, known := b.ends[start]
	if !known {
		end = blockEnd(b.lines, start)
		b.ends[start] = end
	}
	return end
}

// around returns the lines that enclose a line and stand below another one, the
// innermost first and without white space around them.
func (b *blocks) around(line, below int) []string {
	at := b.start(line)
	if at < 0 {
		return nil
	}
	var out []string
	for i, text := b.up(at); i >= below && i >= 0 && len(out) < maxAround; i, text = b.up(i) {
		out = append(out, strings.TrimSpace(text))
	}
	return out
}
