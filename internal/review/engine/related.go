package engine

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// seenAt is what was looked up of a file that the claim is about: its lines there
// are what a quote must touch.
func (c claim) seenAt(path string) (out []change.Exhibit) {
	f := &c.it.Finding
	var about []change.Span
	if path == f.Anchor.Path && f.Anchor.StartLine > 0 {
		about = append(about, change.Span{First: f.Anchor.StartLine, Last: f.Anchor.EndLine})
	}
	for _, e := range f.Evidence {
		if e.Kind == "code" && e.Path == path {
			about = append(about, change.Span{First: e.Start, Last: e.End})
		}
	}
	for _, e := range c.seen {
		if e.Path == path && c.stands(e) && (path != f.Anchor.Path || e.Left == (f.Anchor.Side == domain.Left)) {
			e.About = about
			out = append(out, e)
		}
	}
	return out
}

// related is what was looked up and has to do with the claim: a file that it names,
// or code that holds a name of the claimed lines, as its definition and its uses do.
func (c claim) related() (out []change.Exhibit) {
	f := &c.it.Finding
	names := namesOf(f.Anchor)
	for _, e := range c.seen {
		cites := func(v domain.Evidence) bool { return v.Kind == "code" && v.Path == e.Path }
		holds := func(name string) bool { return strings.Contains(e.Text, name) }
		if c.stands(e) && (e.Path == f.Anchor.Path || slices.ContainsFunc(f.Evidence, cites) || slices.ContainsFunc(names, holds)) {
			out = append(out, e)
		}
	}
	return out
}

// stands reports whether what was looked up counts: what the change removed does only
// for a claim about removed lines.
func (c claim) stands(e change.Exhibit) bool { return !e.Left || c.it.Anchor.Side == domain.Left }

// leastName is the fewest characters of a name by which code is told apart (design
// choice).
const leastName = 4

var (
	calledName = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*\(`)
	madeName   = regexp.MustCompile(`[A-Za-z$]+(?:_[A-Za-z\d$]|[a-z\d][A-Z]|[A-Z][a-z])[\w$]*`)

	// noName are words before brackets that stand everywhere.
	noName = map[string]bool{"return": true, "func": true, "function": true, "while": true, "switch": true, "catch": true,
		"elif": true, "except": true, "lambda": true,
		"match": true, "with": true, "sizeof": true, "typeof": true, "print": true, "assert": true, "when": true, "string": true, "append": true}
)

// namesOf are the telling names of a place: what its lines call, names that are made
// of several words, and the symbol around it.
func namesOf(a domain.Anchor) (out []string) {
	add := func(name string) {
		if len(name) >= leastName && !noName[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, m := range calledName.FindAllStringSubmatch(a.Quote, -1) {
		add(m[1])
	}
	for _, name := range madeName.FindAllString(a.Quote, -1) {
		add(name)
	}
	if a.Symbol != "" {
		add((structure.Symbol{Name: a.Symbol}).Base())
	}
	return out
}
