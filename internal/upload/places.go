package upload

import (
	"context"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/errs"
)

// Bounds of the uploads under way in a process (design choices). Each body takes up to 64 MiB of memory.
const (
	underWay   = 4
	ofTenant   = 2                // so that slow senders of one tenant leave room for others
	waitPlaces = 20 * time.Second // for a place
)

// places limits uploads, in total and for each tenant.
type places struct {
	all chan struct{}
	mu  sync.Mutex
	of  map[string]*tenantPlaces
}

// tenantPlaces are the places of a tenant while uploads have or want them.
type tenantPlaces struct {
	taken chan struct{}
	users int
}

// Enter takes a place for an upload of a tenant, before its body is read. The caller must call leave. Errors: Unavailable (no place
// becomes free in time).
func (s *Service) Enter(ctx context.Context, tenant string) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, s.Wait)
	defer cancel()
	p := &s.underWay
	p.mu.Lock()
	t := p.of[tenant]
	if t == nil {
		t = &tenantPlaces{taken: make(chan struct{}, ofTenant)}
		p.of[tenant] = t
	}
	t.users++
	p.mu.Unlock()
	forget := func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(p.of, tenant)
		}
	}
	for _, to := range []chan struct{}{t.taken, p.all} {
		select {
		case to <- struct{}{}:
			continue
		case <-ctx.Done():
		}
		if to == p.all {
			<-t.taken
		}
		forget()
		return nil, busy()
	}
	return func() {
		<-p.all
		<-t.taken
		forget()
	}, nil
}

func busy() error {
	return errs.New(errs.Unavailable, "busy", "Other uploads are being read. Upload the document again in a minute.")
}
