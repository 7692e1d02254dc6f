package store

import (
	"context"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/store/dialect"
)

const ingestStatement = dialect.IngestStatement

// groupCommitter commits concurrent deliveries in one transaction. With a single writer and a synchronous disk,
// the commit is the main cost and can be shared.
type groupCommitter struct {
	store  *Store
	batch  int
	window time.Duration
	in     chan *pendingDelivery
	quit   chan struct{}
	done   sync.WaitGroup
}

type pendingDelivery struct {
	d      NewDelivery
	dup    bool
	result chan error // buffered, so that a waiter that gave up does not block the loop
}

func newGroupCommitter(s *Store, o Options) *groupCommitter {
	if o.GroupBatch <= 0 {
		o.GroupBatch = 64
	}
	if o.GroupWindow <= 0 {
		o.GroupWindow = 2 * time.Millisecond
	}
	g := &groupCommitter{store: s, batch: o.GroupBatch, window: o.GroupWindow, in: make(chan *pendingDelivery), quit: make(chan struct{})}
	g.done.Go(g.loop)
	return g
}

// ingest queues a delivery and waits for its commit. If ctx ends first, the delivery can still be stored.
// The caller then answers 503, and the redelivery is recognized as a duplicate.
func (g *groupCommitter) ingest(ctx context.Context, d NewDelivery) (bool, error) {
	w := &pendingDelivery{d: d, result: make(chan error, 1)}
	select {
	case g.in <- w:
	case <-ctx.Done():
		return false, g.store.wrap(ctx.Err())
	case <-g.quit:
		return false, g.store.wrap(context.DeadlineExceeded)
	}
	select {
	case err := <-w.result:
		return w.dup, err
	case <-ctx.Done():
		return false, g.store.wrap(ctx.Err())
	}
}

func (g *groupCommitter) close() {
	close(g.quit)
	g.done.Wait()
}

func (g *groupCommitter) loop() {
	for {
		select {
		case first := <-g.in:
			g.commit(g.collect(first))
		case <-g.quit:
			return
		}
	}
}

// collect gathers deliveries for one commit until the batch is full or the window ends.
func (g *groupCommitter) collect(first *pendingDelivery) []*pendingDelivery {
	batch := []*pendingDelivery{first}
	timer := time.NewTimer(g.window)
	defer timer.Stop()
	for len(batch) < g.batch {
		select {
		case w := <-g.in:
			batch = append(batch, w)
		case <-timer.C:
			return batch
		}
	}
	return batch
}

func (g *groupCommitter) commit(batch []*pendingDelivery) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := g.store.InTx(ctx, func(ctx context.Context) error {
		for _, w := range batch {
			if err := g.store.ingestPair(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
	for _, w := range batch {
		w.result <- err
	}
}

// ingestPair is [dialect.IngestStatement] in two statements; an ignored delivery needs only the first.
func (s *Store) ingestPair(ctx context.Context, w *pendingDelivery) error {
	delivery, job := w.d.ingestArgs()
	stored, err := s.keepDelivery(ctx, w.d, delivery)
	if err != nil {
		return err
	}
	if w.dup = !stored; w.dup || w.d.Ignored != "" {
		return nil
	}
	_, err = s.exec(ctx, `INSERT INTO jobs (id, kind, lane, fair_key, subject, dedup_key, tenant_id, state, run_us, created_us)
		VALUES ($1, $2, $3, $4, $6, $5, $7, 'queued', {now}, {now})`, append(job, delivery[0], delivery[2])...)
	if err == nil {
		s.announceJobs(ctx)
	}
	return err
}
