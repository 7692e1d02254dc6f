package diff

import (
	"path"
	"strings"
)

// Language names a file's language as Linguist does, by its name only;
// "" if unknown.
func Language(name string) string {
	base := strings.ToLower(path.Base(name))
	switch {
	case base == "dockerfile" || base == "containerfile" || strings.HasPrefix(base, "dockerfile.") || strings.HasSuffix(base, ".dockerfile"):
		return "Docker"
	case base == "makefile" || base == "gnumakefile":
		return "Makefile"
	case base == "cmakelists.txt":
		return "CMake"
	case base == "rakefile" || base == "gemfile" || base == "podfile" || base == "vagrantfile" || base == "fastfile":
		return "Ruby"
	case base == "jenkinsfile":
		return "Groovy"
	case base == "build" || base == "workspace" || base == "build.bazel":
		return "Python"
	case base == "go.mod" || base == "go.work":
		return "Go Module"
	}
	return languageByExt[path.Ext(base)]
}

// languageByExt maps lower-case extensions to names of languages.
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
	".sql": "SQL", ".sh": "Bash", ".bash": "Bash", ".zsh": "Bash", ".fish": "Fish", ".ps1": "PowerShell", ".psm1": "PowerShell",
	".bat": "Batchfile", ".cmd": "Batchfile", ".tf": "Terraform", ".tfvars": "Terraform", ".hcl": "HCL", ".nix": "Nix",
	".proto": "Protocol Buffer", ".graphql": "GraphQL", ".gql": "GraphQL", ".thrift": "Thrift", ".yaml": "YAML", ".yml": "YAML",
	".json": "JSON", ".jsonc": "JSON", ".json5": "JSON", ".toml": "TOML", ".ini": "INI", ".cfg": "INI", ".properties": "properties",
	".xml": "XML", ".md": "markdown", ".mdx": "markdown", ".rst": "reStructuredText", ".tex": "TeX", ".cmake": "CMake", ".mk": "Makefile",
	".bzl": "Python", ".star": "Python", ".elm": "Elm", ".cr": "Crystal", ".rego": "Rego", ".tmpl": "Go HTML Template",
}
