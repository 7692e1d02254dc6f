package analysers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
)

// leftBad is a lock file of npm with one package.
const leftBad = `{"name": "x", "lockfileVersion": 3, "packages": {
    "": {"name": "x", "dependencies": {"left-bad": "1.0.0"}},
    "node_modules/left-bad": {
      "resolved": "https://registry.npmjs.org/left-bad/-/left-bad-1.0.0.tgz",
      "version": "1.0.0"
    }
}}`

// Real analysers report a fault of a file on its line. The variables name programs; without them the tests use those of the
// search path, and skip where there are none.
func TestRealAnalysers(t *testing.T) {
	for profile, tc := range map[string]struct {
		variable string
		files    files
		want     []string // rule, path and line of some results
	}{
		"shellcheck": {"ASSAY_TEST_SHELLCHECK", files{"a/run.sh": "#!/bin/sh\nrm -rf \"$1/\"*\ncd $1\n[ $a == b ]\n", ".shellcheckrc": "disable=all\n"},
			[]string{"SC2164 a/run.sh:3"}},
		"oxlint": {"ASSAY_TEST_OXLINT", files{"a/x.js": "export function f(a) {\n  if (a === NaN) { return 1; }\n  debugger;\n  return 2;\n}\n",
			".oxlintrc.json": `{"rules":{"no-debugger":"off","use-isnan":"off"}}`},
			[]string{"eslint/use-isnan a/x.js:2", "eslint/no-debugger a/x.js:3"}},
		"ast-grep": {"ASSAY_TEST_AST_GREP", files{"a/x.go": "package a\n\nimport \"crypto/tls\"\n\nvar c = tls.Config{InsecureSkipVerify: true}\n",
			"sgconfig.yml": "ruleDirs: []\n"}, []string{"go-tls-verification-off a/x.go:5"}},
		// ASSAY_TEST_OSV_DATABASE names a folder with an advisory GHSA-aaaa-bbbb-cccc about version 1.0.0 of the npm package left-bad
		"osv-scanner": {"ASSAY_TEST_OSV_SCANNER", files{"a/package-lock.json": leftBad, "b/package-lock.json": `{"name":"x","lockfileVersion":3,"packages":{"":{}}}`,
			"a/osv-scanner.toml": "[[IgnoredVulns]]\nid = \"GHSA-aaaa-bbbb-cccc\"\n"}, []string{"GHSA-aaaa-bbbb-cccc a/package-lock.json:5"}},
	} {
		t.Run(profile, func(t *testing.T) {
			program := os.Getenv(tc.variable)
			if program == "" {
				found, err := exec.LookPath(profile)
				if err != nil {
					t.Skipf("%s is not installed, and %s does not name it", profile, tc.variable)
				}
				program = found
			}
			program, err := filepath.Abs(program)
			if err != nil {
				t.Fatal(err)
			}
			definition := filepath.Join(t.TempDir(), "analysers.yaml")
			text := "analysers:\n  - profile: " + profile + "\n    program: " + program + "\n"
			if p, _ := profileOf(profile); p.NeedRules {
				text += "    rules: " + os.Getenv("ASSAY_TEST_OSV_DATABASE") + "\n"
			}
			if err := os.WriteFile(definition, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			all, err := Configure(Settings{File: definition, DataDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			q := tc.files.request()
			for i := range q.Files {
				q.Files[i].Language = diff.Language(q.Files[i].Path)
			}
			out := runOne(t, all[0], q)
			if out.Failure != "" {
				t.Fatalf("%+v", out)
			}
			var got []string
			for _, run := range out.Document.Runs {
				for _, r := range run.Results {
					got = append(got, fmt.Sprintf("%s %s:%d", r.RuleID, r.Path, r.StartLine))
				}
			}
			for _, want := range tc.want {
				if !slices.Contains(got, want) {
					t.Errorf("no %q in %q", want, strings.Join(got, ", "))
				}
			}
			t.Logf("%s %s in %v: %s", out.Name, out.Version, out.Duration, out.Grade)
		})
	}
}
