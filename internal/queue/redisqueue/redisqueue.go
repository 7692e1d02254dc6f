// Package redisqueue is the dispatch queue on Redis or Valkey Streams: one stream and one consumer group
// per lane, with entries that contain a job id.
//
// The keys of all lanes share one hash tag, so that a cluster keeps them in one slot. The server may be
// emptied at any moment, so never store values that must survive here. The server's delivery counts are not
// used.
package redisqueue

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/queue"
)

const (
	// defaultPrefix is the hash tag of the product's keys. A lane's stream is "{assay}:jobs:<lane>".
	defaultPrefix = "{assay}"

	group = "workers"
	field = "job"

	// slice is the longest blocking read. Because the library cannot end a read when a context ends, a
	// longer wait is split into reads of this length (design choice: two commands a second per idle lane).
	slice = 500 * time.Millisecond

	// answerTimeout bounds the time of a read beyond its wait.
	answerTimeout = 2 * time.Second

	// defaultConsumerTTL is how long a consumer without pending hints stays registered after its last read.
	// Without it, the names of all former worker processes would remain.
	defaultConsumerTTL = time.Hour
)

// Options configure a [Queue].
type Options struct {
	Client      redis.UniversalClient // required; shared, not closed by Close
	Prefix      string                // default [defaultPrefix]; on a cluster it must contain a {hash tag}
	ConsumerTTL time.Duration         // default [defaultConsumerTTL]
}

// Queue is a [queue.Queue] on Redis Streams. Use [New].
type Queue struct {
	client redis.UniversalClient
	prefix string
	ttl    time.Duration

	once   sync.Once
	closed chan struct{}
}

var _ queue.Queue = (*Queue)(nil)

// New returns a queue on the client. It does not connect.
func New(o Options) (*Queue, error) {
	if o.Client == nil {
		return nil, errs.New(errs.Internal, "", "A queue needs a client.")
	}
	if o.Prefix == "" {
		o.Prefix = defaultPrefix
	}
	if o.ConsumerTTL <= 0 {
		o.ConsumerTTL = defaultConsumerTTL
	}
	return &Queue{client: o.Client, prefix: o.Prefix, ttl: o.ConsumerTTL, closed: make(chan struct{})}, nil
}

func (q *Queue) key(lane string) string { return q.prefix + ":jobs:" + lane }

// Push implements [queue.Queue]: one XADD per id in one round trip.
func (q *Queue) Push(ctx context.Context, lane string, jobIDs ...string) error {
	if err := q.enter(ctx, lane); err != nil {
		return err
	}
	if err := queue.CheckNames("job id", jobIDs...); err != nil {
		return err
	}
	for len(jobIDs) > 0 {
		n := min(len(jobIDs), queue.MaxBatch)
		_, err := q.client.Pipelined(ctx, func(p redis.Pipeliner) error {
			for _, id := range jobIDs[:n] {
				p.XAdd(ctx, &redis.XAddArgs{Stream: q.key(lane), Values: []any{field, id}})
			}
			return nil
		})
		if err != nil {
			return failed(ctx, err)
		}
		jobIDs = jobIDs[n:]
	}
	return nil
}

// Pull implements [queue.Queue] with XREADGROUP.
func (q *Queue) Pull(ctx context.Context, lane, consumer string, max int, wait time.Duration) ([]queue.Hint, error) {
	if err := q.enter(ctx, lane, consumer); err != nil {
		return nil, err
	}
	if max = min(max, queue.MaxBatch); max <= 0 {
		return nil, nil
	}
	end := time.Now().Add(wait)
	for {
		block := min(slice, time.Until(end).Truncate(time.Millisecond))
		if block <= 0 {
			block = -1 // -1 makes go-redis omit BLOCK; 0 would wait forever
		}
		hints, err := q.read(ctx, lane, consumer, max, block)
		if err != nil || len(hints) > 0 || time.Until(end) < time.Millisecond {
			return hints, err
		}
		if err := q.enter(ctx); err != nil {
			return nil, err
		}
	}
}

