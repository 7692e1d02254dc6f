package app

import (
	"context"
	"crypto/tls"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/cache/rediscache"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/queue/redisqueue"
	"github.com/assay-dev/assay/internal/store"
)

// OpenStore opens the configured database.
func OpenStore(ctx context.Context, c config.Config) (*store.Store, error) {
	return openStore(ctx, c, store.Options{})
}

// OpenStoreBeside opens the configured database for a command, which may run while another process serves
// it.
func OpenStoreBeside(ctx context.Context, c config.Config) (*store.Store, error) {
	return openStore(ctx, c, store.Options{Beside: true})
}

// openStore adds the settings of c to the options and opens the configured database.
func openStore(ctx context.Context, c config.Config, o store.Options) (*store.Store, error) {
	db, err := c.Database()
	if err != nil {
		return nil, err
	}
	where := db.DSN.Reveal()
	if db.Path != "" {
		where = db.Path
	}
	o.GroupBatch, o.GroupWindow = c.Ingest.GroupBatch, c.Ingest.GroupWindow
	return store.Open(ctx, where, o)
}

func (a *App) openKeyring(ctx context.Context) error {
	made, err := ensureKey(ctx, &a.Config, a.Store)
	if err != nil {
		return err
	}
	if made {
		a.Logger.Warn("a new instance key was made; keep a copy beside your backups, stored secrets are lost without it", "file",
			a.Config.InstanceKeyFile())
	}
	if a.Keyring, err = openKeyring(ctx, a.Config, a.Store); err != nil {
		return err
	}
	if err := missingKeys(ctx, a.Store, a.Keyring); err != nil { // other tenants are still served
		a.Logger.Error("some stored secrets cannot be opened", "error", err)
	}
	return nil
}

// openQueue opens the queue and the cache, in this process or on the key-value server.
func (a *App) openQueue() error {
	kv, err := a.Config.KV()
	if err != nil {
		return err
	}
	if kv.Mode == config.KVNone {
		a.Queue = memqueue.New()
		a.closers = append(a.closers, a.Queue.Close)
		a.cache, err = memcache.New(memcache.Options{})
		return err
	}
	a.kv = keyValueClient(kv)
	a.closers = append(a.closers, a.kv.Close)
	if a.cache, err = rediscache.New(rediscache.Options{Client: a.kv, Prefix: a.KVPrefix}); err != nil {
		return err
	}
	q, err := redisqueue.New(redisqueue.Options{Client: a.kv, Prefix: a.KVPrefix})
	if err != nil {
		return err
	}
	a.Queue = q
	a.closers = append(a.closers, q.Close)
	return nil
}

// keyValueClient returns a client that has not connected yet.
func keyValueClient(kv config.KV) redis.UniversalClient {
	o := &redis.UniversalOptions{Addrs: kv.Addrs, Username: kv.Username, Password: kv.Password.Reveal(), DB: kv.DB, MasterName: kv.Master,
		IsClusterMode: kv.Mode == config.KVCluster, ClientName: "assay", MaxRetries: 1, DialTimeout: 2 * time.Second}
	if kv.TLS {
		o.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return redis.NewUniversalClient(o)
}
