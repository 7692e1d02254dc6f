package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func repositoryFileAt(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".assay.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfigValidate(t *testing.T) {
	valid := "profile: quiet\nfolders:\n  - {paths: [old/**], analysersOff: [ruff]}\n  - {paths: [new/**], analysersOff: [ruff]}\n"
	r := command(t, nil, "config", "validate", repositoryFileAt(t, valid))
	if r.code != exitOK || r.stdout+r.stderr != "The file is valid. Settings: 1; rules and instructions: 0; folders: 2.\n" {
		t.Errorf("%+v", r)
	}
	bad := repositoryFileAt(t, "profil: quiet\nminSeverity: \"\\e[2Jsecret\"\n")
	got := command(t, nil, "config", "validate", bad)
	if got.code != exitFailed || got.stdout != ".assay.yaml:1:1: profil is unknown; did you mean profile?\n"+
		".assay.yaml:2:1: minSeverity must be one of critical, high, medium, low, info\n" {
		t.Errorf("%+v", got)
	}
	var report fileReport
	if err := json.Unmarshal([]byte(command(t, nil, "config", "validate", bad, "--json").stdout), &report); err != nil || report.Valid || len(report.Notes) != 2 {
		t.Errorf("%v %+v", err, report)
	}
	if got := command(t, nil, "config", "validate", filepath.Join(t.TempDir(), "none.yaml")); got.code == 0 || !strings.Contains(got.stderr, "does not exist") {
		t.Errorf("%+v", got)
	}
	if got := command(t, nil, "config", "validate", t.TempDir()); got.code == 0 || !strings.Contains(got.stderr, "must be a file") {
		t.Errorf("%+v", got)
	}
}

func TestConfigExplain(t *testing.T) {
	file := repositoryFileAt(t, "language: de\nmaxInlineComments: 40\nrules:\n  - {title: No sleep, instruction: Never call time.Sleep.}\n")
	full := good(t, command(t, nil, "config", "explain", file))
	for _, want := range []string{".assay.yaml:1", ".assay.yaml:2", "No sleep (low)"} {
		if !strings.Contains(full, want) {
			t.Errorf("%q is missing: %s", want, full)
		}
	}
	var out explanation
	if err := json.Unmarshal([]byte(good(t, command(t, nil, "config", "explain", file, "--as", "narrow", "--json"))), &out); err != nil {
		t.Fatal(err)
	}
	if len(out.Rules) != 0 || len(out.Notes) != 2 {
		t.Errorf("%+v", out)
	}
	if !json.Valid([]byte(good(t, command(t, nil, "config", "schema")))) {
		t.Error("the schema is not JSON")
	}
}
