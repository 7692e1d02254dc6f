package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// DryRun is a trial that reviews pull requests without writing to the host.
type DryRun struct {
	Record
	Label      string
	Numbers    string // JSON array of pull requests; empty while Newest is set and the numbers are not chosen yet
	Newest     int64  // how many of the newest pull requests to review; 0 for those in Numbers
	Overrides  string // JSON object
	State      domain.DryRunState
	Reason     string
	Result     string // JSON object
	CreatedBy  string // id of a person; "" if the service created it
	StartedUS  int64  // 0 before the start
	FinishedUS int64  // 0 before the end
}

// Owner returns the tenant of the dry run.
func (r DryRun) Owner() domain.Tenant { return domain.Tenant{ID: r.Tenant} }

func (v *DryRun) table() (string, string, []string, []any) {
	return "dry_runs", "dry", []string{"label", "numbers", "newest", "overrides", "state", "reason", "result", "created_by",
			"started_us", "finished_us"},
		[]any{&v.Label, &v.Numbers, &v.Newest, &v.Overrides, (*string)(&v.State), &v.Reason, &v.Result, &v.CreatedBy,
			number(&v.StartedUS), number(&v.FinishedUS)}
}

// MaxOpenDryRuns is the maximum number of queued and running dry runs of a repository (design choice: each
// can review fifty pull requests).
const MaxOpenDryRuns = 5

// CreateDryRun stores a queued dry run with its first transition and the pull requests in numbers. Call it
// in the transaction that creates its job. It returns [errs.NotFound] if the repository does not belong to
// the tenant, and [errs.Conflict] if the repository has [MaxOpenDryRuns] open dry runs.
func (s *Store) CreateDryRun(ctx context.Context, t domain.Tenant, v DryRun, numbers []int) (out DryRun, err error) {
	v.State, v.Result, v.Numbers = domain.DryRunQueued, "{}", JSON(append([]int{}, numbers...))
	err = s.Atomically(ctx, func(ctx context.Context) error {
		// The lock on the repository's row makes concurrent requests count one after the other.
		if err := must1(s.exec1(ctx, `UPDATE repositories SET id = id WHERE tenant_id = $1 AND id = $2`, t.ID, v.Repository)); err != nil {
			return err
		}
		open, err := first(ctx, s, s.db.Write, value[int64], `SELECT COUNT(*) FROM dry_runs WHERE tenant_id = $1 AND repository_id = $2
			AND state IN ('queued', 'running')`, []any{t.ID, v.Repository})
		if err != nil {
			return err
		}
		if open >= MaxOpenDryRuns {
			return errs.New(errs.Conflict, "too_many", "The repository has %d dry runs that have not ended. Wait for one of them, "+
				"or cancel it.", open)
		}
		if out, err = AddRecord(ctx, s, t, v); err != nil {
			return err
		}
		if err := s.addDryTransition(ctx, t, out.ID, "", domain.DryRunQueued, "asked for"); err != nil {
			return err
		}
		return s.addDryPulls(ctx, out, numbers)
	})
	if err != nil {
		return DryRun{}, err
	}
	return out, nil
}

// DryRuns lists the dry runs of a repository, newest first.
func (s *Store) DryRuns(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]DryRun, error) {
	return records[DryRun](ctx, s, t, repository, before, limit)
}

// DryRun reads a dry run of a repository.
func (s *Store) DryRun(ctx context.Context, t domain.Tenant, repository, id string) (DryRun, error) {
	return oneRecord[DryRun](ctx, s, t, repository, id)
}

const selectDryRun = `SELECT id, tenant_id, repository_id, created_us, label, numbers, newest, overrides, state, reason, result,
	created_by, started_us, finished_us FROM dry_runs`

// DryRunForWork reads a dry run of any tenant by its id, for its job and for operators.
func (s *Store) DryRunForWork(ctx context.Context, id string) (DryRun, error) {
	return first(ctx, s, s.db.Write, scanRecord[DryRun], selectDryRun+` WHERE id = $1`, []any{id})
}

