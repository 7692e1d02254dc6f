package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

// exported writes the instance's log of a database into a file, as the service does.
func exported(t *testing.T, vars map[string]string, s *store.Store, format string) (file, checkpoint string) {
	t.Helper()
	c := config.Default()
	c.DataDir = vars["ASSAY_DATA_DIR"]
	log, err := app.AuditLog(t.Context(), c, s, telemetry.Discard())
	testkit.OK(t, err)
	var out bytes.Buffer
	testkit.OK(t, log.Export(t.Context(), domain.Tenant{}, format, &out))
	report, err := log.Verify(t.Context(), domain.Tenant{}, "")
	testkit.OK(t, err)
	file = filepath.Join(t.TempDir(), "audit."+format)
	testkit.OK(t, os.WriteFile(file, out.Bytes(), 0o600))
	return file, report.Checkpoint
}

func TestAuditVerify(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, _ storetest.World) {
		ada, err := s.CreateUser(context.Background(), "Ada", true)
		testkit.OK(t, err)
		for range 3 {
			good(t, command(t, vars, "admin", "break-glass", "--user", ada.ID))
		}
		key := strings.TrimSpace(good(t, command(t, vars, "audit", "key")))
		whole, checkpoint := exported(t, vars, s, "jsonl")
		table, _ := exported(t, vars, s, "csv")
		dir := t.TempDir()
		write := func(name, text string) string {
			path := filepath.Join(dir, name)
			testkit.OK(t, os.WriteFile(path, []byte(text), 0o600))
			return path
		}
		raw, err := os.ReadFile(whole)
		testkit.OK(t, err)
		text := string(raw)
		lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
		for name, tc := range map[string]struct {
			args []string
			code int
			says string
		}{
			"whole":                   {[]string{whole, "--key", key}, exitOK, ""},
			"whole, as a table":       {[]string{table, "--key", key}, exitOK, ""},
			"with a checkpoint":       {[]string{whole, "--key", key, "--checkpoint", write("kept.txt", checkpoint)}, exitOK, ""},
			"a changed entry":         {[]string{write("changed.jsonl", strings.Replace(text, "break-glass.create", "break-glass.erased", 1)), "--key", key}, exitFailed, "altered"},
			"an entry is missing":     {[]string{write("cut.jsonl", strings.Join(append(append([]string{}, lines[:2]...), lines[3:]...), "")), "--key", key}, exitFailed, ""},
			"another key":             {[]string{whole, "--key", strings.Replace(key, "assay-audit+", "assay-audit+0", 1)}, exitFailed, ""},
			"a checkpoint of another": {[]string{whole, "--key", key, "--checkpoint", write("other.txt", strings.Replace(checkpoint, "instance", "tenant", 1))}, exitFailed, ""},
			"no such file":            {[]string{filepath.Join(dir, "none.jsonl")}, exitFailed, "none.jsonl"},
			"no export":               {[]string{write("no.jsonl", "hello\n")}, exitFailed, ""},
			"no file":                 {nil, exitUsage, ""},
		} {
			r := command(t, vars, append([]string{"audit", "verify"}, tc.args...)...)
			if r.code != tc.code || !strings.Contains(r.stdout+r.stderr, tc.says) {
				t.Errorf("%s: exit code %d, want %d with %q: %s%s", name, r.code, tc.code, tc.says, r.stdout, r.stderr)
			}
		}
	})
}
