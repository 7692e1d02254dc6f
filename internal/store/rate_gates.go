package store

import (
	"context"
	"time"
)

// GateLimits holds the limits of the rate gate.
type GateLimits struct {
	PerMinute, PerHour int           // content writes; 60 and 400 by default
	Lease              time.Duration // must exceed the deadline of every request; 30 s by default
	Space              time.Duration // between two writes; 1 s by default
	Quarantine         time.Duration // after a lease that was not released; 60 s by default
	SweepsPerMinute    int           // requests of periodic sweeps; 0 means no limit
	SweepsPerHour      int
	BlockKey           string // for a read slot: the key whose block also counts; "" for none
}

// GateGrant is a slot of a budget key.
type GateGrant struct {
	Gen   int64
	Lease time.Duration
}

// AcquireGate takes the slot of a budget key in one conditional statement, so that only one of two
// processes gets it. If the slot is not free, it returns ok false and the time to wait before the next
// attempt.
func (s *Store) AcquireGate(ctx context.Context, key, owner string, write bool,
	lim GateLimits) (grant GateGrant, wait time.Duration, ok bool, err error) {
	w := 0
	if write {
		w = 1
	}
	var left int64
	scan := func(r scanner, g *GateGrant) error { return r.Scan(&g.Gen, &left) }
	grant, err = returning(ctx, s, scan, `UPDATE rate_gates SET
			lease_owner = $2, lease_gen = lease_gen + 1, lease_until = {now} + $3,
			used_min   = CASE WHEN min_start + 60000000 <= {now} THEN $4 ELSE used_min + $4 END,
			min_start  = CASE WHEN min_start + 60000000 <= {now} THEN {now} ELSE min_start END,
			used_hour  = CASE WHEN hour_start + 3600000000 <= {now} THEN $4 ELSE used_hour + $4 END,
			hour_start = CASE WHEN hour_start + 3600000000 <= {now} THEN {now} ELSE hour_start END
		WHERE budget_key = $1 AND blocked_until <= {now} AND lease_owner IS NULL
		  AND ($4 = 0 OR (next_write_at <= {now}
			AND (used_min < $5 OR min_start + 60000000 <= {now})
			AND (used_hour < $6 OR hour_start + 3600000000 <= {now})))
		  AND NOT EXISTS (SELECT 1 FROM rate_gates b WHERE b.budget_key = $7 AND b.blocked_until > {now})
		RETURNING lease_gen, lease_until - {now}`, key, owner, lim.Lease.Microseconds(), w, lim.PerMinute, lim.PerHour, lim.BlockKey)
	if err == nil {
		grant.Lease = time.Duration(left) * time.Microsecond
		return grant, 0, true, nil
	}
	if !isAbsent(err) {
		return grant, 0, false, err
	}
	wait, err = s.gateWait(ctx, key, w, lim)
	return GateGrant{}, wait, false, err
}

// gateWait returns the time until the slot can be free. It creates a missing key.
func (s *Store) gateWait(ctx context.Context, key string, write int, lim GateLimits) (time.Duration, error) {
	until, err := first(ctx, s, s.db.Write, value[int64], `SELECT CASE WHEN blocked_until > {now} THEN blocked_until
			WHEN EXISTS (SELECT 1 FROM rate_gates b WHERE b.budget_key = $5 AND b.blocked_until > {now}) THEN (SELECT b.blocked_until
				FROM rate_gates b WHERE b.budget_key = $5)
			WHEN lease_owner IS NOT NULL THEN {now} + 20000
			WHEN $2 = 1 AND used_hour >= $4 AND hour_start + 3600000000 > {now} THEN hour_start + 3600000000
			WHEN $2 = 1 AND used_min >= $3 AND min_start + 60000000 > {now} THEN min_start + 60000000
			WHEN $2 = 1 AND next_write_at > {now} THEN next_write_at
			ELSE {now} END - {now}
		FROM rate_gates WHERE budget_key = $1`, []any{key, write, lim.PerMinute, lim.PerHour, lim.BlockKey})
	if isAbsent(err) {
		return 0, s.ensureGate(ctx, key, lim.BlockKey)
	}
	return time.Duration(until) * time.Microsecond, err
}

// GateRoom reports whether a budget key is not blocked and has writes left in its minute and hour. It does
// not count a write.
func (s *Store) GateRoom(ctx context.Context, key string, lim GateLimits) (bool, error) {
	room, err := first(ctx, s, s.db.Write, value[bool], `SELECT blocked_until <= {now}
		AND (used_min < $2 OR min_start + 60000000 <= {now}) AND (used_hour < $3 OR hour_start + 3600000000 <= {now})
		FROM rate_gates WHERE budget_key = $1`, []any{key, lim.PerMinute, lim.PerHour})
	if isAbsent(err) {
		return true, nil // no request has used the key
	}
	return room, err
}

// EnsureGate creates the row of a budget key if it is missing.
func (s *Store) EnsureGate(ctx context.Context, key string) error { return s.ensureGate(ctx, key, "") }

// ensureGate creates the row of key if it is missing, and for a read slot also that of its blockKey.
func (s *Store) ensureGate(ctx context.Context, key, blockKey string) error {
	_, err := s.exec(ctx, `INSERT INTO rate_gates (budget_key, block_key) VALUES ($1, $2) ON CONFLICT (budget_key) DO NOTHING`, key, blockKey)
	if err == nil && blockKey != "" {
		err = s.ensureGate(ctx, blockKey, "")
	}
	return err
}

