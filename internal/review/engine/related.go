package engine

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
)

// lookedUp returns the code that was looked up in files that the claim is about or cites, with the lines that a quote must
// touch to confirm the claim.
func (c claim) lookedUp() (out []change.Exhibit) {
	f := &c.it.Finding
	for _, e := range c.seen {
		if !c.stands(e) {
			continue
		}
		e.About = nil
		if e.Path == f.Anchor.Path && e.Left == (f.Anchor.Side == domain.Left) {
			e.About = append(e.About, c.place)
		}
		for _, v := range f.Evidence {
			if v.Kind == "code" && v.Path == e.Path && (c.it.Resolves || hasWords(e, v.Quote)) {
				e.About = append(e.About, change.Span{First: v.Start, Last: v.End})
			}
		}
		if len(e.About) > 0 {
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

// stands reports whether code of other places counts: what the change removed does only for a claim about removed
// lines, and tests and documents of the change itself never do, because they say what its author likes.
func (c claim) stands(e change.Exhibit) bool {
	return (!e.Left || c.it.Anchor.Side == domain.Left) && !c.isChangedTestOrDocument(e.Path)
}

// isChangedTestOrDocument reports whether a path is a test or a document that the change touches, and is not the claimed
// file. A file of an unknown language counts as a document, because its words cannot be told from code.
func (c claim) isChangedTestOrDocument(path string) bool {
	f := c.set.File(path)
	if f == nil || path == c.it.Anchor.Path || f.Status == diff.Renamed && f.Additions+f.Deletions == 0 && f.Omitted == "" {
		return false
	}
	byPath, language := diff.Classify(path, nil)
	return language == "" || slices.ContainsFunc([]diff.Class{f.Class, byPath}, func(k diff.Class) bool {
		return k == diff.ClassTest || k == diff.ClassDocs
	})
}

// leastName is the fewest characters of a name by which code is told apart (design
// choice).
const leastName = 4

var (
	calledName   = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*\(`)
	madeName     = regexp.MustCompile(`[A-Za-z$]+(?:_[A-Za-z\d$]|[a-z\d][A-Z]|[A-Z][a-z])[\w$]*`)
	functionName = regexp.MustCompile(`([A-Za-z_$][\w$]*)\s*:?=\s*(?:async\s*)?` +
		`(?:func\b|function\b|lambda\b|\([^()]{0,200}\)\s*=>|[A-Za-z_$][\w$]*\s*=>)`)

	// noName are words before brackets that stand everywhere.
	noName = map[string]bool{"return": true, "func": true, "function": true, "while": true, "switch": true, "catch": true,
		"elif": true, "except": true, "lambda": true,
		"match": true, "with": true, "async": true,
		"sizeof": true, "typeof": true, "print": true, "assert": true, "when": true, "string": true, "append": true}
)

// namesOf are the telling names of a place: names that its lines call, names to which they assign a function, names that
// are made of several words, and the symbol around it.
func namesOf(a domain.Anchor) (out []string) {
	add := func(name string) {
		if len(name) >= leastName && !noName[name] && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, re := range []*regexp.Regexp{calledName, functionName} {
		for _, m := range re.FindAllStringSubmatch(a.Quote, -1) {
			add(m[1])
		}
	}
	for _, name := range madeName.FindAllString(a.Quote, -1) {
		add(name)
	}
	if a.Symbol != "" {
		add((structure.Symbol{Name: a.Symbol}).Base())
	}
	return out
}
