package anchor

import "slices"

// strict is what must be known of a language beside its [syntax] so that nothing that
// its author writes as a comment or string is taken for code. Where it is in doubt,
// code is taken for a comment.
type strict struct {
	nested bool   // comments stand in comments
	triple string // quotes of which three begin a string of several lines
	multi  string // quotes around strings that may have several lines
	escape bool   // a backslash before the end of a string of several lines is no end
}

// anySyntax stands for languages that nobody described here: what is a comment in
// many of them counts as one.
var anySyntax = &syntax{line: []string{"//", "#", "--", ";", "%"}, block: append(append([][2]string{}, slashes...), markup...), quotes: `"'`, raw: "`"}

// furtherBlocks are comments that fingerprints need not know.
var furtherBlocks = map[string][][2]string{
	"Ruby": {{"\n=begin", "\n=end"}}, "Perl": {{"\n=pod", "\n=cut"}, {"\n=head", "\n=cut"}, {"\n=begin", "\n=cut"}, {"\n=for", "\n=cut"}, {"\n=item", "\n=cut"}},
	"Julia": {{"#=", "=#"}}, "Nim": {{"#[", "]#"}}, "CMake": {{"#[[", "]]"}}, "D": {{"/+", "+/"}}, "Lua": {{"[[", "]]"}},
	"C": {{"\n#if 0", "\n#endif"}}, "C++": {{"\n#if 0", "\n#endif"}}, "Objective-C": {{"\n#if 0", "\n#endif"}}, "C#": {{"\n#if false", "\n#endif"}},
}

// Sets of languages by their names.
var (
	nesting    = languages("Rust", "Swift", "Kotlin", "Scala", "Haskell", "Elm", "OCaml", "FSharp", "D", "Dart", "Julia", "Nim")
	tripled    = map[string]string{"Python": `"'`, "Groovy": `"'`, "Dart": `"'`, "Java": `"`, "Kotlin": `"`, "Scala": `"`, "Swift": `"`, "Julia": `"`, "Elixir": `"'`, "Nim": `"`, "C#": `"`, "FSharp": `"`, "TOML": `"'`, "GraphQL": `"`}
	manyLines  = map[string]string{"Rust": `"`, "Ruby": `"'`, "PHP": `"'`, "Bash": `"'`, "Fish": `"'`, "Perl": `"'`, "SQL": `'"`, "C#": `"`, "R": `"'`, "Julia": `"`, "Crystal": `"`, "Elixir": `"`, "PowerShell": `"'`, "YAML": `"'`, "OCaml": `"`, "FSharp": `"`, "Clojure": `"`, "Erlang": `"`, "Haskell": `"`}
	ofTemplate = languages("HTML", "XML", "markdown", "Go HTML Template", "vue", "Svelte")
)

func languages(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// strictSyntax is the syntax of a language for which code is what certainly is.
func strictSyntax(language string) *syntax {
	of := syntaxOf(language)
	if of == nil {
		of = anySyntax
	}
	s := *of
	s.strict = &strict{nested: nesting[language], triple: tripled[language], multi: manyLines[language], escape: language != "Go"}
	s.block = slices.Concat(furtherBlocks[language], s.block)
	switch {
	case ofTemplate[language]: // with scripts and styles in them
		s.line, s.block, s.quotes, s.raw = append(slices.Clone(s.line), "//"), append(s.block, slashes...), `"'`, "`"
	case language == "Batchfile":
		s.line = append(slices.Clone(s.line), "rem ", "Rem ", "@rem ", "@REM ")
	case language == "JavaScript" || language == "react":
		s.line = append(slices.Clone(s.line), "<!--")
	}
	return &s
}

// Blank returns a text twice, byte for byte as long: without its comments, and
// without comments and strings; what is left out is spaces, and ends of lines stay.
// It is for what an author must not be able to pass off as code: in doubt, code is
// taken for a comment. Here-documents of shells, Ruby, Perl and PHP are not known and
// count as code.
func Blank(language, text string) (code, bare string) {
	c, b := []byte(text), []byte(text)
	strictSyntax(language).scanTokens(text, func(k kind, at int, piece string) {
		if k == kindCode {
			return
		}
		for i := at; i < at+len(piece); i++ {
			if text[i] == '\n' {
				continue
			}
			b[i] = ' '
			if k == kindComment {
				c[i] = ' '
			}
		}
	})
	return string(c), string(b)
}
