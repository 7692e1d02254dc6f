package store

import (
	"context"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Process is a running process, from its heartbeats.
type Process struct {
	ID      string // of this start
	Name    string // role and place, for people
	Version string
	Keys    []string // names of its instance keys, newest first; empty if its version does not report them
	SeenUS  int64    // microseconds since the last heartbeat
}

// noLane is the lane in the row of a process without a worker.
const noLane domain.Lane = ""

// RecordHeartbeat records the heartbeat of a process with its slots per lane. slots is empty for a process
// without a worker.
func (s *Store) RecordHeartbeat(ctx context.Context, p Process, slots map[domain.Lane]int) error {
	if len(slots) == 0 {
		slots = map[domain.Lane]int{noLane: 0}
	}
	for lane, n := range slots {
		if _, err := s.exec(ctx, `INSERT INTO worker_lanes (worker_id, lane, slots, version, process, instance_keys, seen_us)
			VALUES ($1, $2, $3, $4, $5, $6, {now})
			ON CONFLICT (worker_id, lane) DO UPDATE SET slots = excluded.slots, version = excluded.version, process = excluded.process,
				instance_keys = excluded.instance_keys,
				seen_us = excluded.seen_us`,
			p.ID, string(lane), n, p.Version, p.Name, strings.Join(p.Keys, " ")); err != nil {
			return err
		}
	}
	return nil
}

// maxProcesses is the maximum number of listed processes.
const maxProcesses = 1000

// Processes lists the processes with a heartbeat within age, by name.
func (s *Store) Processes(ctx context.Context, age time.Duration) ([]Process, error) {
	return many(ctx, s, func(r scanner, p *Process) error {
		keys := ""
		err := r.Scan(&p.ID, &p.Name, &p.Version, &keys, &p.SeenUS)
		p.Keys = strings.Fields(keys)
		return err
	}, `SELECT worker_id, MAX(process), MAX(version), MAX(instance_keys), MIN({now} - seen_us) FROM worker_lanes
		WHERE seen_us > {now} - $1 GROUP BY worker_id ORDER BY 2, 1 LIMIT $2`, age.Microseconds(), maxProcesses)
}

// ForgetProcesses deletes processes without a heartbeat for age, and the process with the id named.
func (s *Store) ForgetProcesses(ctx context.Context, age time.Duration, named string) error {
	_, err := s.exec(ctx, `DELETE FROM worker_lanes WHERE seen_us < {now} - $1 OR worker_id = $2`, age.Microseconds(), named)
	return err
}

// Slots returns the number of slots of a lane in all workers with a heartbeat within alive.
func (s *Store) Slots(ctx context.Context, lane domain.Lane, alive time.Duration) (int, error) {
	return one(ctx, s, value[int], `SELECT CAST(COALESCE(SUM(slots), 0) AS BIGINT) FROM worker_lanes WHERE lane = $1
		AND seen_us > {now} - $2`, string(lane), alive.Microseconds())
}

// LiveWorkers returns the number of workers with a heartbeat within alive.
func (s *Store) LiveWorkers(ctx context.Context, alive time.Duration) (int, error) {
	return one(ctx, s, value[int], `SELECT COUNT(DISTINCT worker_id) FROM worker_lanes WHERE lane <> '' AND seen_us > {now} - $1`,
		alive.Microseconds())
}
