package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompletionScriptsAreValid(t *testing.T) {
	for shell, check := range map[string][]string{"bash": {"-n"}, "zsh": {"-n"}, "fish": {"--no-execute"}} {
		t.Run(shell, func(t *testing.T) {
			script := good(t, command(t, nil, "completion", shell))
			if strings.Contains(script, " sim ") || !strings.Contains(script, "fail-on") {
				t.Errorf("the script names hidden commands, or lacks flags:\n%s", script)
			}
			program, err := exec.LookPath(shell)
			if err != nil {
				t.Skipf("%s is not installed", shell)
			}
			file := filepath.Join(t.TempDir(), "completion")
			if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(program, append(check, file)...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func TestBashCompletes(t *testing.T) {
	program, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	script := good(t, command(t, nil, "completion", "bash"))
	for line, want := range map[string]string{
		"assay ser":                        "serve",
		"assay jobs re":                    "redrive",
		"assay admin tenant cr":            "create",
		"assay review --fail-on cri":       "critical",
		"assay -c x.yaml runs list --repo": "--repository",
		"assay completion z":               "zsh",
		"assay review --output ":           "",
		"assay version --j":                "--json",
	} {
		words := strings.Split(line, " ")
		test := script + "\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _assay; echo \"${COMPREPLY[*]}\""
		out, err := exec.Command(program, append([]string{"-c", test, "bash"}, words...)...).CombinedOutput()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%q completes to %q, want %q (%v)", line, strings.TrimSpace(string(out)), want, err)
		}
	}
}