// SetDryRunPulls stores the pull requests that a running dry run chose as the newest ones. It does nothing
// if they are stored already.
func (s *Store) SetDryRunPulls(ctx context.Context, t domain.Tenant, run DryRun, numbers []int) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		set, err := s.exec1(ctx, `UPDATE dry_runs SET numbers = $3 WHERE tenant_id = $1 AND id = $2 AND state = 'running'
			AND numbers = '[]'`, t.ID, run.ID, JSON(append([]int{}, numbers...)))
		if err != nil || !set {
			return err
		}
		return s.addDryPulls(ctx, run, numbers)
	})
}

func (s *Store) addDryPulls(ctx context.Context, run DryRun, numbers []int) error {
	for i, n := range numbers {
		if _, err := s.exec(ctx, `INSERT INTO dry_run_pulls (id, tenant_id, repository_id, dry_run_id, ordinal, number, state, created_us)
			VALUES ($1, $2, $3, $4, $5, $6, 'queued', {now})`,
			domain.NewID("dpr"), run.Tenant, run.Repository, run.ID, i+1, n); err != nil {
			return err
		}
	}
	return nil
}

// DryRunMove is a transition of a dry run.
type DryRunMove struct {
	From, To domain.DryRunState
	Cause    string // for its history
	Reason   string // for people, stored on the dry run; "" keeps the former reason
	Result   string // JSON object; "" keeps the former result
}

// MoveDryRun makes a transition and writes its history row. A terminal transition deletes the stored stage
// results. It returns false if the dry run is not in state From any more, and an error for an illegal
// transition.
func (s *Store) MoveDryRun(ctx context.Context, t domain.Tenant, id string, m DryRunMove) (moved bool, err error) {
	if !domain.DryRunMayMove(m.From, m.To) {
		return false, errs.New(errs.Internal, "illegal_transition", "A dry run cannot go from %s to %s.", m.From, m.To)
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		moved, err = s.exec1(ctx, `UPDATE dry_runs SET state = $4, reason = CASE WHEN $5 = '' THEN reason ELSE $5 END, result = CASE
			WHEN $6 = '' THEN result ELSE $6 END,
				started_us = CASE WHEN $4 = 'running' AND started_us IS NULL THEN {now} ELSE started_us END,
				finished_us = CASE WHEN $7 THEN {now} ELSE finished_us END
			WHERE tenant_id = $1 AND id = $2 AND state = $3`, t.ID, id, string(m.From), string(m.To), clip.Bytes(m.Reason, 2000), m.Result,
			m.To.Terminal())
		if err != nil || !moved {
			return err
		}
		if m.To.Terminal() {
			if _, err := s.exec(ctx, `DELETE FROM dry_run_stages WHERE tenant_id = $1
				AND pull_id IN (SELECT id FROM dry_run_pulls WHERE tenant_id = $1 AND dry_run_id = $2)`, t.ID, id); err != nil {
				return err
			}
		}
		return s.addDryTransition(ctx, t, id, m.From, m.To, m.Cause)
	})
	return moved && err == nil, err
}

func (s *Store) addDryTransition(ctx context.Context, t domain.Tenant, run string, from, to domain.DryRunState, cause string) error {
	_, err := s.exec(ctx, `INSERT INTO dry_run_transitions (dry_run_id, seq, tenant_id, from_state, to_state, cause, at_us)
		SELECT $1, COUNT(*) + 1, $2, $3, $4, $5, {now} FROM dry_run_transitions WHERE dry_run_id = $1`, run, t.ID, string(from),
		string(to), clip.Bytes(cause, 500))
	return err
}

// DryRunTransitions lists the transitions of a dry run, oldest first.
func (s *Store) DryRunTransitions(ctx context.Context, t domain.Tenant, run string) ([]Transition, error) {
	return many(ctx, s, func(r scanner, v *Transition) error { return r.Scan(&v.Seq, &v.From, &v.To, &v.Cause, &v.AtUS) },
		`SELECT seq, from_state, to_state, cause, at_us FROM dry_run_transitions WHERE tenant_id = $1 AND dry_run_id = $2 ORDER BY seq`,
		t.ID, run)
}

