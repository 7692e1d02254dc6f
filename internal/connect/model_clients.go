package connect

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/assay-dev/assay/internal/llm"
)

// mostOpened is how many clients are kept (design choice: more than one process uses at once). A run keeps
// using a dropped client; the next run opens its key again, with a new breaker.
const mostOpened = 1024

// openedModels caches the last used clients by credential and version. The zero value is ready to use, and
// it is safe for concurrent use.
type openedModels struct {
	mu   sync.Mutex
	kept *simplelru.LRU[string, openedModel]
}

type openedModel struct {
	version int64
	client  llm.Client
}

// of returns the client of a version of a credential. It calls open without the lock. If several calls open
// the same version at once, all get the client that is ready first.
func (o *openedModels) of(id string, version int64, open func() (llm.Client, error)) (llm.Client, error) {
	o.mu.Lock()
	got, ok := o.get(id)
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
	return o.keep(id, openedModel{version, client}), nil
}

// get returns the cached client. The caller holds the lock.
func (o *openedModels) get(id string) (openedModel, bool) {
	if o.kept == nil {
		o.kept, _ = simplelru.NewLRU[string, openedModel](mostOpened, nil) // fails only for size 0
	}
	return o.kept.Get(id)
}

// keep stores a client and returns it. If the cache has a client of the same version, it returns that one;
// a newer version stays in the cache. The caller holds the lock.
func (o *openedModels) keep(id string, m openedModel) llm.Client {
	switch got, ok := o.get(id); {
	case ok && got.version == m.version:
		return got.client
	case ok && got.version > m.version: // the key changed after this client's key was read
	default:
		o.kept.Add(id, m)
	}
	return m.client
}
