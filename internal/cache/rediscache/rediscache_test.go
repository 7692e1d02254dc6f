package rediscache

import (
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/cache/cachetest"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func client(t *testing.T, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	o.ContextTimeoutEnabled, o.DialerRetries = true, 1
	c := redis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func open(t *testing.T, o Options) *Cache {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConformance(t *testing.T) {
	cachetest.Run(t, func(t *testing.T) cache.Cache {
		url, prefix := testkit.Redis(t)
		return open(t, Options{Client: client(t, url), Prefix: prefix})
	}, func(_ *testing.T, d time.Duration) { <-time.After(d + 5*time.Millisecond) }) // the server's clock ticks in milliseconds
}

var key = cache.Key{Tenant: "ten_1", Kind: "models", ID: "cred_1", Version: "2"}

func TestKeyAndExpiryOnTheServer(t *testing.T) {
	kv := testkit.RedisServer(t)
	rc := client(t, kv.URL())
	c := open(t, Options{Client: rc})
	if err := c.Set(t.Context(), key, []byte("v"), time.Hour); err != nil {
		t.Fatal(err)
	}
	ttl, err := rc.PTTL(t.Context(), "assay:cache:ten_1:models:cred_1:2").Result()
	if err != nil || ttl < 59*time.Minute || ttl > time.Hour {
		t.Errorf("expiry %v, %v; want about an hour under the documented key", ttl, err)
	}
	kv.Flush()
	if _, ok, err := c.Get(t.Context(), key); ok || err != nil {
		t.Errorf("Get after the server was emptied = %v, %v; want a miss", ok, err)
	}
}

func TestServerDown(t *testing.T) {
	kv := testkit.RedisServer(t)
	c := open(t, Options{Client: client(t, kv.URL()), Timeout: 100 * time.Millisecond})
	if err := c.Set(t.Context(), key, []byte("v"), time.Hour); err != nil {
		t.Fatal(err)
	}
	outages := []struct {
		name     string
		down, up func()
	}{{"hangs", kv.Pause, kv.Resume}, {"refuses connections", kv.Stop, kv.Start}}
	for _, o := range outages {
		t.Run(o.name, func(t *testing.T) {
			o.down()
			defer o.up()
			start := time.Now()
			_, found, getErr := c.Get(t.Context(), key)
			_, nxErr := c.SetNX(t.Context(), key, nil, time.Hour)
			calls := map[string]error{
				"Get": getErr, "SetNX": nxErr, "Set": c.Set(t.Context(), key, nil, time.Hour), "Delete": c.Delete(t.Context(), key),
			}
			for name, err := range calls {
				if !errors.Is(err, cache.ErrUnavailable) || !errs.Is(err, errs.Unavailable) {
					t.Errorf("%s: %v, want ErrUnavailable", name, err)
				}
			}
			if found {
				t.Error("Get found something")
			}
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("four calls took %v", d)
			}
		})
	}
}

func TestNewWithoutAClient(t *testing.T) {
	if _, err := New(Options{}); !errs.Is(err, errs.Internal) {
		t.Errorf("New = %v, want an internal error", err)
	}
}