// RecentDryRuns lists dry runs of all tenants, newest first, for operators. state and repository
// (owner/name) narrow the list unless they are "".
func (s *Store) RecentDryRuns(ctx context.Context, repository string, state domain.DryRunState, limit int) ([]DryRun, error) {
	return many(ctx, s, scanRecord[DryRun], selectDryRun+` WHERE ($1 = '' OR state = $1)
		AND ($2 = '' OR EXISTS (SELECT 1 FROM repositories r WHERE r.tenant_id = dry_runs.tenant_id AND r.id = dry_runs.repository_id
			AND lower(r.owner || '/' || r.name) = lower($2)))
		ORDER BY created_us DESC, id DESC LIMIT $3`, string(state), repository, limit)
}

// DryPull is a pull request of a dry run with its result. Model calls for it carry its ID as their run id.
type DryPull struct {
	ID, Tenant, Repository, DryRun   string
	Ordinal, Number                  int64
	State                            domain.DryPullState
	Reason                           string // the cause of a failure; "" otherwise
	HeadSHA, BaseSHA, MergeBase      string // "" until they are known
	Result                           string // JSON object; "" until it is completed
	CreatedUS, StartedUS, FinishedUS int64
}

const dryPullColumns = `id, tenant_id, repository_id, dry_run_id, ordinal, number, state, reason, head_sha, base_sha, ` +
	`merge_base, result, created_us, started_us, finished_us`

func scanDryPull(r scanner, v *DryPull) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Repository, &v.DryRun, &v.Ordinal, &v.Number, &v.State, &v.Reason, &v.HeadSHA, &v.BaseSHA,
		&v.MergeBase, &v.Result,
		&v.CreatedUS, number(&v.StartedUS), number(&v.FinishedUS))
}

// DryPulls lists the pull requests of a dry run in the order of their review.
func (s *Store) DryPulls(ctx context.Context, t domain.Tenant, run string) ([]DryPull, error) {
	return many(ctx, s, scanDryPull, `SELECT `+dryPullColumns+` FROM dry_run_pulls WHERE tenant_id = $1 AND dry_run_id = $2
		ORDER BY ordinal`, t.ID, run)
}

// DryPullMove is a transition of a pull request of a dry run.
type DryPullMove struct {
	From, To domain.DryPullState
	Reason   string // the cause of a failure
	Result   string // JSON object
}

// MoveDryPull makes a transition of a pull request of a running dry run. A transition to an end state
// deletes its stored stage results. It returns false and writes nothing if the pull request is not in state
// From or the dry run is not running, and an error for an illegal transition.
func (s *Store) MoveDryPull(ctx context.Context, t domain.Tenant, id string, m DryPullMove) (moved bool, err error) {
	if !domain.DryPullMayMove(m.From, m.To) {
		return false, errs.New(errs.Internal, "illegal_transition", "A pull request of a dry run cannot go from %s to %s.", m.From, m.To)
	}
	over := m.To != domain.DryPullRunning
	err = s.Atomically(ctx, func(ctx context.Context) error {
		// Locking the dry run's row first makes this transition and a cancellation wait for each other.
		if _, err := first(ctx, s, s.db.Write, value[string], `SELECT d.id FROM dry_runs d WHERE d.tenant_id = $1 AND d.state = 'running'
			AND d.id = (SELECT p.dry_run_id FROM dry_run_pulls p WHERE p.tenant_id = $1 AND p.id = $2){forupdate}`, []any{t.ID, id}); err != nil {
			return err
		}
		moved, err = s.exec1(ctx, `UPDATE dry_run_pulls SET state = $4, reason = $5, result = CASE WHEN $6 = '' THEN result ELSE $6 END,
				started_us = CASE WHEN $4 = 'running' THEN {now} ELSE started_us END, finished_us = CASE WHEN $7 THEN {now} ELSE finished_us END
			WHERE tenant_id = $1 AND id = $2 AND state = $3`, t.ID, id, string(m.From), string(m.To), clip.Bytes(m.Reason, 2000), m.Result, over)
		if err != nil || !moved || !over {
			return err
		}
		_, err = s.exec(ctx, `DELETE FROM dry_run_stages WHERE tenant_id = $1 AND pull_id = $2`, t.ID, id)
		return err
	})
	if isAbsent(err) {
		return false, nil
	}
	return moved && err == nil, err
}

