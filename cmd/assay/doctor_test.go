package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// examined runs doctor and returns its checks by code.
func examined(t *testing.T, vars map[string]string) (map[string]doctor.Check, result) {
	t.Helper()
	r := command(t, vars, "doctor", "--json")
	out := map[string]doctor.Check{}
	rep := decode[doctor.Report](t, r.stdout)
	for _, c := range rep.Checks {
		if out[c.Code].Status != doctor.Fail {
			out[c.Code] = c
		}
		if (c.Status == doctor.Warn || c.Status == doctor.Fail) && c.Fix == "" {
			t.Errorf("%s has no fix: %+v", c.Code, c)
		}
	}
	if rep.OK != (r.code == exitOK) {
		t.Errorf("ok is %v, exit code %d", rep.OK, r.code)
	}
	return out, r
}

func want(t *testing.T, checks map[string]doctor.Check, code string, status doctor.Status, text string) {
	t.Helper()
	c := checks[code]
	if c.Status != status || !strings.Contains(c.Message+" "+c.Fix, text) {
		t.Errorf("%s: %+v, want %s with %q", code, c, status, text)
	}
}

// prepared is an installation that was started once: schema, keyset, app.
func prepared(t *testing.T, url string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	port := testkit.FreePort(t)
	vars := map[string]string{"ASSAY_DATABASE_URL": url, "ASSAY_DATA_DIR": dir, "ASSAY_METRICS_LISTEN": "off", "ASSAY_LISTEN": "127.0.0.1:" + itoa(port)}
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"serve"}, Env: vars})
	p.WaitReady(startup, "http://127.0.0.1:"+itoa(port)+"/readyz")
	terminate(t, p)
	return vars
}

func TestDoctor(t *testing.T) {
	storetest.EachURL(t, func(t *testing.T, url string) {
		healthy := prepared(t, url)
		with := func(name, value string) map[string]string {
			vars := maps.Clone(healthy)
			vars[name] = value
			return vars
		}
		t.Run("healthy", func(t *testing.T) {
			checks, r := examined(t, healthy)
			for _, code := range []string{"D001", "D002", "D003", "D004", "D005", "D006", "D007", "D008", "D011", "D016", "D018"} {
				// The test kit's own server runs without fsync to save time.
				if code == "D006" && strings.HasPrefix(url, "postgres") {
					want(t, checks, code, doctor.Fail, "fsync = off")
					continue
				}
				want(t, checks, code, doctor.OK, "")
			}
			want(t, checks, "D013", doctor.Warn, "no code host")
			if !strings.HasPrefix(url, "postgres") && r.code != exitOK {
				t.Errorf("exit code %d\n%s", r.code, r.stdout)
			}
		})
		t.Run("wrong key", func(t *testing.T) {
			key := secret.NewToken(secret.InstanceKey).Reveal()
			checks, r := examined(t, with("ASSAY_INSTANCE_KEY", key))
			want(t, checks, "D007", doctor.Fail, "backups")
			if r.code != exitFailed || strings.Contains(r.stdout, key) {
				t.Errorf("exit code %d, %s", r.code, r.stdout)
			}
		})
		t.Run("open key file", func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "instance.key"), []byte(secret.NewToken(secret.InstanceKey).Reveal()), 0o644); err != nil {
				t.Fatal(err)
			}
			checks, _ := examined(t, with("ASSAY_DATA_DIR", dir))
			want(t, checks, "D003", doctor.Fail, "chmod 600")
		})
		t.Run("missing git", func(t *testing.T) {
			checks, _ := examined(t, with("ASSAY_GIT_PATH", "/nowhere/git"))
			want(t, checks, "D011", doctor.Fail, "ASSAY_GIT_PATH")
		})
		t.Run("key-value store down", func(t *testing.T) {
			password := "kv" + "-pass-" + "word1"
			checks, r := examined(t, with("ASSAY_KV_URL", "redis://:"+password+"@127.0.0.1:"+itoa(testkit.FreePort(t))))
			want(t, checks, "D009", doctor.Fail, "ASSAY_KV_URL")
			if strings.Contains(r.stdout+r.stderr, password) {
				t.Error("the password was printed")
			}
		})
		t.Run("data folder is a file", func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			checks, _ := examined(t, with("ASSAY_DATA_DIR", file))
			want(t, checks, "D002", doctor.Fail, "not a folder")
		})
		t.Run("invalid configuration", func(t *testing.T) {
			checks, r := examined(t, with("ASSAY_EDITION", "golden"))
			want(t, checks, "D001", doctor.Fail, "ASSAY_EDITION")
			if r.code != exitFailed {
				t.Errorf("exit code %d", r.code)
			}
		})
		t.Run("unknown variable", func(t *testing.T) {
			checks, _ := examined(t, with("ASSAY_LITSEN", ":1"))
			want(t, checks, "D001", doctor.Warn, "ASSAY_LITSEN")
		})
		t.Run("public address", func(t *testing.T) {
			checks, _ := examined(t, with("ASSAY_PUBLIC_BASE_URL", "https://assay.invalid"))
			want(t, checks, "D012", doctor.Warn, "assay.invalid")
			want(t, checks, "D019", doctor.Warn, "ASSAY_TRUSTED_PROXIES")
		})
	})
}

