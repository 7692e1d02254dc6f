package config

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/secret"
)

// Modes of the key-value store.
const (
	KVNone     = ""         // queue and cache inside the process
	KVSingle   = "single"   // one server
	KVCluster  = "cluster"  // Redis or Valkey cluster
	KVSentinel = "sentinel" // sentinels, which name the master
)

// KV is the configured key-value store.
type KV struct {
	Mode     string
	Addrs    []string // host:port
	Master   string   // name of the master, for KVSentinel
	Username string
	Password secret.Secret
	DB       int
	TLS      bool
}

// kvSchemes maps the scheme (without TLS) to the mode for one host.
var kvSchemes = map[string]string{
	"redis": KVSingle, "valkey": KVSingle, "redis+cluster": KVCluster, "valkey+cluster": KVCluster,
	"redis+sentinel": KVSentinel, "valkey+sentinel": KVSentinel,
}

// KV parses KVURL. Its error describes the expected form.
func (c *Config) KV() (KV, error) {
	raw := c.KVURL.Reveal()
	if raw == "" {
		return KV{}, nil
	}
	wrong := errors.New("must be redis://host:6379/0, rediss:// with TLS, redis+cluster://h1,h2, or redis+sentinel://h1:26379,h2:26379/master")
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return KV{}, wrong
	}
	var kv KV
	if plain, tls := strings.CutPrefix(scheme, "rediss"); tls {
		scheme, kv.TLS = "redis"+plain, true
	} else if plain, tls := strings.CutPrefix(scheme, "valkeys"); tls {
		scheme, kv.TLS = "valkey"+plain, true
	}
	if kv.Mode, ok = kvSchemes[scheme]; !ok {
		return KV{}, wrong
	}
	hosts := rest
	if i := strings.IndexAny(hosts, "/?#"); i >= 0 {
		hosts = hosts[:i]
	}
	userinfo := ""
	if i := strings.LastIndexByte(hosts, '@'); i >= 0 {
		userinfo, hosts = hosts[:i+1], hosts[i+1:]
	}
	// net/url does not support lists of hosts, so it parses the rest around a placeholder.
	u, err := url.Parse("x://" + userinfo + "h" + strings.TrimPrefix(rest, userinfo+hosts))
	if err != nil || u.Fragment != "" {
		return KV{}, wrong
	}
	if u.User != nil {
		kv.Username = u.User.Username()
		password, _ := u.User.Password()
		kv.Password = secret.New(password)
	}
	defaultPort := map[bool]string{true: "26379", false: "6379"}[kv.Mode == KVSentinel]
	for h := range strings.SplitSeq(hosts, ",") {
		addr, ok := withPort(strings.TrimSpace(h), defaultPort)
		if !ok {
			return KV{}, wrong
		}
		kv.Addrs = append(kv.Addrs, addr)
	}
	if kv.Mode == KVSingle && len(kv.Addrs) > 1 {
		kv.Mode = KVCluster
	}
	if err := kv.path(strings.Trim(u.Path, "/"), u.Query()); err != nil {
		return KV{}, err
	}
	return kv, nil
}

// path parses "/<db>", or "/<master>[/<db>]" for sentinels, and "?db=".
func (kv *KV) path(path string, query url.Values) error {
	db := path
	if kv.Mode == KVSentinel {
		kv.Master, db, _ = strings.Cut(path, "/")
		if kv.Master == "" {
			return errors.New("must name the master behind the sentinels: redis+sentinel://h1,h2/master")
		}
	}
	for name := range query {
		if name != "db" {
			return errors.New("has a parameter that is not known; only db is")
		}
		db = query.Get("db")
	}
	if db == "" {
		return nil
	}
	n, err := strconv.Atoi(db)
	if err != nil || n < 0 || n > 1<<16 {
		return errors.New("must end in the number of a database, such as /0")
	}
	if kv.Mode == KVCluster && n != 0 {
		return errors.New("must not choose a database: a cluster has only number 0")
	}
	kv.DB = n
	return nil
}

func withPort(host, port string) (string, bool) {
	if !hostEntry.MatchString(host) {
		return "", false
	}
	if h, p, err := net.SplitHostPort(host); err == nil {
		n, err := strconv.Atoi(p)
		return net.JoinHostPort(h, p), err == nil && n > 0 && n < 65536
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port), true
}
