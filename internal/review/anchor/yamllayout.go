package anchor

import (
	"regexp"
	"slices"
	"strings"
)

var (
	// yamlKey matches a key in block style.
	yamlKey = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|` +
		`[^\s#&*!|>'"%@` + "`" + `\[\]{},-][^#]*?|-[^\s:][^#]*?|<<)\s*:(?:\s+(.*))?$`)
	// yamlOpens matches a value that a deeper block may follow: nothing but an anchor, a tag or a comment.
	yamlOpens = regexp.MustCompile(`^(?:[&!][^\s]*\s*)*(?:#.*)?$`)
	// yamlScalar matches the beginning of a block scalar.
	yamlScalar = regexp.MustCompile(`^(?:[&!][^\s]*\s+)*[|>][0-9+-]{0,2}\s*(?:#.*)?$`)
)

// entry is a line of a YAML block: the columns of its dashes and of its key.
type entry struct {
	columns []int
	opens   bool // a deeper block may follow
	dash    bool // it begins with a dash
	key     bool // it has a key
	plain   bool // it has neither a dash nor a key and continues the line before
}

// entries returns the entries of a file by line number, without comments, templates, and the texts of block
// scalars.
func entries(r *layoutText) map[int]entry {
	out := map[int]entry{}
	scalar := -1 // lines of the block scalar are indented more than this column
	for i := 1; i < len(r.text); i++ {
		text := strings.TrimRight(r.text[i], " \t")
		column := len(r.lines[i].lead)
		rest := strings.TrimLeft(text, " \t")
		if rest == "" {
			continue
		}
		if scalar >= 0 && column > scalar {
			continue
		}
		if scalar = -1; strings.HasPrefix(rest, "#") || strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "{%") {
			continue
		}
		e := entry{}
		for rest == "-" || strings.HasPrefix(rest, "- ") {
			e.columns, e.dash = append(e.columns, column), true
			shorter := strings.TrimLeft(rest[1:], " ")
			column += len(rest) - len(shorter)
			rest = shorter
		}
		value := rest
		if m := yamlKey.FindStringSubmatch(rest); m != nil {
			e.columns, e.key = append(e.columns, column), true
			value = m[1]
		} else if len(e.columns) == 0 {
			e.columns, e.plain = []int{column}, true
		}
		if e.opens = !e.plain && yamlOpens.MatchString(value); yamlScalar.MatchString(value) {
			scalar = e.columns[len(e.columns)-1]
		}
		out[i] = e
	}
	return out
}

// checkYAML checks that every new line, and the first one below them, is below a key or beside an entry,
// that the following lines keep their parents' columns, and that no tab indents.
func checkYAML(_ *layout, now, before *layoutText, first, last, lastBefore int) bool {
	for i := first; i <= last; i++ {
		if strings.Contains(now.lines[i].lead, "\t") && strings.TrimSpace(now.text[i]) != "" {
			return false
		}
	}
	all, plain := entries(before), false
	for i := first; i <= lastBefore; i++ {
		plain = plain || all[i].plain
	}
	chain, ok := yamlChain(now, first, last, plain)
	was, _ := yamlChain(before, first, lastBefore, true)
	return ok && slices.Equal(chain, was)
}

// yamlPlace is the column of a YAML block.
type yamlPlace struct {
	column int
	dash   bool // the block is a list
}

// yamlChain returns the columns of the blocks around the first entry below a range. ok is false if that
// entry or a line of the range does not fit the entries above it. Text that continues the line before does
// not fit unless plain is true.
func yamlChain(r *layoutText, first, last int, plain bool) (chain []yamlPlace, ok bool) {
	all := entries(r)
	var stack []yamlPlace
	top := func() int {
		if len(stack) == 0 {
			return -1
		}
		return stack[len(stack)-1].column
	}
	above, ok := entry{opens: true}, true
	for i := 1; i < len(r.text); i++ {
		if strings.HasPrefix(r.text[i], "---") {
			stack, above = nil, entry{opens: true}
			continue
		}
		e, is := all[i]
		if !is {
			continue
		}
		column := e.columns[0]
		deeper := column > top() && len(stack) > 0
		switch inRange := i >= first && i <= last; {
		case i < first:
		case deeper && !above.opens && (!above.plain || !e.plain || inRange), // below an entry that cannot contain it
			inRange && e.plain && !plain && (!above.opens || !deeper),
			inRange && i > first && above.opens && !above.dash && !deeper && len(stack) > 0 && (!e.dash || column < top()):
			ok = false // in the last case the block of the key above may have lost its indentation
		}
		for top() > column {
			stack = stack[:len(stack)-1]
		}
		if len(stack) > 0 && top() < column && !above.opens && i >= first {
			ok = false // it begins between two columns
		}
		for len(stack) > 0 && top() == column && (!e.dash || stack[len(stack)-1].dash) { // a list may stand below its key at the same column
			stack = stack[:len(stack)-1]
		}
		here := slices.Clone(stack)
		for n, c := range e.columns {
			here = append(here, yamlPlace{c, e.dash && (n < len(e.columns)-1 || !e.key)})
		}
		if i > last {
			return here, ok
		}
		if !e.plain {
			stack = here
		}
		above = e
	}
	return nil, ok
}