// read performs one XREADGROUP. It ignores the end of ctx, because an abandoned read could lose hints that
// the server has already handed out.
func (q *Queue) read(ctx context.Context, lane, consumer string, max int, block time.Duration) ([]queue.Hint, error) {
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*slice+answerTimeout)
	defer cancel()
	var streams []redis.XStream
	err := q.withGroup(whole, lane, func() (err error) {
		streams, err = q.client.XReadGroup(whole, &redis.XReadGroupArgs{
			Group: group, Consumer: consumer, Streams: []string{q.key(lane), ">"},
			Count: int64(max), Block: block,
		}).Result()
		return err
	})
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}
	if err != nil {
		return nil, failed(ctx, err)
	}
	var hints []queue.Hint
	for _, s := range streams {
		hints = append(hints, q.hints(whole, lane, s.Messages)...)
	}
	return hints, nil
}

// Ack implements [queue.Queue]. It runs XACK and XDEL in one transaction, because an acknowledged but
// undeleted entry would count in Depth forever.
func (q *Queue) Ack(ctx context.Context, hints ...queue.Hint) error {
	if err := q.enter(ctx); err != nil {
		return err
	}
	byLane := make(map[string][]string)
	for _, h := range hints {
		if err := queue.CheckNames("lane or entry", h.Lane, h.Entry()); err != nil {
			return err
		}
		byLane[h.Lane] = append(byLane[h.Lane], h.Entry())
	}
	for lane, entries := range byLane {
		if err := q.remove(ctx, lane, entries); err != nil {
			return failed(ctx, err)
		}
	}
	return nil
}

func (q *Queue) remove(ctx context.Context, lane string, entries []string) error {
	_, err := q.client.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.XAck(ctx, q.key(lane), group, entries...)
		p.XDel(ctx, q.key(lane), entries...)
		return nil
	})
	return err
}

// Depth implements [queue.Queue] with XLEN.
func (q *Queue) Depth(ctx context.Context, lane string) (int, error) {
	if err := q.enter(ctx, lane); err != nil {
		return 0, err
	}
	n, err := q.client.XLen(ctx, q.key(lane)).Result()
	if err != nil {
		return 0, failed(ctx, err)
	}
	return int(n), nil
}

// Ping implements [queue.Queue].
func (q *Queue) Ping(ctx context.Context) error {
	if err := q.enter(ctx); err != nil {
		return err
	}
	if err := q.client.Ping(ctx).Err(); err != nil {
		return failed(ctx, err)
	}
	return nil
}

// Close implements [queue.Queue]. Waiting Pulls return within a second. The
// client stays open.
func (q *Queue) Close() error {
	q.once.Do(func() { close(q.closed) })
	return nil
}

// hints converts stream entries. It removes entries without a usable job id, because they are not ours and
// would keep Depth above 0. If the removal fails, the next Reclaim tries again.
func (q *Queue) hints(ctx context.Context, lane string, msgs []redis.XMessage) []queue.Hint {
	var out []queue.Hint
	var foreign []string
	for _, m := range msgs {
		id, _ := m.Values[field].(string)
		if queue.CheckNames("job id", id) != nil {
			foreign = append(foreign, m.ID)
			continue
		}
		out = append(out, queue.NewHint(lane, id, m.ID))
	}
	if len(foreign) > 0 {
		_ = q.remove(ctx, lane, foreign)
	}
	return out
}

// withGroup runs fn. If the server returns NOGROUP (first use, or emptied) or UNBLOCKED (emptied while fn
// waited), it creates stream and group and runs fn again, at most twice, because the server may be emptied
// again. The group starts at the beginning of the stream, so that it includes hints pushed before.
func (q *Queue) withGroup(ctx context.Context, lane string, fn func() error) error {
	err := fn()
	for range 2 {
		if err == nil || !strings.HasPrefix(err.Error(), "NOGROUP") && !strings.HasPrefix(err.Error(), "UNBLOCKED") {
			return err
		}
		err = q.client.XGroupCreateMkStream(ctx, q.key(lane), group, "0").Err()
		if err != nil && !strings.HasPrefix(err.Error(), "BUSYGROUP") {
			return err
		}
		err = fn()
	}
	return err
}

// enter checks the queue, the context and the names at the start of a call.
func (q *Queue) enter(ctx context.Context, names ...string) error {
	select {
	case <-q.closed:
		return queue.ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return errs.Wrap(err, errs.Unavailable, "", "The call was ended before it began.")
	}
	return queue.CheckNames("lane or consumer", names...)
}

// failed classifies an error of the library: the caller's context ended, or the store is unavailable.
func failed(ctx context.Context, err error) error {
	if ctxErr := ctx.Err(); ctxErr != nil {
		return errs.Wrap(errors.Join(ctxErr, err), errs.Unavailable, "", "The call was ended before the store answered.")
	}
	return queue.Unavailable(err)
}
