// Package memcache is the in-process implementation of the cache, for the embedded mode and as the first
// level in front of another cache. It bounds entries and bytes, and evicts the least recently used entry
// first.
//
// It starts no goroutines: an expired entry is dropped when it is read. It knows nothing about the cached
// values.
package memcache

import (
	"context"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/errs"
)

// Default bounds. 64 MiB fit into the memory target of one process (design choice).
const (
	defaultEntries = 10_000
	defaultBytes   = 64 << 20
)

// overhead is the estimated cost of an entry in bytes, besides key and value: list element, map slot and
// headers.
const overhead = 200

// Options bound a cache.
type Options struct {
	Entries int   // default [defaultEntries]
	Bytes   int64 // keys, values and overhead; default [defaultBytes]
}

// Cache is an in-process [cache.Cache]. Use [New].
type Cache struct {
	mu    sync.Mutex
	lru   *simplelru.LRU[string, entry]
	bytes int64
	limit int64
}

type entry struct {
	value []byte
	until time.Time
}

var _ cache.Cache = (*Cache)(nil)

// New returns an empty cache.
func New(o Options) (*Cache, error) {
	if o.Entries <= 0 {
		o.Entries = defaultEntries
	}
	if o.Bytes <= 0 {
		o.Bytes = defaultBytes
	}
	c := &Cache{limit: o.Bytes}
	lru, err := simplelru.NewLRU(o.Entries, func(k string, e entry) { c.bytes -= cost(k, e) })
	if err != nil {
		return nil, errs.Wrap(err, errs.Internal, "", "The cache could not be made.")
	}
	c.lru = lru
	return c, nil
}

func cost(key string, e entry) int64 { return int64(len(key)+len(e.value)) + overhead }

// Get implements [cache.Cache].
func (c *Cache) Get(ctx context.Context, key cache.Key) ([]byte, bool, error) {
	if err := enter(ctx, key.Check()); err != nil {
		return nil, false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.live(key.String())
	if !ok {
		return nil, false, nil
	}
	return append([]byte{}, e.value...), true, nil
}

// Set implements [cache.Cache].
func (c *Cache) Set(ctx context.Context, key cache.Key, value []byte, ttl time.Duration) error {
	if err := enter(ctx, cache.CheckEntry(key, value, ttl)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.put(key.String(), value, ttl)
	return nil
}

// SetNX implements [cache.Cache].
func (c *Cache) SetNX(ctx context.Context, key cache.Key, value []byte, ttl time.Duration) (bool, error) {
	if err := enter(ctx, cache.CheckEntry(key, value, ttl)); err != nil {
		return false, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := key.String()
	if _, ok := c.live(k); ok {
		return false, nil
	}
	c.put(k, value, ttl)
	return true, nil
}

// Delete implements [cache.Cache].
func (c *Cache) Delete(ctx context.Context, keys ...cache.Key) error {
	for _, k := range keys {
		if err := k.Check(); err != nil {
			return err
		}
	}
	if err := enter(ctx, nil); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range keys {
		c.lru.Remove(k.String())
	}
	return nil
}

// live returns an entry that has not expired. The caller holds the lock.
func (c *Cache) live(key string) (entry, bool) {
	e, ok := c.lru.Get(key)
	if ok && !time.Now().Before(e.until) {
		c.lru.Remove(key)
		return entry{}, false
	}
	return e, ok
}

// put stores an entry and evicts others until the bounds hold. The caller holds the lock. It removes the
// old entry first, because the list runs the eviction callback, which counts bytes, only for removed
// entries.
func (c *Cache) put(key string, value []byte, ttl time.Duration) {
	c.lru.Remove(key)
	e := entry{value: append([]byte{}, value...), until: time.Now().Add(max(ttl, time.Millisecond))}
	c.bytes += cost(key, e)
	c.lru.Add(key, e)
	for c.bytes > c.limit {
		if _, _, ok := c.lru.RemoveOldest(); !ok {
			return
		}
	}
}

// enter checks the context at the start of a call.
func enter(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return errs.Wrap(err, errs.Unavailable, "", "The call was ended before it began.")
	}
	return nil
}
