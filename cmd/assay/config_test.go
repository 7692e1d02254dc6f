package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestConfigCheck(t *testing.T) {
	password := "hunter" + "-two-" + "9f3b"
	file := filepath.Join(t.TempDir(), "assay.yaml")
	if err := os.WriteFile(file, []byte("logLevel: debug\nlanes:\n  review: 5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"ASSAY_KV_URL": "redis://:" + password + "@kv:6379/0", "ASSAY_BOOTSTRAP_GITHUB_CLIENT_SECRET": password, "ASSAY_LITSEN": ":1",
		"ASSAY_REVIEW_MODEL": "m", "ASSAY_LOG_LEVEL": "warn"}
	t.Run("text", func(t *testing.T) {
		r := command(t, vars, "config", "check", "--config", file)
		out := good(t, r)
		for _, want := range []string{"lanes.review", file + ":3", "ASSAY_KV_URL", "kv:6379", "logLevel"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
		if !strings.Contains(r.stderr, "ASSAY_LITSEN") || strings.Contains(r.stderr, "ASSAY_REVIEW_MODEL") || strings.Contains(out, "drainTimeout") {
			t.Errorf("stdout %s\nstderr %s", out, r.stderr)
		}
		if strings.Contains(out+r.stderr, password) {
			t.Error("a secret was printed")
		}
	})
	t.Run("json", func(t *testing.T) {
		out := good(t, command(t, vars, "config", "check", "-c", file, "--json"))
		r := decode[configReport](t, out)
		origin := map[string]string{}
		for _, s := range r.Settings {
			origin[s.Name] = s.Origin + " " + s.Value
		}
		if !r.Valid || origin["logLevel"] != "env warn" || origin["lanes.review"] != "file 5" || origin["drainTimeout"] != "default 25s" || len(r.Unknown) != 1 {
			t.Errorf("%+v", r)
		}
		if strings.Contains(out, password) {
			t.Error("a secret was printed")
		}
	})
	t.Run("invalid", func(t *testing.T) {
		bad := filepath.Join(t.TempDir(), "bad.yaml")
		if err := os.WriteFile(bad, []byte("listen: nowhere\nlanez: 3\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		r := command(t, map[string]string{"ASSAY_EDITION": password}, "config", "check", "--config", bad)
		if r.code != exitFailed || !strings.Contains(r.stderr, bad+":1") || !strings.Contains(r.stderr, bad+":2") || !strings.Contains(r.stderr, "ASSAY_EDITION") {
			t.Errorf("exit code %d\n%s\n%s", r.code, r.stdout, r.stderr)
		}
		if got := decode[configReport](t, command(t, nil, "config", "check", "--json", "--config", bad).stdout); got.Valid || len(got.Problems) != 2 {
			t.Errorf("%+v", got)
		}
		if r := command(t, nil, "serve", "--config", bad); r.code != exitFailed || !strings.Contains(r.stderr, "config check") {
			t.Errorf("serve: exit code %d, %s", r.code, r.stderr)
		}
	})
	if r := command(t, nil, "config", "check", "--config", filepath.Join(t.TempDir(), "none.yaml")); r.code != exitFailed || !strings.Contains(r.stderr, "none.yaml") {
		t.Errorf("a missing file: exit code %d, %s", r.code, r.stderr)
	}
}
