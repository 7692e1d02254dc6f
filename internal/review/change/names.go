package change

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
)

// declaration matches a line that declares a name, in the common languages. It is a heuristic: after a
// miss, an earlier hunk is not examined again.
var declaration = regexp.MustCompile(`^\s*(?:export\s+|default\s+|public\s+|private\s+|protected\s+|internal\s+|static\s+|` +
	`final\s+|abstract\s+|` +
	`async\s+|pub(?:\([a-z]+\))?\s+|unsafe\s+|override\s+)*` +
	`(?:func(?:\s*\([^)]*\))?|def|class|fn|function\*?|type|struct|interface|trait|enum|impl|module|const|let|var|sub|proc)\s+` +
	`([A-Za-z_$][\w$]*)`)

// DeclaredName returns the name that a line declares, or "" if it does not declare one.
func DeclaredName(line string) string {
	if m := declaration.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// Words returns the identifiers of a text, in their order, with repetitions.
func Words(text string) []string { return word.FindAllString(text, -1) }

// WordSpans returns the places of the identifiers in a text as pairs of byte offsets: the first byte and
// the one after the last.
func WordSpans(text string) [][]int { return word.FindAllStringIndex(text, -1) }

var word = regexp.MustCompile(`[A-Za-z_$][\w$]*`)

// DeclaredNames returns the names of more than three characters that the changed lines of a hunk declare. Shorter
// names match too much.
func DeclaredNames(h *diff.Hunk) []string {
	var out []string
	for _, l := range h.Lines {
		if l.Op == diff.Context {
			continue
		}
		if name := DeclaredName(l.Text); len(name) > 3 {
			out = append(out, name)
		}
	}
	return out
}

// MentionsAny reports whether a changed line of a hunk uses one of the names.
func MentionsAny(h *diff.Hunk, names map[string]bool) bool {
	for _, l := range h.Lines {
		if l.Op == diff.Context {
			continue
		}
		for _, w := range Words(l.Text) {
			if names[w] {
				return true
			}
		}
	}
	return false
}
