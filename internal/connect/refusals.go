package connect

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// refusedAgain is the interval at which a known refusal is written again, so that its time shows that it
// still holds (design choice).
const refusedAgain = 10 * time.Minute

// refusals records which kinds of requests the host refuses to a connection's account. Callers may continue
// without the data, and people see the refusals at the connection. A successful request of the same kind
// removes its refusal. Probes report their own refusals.
type refusals struct {
	hosts      *Hosts
	tenant     domain.Tenant
	connection string
	version    int64
	token      secret.Secret

	mu     sync.Mutex
	known  map[string]refusal // by kind of request; nil: not loaded yet
	failed time.Time          // last failure of the database
}

type refusal struct {
	path string
	at   time.Time // when this process wrote it; zero for a stored one
}

// ObserveExchange implements [codehost.Observer].
func (r *refusals) ObserveExchange(ctx context.Context, a codehost.Exchange) {
	if r.hosts.Observer != nil {
		r.hosts.Observer.ObserveExchange(ctx, a)
	}
	refused := a.Class == codehost.ClassForbidden && a.Status == http.StatusForbidden
	answered := a.Class == "" || a.Class == codehost.ClassNotFound // a 404 shows that the account may ask
	if !refused && !answered || a.Op == tracking.OpProbe {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchTime)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.failed) < checkInterval {
		return
	}
	if err := r.note(ctx, a, refused); err != nil {
		r.failed = time.Now()
		r.hosts.Logger.WarnContext(ctx, "a refusal of the host could not be stored; the next refusal stores it", "connection",
			r.connection, "op", a.Op, "error", err)
	}
}

func (r *refusals) note(ctx context.Context, a codehost.Exchange, refused bool) error {
	if r.known == nil {
		rows, err := r.hosts.Store.HostRefusals(ctx, r.tenant, []string{r.connection}, tracking.RefusalAge)
		if err != nil {
			return err
		}
		r.known = map[string]refusal{}
		for _, v := range rows {
			r.known[v.Op] = refusal{path: v.Path}
		}
	}
	before, known := r.known[a.Op]
	switch {
	case refused && (!known || time.Since(before.at) > refusedAgain):
		words := clip.Bytes(tracking.Line(a.Message, r.token), maxRefusal)
		err := r.hosts.Store.KeepHostRefusal(ctx, r.tenant, r.version,
			store.HostRefusal{Connection: r.connection, Op: a.Op, Path: tracking.Line(a.Path, r.token), Words: words})
		if err == nil {
			r.known[a.Op] = refusal{a.Path, time.Now()}
		}
		return err
	case !refused && known && before.path == a.Path:
		delete(r.known, a.Op)
		return r.hosts.Store.DropHostRefusal(ctx, r.tenant, r.connection, a.Op, a.Path)
	}
	return nil
}

// maxRefusal bounds the stored text of a host's refusal, in bytes.
const maxRefusal = 300
