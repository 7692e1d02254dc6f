package engine

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
)

// declaration finds the name that a line declares, in the common languages.
// It is a heuristic: a miss costs an earlier hunk its second look.
var declaration = regexp.MustCompile(`^\s*(?:export\s+|default\s+|public\s+|private\s+|protected\s+|internal\s+|static\s+|final\s+|abstract\s+|async\s+|pub(?:\([a-z]+\))?\s+|unsafe\s+|override\s+)*` +
	`(?:func(?:\s*\([^)]*\))?|def|class|fn|function\*?|type|struct|interface|trait|enum|impl|module|const|let|var|sub|proc)\s+([A-Za-z_$][\w$]*)`)

var word = regexp.MustCompile(`[A-Za-z_$][\w$]*`)

// declared returns the names that the changed lines of a hunk declare. Short
// names are left out: they match too much.
func declared(h *diff.Hunk) []string {
	var out []string
	for _, l := range h.Lines {
		if l.Op == diff.Context {
			continue
		}
		if m := declaration.FindStringSubmatch(l.Text); m != nil && len(m[1]) > 3 {
			out = append(out, m[1])
		}
	}
	return out
}

// mentions reports whether a changed line of a hunk uses one of the names.
func mentions(h *diff.Hunk, names map[string]bool) bool {
	for _, l := range h.Lines {
		if l.Op == diff.Context {
			continue
		}
		for _, w := range word.FindAllString(l.Text, -1) {
			if names[w] {
				return true
			}
		}
	}
	return false
}
