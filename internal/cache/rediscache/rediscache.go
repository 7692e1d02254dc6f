// Package rediscache is the cache on Redis or Valkey: one string key per entry, expired by the server.
//
// The keys spread over a cluster. Never store values that must survive here.
package rediscache

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/errs"
)

// defaultPrefix begins every key: "assay:cache:<key>".
const defaultPrefix = "assay"

// defaultTimeout bounds one call, because a slow cache saves no time (design choice).
const defaultTimeout = 500 * time.Millisecond

// Options configure a [Cache].
type Options struct {
	Client  redis.UniversalClient // required; shared, closed by its creator
	Prefix  string                // default [defaultPrefix]
	Timeout time.Duration         // of one call; default [defaultTimeout]
}

// Cache is a [cache.Cache] on Redis. Use [New].
type Cache struct {
	client  redis.UniversalClient
	prefix  string
	timeout time.Duration
}

var _ cache.Cache = (*Cache)(nil)

// New returns a cache on the client. It does not connect.
func New(o Options) (*Cache, error) {
	if o.Client == nil {
		return nil, errs.New(errs.Internal, "", "A cache needs a client.")
	}
	if o.Prefix == "" {
		o.Prefix = defaultPrefix
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	return &Cache{client: o.Client, prefix: o.Prefix, timeout: o.Timeout}, nil
}

func (c *Cache) key(k cache.Key) string { return c.prefix + ":cache:" + k.String() }

// Get implements [cache.Cache].
func (c *Cache) Get(ctx context.Context, key cache.Key) ([]byte, bool, error) {
	if err := key.Check(); err != nil {
		return nil, false, err
	}
	var value []byte
	err := c.call(ctx, func(ctx context.Context) (err error) {
		value, err = c.client.Get(ctx, c.key(key)).Bytes()
		return err
	})
	if errors.Is(err, redis.Nil) {
		return nil, false, nil
	}
	return value, err == nil, err
}

// Set implements [cache.Cache].
func (c *Cache) Set(ctx context.Context, key cache.Key, value []byte, ttl time.Duration) error {
	if err := cache.CheckEntry(key, value, ttl); err != nil {
		return err
	}
	return c.call(ctx, func(ctx context.Context) error {
		return c.client.Set(ctx, c.key(key), value, expiry(ttl)).Err()
	})
}

// SetNX implements [cache.Cache] with SET … NX PX.
func (c *Cache) SetNX(ctx context.Context, key cache.Key, value []byte, ttl time.Duration) (stored bool, err error) {
	if err := cache.CheckEntry(key, value, ttl); err != nil {
		return false, err
	}
	err = c.call(ctx, func(ctx context.Context) error {
		return c.client.SetArgs(ctx, c.key(key), value, redis.SetArgs{Mode: "NX", TTL: expiry(ttl)}).Err()
	})
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}

// Delete implements [cache.Cache]. It sends one command per key in a pipeline, one round trip per node,
// because a cluster refuses a command whose keys have different slots.
func (c *Cache) Delete(ctx context.Context, keys ...cache.Key) error {
	for _, k := range keys {
		if err := k.Check(); err != nil {
			return err
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return c.call(ctx, func(ctx context.Context) error {
		_, err := c.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, k := range keys {
				p.Del(ctx, c.key(k))
			}
			return nil
		})
		return err
	})
}

// expiry rounds up to the millisecond, the unit of the server.
func expiry(ttl time.Duration) time.Duration {
	return (ttl + time.Millisecond - 1).Truncate(time.Millisecond)
}

// call bounds one call and classifies its error. It returns redis.Nil unchanged.
func (c *Cache) call(ctx context.Context, fn func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	err := fn(bounded)
	switch {
	case err == nil || errors.Is(err, redis.Nil):
		return err
	case ctx.Err() != nil:
		return errs.Wrap(errors.Join(ctx.Err(), err), errs.Unavailable, "", "The call was ended before the store answered.")
	default:
		return cache.Unavailable(err)
	}
}
