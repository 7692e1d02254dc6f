package redisqueue

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/queue"
)

// Reclaim implements [queue.Queue] with XAUTOCLAIM. It also removes consumers that have not read for the
// consumer TTL and hold no hints.
func (q *Queue) Reclaim(ctx context.Context, lane, consumer string, minIdle time.Duration, max int) ([]queue.Hint, error) {
	if err := q.enter(ctx, lane, consumer); err != nil {
		return nil, err
	}
	if max = min(max, queue.MaxBatch); max <= 0 {
		return nil, nil
	}
	var hints []queue.Hint
	start := "0-0"
	// One call scans a bounded part of the pending list and may return fewer hints, with the place to
	// continue from. "0-0" means the end (https://redis.io/docs/latest/commands/xautoclaim/). The relay's
	// window already bounds the pending list; MaxBatch also bounds the loop.
	for range queue.MaxBatch {
		var msgs []redis.XMessage
		from := start
		err := q.withGroup(ctx, lane, func() (err error) {
			msgs, start, err = q.client.XAutoClaim(ctx, &redis.XAutoClaimArgs{
				Stream: q.key(lane), Group: group, Consumer: consumer,
				MinIdle: minIdle, Start: from, Count: int64(max - len(hints)),
			}).Result()
			return err
		})
		if err != nil {
			if len(hints) > 0 {
				return hints, nil // these hints are ours now; the next call reports the error
			}
			return nil, failed(ctx, err)
		}
		hints = append(hints, q.hints(ctx, lane, msgs)...)
		if start == "0-0" || len(hints) >= max {
			break
		}
	}
	// Best effort, because a stale consumer name is harmless, and a server that forbids scripts must not
	// prevent the takeover.
	_ = q.trim(ctx, lane, consumer)
	return hints, nil
}

// trimScript removes idle consumers that hold no hints. It must be atomic: XGROUP DELCONSUMER drops the
// consumer's hints, so a consumer that reads between check and removal would lose hints. It may also remove
// a live consumer of a lane that was empty for long, whose next read registers it again.
var trimScript = redis.NewScript(`
local removed = 0
for _, c in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local info = {}
  for i = 1, #c, 2 do info[c[i]] = c[i + 1] end
  if info['name'] ~= ARGV[2] and info['pending'] == 0 and info['idle'] >= tonumber(ARGV[3]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], info['name'])
    removed = removed + 1
  end
end
return removed
`)

func (q *Queue) trim(ctx context.Context, lane, self string) error {
	return trimScript.Run(ctx, q.client, []string{q.key(lane)}, group, self, q.ttl.Milliseconds()).Err()
}
