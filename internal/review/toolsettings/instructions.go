package toolsettings

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/glob"
)

// Bounds of the instructions of a file.
const (
	maxInstructions = 40  // texts
	maxPatterns     = 20  // patterns of one text
	maxPattern      = 300 // bytes
)

// Instruction is a text for reviewers in a settings file.
type Instruction struct {
	Place string   // its place in the file, such as reviews.path_instructions[0]
	Line  int      // 0 if it is not known
	Paths []string // patterns of the files that it covers; empty means every file
	Text  string
}

// Instructions returns the instructions for reviewers in a settings file. unread has the places that cannot be used:
// beyond 40 texts, 20 patterns or 300 bytes of a pattern, patterns that cannot be understood, and values of another
// kind. Errors: a file error.
func Instructions(file string, content []byte) (list []Instruction, unread []string, err error) {
	d, err := parse(file, content)
	if err != nil {
		return nil, nil, err
	}
	c := collector{document: d}
	switch file {
	case CodeRabbit:
		c.each("reviews.path_instructions", "path", "instructions")
	case PRAgent:
		c.text("pr_reviewer.extra_instructions")
	case Greptile:
		c.text("instructions")
		c.each("customContext.rules", "scope", "rule")
	}
	return c.list, c.unread, nil
}

type collector struct {
	document
	list   []Instruction
	unread []string
}

func (c *collector) bad(place string) { c.unread = append(c.unread, place) }

// text adds a text that covers every file.
func (c *collector) text(place string) {
	v, there := c.at(place)
	if there && v != nil {
		c.add(place, v, nil)
	}
}

// each adds the entries of a list, each a text or a group of patterns and a text.
func (c *collector) each(place, patterns, text string) {
	v, there := c.at(place)
	entries, ok := v.([]any)
	if !ok {
		if there && v != nil {
			c.bad(place)
		}
		return
	}
	for i, e := range entries {
		at := fmt.Sprintf("%s[%d]", place, i)
		switch e := e.(type) {
		case string:
			c.add(at, e, nil)
		case map[string]any:
			if on, ok := e["enabled"].(bool); !ok || on {
				c.add(at, e[text], e[patterns])
			}
		default:
			c.bad(at)
		}
	}
}

// add adds a text with the patterns of its files: one, or a list.
func (c *collector) add(place string, text, patterns any) {
	t, ok := text.(string)
	paths, valid := globs(patterns)
	if !ok || !valid || len(c.list) == maxInstructions {
		c.bad(place)
		return
	}
	if strings.TrimSpace(t) != "" {
		c.list = append(c.list, Instruction{Place: place, Line: c.lines[place], Paths: paths, Text: t})
	}
}

// globs reads a pattern or a list of patterns. Patterns for every file become an empty list.
func globs(v any) (out []string, ok bool) {
	var given []any
	switch v := v.(type) {
	case nil:
	case string:
		given = []any{v}
	case []any:
		given = v
	default:
		return nil, false
	}
	if len(given) > maxPatterns {
		return nil, false
	}
	every := false
	for _, one := range given {
		p, is := one.(string)
		p = strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/")
		if !is || p == "" || len(p) > maxPattern || strings.HasPrefix(p, "!") || !glob.Valid(p) {
			return nil, false
		}
		every = every || p == "**" || p == "**/*"
		out = append(out, p)
	}
	if every {
		return nil, true
	}
	return out, true
}
