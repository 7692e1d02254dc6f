package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// Job is a row of the jobs table. The table is authoritative; queue messages are only hints.
type Job struct {
	ID            string
	Kind          domain.JobKind
	Lane          domain.Lane
	FairKey       string
	Subject       string
	Tenant        string
	State         domain.JobState
	RunUS         int64
	Attempts      int64 // handled failures
	CrashAttempts int64 // leases that expired
	Gen           int64 // claim generation: every transition must match it
	ClaimedBy     string
	LeaseUS       int64
	DispatchedUS  int64
	LastStage     string
	LastError     string
	WaitKind      domain.WaitKind // the reason of the last snooze; "" after any other end
	WaitDetail    string          // the last detail of that reason
	CreatedUS     int64
	FinishedUS    int64
	AskedUS       int64 // last request by a person after creation; 0 for never
	Report        JobReport
	NowUS         int64 // the database's clock when the row was read
}

// Lease returns the remaining time of the claim when the row was read.
func (j Job) Lease() time.Duration { return time.Duration(j.LeaseUS-j.NowUS) * time.Microsecond }

const jobColumns = `id, kind, lane, fair_key, subject, tenant_id, state, run_us, attempts, crash_attempts, claim_gen, ` +
	`claimed_by, lease_us, dispatched_us, last_stage, last_error, wait_kind, wait_detail, created_us, finished_us, asked_us, ` +
	`progress, outcome, problem, {now}`

func scanJob(r scanner, j *Job) error {
	return r.Scan(&j.ID, &j.Kind, &j.Lane, &j.FairKey, &j.Subject, text(&j.Tenant), &j.State, &j.RunUS, &j.Attempts, &j.CrashAttempts, &j.Gen,
		&j.ClaimedBy, &j.LeaseUS, number(&j.DispatchedUS), &j.LastStage, &j.LastError, &j.WaitKind, &j.WaitDetail, &j.CreatedUS,
		number(&j.FinishedUS), &j.AskedUS, &j.Report.Progress, &j.Report.Outcome, &j.Report.Problem, &j.NowUS)
}

// NewJob is a job to add.
type NewJob struct {
	Kind    domain.JobKind
	FairKey string
	Subject string
	Dedup   string // unique key: a second job with it is not created; "" for none
	Tenant  string
	Delay   time.Duration
}

// Enqueue adds a job. It returns made false if a job has the key j.Dedup.
func (s *Store) Enqueue(ctx context.Context, j NewJob) (made bool, err error) {
	return s.changeJob(ctx, `INSERT INTO jobs (id, kind, lane, fair_key, subject, dedup_key, tenant_id, state, run_us, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', {now} + $8, {now}) ON CONFLICT (dedup_key) DO NOTHING`,
		domain.NewID("job"), string(j.Kind), string(j.Kind.Lane()), j.FairKey, j.Subject, null(j.Dedup), null(j.Tenant), j.Delay.Microseconds())
}

