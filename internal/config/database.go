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

// Database says which database is used.
type Database struct {
	Engine string        // SQLite or Postgres
	Path   string        // of the file, for SQLite
	DSN    secret.Secret // connection URL, for Postgres
}

// Forms of addresses, for messages.
const (
	urlForm  = "postgres://user:password@host:5432/name"
	pathForm = "sqlite:/path/to/file, or the path of a file that ends in .db, .sqlite or .sqlite3"
)

// sqliteEndings are the ends of names under which a new SQLite file is made.
var sqliteEndings = []string{".db", ".sqlite", ".sqlite3"}

var (
	// schemeStart matches what an address begins with, also where it is misspelled.
	schemeStart = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+?)(?::/*|//)`)
	// looksPostgres matches names that people write for PostgreSQL.
	looksPostgres = regexp.MustCompile(`gres|^post|^pg|^psql|^pq|^cockroach|^timescale|^jdbc$`)
	// credentials matches what has a password in it.
	credentials = regexp.MustCompile(`://|(?i:passw|pwd|secret)\w*\s*=|:[^/@]*@`)
	// keywordStart matches the beginning of libpq's form.
	keywordStart = regexp.MustCompile(`^[A-Za-z_]+\s*=`)
)

// otherDatabases are the schemes of databases that assay does not use, with their names.
var otherDatabases = map[string]string{"mysql": "MySQL", "mysqls": "MySQL", "mariadb": "MariaDB", "mongodb": "MongoDB",
	"mongodb+srv": "MongoDB",
	"mssql":       "SQL Server", "sqlserver": "SQL Server", "oracle": "Oracle", "redis": "Redis", "rediss": "Redis", "valkey": "Valkey",
	"libsql":     "libSQL",
	"clickhouse": "ClickHouse", "cassandra": "Cassandra", "firebird": "Firebird", "db2": "Db2", "duckdb": "DuckDB", "http": "a web server",
	"https": "a web server"}

// Words of libpq's form: those that the driver reads, and those that it does not.
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

// Database reads DatabaseURL: a PostgreSQL address as a URL or in libpq's form of
// keywords, or an SQLite file. An address that it does not understand is an error and
// never the name of a file. Errors say what would be right and repeat nothing of it.
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

// withoutSlashes takes off the slashes that stand for an empty host.
func withoutSlashes(rest string) string { return strings.TrimPrefix(rest, "//") }

// postgresURL reads the form of a URL.
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

// sslModes are those of libpq, which the driver takes.
var sslModes = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

// postgresParts looks at what the driver would refuse at the start.
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

// keywordForm reads "host=… dbname=…" (libpq, "Keyword/Value Connection Strings") into a URL.
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
		if host == "" { // that of the service
			break
		}
		if strings.ContainsAny(h, "/@?# ") || h == "" || len(hosts) > 1 { // folders of sockets and lists have no place where a URL has its host
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

// keywordPairs splits libpq's form. A value may stand in single quotes, and a backslash
// takes the meaning of the sign behind it.
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

// sqliteFile takes the path of an SQLite file. One that exists may have any name. A new
// one is made only if the name is plainly that of a database, or named is true.
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

// windowsPath reports whether a path begins with the letter of a drive and has no
// further sign of an address.
func windowsPath(path string) bool {
	return len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/') && !strings.ContainsAny(path[2:], "@=:")
}

// sqliteMagic is what an SQLite file begins with.
const sqliteMagic = "SQLite format 3\x00"

// regularSQLite reports whether a path names an SQLite file, or an empty one, which
// becomes one.
func regularSQLite(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return true // opening it says why
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(sqliteMagic))
	n, err := io.ReadFull(f, head)
	return n == 0 || err == nil && string(head) == sqliteMagic
}

// shownURL returns the value of a setting that holds an address as people may see it:
// without user, password and parameters, and nothing of one that is not understood.
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
