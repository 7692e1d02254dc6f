package connect

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/assay-dev/assay/internal/llm"
)

// maxOpened is how many clients are kept (design choice: more than one process uses at once). A run keeps
// using a dropped client; the next run opens its key again, with a new breaker.
const maxOpened = 1024

// modelClients caches the last used clients by credential and version. The zero value is ready to use, and
// it is safe for concurrent use.
type modelClients struct {
	mu   sync.Mutex
	kept *simplelru.LRU[string, modelClient]
}

type modelClient struct {
	version int64
	client  llm.Client
}

// open returns the client of a version of a credential. It calls open without the lock. If several calls open
// the same version at once, all get the client that is ready first.
func (o *modelClients) open(id string, version int64, open func() (llm.Client, error)) (llm.Client, error) {
	o.mu.Lock()
	got, ok := o.cached(id)
	o.mu.Unlock()
	if ok && got.version == version {
		return got.client, nil
	}
	client, err := open()
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.store(id, modelClient{version, client}), nil
}

// cached returns the cached client. The caller holds the lock.
func (o *modelClients) cached(id string) (modelClient, bool) {
	if o.kept == nil {
		o.kept, _ = simplelru.NewLRU[string, modelClient](maxOpened, nil) // fails only for size 0
	}
	return o.kept.Get(id)
}

// store stores a client and returns it. If the cache has a client of the same version, it returns that one;
// a newer version stays in the cache. The caller holds the lock.
func (o *modelClients) store(id string, m modelClient) llm.Client {
	switch got, ok := o.cached(id); {
	case ok && got.version == m.version:
		return got.client
	case ok && got.version > m.version: // the key changed after this client's key was read
	default:
		o.kept.Add(id, m)
	}
	return m.client
}
