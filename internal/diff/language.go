package diff

import (
	"bytes"
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/regexp"
)

// Language returns the name that Linguist has for a file's language, by the file's name only, or "" if
// unknown.
func Language(name string) string {
	base := strings.ToLower(path.Base(name))
	switch {
	case base == "dockerfile" || base == "containerfile" || strings.HasPrefix(base, "dockerfile.") || strings.HasSuffix(base, ".dockerfile"):
		return "Docker"
	case base == "rakefile" || base == "gemfile" || base == "podfile" || base == "vagrantfile" || base == "fastfile":
		return "Ruby"
	case base == "jenkinsfile":
		return "Groovy"
	case base == "build" || base == "workspace" || base == "build.bazel":
		return "Python"
	case base == "go.mod" || base == "go.work":
		return "Go Module"
	case pythonRequirements.MatchString(base):
		return "Pip Requirements"
	}
	if l := linguist().names[base]; l != "" {
		return l
	}
	ext := path.Ext(base)
	if l := languageByExt[ext]; l != "" {
		return l
	}
	return linguist().extensions[ext]
}

// pythonRequirements matches the names of package lists that pip installs.
var pythonRequirements = regexp.MustCompile(`^(requirements|constraints)([-_.][\w.-]*)?\.(txt|in)$|^[\w.-]*[-_.]requirements\.(txt|in)$`)

// scriptLanguage returns the language in the first line of a script (#!/usr/bin/env -S python3 -u). It
// returns "Script" for an unknown interpreter, and "" if there is no such line.
func scriptLanguage(content []byte) string {
	line, _, _ := bytes.Cut(head(content, 256), []byte("\n"))
	rest, is := bytes.CutPrefix(bytes.TrimPrefix(line, []byte("\uFEFF")), []byte("#!"))
	if !is {
		return ""
	}
	for _, word := range strings.Fields(string(rest)) {
		program := path.Base(word)
		if program == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if l := linguist().interpreters[program]; l != "" {
			return l
		}
		if l := linguist().interpreters[strings.TrimRight(program, "0123456789.")]; l != "" {
			return l
		}
		return "Script"
	}
	return "Script"
}

// KnownLanguage reports whether a name is one that [Language] or the first line of a script can give.
func KnownLanguage(name string) bool {
	for _, table := range []map[string]string{languageByExt, linguist().names, linguist().extensions, linguist().interpreters} {
		for _, l := range table {
			if l == name {
				return true
			}
		}
	}
	return slices.Contains([]string{"Docker", "Go Module", "Pip Requirements", "Script"}, name)
}

// languageData is Linguist's table of file names, extensions and interpreters, taken from go-enry.
// TestLanguagesAreThoseOfLinguist writes it with -update, so that the program does not contain the library with its
// frequency tables.
//
//go:embed languages.tsv
var languageData string

// languageTable maps lower-case names, lower-case extensions and interpreters to languages.
type languageTable struct{ names, extensions, interpreters map[string]string }

var linguist = sync.OnceValue(func() languageTable {
	t := languageTable{map[string]string{}, map[string]string{}, map[string]string{}}
	for line := range strings.Lines(languageData) {
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		key, language, _ := strings.Cut(rest, "\t")
		switch kind {
		case "name":
			t.names[key] = language
		case "extension":
			t.extensions[key] = language
		case "interpreter":
			t.interpreters[key] = language
		}
	}
	return t
})

// languageByExt maps lower-case extensions to languages. It takes precedence over Linguist, because other
// packages use these names.
var languageByExt = map[string]string{
	".go": "Go", ".py": "Python", ".pyi": "Python", ".pyw": "Python", ".js": "JavaScript", ".mjs": "JavaScript", ".cjs": "JavaScript",
	".jsx": "react", ".ts": "TypeScript", ".mts": "TypeScript", ".cts": "TypeScript", ".tsx": "TypeScript", ".java": "Java",
	".kt": "Kotlin", ".kts": "Kotlin", ".scala": "Scala", ".sc": "Scala", ".groovy": "Groovy", ".gradle": "Groovy", ".rb": "Ruby",
	".rs": "Rust", ".c": "C", ".h": "C", ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hpp": "C++", ".hh": "C++", ".hxx": "C++",
	".cs": "C#", ".fs": "FSharp", ".vb": "VB.net", ".php": "PHP", ".swift": "Swift", ".m": "Objective-C", ".mm": "Objective-C",
	".dart": "Dart", ".lua": "Lua", ".pl": "Perl", ".pm": "Perl", ".r": "R", ".jl": "Julia", ".ex": "Elixir", ".exs": "Elixir",
	".erl": "Erlang", ".hrl": "Erlang", ".hs": "Haskell", ".ml": "OCaml", ".mli": "OCaml", ".clj": "Clojure", ".cljs": "Clojure",
	".zig": "Zig", ".nim": "Nim", ".d": "D", ".v": "V", ".sv": "systemverilog", ".vhd": "VHDL", ".sol": "Solidity", ".vue": "vue",
	".svelte": "Svelte", ".html": "HTML", ".htm": "HTML", ".css": "CSS", ".scss": "SCSS", ".sass": "Sass", ".less": "LessCss",
	".sql": "SQL", ".sh": "Bash", ".bash": "Bash", ".zsh": "Bash", ".bats": "Bash", ".fish": "Fish", ".ps1": "PowerShell",
	".psm1": "PowerShell",
	".bat":  "Batchfile", ".cmd": "Batchfile", ".tf": "Terraform", ".tfvars": "Terraform", ".hcl": "HCL", ".nix": "Nix",
	".proto": "Protocol Buffer", ".graphql": "GraphQL", ".gql": "GraphQL", ".thrift": "Thrift", ".yaml": "YAML", ".yml": "YAML",
	".json": "JSON", ".jsonc": "JSON", ".json5": "JSON", ".toml": "TOML", ".ini": "INI", ".cfg": "INI", ".properties": "properties",
	".xml": "XML", ".md": "markdown", ".mdx": "MDX", ".rst": "reStructuredText", ".tex": "TeX", ".cmake": "CMake", ".mk": "Makefile",
	".bzl": "Python", ".star": "Python", ".elm": "Elm", ".cr": "Crystal", ".rego": "Rego", ".tmpl": "Go HTML Template", ".f": "Fortran",
	".cls": "Apex", ".trigger": "Apex", ".inl": "C++", ".ejs": "EJS", ".bicep": "Bicep", ".sbt": "Scala", ".pro": "Prolog",
}