func TestDoctorOfABrokenDatabase(t *testing.T) {
	t.Run("unreachable", func(t *testing.T) {
		password := "db" + "-pass-" + "word1"
		checks, r := examined(t, map[string]string{"ASSAY_DATABASE_URL": "postgres://assay:" + password + "@127.0.0.1:" + itoa(testkit.FreePort(t)) + "/assay"})
		want(t, checks, "D004", doctor.Fail, "ASSAY_DATABASE_URL")
		want(t, checks, "D016", doctor.Skip, "")
		if r.code != exitFailed || strings.Contains(r.stdout+r.stderr, password) {
			t.Errorf("exit code %d\n%s", r.code, r.stdout)
		}
	})
	t.Run("never started", func(t *testing.T) {
		checks, r := examined(t, nil)
		want(t, checks, "D004", doctor.Skip, "first start")
		if r.code != exitOK {
			t.Errorf("exit code %d\n%s", r.code, r.stdout)
		}
	})
	t.Run("no database file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "assay.db")
		if err := os.WriteFile(file, []byte("this is no database at all, whatever its name says"), 0o600); err != nil {
			t.Fatal(err)
		}
		checks, _ := examined(t, map[string]string{"ASSAY_DATABASE_URL": file})
		want(t, checks, "D004", doctor.Fail, "cannot be used")
	})
	storetest.EachURL(t, func(t *testing.T, url string) {
		storetest.Open(t, url) // makes the file
		checks, r := examined(t, map[string]string{"ASSAY_DATABASE_URL": url})
		want(t, checks, "D005", doctor.Fail, "assay migrate")
		if r.code != exitFailed {
			t.Errorf("exit code %d", r.code)
		}
	})
}

func TestDoctorOfTheKeyValueStore(t *testing.T) {
	url, _ := testkit.Redis(t)
	checks, _ := examined(t, map[string]string{"ASSAY_KV_URL": url})
	want(t, checks, "D009", doctor.OK, "")
	want(t, checks, "D010", doctor.OK, "noeviction")
}

func TestDoctorReportsForPeople(t *testing.T) {
	r := command(t, map[string]string{"ASSAY_EDITION": "golden"}, "doctor")
	if r.code != exitFailed || !strings.Contains(r.stdout, "fail  D001  configuration: ") || !strings.Contains(r.stdout, "fix: ") || !strings.Contains(r.stdout, "1 failed") {
		t.Errorf("exit code %d\n%s", r.code, r.stdout)
	}
}
