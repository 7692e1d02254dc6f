package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// hit is a result of ast-grep's JSON.
type hit struct {
	RuleID string `json:"ruleId"`
	File   string `json:"file"`
	Range  struct {
		Start struct{ Line, Column int } `json:"start"`
	} `json:"range"`
}

// scan writes files into a new folder and returns the hits of all rules in them.
func scan(t *testing.T, files map[string]string) []hit {
	t.Helper()
	rules, tree := t.TempDir(), t.TempDir()
	if err := Write(rules); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		write(t, filepath.Join(tree, name), []byte(content))
	}
	cmd := exec.Command(testkit.AstGrep(t), "scan", "--config", filepath.Join(rules, Config), "--json=stream", ".")
	cmd.Dir = tree
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: a rule of severity error has hits
		t.Fatalf("ast-grep: %v: %s", err, errs.String())
	}
	var hits []hit
	for dec := json.NewDecoder(&out); dec.More(); {
		var h hit
		if err := dec.Decode(&h); err != nil {
			t.Fatal(err)
		}
		hits = append(hits, h)
	}
	return hits
}

func write(t *testing.T, name string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// endings maps the languages of rules to the names of their files. Rules for TypeScript also read JavaScript.
var endings = map[string][]string{langGo: {".go"}, langJava: {".java"}, langPython: {".py"}, langTypeScript: {".ts", ".tsx", ".js", ".mjs"}}

// Each example that a rule must hit has a hit of it in every kind of file, and each example that it must not hit has no hit.
func TestExamples(t *testing.T) {
	t.Parallel()
	all := loadRules(t)
	files, mustHit := map[string]string{}, map[string]bool{}
	for _, r := range all {
		e := loadExamples(t)[r.ID]
		for _, ending := range endings[r.Language] {
			for kind, list := range map[string][]string{"valid": e.Valid, "invalid": e.Invalid} {
				for i, code := range list {
					name := filepath.Join(r.ID, fmt.Sprintf("%s%d%s", kind, i+1, ending))
					files[name], mustHit[name] = code, kind == "invalid"
				}
			}
		}
	}
	found := map[string]bool{}
	for _, h := range scan(t, files) {
		name := filepath.Clean(h.File)
		if id := filepath.Dir(name); h.RuleID == id || h.RuleID == strings.Replace(id, "ts-", "js-", 1) {
			found[name] = true
		}
	}
	for name, want := range mustHit {
		if found[name] != want {
			t.Errorf("%s: a hit is there: %v, expected: %v\n%s", name, found[name], want, files[name])
		}
	}
}

// A file that does not parse keeps the hits of its sound parts, and the faults give no further ones.
func TestBrokenFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.go":   "package p\n\nfunc f() {\n\ttime.Sleep(5)\n}\n\nfunc g( {{{\n",
		"b.py":   "def f():\n    x = yaml.unsafe_load(t)\n\ndef g(:\n    return ((\n",
		"c.java": "class A { boolean f(String s) { return s == \"a\"; } void g( {{ }\n",
		"d.ts":   "if (x === NaN) stop()\nfunction g( {{{\n",
		"e.ts":   "\x00\xff\xfe(((((",
	}
	var got []string
	for _, h := range scan(t, files) {
		got = append(got, fmt.Sprintf("%s:%d %s", filepath.Clean(h.File), h.Range.Start.Line+1, h.RuleID))
	}
	slices.Sort(got)
	want := []string{"a.go:4 go-duration-without-unit", "b.py:2 py-unsafe-yaml", "c.java:1 java-text-identity", "d.ts:1 ts-nan-comparison"}
	if !slices.Equal(got, want) {
		t.Errorf("hits:\n%s\nexpected:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A comment of the change cannot hide a hit, and the hit stays on its line.
func TestUnmute(t *testing.T) {
	t.Parallel()
	code := "package p\n\nfunc f() {\n\t// ast-grep-ignore\n\ttime.Sleep(5)\n\ttime.Sleep(6) // ast-grep-ignore: go-duration-without-unit\n}\n"
	if hits := scan(t, map[string]string{"a.go": code}); len(hits) != 0 {
		t.Errorf("ast-grep does not obey its comments: %v", hits)
	}
	hits := scan(t, map[string]string{"a.go": string(Unmute([]byte(code)))})
	if len(hits) != 2 || hits[0].Range.Start.Line != 4 || hits[1].Range.Start.Line != 5 {
		t.Errorf("hits: %v", hits)
	}
}
