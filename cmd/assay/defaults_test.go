package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

func TestRepositoryDefaults(t *testing.T) {
	onBoth(t, func(t *testing.T, vars map[string]string, s *store.Store, w storetest.World) {
		show := func() policy.RepositoryDefaultsUpdate {
			return decode[policy.RepositoryDefaultsUpdate](t, good(t, command(t, vars, "admin", "repository-defaults", "show", "--tenant", w.Tenant.ID)))
		}
		if got := show(); got.Profile != nil {
			t.Errorf("nothing was set: %+v", got)
		}
		file := filepath.Join(t.TempDir(), "defaults.json")
		set := func(text string) result {
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			return command(t, vars, "admin", "repository-defaults", "set", "--tenant", w.Tenant.ID, file)
		}
		good(t, set(`{"profile":"quiet","check":{"failOn":"high"}}`))
		if got := show(); got.Profile == nil || string(*got.Profile) != "quiet" {
			t.Errorf("after set: %+v", got)
		}
		for name, c := range map[string]struct{ text, want string }{
			"unknown setting": {`{"profil":"quiet"}`, "not known here"},
			"wrong value":     {`{"profile":"loud"}`, "profile"},
			"wrong type":      {`{"profile":7}`, "profile"},
			"no JSON":         {`profile: quiet`, "valid JSON object"},
			"two documents":   {`{} {}`, "valid JSON object"},
			"nothing":         {``, "valid JSON object"},
			"more than 1 MiB": {`{"language":"` + strings.Repeat("x", maxDefaults) + `"}`, "1 MiB"},
		} {
			t.Run(name, func(t *testing.T) {
				r := set(c.text)
				if r.code != exitFailed || !strings.Contains(r.stderr, c.want) || strings.Contains(r.stderr, "loud") {
					t.Errorf("exit code %d: %s", r.code, r.stderr)
				}
			})
		}
		if got := show(); got.Profile == nil || string(*got.Profile) != "quiet" {
			t.Errorf("after refusals: %+v", got)
		}
		for _, tenant := range []string{"none", ""} {
			if r := command(t, vars, "admin", "repository-defaults", "show", "--tenant", tenant); r.code == exitOK {
				t.Errorf("tenant %q: %s", tenant, r.stdout)
			}
		}
		if r := command(t, vars, "admin", "repository-defaults", "set", "--tenant", w.Tenant.ID, file+".none"); r.code != exitFailed {
			t.Errorf("a file that is not there: exit code %d", r.code)
		}
		acts, err := s.AuditEntriesFrom(t.Context(), w.Tenant, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(acts) != 1 {
			t.Errorf("entries of the audit log: %d, want that of the one change", len(acts))
		}
	})
}
