package anchor

// syntax describes the comments and strings of a language. It is less than a lexer needs, and enough for
// fingerprints: comments that it takes for code only make a fingerprint more exact.
type syntax struct {
	line   []string    // begin a comment up to the end of the line; a single sign only after white space
	block  [][2]string // begin and end a comment
	quotes string      // around strings of one line; three of one kind around strings of several
	raw    string      // around strings of several lines

	strict *strict // for callers that must not take other text for code; nil for fingerprints
}

var (
	slashes = [][2]string{{"/*", "*/"}}
	markup  = [][2]string{{"<!--", "-->"}}

	likeC       = &syntax{line: []string{"//"}, block: slashes, quotes: `"'`}
	likeScript  = &syntax{line: []string{"//"}, block: slashes, quotes: `"'`, raw: "`"}
	likeShell   = &syntax{line: []string{"#"}, quotes: `"'`}
	likePHP     = &syntax{line: []string{"//", "#"}, block: slashes, quotes: `"'`}
	likeSQL     = &syntax{line: []string{"--"}, block: slashes, quotes: `"'`}
	likeHaskell = &syntax{line: []string{"--"}, block: [][2]string{{"{-", "-}"}}, quotes: `"`}
	likeML      = &syntax{line: []string{"//"}, block: [][2]string{{"(*", "*)"}}, quotes: `"`}
	likeLisp    = &syntax{line: []string{";"}, quotes: `"`}
	likeTeX     = &syntax{line: []string{"%"}, quotes: `"`}
	likeINI     = &syntax{line: []string{"#", ";"}, quotes: `"`}
	likeHTML    = &syntax{block: markup, quotes: `"`}
)

// syntaxes maps the languages of [github.com/assay-dev/assay/internal/diff.Language] to their syntax.
var syntaxes = map[string]*syntax{
	"C": likeC, "C++": likeC, "C#": likeC, "Objective-C": likeC, "Java": likeC, "Kotlin": likeC, "Scala": likeC, "Groovy": likeC,
	"Swift": likeC, "Dart": likeC, "D": likeC, "V": likeC, "Zig": likeC, "Solidity": likeC, "Protocol Buffer": likeC,
	"systemverilog": likeC, "JSON": likeC, "SCSS": likeC, "LessCss": likeC, "CSS": {block: slashes, quotes: `"'`},
	"Rust": {line: []string{"//"}, block: slashes, quotes: `"`}, "Sass": likeC, "Go Module": likeC,

	"Go": likeScript, "JavaScript": likeScript, "react": likeScript, "TypeScript": likeScript,
	"vue":    {line: []string{"//"}, block: append(markup, slashes...), quotes: `"`},
	"Svelte": {line: []string{"//"}, block: append(markup, slashes...), quotes: `"`},

	"Python": likeShell, "Ruby": likeShell, "Perl": likeShell, "R": likeShell, "Julia": likeShell, "Elixir": likeShell, "Nim": likeShell,
	"Crystal": likeShell, "Bash": likeShell, "Fish": likeShell, "Makefile": likeShell, "CMake": likeShell, "Docker": likeShell,
	"YAML": likeShell, "TOML": likeShell, "GraphQL": likeShell, "Rego": likeShell, "properties": likeINI, "INI": likeINI,
	"PowerShell": {line: []string{"#"}, block: [][2]string{{"<#", "#>"}}, quotes: `"'`},

	"PHP": likePHP, "Terraform": likePHP, "HCL": likePHP, "Thrift": likePHP, "Nix": {line: []string{"#"}, block: slashes, quotes: `"`},
	"SQL": likeSQL, "VHDL": {line: []string{"--"}, quotes: `"`},
	"Lua":     {line: []string{"--"}, block: [][2]string{{"--[[", "]]"}}, quotes: `"'`},
	"Haskell": likeHaskell, "Elm": likeHaskell, "OCaml": likeML, "FSharp": likeML, "Clojure": likeLisp,
	"Erlang": likeTeX, "TeX": likeTeX, "VB.net": {line: []string{"'"}, quotes: `"`}, "Batchfile": {line: []string{"::", "REM "}, quotes: `"`},

	"HTML": likeHTML, "XML": likeHTML, "markdown": likeHTML, "Go HTML Template": likeHTML,
}

// syntaxOf returns the syntax of a language, nil if it is not known.
func syntaxOf(language string) *syntax { return syntaxes[language] }
