package diff

import (
	"context"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of attributes (design choices). Comparing a pattern with a path takes
// at most as many steps as the product of their lengths; maxMatching is the sum of
// those for one change, a second or two of the worst patterns.
const (
	maxAttributes = 500     // attributes of one file that are kept
	maxPattern    = 256     // bytes of a pattern
	maxMatching   = 1 << 29 // steps
)

// Attributes are the linguist-* attributes of a .gitattributes file
// (https://github.com/github-linguist/linguist/blob/main/docs/overrides.md).
// Read the file at the merge base: the author of a change must not be able to
// hide files from review.
type Attributes struct{ rules []attributeRule }

type attributeRule struct {
	pattern string
	class   Class
	set     bool
}

// braces are plain characters in patterns of git (gitignore, "PATTERN FORMAT"). To
// our matcher they mean alternatives, of which it would try every combination.
var braces = strings.NewReplacer("{", `\{`, "}", `\}`, `\{`, `\{`, `\}`, `\}`, `\\`, `\\`)

// ParseAttributes reads a .gitattributes file at the root of a repository. Lines
// and attributes that it does not know are skipped.
func ParseAttributes(content []byte) Attributes {
	var a Attributes
	for line := range strings.Lines(string(content)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(fields[0], "#") || len(a.rules) >= maxAttributes {
			continue
		}
		pattern := braces.Replace(fields[0])
		if len(pattern) > maxPattern || strings.HasPrefix(pattern, "!") || strings.HasPrefix(pattern, `"`) {
			continue // git forbids negative patterns here; quoted ones are rare and only lose an exclusion
		}
		if !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
			pattern = "**/" + pattern
		}
		pattern = strings.TrimPrefix(pattern, "/")
		if !doublestar.ValidatePattern(pattern) {
			continue
		}
		for _, f := range fields[1:] {
			set := true
			name, value, has := strings.Cut(f, "=")
			if strings.HasPrefix(name, "-") || strings.HasPrefix(name, "!") {
				name, set = name[1:], false
			}
			if has && (value == "false" || value == "0") {
				set = false
			}
			switch name {
			case "linguist-generated":
				a.rules = append(a.rules, attributeRule{pattern, ClassGenerated, set})
			case "linguist-vendored":
				a.rules = append(a.rules, attributeRule{pattern, ClassVendored, set})
			case "linguist-documentation":
				a.rules = append(a.rules, attributeRule{pattern, ClassDocs, set})
			}
		}
	}
	return a
}

// said is what the attributes say of a path, by class. The last matching line of
// an attribute wins, as in git.
func (a Attributes) said(path string) map[Class]bool {
	state := map[Class]bool{}
	for _, r := range a.rules {
		if ok, _ := doublestar.Match(r.pattern, path); ok {
			state[r.class] = r.set
		}
	}
	return state
}

// Class returns the class that the attributes give a path; false if they say
// nothing.
func (a Attributes) Class(path string) (Class, bool) {
	state := a.said(path)
	for _, c := range []Class{ClassVendored, ClassGenerated, ClassDocs} {
		if state[c] {
			return c, true
		}
	}
	return "", false
}

// covers reports whether the attributes were about the file before the change: one that is
// moved to where they say something was reviewed at its old place.
func (a Attributes) covers(f *File) bool {
	if f.OldPath == "" || f.OldPath == f.Path {
		return true
	}
	_, ok := a.Class(f.OldPath)
	return ok
}

// Apply changes the classes of the set's files to what the attributes say.
// CI workflows, migrations, files that steer assistants and sensitive paths keep theirs, so that one line in
// an attributes file cannot take them out of review. Where patterns and paths are
// so many and long that comparing them takes too much, the remaining files keep
// theirs, too. The error is the context's.
func (s *Set) Apply(ctx context.Context, a Attributes) error {
	size := 0
	for _, r := range a.rules {
		size += len(r.pattern)
	}
	work := 0
	for _, f := range s.Files {
		if work += size * len(f.Path+f.OldPath); work > maxMatching {
			return ctx.Err()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f.OldPath != "" {
			_, f.WasOut = a.Class(f.OldPath)
		}
		if f.Class == ClassCI || f.Class == ClassMigration || Sensitive(f.Path) || Instructions(f.Path) {
			continue
		}
		if c, ok := a.Class(f.Path); ok {
			if f.Class.Ignored() || a.covers(f) {
				f.Class, f.Note = c, ""
			}
		} else if yes, told := a.said(f.Path)[f.Class]; told && !yes && f.Class.Ignored() && f.Language != "" && f.Note != NoteLFS {
			f.Class, f.Note = ClassSource, ""
		}
	}
	return nil
}
