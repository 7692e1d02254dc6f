package around

import (
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/structure"
)

// goForms and otherForms are expressions for lines that may define a name, which replaces NAMES. Matches
// are parsed afterwards. The second form of Go is for declarations in a group in parentheses, the third of other languages
// for assignments outside functions.
var (
	goForms = []string{
		"^(func (\\([^)]*\\) )?|type |var |const )(NAMES)([^A-Za-z0-9_]|$)",
		"^\t(NAMES)([ ]+[A-Za-z_*[][^ =:]*)?([ ]+(=|//|\\{).*)?$",
	}
	otherForms = []string{
		"(^|[^A-Za-z0-9_])(class|interface|trait|struct|enum|type|record|object|def|fn|func|fun|function|const|let|var|val)" +
			"[ \t]+(NAMES)([^A-Za-z0-9_]|$)",
		"^[ \t]+([A-Za-z_][A-Za-z0-9_<>,.]*[ \t]+)*(NAMES)\\(.*\\{[ \t]*$",
		"^(NAMES)[ \t]*(:[^=]+)?=([^=>]|$)",
	}
)

// The forms of lines that define names, with the name as the first group.
var (
	topLevel = regexp.MustCompile(`^(?:func|type|var|const) (\w+)`) // in Go, outside a group
	grouped  = regexp.MustCompile(`^\t(\w+)`)                       // in Go, in a group

	introduced = regexp.MustCompile(`(?:^|[^A-Za-z0-9_])(?:class|interface|trait|struct|enum|type|record|object|def|fn|func|fun|function|` +
		`const|let|var|val)[ \t]+([A-Za-z_$][\w$]*)`)
	member   = regexp.MustCompile(`^[ \t]+(?:[A-Za-z_][\w<>,.]*[ \t]+)*([A-Za-z_$][\w$]*)\(.*\{[ \t]*$`)
	assigned = regexp.MustCompile(`^([A-Za-z_$][\w$]*)[ \t]*(?::[^=]+)?=(?:[^=>]|$)`)
)

// definedIn returns the names at the places of a line where a definition has its name.
func definedIn(language, line string) (out []string) {
	if language == "Go" {
		if _, name := methodOf(line); name != "" {
			return []string{name}
		}
		for _, form := range []*regexp.Regexp{topLevel, grouped} {
			if m := form.FindStringSubmatch(line); m != nil {
				return []string{m[1]}
			}
		}
		return nil
	}
	line = structure.Code(language, line)
	for _, form := range []*regexp.Regexp{introduced, member, assigned} {
		for _, m := range form.FindAllStringSubmatch(line, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// isMethod reports whether a line that defines a name may define the method of a type: a method of Go, or an indented
// function.
func isMethod(language, line string) bool {
	if language == "Go" {
		owner, _ := methodOf(line)
		return owner != ""
	}
	return line != strings.TrimLeft(line, " \t") && !variable.MatchString(line)
}

var variable = regexp.MustCompile(`^\s*(?:export\s+)?(?:const|let|var|class|interface|enum|type)\b`)

// isOutput reports whether a file is vendored or the output of a program, by its name and, if it is known, its content. Only
// the name decides about definitions, because code may use constants and clients that a program has written.
func isOutput(path string, content []byte) bool {
	class, _ := diff.Classify(path, content)
	return class.Ignored() || strings.Contains("/"+strings.ToLower(path), "/dist/")
}
