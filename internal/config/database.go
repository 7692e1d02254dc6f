package config

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/secret"
)

// Engines of the database.
const (
	SQLite   = "sqlite"
	Postgres = "postgres"
)

// Database is the configured database.
type Database struct {
	Engine string        // SQLite or Postgres
	Path   string        // of the file, for SQLite
	DSN    secret.Secret // connection URL, for Postgres
}

// Forms of addresses, for error messages.
const (
	urlForm  = "postgres://user:password@host:5432/name"
	pathForm = "sqlite:/path/to/file, or the path of a file that ends in .db, .sqlite or .sqlite3"
)

// sqliteEndings are the extensions under which a new SQLite file is created.
var sqliteEndings = []string{".db", ".sqlite", ".sqlite3"}

var (
	// schemeStart matches the scheme of an address, even if its separator is misspelled.
	schemeStart = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+?)(?::/*|//)`)
	// looksPostgres matches names that people use for PostgreSQL.
	looksPostgres = regexp.MustCompile(`gres|^post|^pg|^psql|^pq|^cockroach|^timescale|^jdbc$`)
	// credentials matches text that may contain a password.
	credentials = regexp.MustCompile(`://|(?i:passw|pwd|secret)\w*\s*=|:[^/@]*@`)
	// keywordStart matches the beginning of libpq's keyword form.
	keywordStart = regexp.MustCompile(`^[A-Za-z_]+\s*=`)
)

// otherDatabases are the names of unsupported databases, by scheme.
var otherDatabases = map[string]string{"mysql": "MySQL", "mysqls": "MySQL", "mariadb": "MariaDB", "mongodb": "MongoDB",
	"mongodb+srv": "MongoDB",
	"mssql":       "SQL Server", "sqlserver": "SQL Server", "oracle": "Oracle", "redis": "Redis", "rediss": "Redis", "valkey": "Valkey",
	"libsql":     "libSQL",
	"clickhouse": "ClickHouse", "cassandra": "Cassandra", "firebird": "Firebird", "db2": "Db2", "duckdb": "DuckDB", "http": "a web server",
	"https": "a web server"}

// Keywords of libpq's form: those that the driver supports, and those that it does not.
var (
	keywords = strings.Fields(`host hostaddr port dbname user password passfile service servicefile sslmode sslrootcert sslcert sslkey
		sslpassword sslsni
		sslcertmode sslnegotiation min_protocol_version max_protocol_version channel_binding require_auth krbspn krbsrvname target_session_attrs
		connect_timeout application_name options client_encoding search_path timezone statement_timeout lock_timeout`)
	foreignKeywords = strings.Fields(`gssencmode gssdelegation gsslib keepalives keepalives_idle keepalives_interval keepalives_count
		tcp_user_timeout
		fallback_application_name replication sslcompression sslcrl sslcrldir ssl_min_protocol_version ssl_max_protocol_version requirepeer
		load_balance_hosts requiressl authtype tty`)
)

// Database parses DatabaseURL: a PostgreSQL URL, libpq's keyword form, or an SQLite file. An unknown form
// is an error, never a file name. Errors describe the expected form and repeat no part of the value.
func (c *Config) Database() (Database, error) {
	raw := strings.TrimSpace(c.DatabaseURL.Reveal())
	switch {
	case raw == "":
		return Database{Engine: SQLite, Path: filepath.Join(c.DataDir, "assay.db")}, nil
	case strings.ContainsAny(raw[:1], "\"'`“‘"):
		return Database{}, errors.New("begins with a quotation mark: leave the marks out, because nothing takes them off here")
	case strings.IndexFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }) >= 0:
		return Database{}, errors.New("has a line break or another control character in it")
	case strings.HasPrefix(raw, "postgres://"), strings.HasPrefix(raw, "postgresql://"):
		return postgresURL(raw)
	case keywordStart.MatchString(raw):
		return keywordForm(raw)
	}
	if rest, is := strings.CutPrefix(raw, "sqlite:"); is {
		return c.sqliteFile(withoutSlashes(rest), true)
	}
	if rest, is := strings.CutPrefix(raw, "file:"); is {
		return c.sqliteFile(withoutSlashes(rest), false)
	}
	if m := schemeStart.FindStringSubmatch(raw); m != nil {
		scheme := strings.ToLower(m[1])
		switch name := otherDatabases[scheme]; {
		case looksPostgres.MatchString(scheme):
			return Database{}, errors.New("looks like a PostgreSQL address with another beginning: it must be " +
				urlForm + ", with postgres:// as it is written here")
		case scheme == "sqlite3":
			return Database{}, errors.New("must begin with sqlite: to name an SQLite file")
		case name != "":
			return Database{}, fmt.Errorf("is an address of %s, which cannot hold assay's data: must be %s, or %s", name, urlForm, pathForm)
		case strings.Contains(raw, "://") || strings.HasPrefix(raw[len(m[1]):], ":") && !regularSQLite(raw):
			return Database{}, fmt.Errorf("has a beginning that is not known: must be %s, or %s", urlForm, pathForm)
		}
	}
	return c.sqliteFile(raw, false)
}

// withoutSlashes removes the slashes before an empty host.
func withoutSlashes(rest string) string { return strings.TrimPrefix(rest, "//") }

// postgresURL parses the URL form.
func postgresURL(raw string) (Database, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" && u.Query().Get("host") == "" || strings.Trim(u.Path, "/") == "" {
		return Database{}, errors.New("must be " + urlForm + ", with reserved characters of user and password as %40 for @ and the like")
	}
	if err := postgresParts(u); err != nil {
		return Database{}, err
	}
	return Database{Engine: Postgres, DSN: secret.New(raw)}, nil
}

// sslModes are the modes of libpq and of the driver.
var sslModes = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

// postgresParts checks the parts that the driver would refuse at the start.
func postgresParts(u *url.URL) error {
	q := u.Query()
	if mode := q.Get("sslmode"); mode != "" && !slices.Contains(sslModes, mode) {
		return errors.New("has an sslmode that is not known: must be one of " + strings.Join(sslModes, ", "))
	}
	ports := strings.Split(q.Get("port"), ",")
	for _, host := range strings.Split(u.Host, ",") {
		if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
			ports = append(ports, host[i+1:])
		}
	}
	for _, p := range ports {
		if n, err := strconv.Atoi(p); p != "" && (err != nil || n < 1 || n > 65535) {
			return errors.New("has a port that is not one: must be a number from 1 to 65535")
		}
	}
	return nil
}

// keywordForm converts "host=… dbname=…" (libpq, "Keyword/Value Connection Strings") into a URL.
func keywordForm(raw string) (Database, error) {
	pairs, err := keywordPairs(raw)
	if err != nil {
		return Database{}, err
	}
	host := pairs["host"]
	if host == "" {
		host = pairs["hostaddr"]
	}
	if host == "" && pairs["service"] == "" {
		return Database{}, errors.New("names no server: host=… is missing")
	}
	if pairs["dbname"] == "" && pairs["service"] == "" {
		return Database{}, errors.New("names no database: dbname=… is missing")
	}
	u := url.URL{Scheme: "postgres", Path: "/" + pairs["dbname"]}
	if user, password := pairs["user"], pairs["password"]; password != "" {
		u.User = url.UserPassword(user, password)
	} else if user != "" {
		u.User = url.User(user)
	}
	query := url.Values{}
	hosts, ports := strings.Split(host, ","), strings.Split(pairs["port"], ",")
	if len(ports) != len(hosts) && len(ports) != 1 {
		return Database{}, errors.New("must have one port for all hosts, or one for each")
	}
	for i, h := range hosts {
		if host == "" { // the service names the host
			break
		}
		if strings.ContainsAny(h, "/@?# ") || h == "" || len(hosts) > 1 { // socket folders and lists do not fit into the host of a URL
			query.Set("host", host)
			if pairs["port"] != "" {
				query.Set("port", pairs["port"])
			}
			hosts = nil
			break
		}
		if strings.Contains(h, ":") {
			h = "[" + h + "]"
		}
		if port := ports[min(i, len(ports)-1)]; port != "" {
			h += ":" + port
		}
		hosts[i] = h
	}
	u.Host = strings.Join(hosts, ",")
	for k, v := range pairs {
		if !slices.Contains([]string{"host", "hostaddr", "port", "dbname", "user", "password"}, k) {
			query.Set(k, v)
		}
	}
	u.RawQuery = query.Encode()
	whole, err := url.Parse(u.String())
	if err != nil {
		return Database{}, errors.New("has a host or a port that is not one")
	}
	if err := postgresParts(whole); err != nil {
		return Database{}, err
	}
	return Database{Engine: Postgres, DSN: secret.New(u.String())}, nil
}

// keywordPairs splits libpq's form. A value may be in single quotes, and a backslash escapes the next
// character.
func keywordPairs(raw string) (map[string]string, error) {
	out := map[string]string{}
	for rest := strings.TrimSpace(raw); rest != ""; rest = strings.TrimSpace(rest) {
		name, after, ok := strings.Cut(rest, "=")
		name = strings.ToLower(strings.TrimSpace(name))
		if slices.Contains(foreignKeywords, name) {
			return nil, fmt.Errorf("has %s=, which the driver does not know: leave it out", name)
		}
		if !ok || !slices.Contains(keywords, name) {
			return nil, errors.New("has a word that the form host=… dbname=… user=… password=… does not know; " +
				"a value with a space in it stands in single quotes")
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("has %s= twice", name)
		}
		after = strings.TrimLeft(after, " ")
		quoted := strings.HasPrefix(after, "'")
		at := 0
		if quoted {
			at = 1
		}
		var value strings.Builder
		closed := !quoted
		for ; at < len(after); at++ {
			c := after[at]
			if c == '\\' && at+1 < len(after) {
				at++
				value.WriteByte(after[at])
				continue
			}
			if quoted && c == '\'' {
				closed = true
				at++
				break
			}
			if !quoted && c == ' ' {
				break
			}
			value.WriteByte(c)
		}
		if !closed {
			return nil, fmt.Errorf("has a value of %s= whose quotation mark is not closed", name)
		}
		out[name], rest = value.String(), after[at:]
	}
	return out, nil
}

// sqliteFile checks the path of an SQLite file. An existing file may have any name. A new file is created
// only if its name has one of sqliteEndings, or if named is true.
func (c *Config) sqliteFile(path string, named bool) (Database, error) {
	if path == "" || path == ":memory:" || strings.ContainsAny(path, "?#") {
		return Database{}, errors.New("must name a file, without parameters; a database in memory is not supported")
	}
	found := Database{Engine: SQLite, Path: path}
	if regularSQLite(path) {
		return found, nil
	}
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return Database{}, errors.New("names a folder: must name a file in it, such as assay.db")
		}
		return Database{}, errors.New("names a file that is not an SQLite database")
	}
	switch {
	case named && credentials.MatchString(path):
		return Database{}, fmt.Errorf("has a password behind sqlite:, which takes the path of a file. For PostgreSQL it must be %s", urlForm)
	case !named:
		switch {
		case strings.ContainsAny(path, "@=:") && !windowsPath(path) || strings.HasPrefix(path, "//"):
			return Database{}, fmt.Errorf("is neither a known address nor plainly a path: must be %s, or %s", urlForm, pathForm)
		case !slices.Contains(sqliteEndings, strings.ToLower(filepath.Ext(path))):
			return Database{}, fmt.Errorf("names no file that exists: a new one is made only with %s. For PostgreSQL it must be %s",
				pathForm, urlForm)
		}
	}
	parent := filepath.Dir(path)
	if info, err := os.Stat(parent); (err != nil || !info.IsDir()) && filepath.Clean(parent) != filepath.Clean(c.DataDir) {
		return Database{}, errors.New("names a file in a folder that does not exist or cannot be read: make the folder first")
	}
	return found, nil
}

// windowsPath reports whether a path starts with a drive letter and has no other sign of an address.
func windowsPath(path string) bool {
	return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') && !strings.ContainsAny(path[2:], "@=:")
}

// sqliteMagic is the beginning of every SQLite file.
const sqliteMagic = "SQLite format 3\x00"

// regularSQLite reports whether a path is an SQLite file, or an empty file, which can become one.
func regularSQLite(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return true // opening the database will report the reason
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(sqliteMagic))
	n, err := io.ReadFull(f, head)
	return n == 0 || err == nil && string(head) == sqliteMagic
}

// shownURL returns an address setting for display: without user, password and parameters. It returns only
// [secret.Redacted] if the value has an unknown form.
func (c *Config) shownURL(name, raw string) string {
	switch name {
	case "databaseUrl":
		db, err := c.Database()
		switch {
		case err != nil:
			return secret.Redacted
		case db.Engine == SQLite:
			return strings.TrimSpace(raw)
		}
		return secret.ScrubURL(db.DSN.Reveal())
	case "kvUrl":
		if _, err := (&Config{KVURL: secret.New(raw)}).KV(); err != nil {
			return secret.Redacted
		}
	default:
		if u, err := url.Parse(raw); err != nil || u.Host == "" {
			return secret.Redacted
		}
	}
	return secret.ScrubURL(raw)
}
