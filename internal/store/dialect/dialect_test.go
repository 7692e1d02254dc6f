package dialect_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store/dialect"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestDescribeHasNoCredentials(t *testing.T) {
	secret := "hunter" + "2"
	for in, want := range map[string]string{
		"postgres://assay:" + secret + "@db.example.test:5432/assay?sslmode=disable": "postgres://db.example.test:5432/assay",
		"postgres://assay:" + secret + "%zz@db.example.test/assay":                   "postgres://",
		"postgres:///assay?user=assay&password=" + secret:                            "postgres:///assay",
		"sqlite:/var/lib/assay/assay.db":                                             "/var/lib/assay/assay.db",
		"assay.db":                                                                   "assay.db",
	} {
		if got := dialect.Describe(in); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestOpenRefusesBadURLs(t *testing.T) {
	secret := "hunter" + "2"
	for name, in := range map[string]string{
		"empty": "", "empty path": "sqlite:", "another engine": "mysql://assay:" + secret + "@h/d",
		"bad escape": "postgres://assay:" + secret + "%zz@h/d", "bad port": "postgres://assay:" + secret + "@127.0.0.1:notaport/d",
		"no listener": "postgres://assay:" + secret + "@127.0.0.1:1/d?sslmode=disable",
	} {
		db, err := dialect.Open(context.Background(), in)
		if err == nil {
			_ = db.Close()
			t.Errorf("%s: it was opened", name)
			continue
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error tells the password", name)
		}
	}
}

func TestOneProcessPerSQLiteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a folder with spaces", "as?s#ay %41.db")
	a, err := dialect.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = dialect.Open(context.Background(), "sqlite:"+path)
	locked, is := errors.AsType[*dialect.LockedError](err)
	if !is || locked.Path != path || !strings.Contains(err.Error(), "ASSAY_DATABASE_URL") {
		t.Fatalf("a second open gives %v", err)
	}
	if _, err := a.Write.Exec(`CREATE TABLE t (a INTEGER) STRICT`); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Read.Exec(`INSERT INTO t VALUES (1)`); err == nil {
		t.Error("the reading pool can write")
	}
	for pragma, want := range map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "busy_timeout": "5000"} {
		var got string
		if err := a.Write.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %s (%v), want %s", pragma, got, err, want)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the file has another name: %v", err)
	}
	b, err := dialect.Open(context.Background(), path)
	if err != nil {
		t.Fatalf("after the close: %v", err)
	}
	_ = b.Close()
}