// SetDryPullBase records the compared commits. Only the first call has an effect, so that all attempts
// review the same change.
func (s *Store) SetDryPullBase(ctx context.Context, t domain.Tenant, id, head, base, mergeBase string) error {
	_, err := s.exec1(ctx, `UPDATE dry_run_pulls SET head_sha = $3, base_sha = $4, merge_base = $5 WHERE tenant_id = $1 AND id = $2
		AND head_sha = ''`, t.ID, id, head, base, mergeBase)
	return err
}

// StartDryPullWindow sets the deadline for an unavailable model; later calls keep it. It returns the
// remaining time by the database's clock.
func (s *Store) StartDryPullWindow(ctx context.Context, t domain.Tenant, id string, window time.Duration) (left time.Duration, err error) {
	us, err := returning(ctx, s, value[int64], `UPDATE dry_run_pulls SET model_deadline_us = COALESCE(model_deadline_us, {now} + $3)
		WHERE tenant_id = $1 AND id = $2
		RETURNING model_deadline_us - {now}`, t.ID, id, window.Microseconds())
	return time.Duration(us) * time.Microsecond, err
}

// DryStageResult reads the stored result of a finished stage of a pull request of a dry run. It returns ok
// false if no result is stored.
func (s *Store) DryStageResult(ctx context.Context, t domain.Tenant, pull, stage, inputHash string) (out []byte, ok bool, err error) {
	out, err = one(ctx, s, value[[]byte], `SELECT output FROM dry_run_stages WHERE tenant_id = $1 AND pull_id = $2 AND stage = $3
		AND input_hash = $4`, t.ID, pull, stage, inputHash)
	if isAbsent(err) {
		return nil, false, nil
	}
	return out, err == nil, err
}

// SaveDryStageResult stores the result of a stage; later results for the same input are ignored.
func (s *Store) SaveDryStageResult(ctx context.Context, t domain.Tenant, pull, stage, inputHash string, out []byte) error {
	_, err := s.exec(ctx, `INSERT INTO dry_run_stages (pull_id, stage, input_hash, tenant_id, output, created_us)
		VALUES ($1, $2, $3, $4, $5, {now})
		ON CONFLICT (pull_id, stage, input_hash) DO NOTHING`, pull, stage, inputHash, t.ID, out)
	return err
}

// PublishedReviews lists the newest completed runs of a repository, or of the whole tenant if repository is
// "".
func (s *Store) PublishedReviews(ctx context.Context, t domain.Tenant, repository string, limit int) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND ($2 = '' OR repository_id = $2)
		AND state = 'completed'
		ORDER BY created_us DESC, id DESC LIMIT $3`, t.ID, repository, limit)
}

// EndedHeads lists the newest runs of heads, newest first, whose newest run has ended and was not superseded: of a
// repository, or of the whole tenant if repository is "".
func (s *Store) EndedHeads(ctx context.Context, t domain.Tenant, repository string, limit int) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs r WHERE tenant_id = $1 AND ($2 = '' OR repository_id = $2)
		AND state IN ('completed', 'failed', 'cancelled', 'skipped')
		AND NOT EXISTS (SELECT 1 FROM review_runs n WHERE n.tenant_id = $1 AND n.pull_request_id = r.pull_request_id
			AND n.head_sha = r.head_sha AND (n.created_us, n.id) > (r.created_us, r.id))
		ORDER BY created_us DESC, id DESC LIMIT $3`, t.ID, repository, limit)
}

// LastPublished returns the completed run of a pull request that finished last.
func (s *Store) LastPublished(ctx context.Context, t domain.Tenant, repository string, number int) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND repository_id = $2 AND number = $3
		AND state = 'completed'
		ORDER BY finished_us DESC, id DESC LIMIT 1`, t.ID, repository, number)
}
