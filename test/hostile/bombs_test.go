package hostile

import (
	"slices"
	"strings"
)

// allBombs are the bombs of all families.
func allBombs() []bomb {
	return slices.Concat(nested())
}

const (
	workflow         = ".github/workflows/x.yml"
	workflowUnparsed = "workflow too large or nested too deeply to be checked"
	goUnparsed       = "too large or nested too deeply to be parsed"
)

// nested are texts of a form that costs a parser more than their length.
func nested() []bomb {
	n := sized(12_000, 200_000)
	deep := func(name, path, before, open string, says string) bomb {
		return bomb{name: name, head: text(path, before+strings.Repeat(open, n)+"\n"), says: says}
	}
	return []bomb{
		deep("YAML brackets", workflow, "jobs: ", "[", workflowUnparsed),
		deep("YAML braces", workflow, "jobs: ", "{a: ", workflowUnparsed),
		deep("YAML entries of entries", workflow, "", "- ", workflowUnparsed),
		deep("Go parentheses", "x.go", "package x\n\nvar a = ", "(", goUnparsed),
		deep("Go composite literals", "x.go", "package x\n\nvar a = []any", "{", goUnparsed),
		deep("Go types", "x.go", "package x\n\nvar a ", "[]*", goUnparsed),
		deep("JSON of a package", "package.json", "", "[", ""),
		deep("TOML arrays", "Cargo.toml", "a = ", "[", ""),
	}
}
