package main

import (
	"strings"
	"testing"
)

// A new instance is set up and repaired without a browser.
func TestSetupWithoutBrowser(t *testing.T) {
	t.Parallel()
	vars := []string{"ASSAY_DATA_DIR=" + t.TempDir(), "ASSAY_LISTEN=127.0.0.1:8080"}
	do := func(want int, args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		if code := run(args, &env{stdout: &out, stderr: &errs, vars: vars, context: t.Context()}); code != want {
			t.Fatalf("assay %s: exit code %d, want %d: %s", strings.Join(args, " "), code, want, errs.String())
		}
		return out.String() + errs.String()
	}
	if got := do(exitOK, "setup-token"); !strings.Contains(got, "http://127.0.0.1:8080/setup#token=assay_setup_") {
		t.Error(got)
	}
	if got := do(exitFailed, "setup", "--name", "Ours", "--tenant", "Acme", "--admin", "Ada", "--app-id", "1"); !strings.Contains(got, "privateKey must be") {
		t.Error(got)
	}
	if got := do(exitOK, "setup", "--name", "Ours", "--tenant", "Acme", "--admin", "Ada", "--public-url", "https://assay.example.com"); !strings.Contains(got, "https://assay.example.com/auth/break-glass#token=") {
		t.Error(got)
	}
	for _, again := range [][]string{{"setup-token"}, {"setup", "--name", "Ours", "--tenant", "Acme", "--admin", "Ada"}} {
		if got := do(exitFailed, again...); !strings.Contains(got, "is set up") {
			t.Error(got)
		}
	}
	if got := do(exitOK, "admin", "instance-admin", "list"); !strings.Contains(got, "Ada") {
		t.Error(got)
	}
	for _, last := range [][]string{{"admin", "instance-admin", "revoke", "Ada"}, {"admin", "member", "remove", "Ada", "--tenant", "Acme"}} {
		if got := do(exitFailed, last...); !strings.Contains(got, "last") {
			t.Error(got)
		}
	}
	do(exitOK, "admin", "instance-admin", "grant", "Ada")
	if got := do(exitOK, "admin", "sign-out", "Ada"); !strings.Contains(got, "Sessions of Ada that ended: 0") {
		t.Error(got)
	}
	if got := do(exitFailed, "admin", "sign-out", "Eve"); !strings.Contains(got, "no person with this id or name") {
		t.Error(got)
	}
	if got := do(exitOK, "admin", "member", "set", "Ada", "--tenant", "Acme", "--role", "admin"); !strings.Contains(got, "Ada is admin in Acme") {
		t.Error(got)
	}
}