// RenewGate extends the lease of a generation to its full length from now. If the lease was lost or has
// expired, or the key is blocked, it returns ok false and the time to wait before the next
// [Store.AcquireGate].
func (s *Store) RenewGate(ctx context.Context, key string, gen int64, lim GateLimits) (lease, wait time.Duration, ok bool, err error) {
	left, err := returning(ctx, s, value[int64], `UPDATE rate_gates SET lease_until = {now} + $3
		WHERE budget_key = $1 AND lease_gen = $2 AND lease_owner IS NOT NULL AND lease_until >= {now} AND blocked_until <= {now}
		  AND NOT EXISTS (SELECT 1 FROM rate_gates b WHERE b.budget_key = $4 AND b.blocked_until > {now})
		RETURNING lease_until - {now}`, key, gen, lim.Lease.Microseconds(), lim.BlockKey)
	if err == nil {
		return time.Duration(left) * time.Microsecond, 0, true, nil
	}
	if !isAbsent(err) {
		return 0, 0, false, err
	}
	wait, err = s.gateWait(ctx, key, 0, lim)
	return 0, wait, false, err
}

// ReleaseGate releases the slot; it does nothing if the lease was lost. calm means that the host answered
// without a rate limit, which resets the doubling of blocks. space is the pause before the next write.
func (s *Store) ReleaseGate(ctx context.Context, key string, gen int64, write, calm bool, space time.Duration) error {
	_, err := s.exec(ctx, `UPDATE rate_gates SET lease_owner = NULL,
			next_write_at = CASE WHEN $3 THEN {now} + $5 ELSE next_write_at END,
			backoff_n = CASE WHEN $4 THEN 0 ELSE backoff_n END
		WHERE budget_key = $1 AND lease_gen = $2`, key, gen, write, calm, space.Microseconds())
	return err
}

// BlockGate records that the host blocks the key for d, and returns the rest of the block. It needs no
// lease, because a former holder's observation is still valid. With grow, each block in a row doubles, up
// to most. A longer block stays.
func (s *Store) BlockGate(ctx context.Context, key string, d time.Duration, grow bool, most time.Duration) (time.Duration, error) {
	us, err := returning(ctx, s, value[int64], `UPDATE rate_gates SET
			backoff_n = CASE WHEN $3 THEN backoff_n + 1 ELSE backoff_n END,
			block_version = block_version + 1,
			blocked_until = CASE WHEN blocked_until > {now} + `+blockLength+` THEN blocked_until ELSE {now} + `+blockLength+` END
		WHERE budget_key = $1 RETURNING blocked_until - {now}`, key, d.Microseconds(), grow, most.Microseconds())
	return time.Duration(us) * time.Microsecond, err
}

// blockLength is the length of a block: $2, or if $3 is true, $2 doubled for each block in a row up to $4. 2^16
// is beyond any cap. The casts keep PostgreSQL from computing in 32 bits.
const blockLength = `(CASE WHEN NOT $3 THEN CAST($2 AS BIGINT)
	WHEN CAST($2 AS BIGINT) * (1 << CAST(CASE WHEN backoff_n > 16 THEN 16 ELSE backoff_n END AS INTEGER)) > $4 THEN CAST($4 AS BIGINT)
	ELSE CAST($2 AS BIGINT) * (1 << CAST(CASE WHEN backoff_n > 16 THEN 16 ELSE backoff_n END AS INTEGER)) END)`

// SweepGates ends expired leases and returns their number. It blocks their keys for the quarantine after
// expiry, because their holders can have seen a block and died.
func (s *Store) SweepGates(ctx context.Context, quarantine time.Duration) (swept int64, err error) {
	us := quarantine.Microseconds()
	err = s.Atomically(ctx, func(ctx context.Context) error {
		// The holder of a read slot can have seen a block of the whole key.
		if _, err := s.exec(ctx, `UPDATE rate_gates SET blocked_until = {now} + $1 WHERE blocked_until < {now} + $1 AND budget_key IN (
				SELECT r.block_key FROM rate_gates r WHERE r.block_key <> '' AND r.lease_owner IS NOT NULL AND r.lease_until < {now})`,
			us); err != nil {
			return err
		}
		swept, err = s.exec(ctx, `UPDATE rate_gates SET lease_owner = NULL, lease_gen = lease_gen + 1,
				blocked_until = CASE WHEN blocked_until < lease_until + $1 THEN lease_until + $1 ELSE blocked_until END
			WHERE lease_owner IS NOT NULL AND lease_until < {now}`, us)
		return err
	})
	return swept, err
}

// Gate is the state of a budget key, for display.
type Gate struct {
	Key              string
	BlockedForUS     int64
	UsedMin, UsedDay int64
	Held             bool
}

// Gates lists all budget keys.
func (s *Store) Gates(ctx context.Context) ([]Gate, error) {
	return many(ctx, s, func(r scanner, g *Gate) error {
		return r.Scan(&g.Key, &g.BlockedForUS, &g.UsedMin, &g.UsedDay, &g.Held)
	},
		`SELECT budget_key, CASE WHEN blocked_until > {now} THEN blocked_until - {now}
			ELSE 0 END, used_min, used_hour, lease_owner IS NOT NULL FROM rate_gates ORDER BY budget_key`)
}
