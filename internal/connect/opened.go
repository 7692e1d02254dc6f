package connect

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/assay-dev/assay/internal/llm"
)

// mostOpened is how many clients are kept (design choice: more keys than one
// process uses at the same time). One that is dropped goes on for the run that
// has it; its key is opened again for the next run, with a new breaker.
const mostOpened = 1024

// openedModels are clients by credential, kept as long as its version, and those
// used last. The zero value is ready; it is safe for concurrent use.
type openedModels struct {
	mu   sync.Mutex
	kept *simplelru.LRU[string, openedModel]
}

type openedModel struct {
	version int64
	client  llm.Client
}

// of returns the client of a version of a credential. open is called without
// the lock; of several at the same time the first that is ready is kept, and is
// what all of them get.
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

// get reads what is kept. The lock is held.
func (o *openedModels) get(id string) (openedModel, bool) {
	if o.kept == nil {
		o.kept, _ = simplelru.NewLRU[string, openedModel](mostOpened, nil) // the only error is a size of 0
	}
	return o.kept.Get(id)
}

// keep keeps a client, unless there is one already of this version, which is
// returned, or of a newer one. The lock is held.
func (o *openedModels) keep(id string, m openedModel) llm.Client {
	switch got, ok := o.get(id); {
	case ok && got.version == m.version:
		return got.client
	case ok && got.version > m.version: // who opened this one has read the key before it was changed
	default:
		o.kept.Add(id, m)
	}
	return m.client
}
