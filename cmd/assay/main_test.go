package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/testkit"
)

var update = flag.Bool("update", false, "write golden files")

// children starts child processes of the test's own program.
var children *sandbox.Launcher

func TestMain(m *testing.M) {
	become() // before any test code runs
	children = sandbox.Enter(map[string]sandbox.Work{analysers.ReadWork: analysers.Serve})
	testkit.Main(m)
}

// result is the result of a command line.
type result struct {
	code           int
	stdout, stderr string
}

// command runs a command line in the test's process, with its own environment
// and data folder.
func command(t *testing.T, vars map[string]string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	e := &env{stdout: &stdout, stderr: &stderr, context: t.Context()}
	if _, ok := vars["ASSAY_DATA_DIR"]; !ok {
		e.vars = append(e.vars, "ASSAY_DATA_DIR="+t.TempDir())
	}
	for k, v := range vars {
		e.vars = append(e.vars, k+"="+v)
	}
	code := run(args, e)
	return result{code, stdout.String(), stderr.String()}
}

// good fails the test unless the command succeeded.
func good(t *testing.T, r result) string {
	t.Helper()
	if r.code != exitOK {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

func decode[T any](t *testing.T, text string) (out T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("no JSON: %v\n%s", err, text)
	}
	return out
}

// leaves lists the command lines of every command, with those above it.
func leaves(n *kong.Node, path []string) (out [][]string) {
	out = append(out, path)
	for _, c := range n.Children {
		out = append(out, leaves(c, append(slices.Clone(path), c.Name))...)
	}
	return out
}

func TestHelp(t *testing.T) {
	t.Setenv("COLUMNS", "100")
	var c cli
	parser, err := newParser(&c, &env{stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}})
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range leaves(parser.Model.Node, nil) {
		text := good(t, command(t, nil, append(path, "--help")...))
		all.WriteString("$ assay " + strings.Join(append(path, "--help"), " ") + "\n" + text + "\n")
		if !strings.Contains(text, "<command>") && !strings.Contains(text, "Examples:\n\n    ") {
			t.Errorf("assay %s: the help has no example", strings.Join(path, " "))
		}
	}
	golden(t, "help.txt", all.String())
	if got := good(t, command(t, nil)); got != good(t, command(t, nil, "--help")) {
		t.Error("without arguments the help is shown")
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs; run go test -update and look at the change\n%s", path, got)
	}
}

func TestWrongUsage(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"command":               {[]string{"serv"}, `did you mean "serve"`},
		"flag":                  {[]string{"serve", "--dmo"}, `did you mean "--demo"`},
		"subcommand":            {[]string{"jobs", "lst"}, `did you mean "list"`},
		"where to look":         {[]string{"jobs", "lst"}, `"assay jobs --help"`},
		"missing argument":      {[]string{"runs", "show"}, `<id>`},
		"missing flag":          {[]string{"jobs", "discard", "job_1"}, `--reason`},
		"unknown shell":         {[]string{"completion", "tcsh"}, `bash`},
		"unknown lane":          {[]string{"worker", "--lanes", "reviews"}, `lanes are delivery, review, publish, background, dry-run and sweep`},
		"lane twice":            {[]string{"worker", "--lanes", "review,review=2"}, `named twice`},
		"slots":                 {[]string{"worker", "--lanes", "review=0"}, `from 1 to`},
		"keep without demo":     {[]string{"serve", "--keep"}, `--demo`},
		"state":                 {[]string{"runs", "list", "--state", "done"}, `awaiting_approval`},
		"repository":            {[]string{"runs", "list", "--repository", "storefront"}, `owner/name`},
		"limit":                 {[]string{"jobs", "list", "--limit", "0"}, `--limit`},
		"severity":              {[]string{"review", "--fail-on", "bad"}, `critical`},
		"format":                {[]string{"review", "--format", "xml"}, `sarif`},
		"model alone":           {[]string{"review", "--model", "m"}, `go together`},
		"range and staged":      {[]string{"review", "--range", "a..b", "--staged"}, `--range`},
		"placing half":          {[]string{"admin", "place-installation", "acme"}, `--tenant`},
		"terminal escapes":      {[]string{"\x1b[31mred"}, `?[31mred`},
		"help of no command":    {[]string{"help", "nonsense"}, `unexpected argument nonsense`},
		"help, mistyped":        {[]string{"help", "reviw"}, `did you mean "review"`},
		"help below, mistyped":  {[]string{"help", "hook", "instal"}, `did you mean "install"`},
		"name with line breaks": {[]string{"admin", "tenant", "create", "a\tb"}, `printable`},
	} {
		t.Run(name, func(t *testing.T) {
			r := command(t, nil, c.args...)
			if r.code != exitUsage || !strings.Contains(r.stderr, c.want) || r.stdout != "" {
				t.Errorf("exit code %d, stdout %q, stderr %q; want code %d and %q", r.code, r.stdout, r.stderr, exitUsage, c.want)
			}
		})
	}
}

