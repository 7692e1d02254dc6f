package memcache

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/cache/cachetest"
)

func open(t *testing.T, o Options) *Cache {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestConformance(t *testing.T) {
	cachetest.Run(t, func(t *testing.T) cache.Cache { return open(t, Options{}) },
		func(_ *testing.T, d time.Duration) { <-time.After(d) })
}

func key(i int) cache.Key { return cache.Key{Tenant: "ten_1", Kind: "k", ID: fmt.Sprint(i)} }

func put(t *testing.T, c *Cache, k cache.Key, size int) {
	t.Helper()
	if err := c.Set(t.Context(), k, make([]byte, size), time.Hour); err != nil {
		t.Fatal(err)
	}
}

func has(t *testing.T, c *Cache, k cache.Key) bool {
	t.Helper()
	_, ok, err := c.Get(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestTheLeastRecentlyUsedGoesFirst(t *testing.T) {
	c := open(t, Options{Entries: 3})
	for i := range 3 {
		put(t, c, key(i), 1)
	}
	has(t, c, key(0))
	put(t, c, key(3), 1)
	for i, want := range []bool{true, false, true, true} {
		if got := has(t, c, key(i)); got != want {
			t.Errorf("entry %d is there: %v, want %v", i, got, want)
		}
	}
}

func TestBytesAreBoundedAndCounted(t *testing.T) {
	c := open(t, Options{Bytes: 10_000})
	for i := range 100 {
		put(t, c, key(i%7), 1+i*10)
		if c.bytes > 10_000 {
			t.Fatalf("%d bytes, want at most 10000", c.bytes)
		}
	}
	var sum int64
	for _, k := range c.lru.Keys() {
		e, _ := c.lru.Peek(k)
		sum += cost(k, e)
	}
	if c.bytes != sum {
		t.Errorf("counted %d bytes, there are %d", c.bytes, sum)
	}
	put(t, c, key(0), 20_000) // above the bound by itself: not kept, nothing breaks
	if has(t, c, key(0)) || c.bytes != 0 {
		t.Errorf("an entry above the bound is kept; %d bytes", c.bytes)
	}
	put(t, c, key(1), 1)
	for i := range 7 {
		if err := c.Delete(t.Context(), key(i)); err != nil {
			t.Fatal(err)
		}
	}
	if c.bytes != 0 {
		t.Errorf("%d bytes after deleting all", c.bytes)
	}
}

func TestTimeToLiveIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, Options{})
		if err := c.Set(t.Context(), key(1), nil, time.Minute); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - 1) // the fake clock of synctest
		if !has(t, c, key(1)) {
			t.Error("expired too early")
		}
		time.Sleep(1)
		if has(t, c, key(1)) {
			t.Error("not expired in time")
		}
		if c.bytes != 0 {
			t.Errorf("%d bytes after the only entry ended", c.bytes)
		}
	})
}
