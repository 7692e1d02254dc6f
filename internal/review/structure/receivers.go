package structure

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of the types of a value.
const (
	maxTypesOf   = 8   // types of a name
	maxTypeLines = 200 // lines of a file that are read for them
	maxNamed     = 200 // bytes of a name
)

// TypesOf returns the names of types that a file gives a value of some name, in its declarations, parameters and
// assignments, at most 8, in the order of the file. It returns the parts of a composed type as well: Promise and
// Order for Promise<Order>.
func TypesOf(language string, content []byte, name string) (out []string) {
	name = strings.TrimLeft(name, "$")
	if name == "" || len(name) > maxNamed {
		return nil
	}
	lines := splitLines(content)
	if len(lines) > maxLines {
		return nil
	}
	word := regexp.QuoteMeta(name)
	forms := make([]*regexp.Regexp, len(typeForms))
	for i, f := range typeForms {
		forms[i] = regexp.MustCompile(strings.Replace(f, "NAME", word, 1))
	}
	seen := 0
	for i, l := range mask(language, lines).code {
		if !strings.Contains(l, name) || len(l) > maxDefinition || lines[i] == "" {
			continue
		}
		if seen++; seen > maxTypeLines {
			break
		}
		for _, re := range forms {
			m := re.FindStringSubmatch(l)
			if m == nil {
				continue
			}
			for _, w := range typeNames(m[1]) {
				if !notTyped[w] && w != name && len(out) < maxTypesOf && !slices.Contains(out, w) {
					out = append(out, w)
				}
			}
		}
	}
	return out
}

// maker matches the name of a function that makes a value of a type: NewOrder, createOrder.
var maker = regexp.MustCompile(`^(?:[Nn]ew|create|make|build)_?([A-Z]\w*)$`)

// typeNames returns the names in a type, or in the call that makes a value.
func typeNames(text string) (out []string) {
	for _, w := range identifier.FindAllString(text, -1) {
		if m := maker.FindStringSubmatch(w); m != nil {
			w = m[1]
		}
		out = append(out, w)
	}
	return out
}

// typeForms match a type beside a value, with the type in the first group.
var typeForms = []string{
	`(?:^|[^\w$])NAME\s*[?!]?\s*:\s*((?:[&*\w$]|\[\])[^=,;){]*)`, // a: T
	`(?:^|[^\w$])NAME\s*(?::=|\|\|=|:[^=]*=|=)\s*(?:await\s+|&|new\s+)*` + // a = T(…), new T(…), T{…}
		`((?:\w+(?:\.|::))*\w*)\s*(?:<[^()]*>)?[({]`,
	`(?:^|[^\w$])NAME\s*(?::=|\|\|=|=)\s*([A-Z]\w*)(?:\.|::)\w+`,                          // a = T.new, T::default()
	`([A-Za-z_][\w.:]*(?:<[^;=()]*>)?)[\[\]?*&]*\s+[*&]*\$?NAME\s*(?:[=;,):]|\[|$)`,       // T a
	`(?:^|[^\w$])NAME\s+((?:[*&]|\[\]|map\[\w+\])*(?:\w+\.)?[A-Za-z_]\w*)\s*(?:[,){=]|$)`, // a T
}

// notTyped are words at the places of types that do not name one.
var notTyped = map[string]bool{"const": true, "let": true, "var": true, "val": true, "return": true, "new": true, "await": true,
	"mut": true,
	"dyn": true, "impl": true, "in": true, "of": true, "not": true, "and": true, "or": true, "if": true, "else": true, "static": true,
	"readonly": true, "private": true, "public": true, "protected": true, "final": true, "self": true, "this": true, "func": true,
	"import": true, "from": true, "as": true, "def": true, "fn": true, "async": true, "function": true, "null": true, "None": true,
	"undefined": true, "range": true, "case": true, "struct": true, "for": true, "while": true, "export": true, "throw": true}
