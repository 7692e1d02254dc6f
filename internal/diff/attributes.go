package diff

import (
	"context"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of attributes (design choices). Matching a pattern against a path takes at most as many steps as
// the product of their lengths. maxMatching bounds the steps for one change, which take one or two seconds
// with the worst patterns.
const (
	maxAttributes = 500     // attributes per file; further ones are ignored
	maxPattern    = 256     // length of a pattern in bytes
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

// braces escapes braces, because they are plain characters in git's patterns (gitignore, "PATTERN FORMAT").
// Our matcher would try every combination of the alternatives between them.
var braces = strings.NewReplacer("{", `\{`, "}", `\}`, `\{`, `\{`, `\}`, `\}`, `\\`, `\\`)

// ParseAttributes parses a .gitattributes file at the root of a repository. It skips unknown lines and
// attributes.
func ParseAttributes(content []byte) Attributes {
	var a Attributes
	for line := range strings.Lines(string(content)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || strings.HasPrefix(fields[0], "#") || len(a.rules) >= maxAttributes {
			continue
		}
		pattern := braces.Replace(fields[0])
		if len(pattern) > maxPattern || strings.HasPrefix(pattern, "!") || strings.HasPrefix(pattern, `"`) {
			continue // git forbids negative patterns here; quoted ones are rare, and skipping one only loses an exclusion
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

// classesOf returns the classes that the attributes set or unset for a path. As in git, the last matching line
// wins.
func (a Attributes) classesOf(path string) map[Class]bool {
	state := map[Class]bool{}
	for _, r := range a.rules {
		if ok, _ := doublestar.Match(r.pattern, path); ok {
			state[r.class] = r.set
		}
	}
	return state
}

// Class returns the class that the attributes set for a path, and false if they set none.
func (a Attributes) Class(path string) (Class, bool) {
	state := a.classesOf(path)
	for _, c := range []Class{ClassVendored, ClassGenerated, ClassDocs} {
		if state[c] {
			return c, true
		}
	}
	return "", false
}

// covers reports whether the attributes also set a class for the file's old path. If they did not, the file
// was reviewed there before it moved.
func (a Attributes) covers(f *File) bool {
	if f.OldPath == "" || f.OldPath == f.Path {
		return true
	}
	_, ok := a.Class(f.OldPath)
	return ok
}

// Apply replaces the classes of files by those of the attributes. CI workflows, migrations, files that
// steer assistants and sensitive paths keep their classes, so that a line in an attributes file cannot hide
// them from review. If matching would exceed maxMatching, the remaining files keep their classes too. The
// error is the context's.
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
		} else if yes, told := a.classesOf(f.Path)[f.Class]; told && !yes && f.Class.Ignored() && f.Language != "" && f.Note != NoteLFS {
			f.Class, f.Note = ClassSource, ""
		}
	}
	return nil
}
