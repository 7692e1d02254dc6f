package check

import (
	"strings"
	"testing"
)

func TestAnalyserSwitches(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ path, before, after, want string }{
		"Go":                 {"a.go", "package a\n", "package a\n\nvar x = f() //nolint:errcheck // why\n", "a.go:3 (nolint)"},
		"gosec":              {"a.go", "package a\n", "package a\n\nvar x = f() // why // #nosec G101\n", "a.go:3 (nosec)"},
		"Python":             {"a.py", "x = 1\n", "x = 1\nimport y  # noqa: F401\nz = 1  # type: ignore[misc]\n", "a.py:2 (noqa) a.py:3 (type: ignore)"},
		"JavaScript":         {"a.ts", "x()\n", "x()\n/* eslint-disable */\n// @ts-ignore\n", "a.ts:2 (eslint-disable) a.ts:3 (@ts-ignore)"},
		"a shell script":     {"a.sh", "true\n", "true\n# shellcheck disable=SC2086\n", "a.sh:2 (shellcheck disable)"},
		"on an old line":     {"a.go", "package a\n\nvar x = f() //nolint\n", "package a\n\nvar x = f() //nolint\nvar y = 1\n", ""},
		"a moved line":       {"a.go", "package a\n\nvar z = 2\nvar x = f() //nolint\n", "package a\n\nvar x = f() //nolint\nvar z = 2\n", ""},
		"other code":         {"a.go", "package a\n\nvar x = f() //nolint:x\n", "package a\n\nvar x = g() //nolint:x\n", ""},
		"a wider one":        {"a.go", "package a\n\nvar x = f() //nolint:x\n", "package a\n\nvar x = f() //nolint:x,y\n", "a.go:3 (nolint)"},
		"in a string":        {"a.go", "package a\n", "package a\n\nvar x = \"//nolint #nosec\"\nvar y = `\n//nolint\n`\n", ""},
		"words about one":    {"a.go", "package a\n", "package a\n\n// The comment nolint is not obeyed, and ignore is a word.\n", ""},
		"a document":         {"a.md", "x\n", "x\n<!-- eslint-disable -->\n", ""},
		"a broken file":      {"a.go", "package a\n", "package a\nfunc {{ //nolint\n", "a.go:2 (nolint)"},
		"one that hides one": {"a.go", "package a\n", "package a\n\n//nolint // nolint:all\nvar x = f() //nolint // #nosec\n", "a.go:3 (nolint) a.go:4 (nolint)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(run(t, tt.path, tt.before, tt.after).Switches[tt.path], " "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	many := "package a\n" + strings.Repeat("//nolint\n", maxSwitches+1)
	if got := run(t, "a.go", "", many).Switches["a.go"]; len(got) != maxSwitches {
		t.Error(len(got))
	}
}
