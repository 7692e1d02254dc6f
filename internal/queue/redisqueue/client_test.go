package redisqueue

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/errs"
)

func TestDialForms(t *testing.T) {
	tests := []struct{ name, url, addr, kind string }{
		{"one server", "redis://127.0.0.1:6390/2", "127.0.0.1:6390", "single"},
		{"default port", "redis://kv.example", "kv.example:6379", "single"},
		{"valkey", "valkey://127.0.0.1:6390", "127.0.0.1:6390", "single"},
		{"socket", "unix:///run/kv.sock?db=1", "/run/kv.sock", "single"},
		{"tls", "rediss://u:p@kv.example:6390", "kv.example:6390", "tls"},
		{"valkey with tls", "valkeys://kv.example:6390", "kv.example:6390", "tls"},
		{"cluster of two", "redis://a:1?addr=b:2", "a:1 b:2", "cluster"},
		{"cluster behind one address", "redis://a:1?cluster=true", "a:1", "cluster"},
		{"sentinel", "redis://a:1?master_name=m&addr=b:2", "FailoverClient", "sentinel"},
		{"spaces around", " redis://a:1\n", "a:1", "single"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Dial(tt.url)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var addr, kind string
			switch c := c.(type) {
			case *redis.ClusterClient:
				addr, kind = strings.Join(c.Options().Addrs, " "), "cluster"
			case *redis.Client:
				o := c.Options()
				addr, kind = o.Addr, "single"
				if o.TLSConfig != nil {
					kind = "tls"
				}
				if addr == "FailoverClient" { // the library's name for a Sentinel client
					kind = "sentinel"
				}
				if o.DialTimeout != dialTimeout || o.DialerRetries != 1 || o.MaxRetries != maxRetries || !o.ContextTimeoutEnabled {
					t.Errorf("bounds: %v, %d, %d, %v", o.DialTimeout, o.DialerRetries, o.MaxRetries, o.ContextTimeoutEnabled)
				}
			}
			if addr != tt.addr || kind != tt.kind {
				t.Errorf("Dial = %s at %s, want %s at %s", kind, addr, tt.kind, tt.addr)
			}
		})
	}
}

func TestDialRefusesWithoutRepeatingTheURL(t *testing.T) {
	password := "hunter" + "2"
	for _, url := range []string{
		"", "127.0.0.1:6379", "http://x:" + password + "@h", "redis://:" + password + "@", "redis://x:" + password + "@h:6379/notanumber",
		"redis://x:" + password + "@h:port", "redis://x:" + password + "@h/1/2", "redis://x:" + password + "@h?nonsense=1",
		"redis://x:" + password + "@h?addr=b&nonsense=1", "redis://x:" + password + "@h?master_name=", "redis://%zz:" + password + "@h",
	} {
		c, err := Dial(url)
		if c != nil {
			_ = c.Close()
		}
		if !errs.Is(err, errs.Invalid) {
			t.Errorf("%q: %v, want an invalid error", url, err)
			continue
		}
		if strings.Contains(err.Error(), password) {
			t.Errorf("the error repeats the password: %v", err)
		}
	}
}
