package config

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/assay-dev/assay/internal/secret"
)

func rsaKey(t *testing.T) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
}

func selfSigned(t *testing.T) []byte {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return der
}

// A database address is either parsed or refused, and no output shows its password.
func TestDatabaseAddresses(t *testing.T) {
	word := "canary" + "word"
	dir := t.TempDir()
	t.Chdir(dir)
	for name, content := range map[string]string{"old": sqliteMagic + "rest", "empty": "", "odd@name=1": sqliteMagic, "notes.db": "some notes that are no database", "a:b": sqliteMagic} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder.db", 0o700); err != nil {
		t.Fatal(err)
	}
	load := func(raw string) (Config, Database, error) {
		c, err := Load(Options{Environ: []string{"ASSAY_DATABASE_URL=" + raw}})
		db, dbErr := c.Database()
		if (err == nil) != (dbErr == nil) {
			t.Errorf("%s: %v, but %v", raw, err, dbErr)
		}
		return c, db, err
	}
	for raw, want := range map[string]string{
		"host=db user=a password=" + word + " dbname=n":                         "postgres://a:" + word + "@db/n",
		"  dbname = n  host = db  port = 5433 sslmode=require":                  "postgres://db:5433/n?sslmode=require",
		`host=db dbname='my db' user='o\'neil' password='a b@/:?#` + word + `'`: "postgres://o%27neil:a%20b%40%2F%3A%3F%23" + word + "@db/my%20db",
		"HOST=db DBNAME=n":                         "postgres://db/n",
		"host=/var/run/postgresql dbname=n user=a": "postgres://a@/n?host=%2Fvar%2Frun%2Fpostgresql",
		"host=a,b port=1,2 dbname=n":               "postgres:///n?host=a%2Cb&port=1%2C2",
		"hostaddr=::1 dbname=n":                    "postgres://[::1]/n",
		"service=prod":                             "postgres:///?service=prod",
		"postgresql://a:" + word + "@db/n":         "postgresql://a:" + word + "@db/n",
		" postgres://a:" + word + "@db/n ":         "postgres://a:" + word + "@db/n",
		"new.db":                                   "new.db", "./new.sqlite": "./new.sqlite", "new.sqlite3": "new.sqlite3", "NEW.DB": "NEW.DB", "with space.db": "with space.db",
		"sqlite:anything": "anything", "sqlite://x.data": "x.data", "sqlite:" + dir + "/y": dir + "/y", "old": "old", "empty": "empty", "odd@name=1": "odd@name=1", "a:b": "a:b", "file:old": "old",
		"assay-data/other.db": "assay-data/other.db",
	} {
		c, db, err := load(raw)
		got := db.Path + db.DSN.Reveal()
		if err != nil || got != want {
			t.Errorf("%q: %q, %v", raw, got, err)
		}
		for _, s := range c.Effective() {
			if strings.Contains(s.Value, word) {
				t.Errorf("%q is shown as %s", raw, s.Value)
			}
		}
	}
	for raw, says := range map[string]string{
		"postgres//a:" + word + "@db/n": "looks like a PostgreSQL", "postgress://a:" + word + "@db/n": "looks like a PostgreSQL", "postgresql:/a:" + word + "@db/n": "looks like a PostgreSQL",
		"postgres:a:" + word + "@db/n": "looks like a PostgreSQL", "psql://a:" + word + "@db/n": "looks like a PostgreSQL", "pg://" + word: "looks like a PostgreSQL",
		"jdbc:postgresql://db/n?password=" + word: "looks like a PostgreSQL", "postgresql+asyncpg://a:" + word + "@db/n": "looks like a PostgreSQL", "POSTGRES://a:" + word + "@db/n": "looks like a PostgreSQL",
		"posgresql://a:" + word + "@db/n": "looks like a PostgreSQL", "cockroachdb://a:" + word + "@db/n": "looks like a PostgreSQL", "postgres+ssl:///" + word: "looks like a PostgreSQL",
		"mysql://a:" + word + "@db/n": "MySQL", "mysql//a:" + word + "@db/n": "MySQL", "mongodb+srv://a:" + word + "@db/n": "MongoDB", "sqlserver://" + word: "SQL Server",
		"https://a:" + word + "@db": "web server", "what://a:" + word + "@db/n": "not known", "sqlite3:" + word: "sqlite:", word + "://x": "not known",
		"a:" + word + "@db/n": "", word + "@db.internal:5432/x.db": "neither", "//a:" + word + "@db/x.db": "neither", "db:5432/" + word + ".db": "",
		"host=db password=" + word: "dbname=", "user=a password=" + word: "host=", "host=db dbname=n pasword=" + word: "does not know", "host=db dbname=n password=a " + word: "does not know",
		"host=db dbname=n password='" + word: "not closed", "host=db host=" + word + " dbname=n": "twice", "host=db dbname=n keepalives=1 password=" + word: "keepalives=",
		"host=db port=x" + word + " dbname=n": "", "password=" + word + ".db": "host=", `"postgres://a:` + word + `@db/n"`: "quotation mark", "postgres://a:" + word + "@db/n\nx": "control",
		"postgres://a:" + word + "@db:99999/n": "from 1 to 65535", "postgres://a:" + word + "@db/n?sslmode=ful": "verify-full", "host=db dbname=n port=99999 password=" + word: "from 1 to 65535",
		"postgres://a:" + word + "#x@db/n": "%40", "postgres://a:" + word + "/x@db/n": "", "postgres://" + word: "must be",
		word: "no file that exists", "data/" + word: "no file that exists", "missing/" + word + ".db": "make the folder", "folder.db": "folder", "notes.db": "not an SQLite", "sqlite:": "must name",
		"sqlite:postgres://a:" + word + "@db/n": "password", "sqlite:host=db password=" + word: "password", "sqlite:missing/" + word: "make the folder", ":memory:": "in memory", "new.db?password=" + word: "parameters",
	} {
		c, _, err := load(raw)
		if err == nil || !strings.Contains(err.Error(), "ASSAY_DATABASE_URL") || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", raw, err)
		}
		for _, s := range c.Effective() {
			if strings.Contains(s.Value, word) {
				t.Errorf("%q is shown as %s", raw, s.Value)
			}
		}
	}
	for _, env := range []string{"ASSAY_KV_URL", "ASSAY_OUTBOUND_PROXY_URL"} {
		for _, raw := range []string{"redis:a:" + word + "@h", "redis//a:" + word + "@h", "host=h password=" + word, "http:a:" + word + "@h", word} {
			c, err := Load(Options{Environ: []string{env + "=" + raw}})
			if err == nil || strings.Contains(err.Error(), word) {
				t.Errorf("%s=%s: %v", env, raw, err)
			}
			for _, s := range c.Effective() {
				if strings.Contains(s.Value, word) {
					t.Errorf("%s=%s is shown as %s", env, raw, s.Value)
				}
			}
		}
	}
	if made, err := filepath.Glob("*" + word + "*"); err != nil || len(made) > 0 {
		t.Errorf("files were made: %v", made)
	}
}

