package analysers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDefinitions(t *testing.T) {
	t.Parallel()
	file := write(t, `analysers:
  - profile: ast-grep
    program: /opt/ast-grep/ast-grep
    version: "0.51"
    seconds: 30
    mib: 512
  - name: ours
    program: /opt/ours/bin/ours
    command: [check, "--rules={rules}", "{files}"]
    rules: /opt/ours/rules
    folders: [/opt/lib]
    output: json
    exitCodes: [1, 2]
    languages: [Go]
    paths: ["**/*.x"]
    processes: 4
  - name: types
    program: /opt/types/bin/types
    command: [check]
    input: tree
    output: sarif
    languages: [Go]
`)
	got, err := Configure(Settings{Programs: []string{"shellcheck=/usr/bin/shellcheck"}, File: file, DataDir: "/var/lib/assay"})
	if err != nil || len(got) != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	if a := got[0]; a.Name != "shellcheck" || a.Path != "/usr/bin/shellcheck" || a.Time != defaultTime || a.Memory != defaultMemory || a.Format != FormatShellcheck {
		t.Errorf("%+v", a)
	}
	if a := got[1]; a.Name != "ast-grep" || a.Version != "0.51" || a.Time != 30*time.Second || a.Memory != 512<<20 || !a.OwnRules {
		t.Errorf("%+v", a)
	}
	if a := got[2]; a.Name != "ours" || a.Format != FormatJSON || a.Processes != 4 || len(a.Codes) != 2 || !a.wants(File{Path: "b/a.x"}) ||
		!a.wants(File{Language: "Go"}) || a.wants(File{Path: "a.y"}) {
		t.Errorf("%+v", a)
	}
	if a := got[3]; a.Input != InputTree || got[2].Input != InputFiles {
		t.Errorf("%+v", a)
	}
	if got, err := Configure(Settings{}); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "analysers.yaml")
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// Each defect names its setting and its field, and no value.
func TestBrokenDefinitions(t *testing.T) {
	t.Parallel()
	entry := func(lines string) string {
		return "analysers:\n  - {name: ours, program: /opt/x/PRIVATE, command: [\"{files}\"], output: sarif, languages: [Go]" + lines + "}\n"
	}
	for name, tc := range map[string]struct{ programs, file, want string }{
		"no path":              {"shellcheck", "", "(analysers.programs) entry 1 must be a profile and a path"},
		"another profile":      {"shelcheck=/usr/bin/x", "", "entry 1.profile must be one of ast-grep, hadolint, opengrep, osv-scanner, oxlint, ruff, semgrep, shellcheck (did you mean shellcheck?)"},
		"a relative path":      {"shellcheck=PRIVATE", "", "entry 1.program must be an absolute path"},
		"the data folder":      {"shellcheck=/var/lib/assay/PRIVATE", "", "entry 1.program must be in a folder that does not hold the data folder"},
		"above the data":       {"shellcheck=/var/lib/PRIVATE", "", "entry 1.program must be in a folder that does not hold the data folder"},
		"no rules":             {"semgrep=/usr/bin/semgrep", "", "entry 1.rules must name the rules"},
		"twice":                {"ruff=/usr/bin/a,ruff=/usr/bin/b", "", "entry 2.name is the name of another analyser"},
		"too many":             {strings.Repeat("ruff=/usr/bin/a,", maxAnalysers+1), "", "at most 20 analysers"},
		"an unknown field":     {"", entry(", shell: PRIVATE"), "analysers.definitions) names a file with an error in line 2"},
		"not YAML":             {"", ": [", "names a file"},
		"another type":         {"", entry(", seconds: PRIVATE"), "names a file with an error in line 2"},
		"a large file":         {"", strings.Repeat("#", maxDefinitions+1), "larger than 256 KiB"},
		"no command":           {"", "analysers: [{name: x, program: /opt/x/x, output: sarif, languages: [Go]}]", "analysers[0].command must list the words"},
		"no output":            {"", strings.Replace(entry(""), "sarif", "xml", 1), "analysers[0].output must be sarif or json"},
		"no files":             {"", strings.Replace(entry(""), "{files}", "x", 1), "analysers[0].command must have {files}"},
		"another input":        {"", entry(", input: PRIVATE"), "analysers[0].input must be files or tree"},
		"a placeholder":        {"", strings.Replace(entry(""), `"{files}"`, `"{files}", "{env}"`, 1), "analysers[0].command[1] may use the placeholders"},
		"files within a word":  {"", strings.Replace(entry(""), `"{files}"`, `"--x={files}"`, 1), "analysers[0].command[0] must be {files} alone"},
		"a command beside one": {"", strings.Replace(entry(""), "name: ours", "profile: ruff", 1), "analysers[0].command must be absent with a profile"},
		"a name":               {"", strings.Replace(entry(""), "ours", "../PRIVATE", 1), "analysers[0].name must be 1 to 40"},
		"no languages":         {"", strings.Replace(entry(""), "[Go]", "[]", 1), "analysers[0].languages must name languages"},
		"a language":           {"", strings.Replace(entry(""), "[Go]", "[Go, PRIVATE]", 1), "analysers[0].languages[1] must be a language"},
		"a pattern":            {"", entry(`, paths: ["[PRIVATE"]`), "analysers[0].paths[0] must be a pattern"},
		"a version":            {"", entry(", version: PRIVATE"), "analysers[0].version must be a number"},
		"a folder":             {"", entry(", folders: [/opt/a, PRIVATE]"), "analysers[0].folders[1] must be an absolute path"},
		"the root":             {"", entry(", folders: [/]"), "analysers[0].folders[0] must be an absolute path"},
		"rules in the data":    {"", entry(", rules: /var/lib/assay/rules"), "analysers[0].rules must be an absolute path outside"},
		"seconds":              {"", entry(", seconds: 301"), "analysers[0].seconds must be between 1 and 300"},
		"memory":               {"", entry(", mib: 1"), "analysers[0].mib must be between 64 and 16384"},
		"processes":            {"", entry(", processes: -1"), "analysers[0].processes must be between 0 and 256"},
	} {
		t.Run(name, func(t *testing.T) {
			s := Settings{DataDir: "/var/lib/assay"}
			if tc.programs != "" {
				s.Programs = strings.Split(strings.TrimSuffix(tc.programs, ","), ",")
			}
			if tc.file != "" {
				s.File = write(t, tc.file)
			}
			_, err := Configure(s)
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "PRIVATE") {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
	if _, err := Configure(Settings{File: "/does/not/exist"}); err == nil {
		t.Error("a missing file is accepted")
	}
}

// Every profile has what a definition must have.
func TestProfiles(t *testing.T) {
	t.Parallel()
	for _, name := range profileNames() {
		d := definition{Name: name, Profile: name, Program: "/opt/x/x"}
		if p, _ := profileOf(name); p.NeedRules {
			d.Rules = "/opt/rules"
		}
		if _, bad := d.analyser("/var/lib/assay"); len(bad) > 0 {
			t.Errorf("%s: %v", name, bad)
		}
	}
}
