package seeded

import (
	"errors"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/eval/cases"
)

// program is a small repository with changes to it.
type program struct {
	name, language string
	base           cases.Files
	changes        []change
}

// change is a change with its edits and defects.
type change struct {
	name, title, body string
	defects           []defect // empty for a clean change
	needs             []need
	edits             []edit
}

// defect is a defect of a change. The first pair of [marks] surrounds the first one, the second pair the
// second one.
type defect struct{ category, severity, text string }

// need is a declaration in another file that a defect depends on.
type need struct{ name, path, text string }

// edit replaces a text that occurs once. Without an old text it adds a file.
type edit struct {
	path     string
	old, new string
	whole    bool
}

const changePrefix = "change/"

// parse reads a program: a header, its files, and changes.
func parse(name string, raw []byte) (program, error) {
	p := program{name: name, base: cases.Files{}}
	for _, s := range sections(string(raw)) {
		n, isChange := strings.CutPrefix(s.name, changePrefix)
		switch {
		case s.name == "":
			p.language = language(s.text)
			continue
		case !isChange:
			p.base[s.name] = s.text
			continue
		}
		c, err := parseChange(n, s.text)
		if err != nil {
			return p, fmt.Errorf("change %s: %w", n, err)
		}
		p.changes = append(p.changes, c)
	}
	if p.language == "" || len(p.base) == 0 || len(p.changes) == 0 {
		return p, errors.New("a program has a language, files and changes")
	}
	return p, nil
}

// section is a part of a txtar file. The one without a name comes first.
type section struct{ name, text string }

// sections splits a text at lines of the form "-- name --", as golang.org/x/tools/txtar describes them.
func sections(text string) []section {
	out := []section{{}}
	for line := range strings.Lines(text) {
		name, begins := strings.CutPrefix(line, "-- ")
		name, ends := strings.CutSuffix(name, " --\n")
		if begins && ends {
			out = append(out, section{name: name})
			continue
		}
		out[len(out)-1].text += line
	}
	return out
}

// language returns the language in the header of a program.
func language(header string) string {
	for line := range strings.Lines(header) {
		if v, ok := strings.CutPrefix(line, "Language: "); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// parseChange reads the header of a change up to an empty line, and its edits.
func parseChange(name, text string) (change, error) {
	c := change{name: name}
	header, rest, ok := strings.Cut(text, "\n\n")
	if !ok {
		return c, errors.New("there is no empty line after the header")
	}
	for line := range strings.SplitSeq(header, "\n") {
		if err := c.field(line); err != nil {
			return c, err
		}
	}
	if c.title == "" || len(c.defects) > len(marks) {
		return c, fmt.Errorf("a change has a title and at most %d defects", len(marks))
	}
	if !strings.HasPrefix(rest, editPrefix) {
		return c, errors.New("after the header come edits")
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(rest, editPrefix), "\n"+editPrefix) {
		e, err := parseEdit(strings.TrimSuffix(part, "\n") + "\n")
		if err != nil {
			return c, err
		}
		c.edits = append(c.edits, e)
	}
	return c, nil
}

// field reads a line of a header.
func (c *change) field(line string) error {
	key, value, _ := strings.Cut(line, ": ")
	switch key {
	case "Title":
		c.title = value
	case "Body":
		c.body = value
	case "Defect":
		kind, text, found := strings.Cut(value, ": ")
		category, severity, both := strings.Cut(kind, " ")
		if !found || !both {
			return errors.New(`a defect is written "Defect: category severity: text"`)
		}
		c.defects = append(c.defects, defect{category, severity, text})
	case "Needs":
		parts := strings.SplitN(value, " ", 3)
		if len(parts) != 3 {
			return errors.New(`a need is written "Needs: name path text"`)
		}
		c.needs = append(c.needs, need{parts[0], parts[1], parts[2]})
	default:
		return fmt.Errorf("a header has no field %q", key)
	}
	return nil
}

const (
	editPrefix = "@@ "
	wholeFile  = "+ "
	becomes    = "==>\n"
)

// parseEdit reads a path, or "+ " and the path of a new file, and lines.
func parseEdit(text string) (edit, error) {
	head, body, _ := strings.Cut(text, "\n")
	if path, ok := strings.CutPrefix(head, wholeFile); ok {
		return edit{path: path, new: body, whole: true}, nil
	}
	before, after, ok := strings.Cut(body, "\n"+becomes)
	if !ok {
		return edit{}, fmt.Errorf("an edit of %s has no line %q", head, strings.TrimSpace(becomes))
	}
	return edit{path: head, old: before + "\n", new: after}, nil
}