// The word help prints the same as --help.
func TestHelpAsAWord(t *testing.T) {
	for _, path := range [][]string{nil, {"review"}, {"hook"}, {"hook", "install"}, {"admin", "tenant", "create"}} {
		want := good(t, command(t, nil, append(slices.Clone(path), "--help")...))
		if got := good(t, command(t, nil, append([]string{"help"}, path...)...)); got != want {
			t.Errorf("help %s:\n%s", strings.Join(path, " "), got)
		}
	}
}

func TestAbout(t *testing.T) {
	if got := good(t, command(t, nil, "version")); !strings.HasPrefix(got, "assay dev") {
		t.Errorf("version: %q", got)
	}
	if got := good(t, command(t, nil, "--version")); got != good(t, command(t, nil, "version")) {
		t.Errorf("--version: %q", got)
	}
	if v := decode[versionInfo](t, good(t, command(t, nil, "version", "--json"))); v.APIVersion == "" || v.Go == "" || v.Version != "dev" {
		t.Errorf("version: %+v", v)
	}
	doc := decode[struct {
		OpenAPI string
		Paths   map[string]any
	}](t, good(t, command(t, nil, "openapi")))
	if !strings.HasPrefix(doc.OpenAPI, "3.1") || doc.Paths["/webhooks/codehost"] == nil {
		t.Errorf("openapi: %q with %d paths", doc.OpenAPI, len(doc.Paths))
	}
	all := decode[[]routeLine](t, good(t, command(t, nil, "routes", "--json")))
	missing := decode[[]routeLine](t, good(t, command(t, nil, "routes", "--json", "--unimplemented")))
	if len(all) <= len(missing) || slices.ContainsFunc(missing, func(r routeLine) bool { return r.Implemented }) {
		t.Errorf("%d routes, %d of them not built", len(all), len(missing))
	}
	if got := good(t, command(t, nil, "routes")); strings.Count(got, "\n") != len(all)+1 || !strings.Contains(got, "/webhooks/codehost") {
		t.Errorf("routes:\n%s", got)
	}
}

// Output for people contains no commands for pipeline systems, on either stream. Output for programs
// stays unchanged.
func TestNoCommandToAPipelineIsPrinted(t *testing.T) {
	evil := "##vso[task.prependpath]/tmp"
	for name, args := range map[string][]string{
		"a revision": {"review", "--base", evil}, "a command": {evil}, "a file": {"eval", "report", evil}, "a range": {"review", "--range", evil},
		"a flag": {"serve", "--" + evil}, "a line of its own": {"review", "--base", "x\n::error::y"},
	} {
		checkout(t, nil)
		r := command(t, nil, args...)
		if r.code == exitOK || strings.Contains(r.stdout+r.stderr, "##vso[") || strings.Contains(r.stdout+r.stderr, "\n::") {
			t.Errorf("%s: exit code %d\n%s%s", name, r.code, r.stdout, r.stderr)
		}
	}
	r := command(t, nil, "review", "--base", evil, "--format", "sarif")
	if r.code != 2 || !json.Valid([]byte(r.stdout)) || !strings.Contains(r.stdout, `"executionSuccessful": false`) || !strings.Contains(r.stdout, "##vso[") {
		t.Errorf("exit code %d\n%s", r.code, r.stdout)
	}
}