// MarkDispatched records that hints for the jobs were sent. It skips a job with another generation, because
// a job that was claimed and returned in the meantime needs a new hint.
func (s *Store) MarkDispatched(ctx context.Context, sent []Due) error {
	for part := range slices.Chunk(sent, listSize) {
		if err := s.markDispatched(ctx, padded(part)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) markDispatched(ctx context.Context, sent []Due) error {
	var pairs strings.Builder
	args := make([]any, 0, 2*len(sent))
	for i, d := range sent {
		if i > 0 {
			pairs.WriteString(", ")
		}
		pairs.WriteString("($" + strconv.Itoa(2*i+1) + ", CAST($" + strconv.Itoa(2*i+2) + " AS BIGINT))")
		args = append(args, d.ID, d.Gen)
	}
	_, err := s.exec(ctx, listed(`WITH sent AS MATERIALIZED (SELECT id FROM jobs WHERE (id, claim_gen) IN (VALUES {list})
		ORDER BY id{forupdate})
		UPDATE jobs SET dispatched_us = {now} WHERE state = 'queued' AND dispatched_us IS NULL AND id IN (SELECT id FROM sent)`,
		pairs.String()), args...)
	return err
}

// ForgetDispatched makes jobs of a lane due for dispatch again if their hint is older than age and they are
// still queued. Call it only while the lane's stream is empty.
func (s *Store) ForgetDispatched(ctx context.Context, lane domain.Lane, age time.Duration) (int64, error) {
	return s.exec(ctx, `WITH lost AS MATERIALIZED (SELECT id FROM jobs WHERE lane = CAST($1 AS TEXT) AND state = 'queued'
		AND dispatched_us < {now} - $2 ORDER BY id{forupdate})
		UPDATE jobs SET dispatched_us = NULL WHERE state = 'queued' AND dispatched_us < {now} - $2 AND id IN (SELECT id FROM lost)`,
		string(lane), age.Microseconds())
}

// Claim claims a due job for a worker and increments its generation. It returns [errs.NotFound] if the job
// is not queued or not due.
func (s *Store) Claim(ctx context.Context, id, worker string, lease time.Duration) (Job, error) {
	return returning(ctx, s, scanJob, `UPDATE jobs SET state = 'running', claim_gen = claim_gen + 1, claimed_by = $2,
		lease_us = {now} + $3, last_stage = ''
		WHERE id = $1 AND state = 'queued' AND run_us <= {now} RETURNING `+jobColumns, id, worker, lease.Microseconds())
}

// ExtendClaim renews the lease of a claim and records the stage. It returns false if the claim is lost.
func (s *Store) ExtendClaim(ctx context.Context, id string, gen int64, lease time.Duration, stage string) (bool, error) {
	return s.exec1(ctx, `UPDATE jobs SET lease_us = {now} + $3, last_stage = $4 WHERE id = $1 AND claim_gen = $2 AND state = 'running'`,
		id, gen, lease.Microseconds(), stage)
}

// Holds reports whether the claim is still valid, and returns the rest of its lease by the database's
// clock. On engines with row locks it locks the row, so that the caller's writes in the same transaction
// are fenced.
func (s *Store) Holds(ctx context.Context, id string, gen int64) (time.Duration, bool, error) {
	left, err := first(ctx, s, s.db.Write, value[int64], `SELECT lease_us - {now} FROM jobs WHERE id = $1 AND claim_gen = $2
		AND state = 'running'{forupdate}`, []any{id, gen})
	if isAbsent(err) {
		return 0, false, nil
	}
	return time.Duration(left) * time.Microsecond, err == nil, err
}

// FinishJob ends a claim successfully. It returns false if the claim is lost; the caller must then roll
// back its transaction.
func (s *Store) FinishJob(ctx context.Context, id string, gen int64) (bool, error) {
	return s.changeJob(ctx, `UPDATE jobs SET state = 'done', finished_us = {now}, claimed_by = '', last_error = '' WHERE id = $1
		AND claim_gen = $2 AND state = 'running'`, id, gen)
}

// RetryJob ends a claim after a handled failure. The job runs again after delay, or is dead after its
// attempt number most.
func (s *Store) RetryJob(ctx context.Context, id string, gen int64, delay time.Duration, most int, reason string) (dead bool, err error) {
	state, err := returning(ctx, s, value[string], `UPDATE jobs SET attempts = attempts + 1, last_error = $5, wait_kind = '',
		wait_detail = '', claimed_by = '', dispatched_us = NULL, run_us = {now} + $3,
			state = CASE WHEN attempts + 1 >= $4 THEN 'dead' ELSE 'queued' END,
			finished_us = CASE WHEN attempts + 1 >= $4 THEN {now} ELSE NULL END
		WHERE id = $1 AND claim_gen = $2 AND state = 'running' RETURNING state`, id, gen, delay.Microseconds(), most, clip.Bytes(reason, 2000))
	switch {
	case isAbsent(err):
		return false, nil
	case err != nil:
		return false, err
	}
	s.announceJobs(ctx)
	return state == string(domain.JobDead), nil
}

// Wait is the reason and the time for which a job is returned to the queue uncounted.
type Wait struct {
	For    time.Duration
	Reason string          // for people
	Kind   domain.WaitKind // for the job's next attempt; "" if irrelevant
	Detail string          // a detail of the reason
}

// SnoozeJob returns a claimed job to the queue without counting an attempt, because it waits for an
// external condition. It returns false if the claim is lost.
func (s *Store) SnoozeJob(ctx context.Context, id string, gen int64, w Wait) (bool, error) {
	return s.changeJob(ctx, `UPDATE jobs SET state = 'queued', run_us = {now} + $3, dispatched_us = NULL, claimed_by = '',
		last_error = $4, wait_kind = $5, wait_detail = $6
		WHERE id = $1 AND claim_gen = $2 AND state = 'running'`, id, gen, w.For.Microseconds(), clip.Bytes(w.Reason, 2000),
		string(w.Kind), clip.Bytes(w.Detail, 2000))
}

// KillJob ends a claim permanently, because the job can never succeed. It returns false if the claim is
// lost.
func (s *Store) KillJob(ctx context.Context, id string, gen int64, reason string) (bool, error) {
	return s.changeJob(ctx, `UPDATE jobs SET state = 'dead', finished_us = {now}, claimed_by = '', last_error = $3 WHERE id = $1
		AND claim_gen = $2 AND state = 'running'`,
		id, gen, clip.Bytes(reason, 2000))
}

// Swept is a job whose lease has expired.
type Swept struct {
	ID, Subject string
	Kind        domain.JobKind
	Dead        bool
}

// SweepJobs ends claims whose lease has expired. Each job is queued with a new generation, or dead after
// crash number most. Rows are locked in the order of their ids, so that two sweepers cannot deadlock.
func (s *Store) SweepJobs(ctx context.Context, most int) ([]Swept, error) {
	swept, err := returned(ctx, s, func(r scanner, w *Swept) error { return r.Scan(&w.ID, &w.Subject, &w.Kind, &w.Dead) },
		`WITH late AS MATERIALIZED (SELECT id FROM jobs WHERE state = 'running' AND lease_us < {now} ORDER BY id{forupdate})
		UPDATE jobs SET claim_gen = claim_gen + 1, crash_attempts = crash_attempts + 1, claimed_by = '', dispatched_us = NULL,
			run_us = {now}, wait_kind = '', wait_detail = '',
			last_error = 'the worker stopped in stage ' || CASE WHEN last_stage = '' THEN 'start' ELSE last_stage END,
			state = CASE WHEN crash_attempts + 1 >= $1 THEN 'dead' ELSE 'queued' END,
			finished_us = CASE WHEN crash_attempts + 1 >= $1 THEN {now} ELSE NULL END
		WHERE state = 'running' AND lease_us < {now} AND id IN (SELECT id FROM late)
		RETURNING id, subject, kind, state = 'dead'`, most)
	if len(swept) > 0 && err == nil {
		s.announceJobs(ctx)
	}
	return swept, err
}

// DelayJob postpones a queued job of a generation to at least delay from now.
func (s *Store) DelayJob(ctx context.Context, id string, gen int64, delay time.Duration) error {
	_, err := s.exec(ctx, `UPDATE jobs SET run_us = {now} + $3 WHERE id = $1 AND claim_gen = $2 AND state = 'queued'`, id, gen,
		delay.Microseconds())
	return err
}

// RunningBefore counts the running jobs of a claimed job's lane and fair key that have a lower id. Jobs
// that compete for few places use it to agree on the ones that continue.
func (s *Store) RunningBefore(ctx context.Context, j Job) (int, error) {
	return first(ctx, s, s.db.Write, value[int], `SELECT COUNT(*) FROM jobs WHERE state = 'running' AND lane = $1 AND fair_key = $2
		AND id < $3`, []any{string(j.Lane), j.FairKey, j.ID})
}

// NextDue returns the time until the next undispatched job of each lane is due. Lanes without such a job
// are missing.
func (s *Store) NextDue(ctx context.Context) (map[domain.Lane]time.Duration, error) {
	lanes := domain.Lanes()
	type head struct {
		lane domain.Lane
		us   *int64
	}
	heads, err := many(ctx, s, func(r scanner, h *head) error { return r.Scan(&h.lane, &h.us) }, listed(`WITH lanes (lane) AS (VALUES {list})
		SELECT lane, (SELECT run_us - {now} FROM jobs WHERE lane = lanes.lane AND state = 'queued' AND dispatched_us IS NULL
			ORDER BY run_us LIMIT 1) FROM lanes`,
		laneRows), anys(lanes)...)
	waits := make(map[domain.Lane]time.Duration, len(heads))
	for _, h := range heads {
		if h.us != nil {
			waits[h.lane] = time.Duration(max(*h.us, 0)) * time.Microsecond
		}
	}
	return waits, err
}

// laneRows holds one row of placeholders for each lane.
var laneRows = func() string {
	rows := make([]string, len(domain.Lanes()))
	for i := range rows {
		rows[i] = "(CAST($" + strconv.Itoa(i+1) + " AS TEXT))"
	}
	return strings.Join(rows, ", ")
}()

// Job reads a job.
func (s *Store) Job(ctx context.Context, id string) (Job, error) {
	return one(ctx, s, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE id = $1`, id)
}

// JobsOf reads the jobs about a subject, oldest first.
func (s *Store) JobsOf(ctx context.Context, subject string) ([]Job, error) {
	return many(ctx, s, scanJob, `SELECT `+jobColumns+` FROM jobs WHERE subject = $1 ORDER BY created_us, id`, subject)
}

// RedriveJob queues a dead job again with fresh attempts. Its earlier publications stay linked to it. It
// returns false if there is no such dead job.
func (s *Store) RedriveJob(ctx context.Context, id string) (bool, error) {
	return s.changeJob(ctx, `UPDATE jobs SET state = 'queued', run_us = {now}, attempts = 0, crash_attempts = 0, dispatched_us = NULL,
		finished_us = NULL, claim_gen = claim_gen + 1
		WHERE id = $1 AND state = 'dead'`, id)
}

// DiscardJob discards a dead job for the given reason.
func (s *Store) DiscardJob(ctx context.Context, id, reason string) (bool, error) {
	return s.exec1(ctx, `UPDATE jobs SET state = 'discarded', last_error = $2 WHERE id = $1 AND state = 'dead'`, id, clip.Bytes(reason, 2000))
}

// LaneState is the backlog of a lane.
type LaneState struct {
	Lane         domain.Lane
	Queued       int64 // due and not due
	Running      int64
	Dead         int64
	OldestDueUS  int64 // age of the oldest due job plus a microsecond; 0 if no job is due
	LongestRunUS int64 // longest time since the expiry of a claim's lease; 0 if none expired
}

// LaneStates returns the backlog of every lane that has jobs.
func (s *Store) LaneStates(ctx context.Context) ([]LaneState, error) {
	return many(ctx, s, func(r scanner, l *LaneState) error {
		return r.Scan(&l.Lane, &l.Queued, &l.Running, &l.Dead, &l.OldestDueUS, &l.LongestRunUS)
	}, `SELECT lane, COUNT(*) FILTER (WHERE state = 'queued'), COUNT(*) FILTER (WHERE state = 'running'),
		COUNT(*) FILTER (WHERE state = 'dead'),
			COALESCE(MAX({now} - run_us + 1) FILTER (WHERE state = 'queued' AND run_us <= {now}), 0),
			COALESCE(MAX({now} - lease_us) FILTER (WHERE state = 'running' AND lease_us < {now}), 0)
		FROM (SELECT lane, state, run_us, lease_us FROM jobs WHERE state = 'queued'
			UNION ALL SELECT lane, state, run_us, lease_us FROM jobs WHERE state = 'running'
			UNION ALL SELECT lane, state, run_us, lease_us FROM jobs WHERE state = 'dead') AS live GROUP BY lane ORDER BY lane`)
}

// DropJobs deletes at most 1,000 jobs that finished more than age ago, and returns their number.
func (s *Store) DropJobs(ctx context.Context, age time.Duration) (int64, error) {
	return s.exec(ctx, `DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE state IN ('done', 'discarded')
		AND finished_us < {now} - $1 ORDER BY finished_us LIMIT 1000)`, age.Microseconds())
}
