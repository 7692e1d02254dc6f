package match

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// langGo is the language whose patterns this package matches itself. Those of other languages need ast-grep.
const langGo = "go"

// fileLanguages maps the languages of patterns of code to those of the files that they are matched against, as
// [github.com/assay-dev/assay/internal/diff.Language] has them.
var fileLanguages = map[string][]string{
	langGo:       {"Go"},
	"typescript": {"TypeScript"},
	"javascript": {"JavaScript", "react"},
	"python":     {"Python"},
	"java":       {"Java"},
}

// FileLanguages returns the languages of the files that patterns of code of a language are matched against. It returns nil for a
// language without such patterns.
func FileLanguages(language string) []string { return fileLanguages[strings.ToLower(language)] }

// NeedsProgram reports whether the operator's ast-grep must match the pattern, because this package cannot.
func (s Spec) NeedsProgram() bool {
	return s.Kind == AST && !strings.EqualFold(s.Language, langGo) && FileLanguages(s.Language) != nil
}

// NeedsProgram is [Spec.NeedsProgram] of a compiled pattern. [Pattern.Hits] returns no places of such a pattern.
func (p *Pattern) NeedsProgram() bool { return p.program }

// Reads reports whether the pattern is matched against files of a language, as diff.Language has it.
func (p *Pattern) Reads(language string) bool {
	return p.languages == nil || slices.Contains(p.languages, language)
}

// wildcards matches a wildcard of a pattern of code.
var wildcards = regexp.MustCompile(`\$(?:\$\$)?[A-Z_][A-Z0-9_]*|\$\$\$`)

// compileCode checks a pattern of code. A pattern that ast-grep matches is checked for its form alone.
func compileCode(s Spec) (*Pattern, error) {
	p := &Pattern{languages: FileLanguages(s.Language)}
	switch {
	case p.languages == nil:
		names := slices.Sorted(maps.Keys(fileLanguages))
		return nil, &Error{Field: "language", Message: fmt.Sprintf("must be %s or %s, the languages whose syntax patterns can match. "+
			"Use a regular expression for other languages", strings.Join(names[:len(names)-1], ", "), names[len(names)-1])}
	case !s.NeedsProgram():
		var err error
		p.code, err = compileGo(s.Pattern)
		return p, err
	case strings.Trim(wildcards.ReplaceAllString(s.Pattern, ""), " \t\r\n;,.(){}[]") == "":
		return nil, &Error{Field: "pattern", Message: "matches any code. Let it name what must not be there"}
	}
	p.program = true
	return p, nil
}
