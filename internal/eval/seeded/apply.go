package seeded

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
)

// marks surround the places of the first and of the second defect: in an old text the lines that the change
// removes, in a new text the lines that it adds.
var marks = [][2]string{{"⟦", "⟧"}, {"⟪", "⟫"}}

var unmark = strings.NewReplacer("⟦", "", "⟧", "", "⟪", "", "⟫", "")

// applied is the result of a change to a program.
type applied struct {
	head        cases.Files
	golden      []eval.Golden
	definitions []eval.Definition
}

// apply makes the edits in their order, and finds the marked lines.
func (c change) apply(base cases.Files) (applied, error) {
	out := applied{head: maps.Clone(base)}
	for _, e := range c.edits {
		text, err := e.apply(out.head)
		if err != nil {
			return out, err
		}
		out.head[e.path] = text
		if unmark.Replace(e.old) == e.old {
			continue
		}
		at := strings.Index(base[e.path], unmark.Replace(e.old))
		if at < 0 {
			return out, fmt.Errorf("the marked part of the old text of %s is not in the base", e.path)
		}
		places, err := c.places(e.path, domain.Left, base[e.path][:at]+e.old)
		if err != nil {
			return out, err
		}
		out.golden = append(out.golden, places...)
	}
	for _, path := range slices.Sorted(maps.Keys(out.head)) {
		places, err := c.places(path, domain.Right, out.head[path])
		if err != nil {
			return out, err
		}
		out.golden = append(out.golden, places...)
		out.head[path] = unmark.Replace(out.head[path])
	}
	for i, d := range c.defects {
		if !slices.ContainsFunc(out.golden, func(g eval.Golden) bool { return g.Defect == d.category }) {
			return out, fmt.Errorf("defect %d has no place", i+1)
		}
	}
	return out, c.findDefinitions(&out)
}

// apply returns the text of the edited file.
func (e edit) apply(files cases.Files) (string, error) {
	text, exists := files[e.path]
	old := unmark.Replace(e.old)
	switch {
	case e.whole && exists:
		return "", fmt.Errorf("the new file %s exists", e.path)
	case e.whole:
		return e.new, nil
	case strings.Count("\n"+text, "\n"+old) != 1:
		return "", fmt.Errorf("the old text occurs %d times in %s, not once: %q", strings.Count("\n"+text, "\n"+old), e.path, old)
	}
	return strings.Replace("\n"+text, "\n"+old, "\n"+e.new, 1)[1:], nil
}

// places finds the marked lines of a text.
func (c change) places(path string, side domain.Side, text string) ([]eval.Golden, error) {
	var out []eval.Golden
	for i, mark := range marks {
		rest, line := text, 1
		for {
			before, after, found := strings.Cut(rest, mark[0])
			if !found {
				break
			}
			inside, after, closed := strings.Cut(after, mark[1])
			if !closed || i >= len(c.defects) {
				return nil, fmt.Errorf("a mark in %s does not end, or belongs to no defect", path)
			}
			line += strings.Count(before, "\n")
			end := line + strings.Count(inside, "\n")
			d := c.defects[i]
			out = append(out, eval.Golden{Path: path, Side: side, StartLine: line, EndLine: end, Defect: d.category, Category: d.category,
				Severity: d.severity, Text: d.text})
			rest, line = after, end
		}
	}
	return out, nil
}

// findDefinitions finds the needed declarations at the head. A declaration whose name is not on an added line is
// needed, too, but it is not a definition that the change uses.
func (c change) findDefinitions(out *applied) error {
	for _, n := range c.needs {
		before, _, found := strings.Cut(out.head[n.path], n.text)
		if !found || strings.Count(out.head[n.path], n.text) != 1 {
			return fmt.Errorf("the needed text %q is not once in %s", n.text, n.path)
		}
		word, err := regexp.Compile(`\b` + regexp.QuoteMeta(n.name) + `\b`)
		if err != nil {
			return errors.New("the name of a need is not one")
		}
		if c.addsLine(word) {
			out.definitions = append(out.definitions, eval.Definition{Name: n.name, Path: n.path, Line: strings.Count(before, "\n") + 1})
		}
	}
	return nil
}

// addsLine reports whether a line that the change adds matches.
func (c change) addsLine(word *regexp.Regexp) bool {
	for _, e := range c.edits {
		for line := range strings.Lines(unmark.Replace(e.new)) {
			if word.MatchString(line) && !strings.Contains("\n"+unmark.Replace(e.old), "\n"+line) {
				return true
			}
		}
	}
	return false
}
