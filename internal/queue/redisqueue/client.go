package redisqueue

import (
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/assay-dev/assay/internal/errs"
)

// Bounds of one call. go-redis' defaults (5 dials of 5 s each, 3 retries with
// backoff) would let a caller hang for tens of seconds on a server that is
// gone; the relay and the workers have their own backoff.
const (
	dialTimeout = time.Second
	ioTimeout   = 2 * time.Second
	poolTimeout = time.Second
	maxRetries  = 1 // one reconnect, so that a restarted server is met without an error
)

// Dial makes the client for a key-value store URL; queue and cache share it,
// and the caller closes it after both. It does not connect: use Ping.
//
// Forms (Redis or Valkey, servers of version 6.2 or later):
//
//	redis://[user:password@]host:6379[/db]        one server; rediss:// with TLS
//	unix:///path/to.sock[?db=n]                   one server on a socket
//	redis://host:26379?master_name=m&addr=host2:26379   Sentinel
//	redis://host:6379?addr=host2:6379             Cluster; or ?cluster=true with one address
//
// valkey:// and valkeys:// mean the same as redis:// and rediss://. Other
// query parameters are those of go-redis' URL parsers. Errors never repeat the
// URL, which may hold a password.
//
// Dial silences the log output of the go-redis library for the whole process;
// its errors reach the caller anyway.
func Dial(rawURL string) (redis.UniversalClient, error) {
	logging.Disable()
	u, err := url.Parse(strings.TrimSpace(rawURL))
	if err != nil {
		return nil, badURL("it is not a URL")
	}
	switch u.Scheme {
	case "redis", "rediss", "unix":
	case "valkey":
		u.Scheme = "redis"
	case "valkeys":
		u.Scheme = "rediss"
	default:
		return nil, badURL("the scheme must be redis, rediss, valkey, valkeys or unix")
	}
	if u.Scheme != "unix" && u.Hostname() == "" {
		return nil, badURL("the host is missing")
	}
	q := u.Query()
	cluster := q.Get("cluster") == "true"
	if q.Has("cluster") {
		q.Del("cluster")
		u.RawQuery = q.Encode()
	}
	switch {
	case q.Has("master_name"):
		return dialSentinel(u.String())
	case cluster || q.Has("addr"):
		return dialCluster(u.String())
	default:
		return dialSingle(u.String())
	}
}

func dialSingle(u string) (redis.UniversalClient, error) {
	o, err := redis.ParseURL(u)
	if err != nil {
		return nil, badURL("the path must be a database number, and only known parameters may follow")
	}
	o.DialTimeout, o.DialerRetries = dialTimeout, 1
	o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = ioTimeout, ioTimeout, poolTimeout
	o.MaxRetries, o.ContextTimeoutEnabled = maxRetries, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(o), nil
}

func dialCluster(u string) (redis.UniversalClient, error) {
	o, err := redis.ParseClusterURL(u)
	if err != nil {
		return nil, badURL("a cluster has host:port in each addr parameter, no database number, and only known parameters")
	}
	o.DialTimeout, o.DialerRetries = dialTimeout, 1
	o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = ioTimeout, ioTimeout, poolTimeout
	o.MaxRetries, o.ContextTimeoutEnabled = maxRetries, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClusterClient(o), nil
}

func dialSentinel(u string) (redis.UniversalClient, error) {
	o, err := redis.ParseFailoverURL(u)
	if err != nil || o.MasterName == "" {
		return nil, badURL("Sentinel needs a master_name, host:port in each addr parameter, and only known parameters")
	}
	o.DialTimeout, o.DialerRetries = dialTimeout, 1
	o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = ioTimeout, ioTimeout, poolTimeout
	o.MaxRetries, o.ContextTimeoutEnabled = maxRetries, true
	return redis.NewFailoverClient(o), nil
}

func badURL(why string) error {
	return errs.New(errs.Invalid, "bad_kv_url", "The URL of the key-value store is not usable: %s.", why)
}
