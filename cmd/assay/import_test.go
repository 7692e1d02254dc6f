package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/tenant"
)

// strict decodes a request body without unknown fields.
func strict[T any](t *testing.T, raw []byte) (out T) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return out
}

func settingsFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The policy and the rules in the JSON of assay import are bodies of PUT R/policy and POST R/rules.
func TestImportPrintsBodiesOfRequests(t *testing.T) {
	dir := settingsFolder(t, map[string]string{
		".coderabbit.yaml": "language: de\nreviews:\n  poem: true\n  path_instructions:\n    - {path: 'src/**', instructions: Never panic.}\n",
		"REVIEW.md":        "Never panic.\n",
	})
	got := decode[struct {
		Policy json.RawMessage `json:"policy"`
		Rules  []struct {
			Rule json.RawMessage `json:"rule"`
		} `json:"rules"`
		Unmapped []struct {
			Place string `json:"place"`
			Line  int    `json:"line"`
		} `json:"unmapped"`
	}](t, good(t, command(t, nil, "import", "--from", dir, "--format", "json")))
	p := strict[policy.RepositoryPolicyUpdate](t, got.Policy)
	if p.Language == nil || *p.Language != "de" || p.GuidelineFiles == nil || !*p.GuidelineFiles {
		t.Errorf("policy %s", got.Policy)
	}
	if len(got.Rules) != 1 || strict[tenant.RuleCreate](t, got.Rules[0].Rule).Instruction != "Never panic." {
		t.Errorf("rules %s", got.Rules)
	}
	if len(got.Unmapped) != 1 || got.Unmapped[0].Place != "reviews.poem" || got.Unmapped[0].Line != 3 {
		t.Errorf("unmapped %+v", got.Unmapped)
	}
}

// The text for people has each value with its source, and no control character of a file.
func TestImportPrintsSources(t *testing.T) {
	out := good(t, command(t, nil, "import", "--from", settingsFolder(t, map[string]string{
		"greptile.json": `{"strictness": 3, "instructions": "Never \u001b[31m panic.", "hide\u001b[2JFooter": true}`,
	})))
	for _, want := range []string{`"profile": "quiet"`, "from greptile.json strictness", "Rules to create (POST R/rules): 1", "Never ?[31m panic.",
		"Not taken over: 1", "greptile.json hide?[2JFooter", "assay does not know this setting"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing from %s", want, out)
		}
	}
	if strings.ContainsRune(out, '\x1b') {
		t.Errorf("a control character is printed: %q", out)
	}
}

// Bad input ends the command with the name of the file and what would be right.
func TestImportOfBadInput(t *testing.T) {
	dir := settingsFolder(t, map[string]string{"greptile.json": "{\n\"a\": b}"})
	link := t.TempDir()
	if err := os.Symlink("/etc/hostname", filepath.Join(link, "greptile.json")); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dir  string
		code int
		want string
	}{
		"no folder":           {filepath.Join(dir, "none"), exitUsage, "--from must be a folder"},
		"no settings":         {t.TempDir(), exitUsage, "assay import reads .coderabbit.yaml"},
		"not JSON":            {dir, exitFailed, "greptile.json:2: must be valid JSON"},
		"a link to elsewhere": {link, exitFailed, "greptile.json cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			r := command(t, nil, "import", "--from", tt.dir)
			if r.code != tt.code || !strings.Contains(r.stderr, tt.want) || r.stdout != "" {
				t.Errorf("exit code %d: %s%s", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// Settings under a name that is not read are named with the reason, also if they are the only ones.
func TestImportNamesSettingsUnderOtherNames(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  string
	}{
		"CodeRabbit's other ending": {map[string]string{".coderabbit.yml": "language: de\n"}, "  .coderabbit.yml\n    assay reads .coderabbit.yaml: rename the file\n"},
		"Greptile's folder":         {map[string]string{".greptile/config.json": "{}", "greptile.json": `{"strictness": 2}`}, "  .greptile\n    assay reads greptile.json, not this folder"},
	} {
		if out := good(t, command(t, nil, "import", "--from", settingsFolder(t, tt.files))); !strings.Contains(string(out), tt.want) {
			t.Errorf("%s:\n%s", name, out)
		}
	}
}