// Reading the configuration checks the form of every secret.
func TestFormsOfSecrets(t *testing.T) {
	t.Parallel()
	word := "canary" + "value"
	for _, l := range leaves() {
		if l.secret != "value" || inLines[l.name] {
			continue
		}
		for _, raw := range []string{word + "\n", word + "\n" + word, " " + word, word + "\t", `"` + word + `"`, "'" + word + "'", "${" + word + "}", "<" + word + ">", "{{ ." + word + " }}", "$(" + word + ")", word + "\u200b", word + "\x00x", "   "} {
			_, err := Load(Options{Environ: []string{l.env + "=" + raw}})
			if err == nil || !strings.Contains(err.Error(), l.env+" ("+l.name+")") || strings.Contains(err.Error(), word) {
				t.Errorf("%s=%q: %v", l.env, raw, err)
			}
		}
		c, err := Load(Options{Environ: []string{l.env + "_FILE=" + write(t, "secret", "\ufeff"+word+"\r\n")}})
		if got := l.show(&c); got != secret.Redacted || err != nil && strings.Contains(err.Error(), "cannot be seen") {
			t.Errorf("%s from a file with a mark: %v", l.env, err)
		}
	}
	for _, raw := range []string{"nonsense" + word, "/run/" + word + ".pem", "-----BEGIN RSA PRIVATE KEY-----\n" + word} {
		_, err := Load(Options{Environ: []string{"ASSAY_BOOTSTRAP_GITHUB_PRIVATE_KEY=" + raw}})
		if err == nil || !strings.Contains(err.Error(), "ASSAY_BOOTSTRAP_GITHUB_PRIVATE_KEY") || strings.Contains(err.Error(), word) {
			t.Errorf("%q: %v", raw, err)
		}
	}
	key := rsaKey(t)
	units := utf16.Encode([]rune("\ufeff" + key))
	wide := make([]byte, 0, 2*len(units))
	for _, u := range units {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for name, content := range map[string]string{"a mark": "\ufeff" + key, "UTF-16": string(wide), "Windows": strings.ReplaceAll(key, "\n", "\r\n"), "base64": base64.StdEncoding.EncodeToString([]byte(key))} {
		if _, err := Load(Options{Environ: []string{"ASSAY_BOOTSTRAP_GITHUB_PRIVATE_KEY_FILE=" + write(t, "key", content)}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The file of certificate authorities is read completely or refused.
func TestCAFile(t *testing.T) {
	t.Parallel()
	cert := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: selfSigned(t)}))
	for name, tt := range map[string]struct{ content, says string }{
		"one": {cert, ""}, "two with words between": {cert + "\n# another\n" + cert, ""}, "a mark": {"\ufeff" + cert, ""}, "Windows": {strings.ReplaceAll(cert, "\n", "\r\n"), ""},
		"nothing": {"", "without a PEM"}, "a key": {rsaKey(t), "without a PEM"}, "words": {"no certificate", "without a PEM"},
		"a damaged one": {cert + string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("x")})), "certificate 2 is damaged"},
		"cut off":       {cert + cert[:len(cert)/2], "2 certificates, and only 1"},
		"long":          {strings.Repeat("#", maxCAFile+1), "larger than 4 MiB"},
	} {
		_, err := Load(Options{Environ: []string{"ASSAY_OUTBOUND_CA_FILE=" + write(t, "ca.pem", tt.content)}})
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
