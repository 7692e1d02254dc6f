package check

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// grammar tells comments and strings of a language from its code.
type grammar struct {
	comments []string       // begin comments that end with their line
	blocks   [][2]string    // comments, from and to
	quotes   []quote        // longest first
	chars    bool           // an apostrophe quotes a single character
	holes    bool           // a backquoted string has code in ${}
	regex    bool           // a slash may begin a pattern
	heredoc  *regexp.Regexp // matches the beginning of a here-document
	markup   bool           // tags stand in the code
}

type quote struct {
	open, end string
	lines     bool // may span lines
	raw       bool // a backslash means itself
}

var (
	double   = quote{open: `"`, end: `"`}
	single   = quote{open: "'", end: "'"}
	backtick = quote{open: "`", end: "`", lines: true}
	rawTick  = quote{open: "`", end: "`", lines: true, raw: true}
	triple   = quote{open: `"""`, end: `"""`, lines: true}
	thrice   = quote{open: "'''", end: "'''", lines: true}
	rawCPP   = quote{open: `R"(`, end: `)"`, lines: true, raw: true}
	rawRust  = quote{open: `r#"`, end: `"#`, lines: true, raw: true}
	verbatim = quote{open: `@"`, end: `"`, lines: true, raw: true}
	slashes  = [][2]string{{"/*", "*/"}}

	likeC      = &grammar{comments: []string{"//"}, blocks: slashes, quotes: []quote{triple, thrice, rawCPP, double}, chars: true}
	likeDart   = &grammar{comments: []string{"//"}, blocks: slashes, quotes: []quote{triple, thrice, double, single}}
	likeRust   = &grammar{comments: []string{"//"}, blocks: slashes, quotes: []quote{rawRust, {open: `"`, end: `"`, lines: true}}, chars: true}
	likeCSharp = &grammar{comments: []string{"//"}, blocks: slashes, quotes: []quote{triple, verbatim, double}, chars: true}
	likeGo     = &grammar{comments: []string{"//"}, blocks: slashes, quotes: []quote{double, rawTick}, chars: true}
	likeJS     = &grammar{comments: []string{"//"}, blocks: slashes, quotes: []quote{double, single, backtick}, holes: true,
		regex: true, markup: true}
	likePHP    = &grammar{comments: []string{"//", "#"}, blocks: slashes, quotes: []quote{double, single}, heredoc: heredocPHP, markup: true}
	likePython = &grammar{comments: []string{"#"}, quotes: []quote{triple, thrice, double, single}}
	likeShell  = &grammar{comments: []string{"#"}, quotes: []quote{{open: `"`, end: `"`, lines: true},
		{open: "'", end: "'", lines: true, raw: true}}, heredoc: heredocStart}
	likeRuby = &grammar{comments: []string{"#"}, blocks: [][2]string{{"=begin", "=end"}}, quotes: []quote{double, single},
		heredoc: heredocStart}
	likeSQL  = &grammar{comments: []string{"--"}, blocks: slashes, quotes: []quote{{open: "'", end: "'", lines: true, raw: true}, double}}
	likeLisp = &grammar{comments: []string{";"}, quotes: []quote{{open: `"`, end: `"`, lines: true}}}
	likeDash = &grammar{comments: []string{"--"}, blocks: [][2]string{{"--[[", "]]"}, {"{-", "-}"}}, quotes: []quote{triple, double},
		chars: true}
	likeOther = &grammar{comments: []string{"//", "#", "--"}, blocks: slashes, quotes: []quote{triple, double, single}}
)

// grammarOf returns the grammar of a language by its name, nil for languages of prose or data.
func grammarOf(name string) *grammar {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "html+") || strings.HasPrefix(name, "json with") || strings.HasPrefix(name, "git ") {
		return nil
	}
	switch name {
	case "", "json", "json5", "jsonld", "yaml", "toml", "xml", "html", "svg", "markdown", "restructuredtext", "asciidoc", "properties",
		"java properties", "ini", "text", "csv", "tsv",
		"go html template", "go text template", "tex", "gettext catalog", "strings", "diff", "rich text format", "org", "textile", "fluent",
		"xml property list", "openstep property list", "textmate properties", "dotenv", "ignore list", "mdx", "mdsvex", "jinja", "twig",
		"liquid", "handlebars", "mustache",
		"ejs", "blade", "java server pages", "asp.net", "freemarker", "velocity template language", "smarty", "go template", "maven pom",
		"xslt", "jupyter notebook",
		"webvtt", "subrip text", "icalendar", "e-mail", "edn", "gettext", "wikitext", "robots.txt", "http", "hosts file", "editorconfig",
		"jest snapshot", "public key":
		return nil
	case "go":
		return likeGo
	case "dart", "groovy", "css", "scss", "less", "lesscss", "solidity", "v", "protocol buffer", "thrift":
		return likeDart
	case "rust":
		return likeRust
	case "c#":
		return likeCSharp
	case "javascript", "typescript", "react", "jsx", "tsx", "vue", "svelte", "astro", "glimmer js", "glimmer ts", "marko", "templ":
		return likeJS
	case "php":
		return likePHP
	case "python", "starlark", "elixir", "nim", "julia", "r", "gdscript", "terraform", "hcl", "docker", "dockerfile", "makefile",
		"cmake", "crystal", "rego", "graphql", "just", "gdshader", "mojo",
		"snakemake", "powershell", "pip requirements", "tcl", "puppet", "awk", "nix", "meson", "coffeescript", "procfile", "terraform template":
		return likePython
	case "bash", "shell", "fish", "perl", "raku", "tcsh", "zsh", "nushell", "elvish":
		return likeShell
	case "ruby":
		return likeRuby
	case "sql", "plsql", "plpgsql", "tsql", "sqlpl", "hiveql":
		return likeSQL
	case "clojure", "common lisp", "emacs lisp", "scheme", "racket":
		return likeLisp
	case "lua", "haskell", "elm", "ada", "vhdl", "purescript":
		return likeDash
	case "c", "c++", "java", "kotlin", "scala", "swift", "objective-c", "objective-c++", "zig", "d",
		"cuda", "glsl", "systemverilog", "verilog":
		return likeC
	}
	return likeOther
}
