package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// DryRun reviews pull requests without writing to the host.
type DryRun struct {
	Record
	Label      string
	Numbers    string // JSON array of pull requests; empty until they are known, where Newest says how many
	Newest     int64  // how many of the newest pull requests are looked at; 0: those of Numbers
	Overrides  string // JSON object
	State      domain.DryRunState
	Reason     string
	Result     string // JSON object
	CreatedBy  string // id of a person; "" where the service itself made it
	StartedUS  int64  // 0 until then
	FinishedUS int64  // 0 until then
}

// Owner is the tenant that it belongs to.
func (r DryRun) Owner() domain.Tenant { return domain.Tenant{ID: r.Tenant} }

func (v *DryRun) table() (string, string, []string, []any) {
	return "dry_runs", "dry", []string{"label", "numbers", "newest", "overrides", "state", "reason", "result", "created_by", "started_us", "finished_us"},
		[]any{&v.Label, &v.Numbers, &v.Newest, &v.Overrides, (*string)(&v.State), &v.Reason, &v.Result, &v.CreatedBy, number(&v.StartedUS), number(&v.FinishedUS)}
}

// MaxOpenDryRuns is how many dry runs of a repository may wait or be under way at
// once (design choice: each may look at fifty pull requests).
const MaxOpenDryRuns = 5

// CreateDryRun stores a queued dry run with its first transition and the pull
// requests that it names. Call it in the transaction that makes its job.
// [errs.NotFound]: the repository is not the tenant's; [errs.Conflict]: it has
// [MaxOpenDryRuns] of them that have not ended.
func (s *Store) CreateDryRun(ctx context.Context, t domain.Tenant, v DryRun, numbers []int) (out DryRun, err error) {
	v.State, v.Result, v.Numbers = domain.DryRunQueued, "{}", JSON(append([]int{}, numbers...))
	err = s.Atomically(ctx, func(ctx context.Context) error {
		// Whoever holds the repository's row counts; another request that makes one waits.
		if err := must1(s.exec1(ctx, `UPDATE repositories SET id = id WHERE tenant_id = $1 AND id = $2`, t.ID, v.Repository)); err != nil {
			return err
		}
		open, err := first(ctx, s, s.db.Write, value[int64], `SELECT COUNT(*) FROM dry_runs WHERE tenant_id = $1 AND repository_id = $2 AND state IN ('queued', 'running')`, []any{t.ID, v.Repository})
		if err != nil {
			return err
		}
		if open >= MaxOpenDryRuns {
			return errs.New(errs.Conflict, "too_many", "The repository has %d dry runs that have not ended. Wait for one of them, or cancel it.", open)
		}
		if out, err = addRecord(ctx, s, t, v); err != nil {
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

// AddDryRun stores one as it is given. [errs.NotFound]: the repository, or what it
// names, is not the tenant's.
func (s *Store) AddDryRun(ctx context.Context, t domain.Tenant, v DryRun) (DryRun, error) {
	return addRecord(ctx, s, t, v)
}

// DryRuns lists those of a repository, newest first.
func (s *Store) DryRuns(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]DryRun, error) {
	return records[DryRun](ctx, s, t, repository, before, limit)
}

// DryRun reads one of a repository.
func (s *Store) DryRun(ctx context.Context, t domain.Tenant, repository, id string) (DryRun, error) {
	return oneRecord[DryRun](ctx, s, t, repository, id)
}

const selectDryRun = `SELECT id, tenant_id, repository_id, created_us, label, numbers, newest, overrides, state, reason, result, created_by, started_us, finished_us FROM dry_runs`

// DryRunForWork reads a dry run by its id alone: for jobs, whose subject it is, and
// for operators.
func (s *Store) DryRunForWork(ctx context.Context, id string) (DryRun, error) {
	return first(ctx, s, s.db.Write, scanRecord[DryRun], selectDryRun+` WHERE id = $1`, []any{id})
}

// SetDryRunPulls stores which pull requests a running dry run looks at, where it was
// asked for the newest ones. What is there stays: the first word counts.
func (s *Store) SetDryRunPulls(ctx context.Context, t domain.Tenant, run DryRun, numbers []int) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		set, err := s.exec1(ctx, `UPDATE dry_runs SET numbers = $3 WHERE tenant_id = $1 AND id = $2 AND state = 'running' AND numbers = '[]'`, t.ID, run.ID, JSON(append([]int{}, numbers...)))
		if err != nil || !set {
			return err
		}
		return s.addDryPulls(ctx, run, numbers)
	})
}

func (s *Store) addDryPulls(ctx context.Context, run DryRun, numbers []int) error {
	for i, n := range numbers {
		if _, err := s.exec(ctx, `INSERT INTO dry_run_pulls (id, tenant_id, repository_id, dry_run_id, ordinal, number, state, created_us) VALUES ($1, $2, $3, $4, $5, $6, 'queued', {now})`,
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
	Reason   string // for people, kept on the dry run; "" keeps what is there
	Result   string // JSON object; "" keeps what is there
}

// MoveDryRun writes a transition and its row of history. At an end the stored
// results of stages go. False: the dry run is not in the state any more. An illegal
// transition is an error, so that it cannot be written.
func (s *Store) MoveDryRun(ctx context.Context, t domain.Tenant, id string, m DryRunMove) (moved bool, err error) {
	if !domain.DryRunMayMove(m.From, m.To) {
		return false, errs.New(errs.Internal, "illegal_transition", "A dry run cannot go from %s to %s.", m.From, m.To)
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		moved, err = s.exec1(ctx, `UPDATE dry_runs SET state = $4, reason = CASE WHEN $5 = '' THEN reason ELSE $5 END, result = CASE WHEN $6 = '' THEN result ELSE $6 END,
				started_us = CASE WHEN $4 = 'running' AND started_us IS NULL THEN {now} ELSE started_us END,
				finished_us = CASE WHEN $7 THEN {now} ELSE finished_us END
			WHERE tenant_id = $1 AND id = $2 AND state = $3`, t.ID, id, string(m.From), string(m.To), clip.Bytes(m.Reason, 2000), m.Result, m.To.Terminal())
		if err != nil || !moved {
			return err
		}
		if m.To.Terminal() {
			if _, err := s.exec(ctx, `DELETE FROM dry_run_stages WHERE tenant_id = $1 AND pull_id IN (SELECT id FROM dry_run_pulls WHERE tenant_id = $1 AND dry_run_id = $2)`, t.ID, id); err != nil {
				return err
			}
		}
		return s.addDryTransition(ctx, t, id, m.From, m.To, m.Cause)
	})
	return moved && err == nil, err
}

func (s *Store) addDryTransition(ctx context.Context, t domain.Tenant, run string, from, to domain.DryRunState, cause string) error {
	_, err := s.exec(ctx, `INSERT INTO dry_run_transitions (dry_run_id, seq, tenant_id, from_state, to_state, cause, at_us)
		SELECT $1, COUNT(*) + 1, $2, $3, $4, $5, {now} FROM dry_run_transitions WHERE dry_run_id = $1`, run, t.ID, string(from), string(to), clip.Bytes(cause, 500))
	return err
}

// DryRunTransitions lists the steps of a dry run.
func (s *Store) DryRunTransitions(ctx context.Context, t domain.Tenant, run string) ([]Transition, error) {
	return many(ctx, s, func(r scanner, v *Transition) error { return r.Scan(&v.Seq, &v.From, &v.To, &v.Cause, &v.AtUS) },
		`SELECT seq, from_state, to_state, cause, at_us FROM dry_run_transitions WHERE tenant_id = $1 AND dry_run_id = $2 ORDER BY seq`, t.ID, run)
}

// RecentDryRuns lists dry runs of the instance, newest first, for operators. state
// and repository (owner/name) narrow the list where they are not "".
func (s *Store) RecentDryRuns(ctx context.Context, repository string, state domain.DryRunState, limit int) ([]DryRun, error) {
	return many(ctx, s, scanRecord[DryRun], selectDryRun+` WHERE ($1 = '' OR state = $1)
		AND ($2 = '' OR EXISTS (SELECT 1 FROM repositories r WHERE r.tenant_id = dry_runs.tenant_id AND r.id = dry_runs.repository_id AND lower(r.owner || '/' || r.name) = lower($2)))
		ORDER BY created_us DESC, id DESC LIMIT $3`, string(state), repository, limit)
}

// DryPull is what a dry run makes of one of its pull requests. Calls of models for
// it bear its id as that of their run.
type DryPull struct {
	ID, Tenant, Repository, DryRun   string
	Ordinal, Number                  int64
	State                            domain.DryPullState
	Reason                           string // why it failed; "" otherwise
	HeadSHA, BaseSHA, MergeBase      string // "" before they are known
	Result                           string // JSON object; "" until it is completed
	CreatedUS, StartedUS, FinishedUS int64
}

const dryPullColumns = `id, tenant_id, repository_id, dry_run_id, ordinal, number, state, reason, head_sha, base_sha, merge_base, result, created_us, started_us, finished_us`

func scanDryPull(r scanner, v *DryPull) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Repository, &v.DryRun, &v.Ordinal, &v.Number, &v.State, &v.Reason, &v.HeadSHA, &v.BaseSHA, &v.MergeBase, &v.Result,
		&v.CreatedUS, number(&v.StartedUS), number(&v.FinishedUS))
}

// DryPulls lists the pull requests of a dry run in the order in which they are
// looked at.
func (s *Store) DryPulls(ctx context.Context, t domain.Tenant, run string) ([]DryPull, error) {
	return many(ctx, s, scanDryPull, `SELECT `+dryPullColumns+` FROM dry_run_pulls WHERE tenant_id = $1 AND dry_run_id = $2 ORDER BY ordinal`, t.ID, run)
}

// DryPullMove is a transition of a pull request of a dry run.
type DryPullMove struct {
	From, To domain.DryPullState
	Reason   string // why it failed
	Result   string // JSON object
}

// MoveDryPull writes a transition of a pull request of a dry run that is running; at
// an end its stored results of stages go. False: it, or its dry run, is in another
// state by now, and nothing was written. An illegal transition is an error.
func (s *Store) MoveDryPull(ctx context.Context, t domain.Tenant, id string, m DryPullMove) (moved bool, err error) {
	if !domain.DryPullMayMove(m.From, m.To) {
		return false, errs.New(errs.Internal, "illegal_transition", "A pull request of a dry run cannot go from %s to %s.", m.From, m.To)
	}
	over := m.To != domain.DryPullRunning
	err = s.Atomically(ctx, func(ctx context.Context) error {
		// The row of the dry run first, which a cancellation changes: one of the two waits for the other.
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

// SetDryPullBase records the commits that are compared; the first word counts, so
// that all attempts look at the same change.
func (s *Store) SetDryPullBase(ctx context.Context, t domain.Tenant, id, head, base, mergeBase string) error {
	_, err := s.exec1(ctx, `UPDATE dry_run_pulls SET head_sha = $3, base_sha = $4, merge_base = $5 WHERE tenant_id = $1 AND id = $2 AND head_sha = ''`, t.ID, id, head, base, mergeBase)
	return err
}

// StartDryPullWindow sets the deadline for a model that is down once; later calls
// keep it. It returns the time that is left by the database's clock.
func (s *Store) StartDryPullWindow(ctx context.Context, t domain.Tenant, id string, window time.Duration) (left time.Duration, err error) {
	us, err := returning(ctx, s, value[int64], `UPDATE dry_run_pulls SET model_deadline_us = COALESCE(model_deadline_us, {now} + $3) WHERE tenant_id = $1 AND id = $2
		RETURNING model_deadline_us - {now}`, t.ID, id, window.Microseconds())
	return time.Duration(us) * time.Microsecond, err
}

// DryStageResult reads the stored result of a finished stage of a pull request of a
// dry run; ok is false where there is none.
func (s *Store) DryStageResult(ctx context.Context, t domain.Tenant, pull, stage, inputHash string) (out []byte, ok bool, err error) {
	out, err = one(ctx, s, value[[]byte], `SELECT output FROM dry_run_stages WHERE tenant_id = $1 AND pull_id = $2 AND stage = $3 AND input_hash = $4`, t.ID, pull, stage, inputHash)
	if isAbsent(err) {
		return nil, false, nil
	}
	return out, err == nil, err
}

// SaveDryStageResult stores the result of a stage; the first one counts.
func (s *Store) SaveDryStageResult(ctx context.Context, t domain.Tenant, pull, stage, inputHash string, out []byte) error {
	_, err := s.exec(ctx, `INSERT INTO dry_run_stages (pull_id, stage, input_hash, tenant_id, output, created_us) VALUES ($1, $2, $3, $4, $5, {now})
		ON CONFLICT (pull_id, stage, input_hash) DO NOTHING`, pull, stage, inputHash, t.ID, out)
	return err
}

// PublishedReviews lists the newest published reviews of a repository, or with "" of all
// of the tenant's, the newest first.
func (s *Store) PublishedReviews(ctx context.Context, t domain.Tenant, repository string, limit int) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND ($2 = '' OR repository_id = $2) AND state = 'completed'
		ORDER BY created_us DESC, id DESC LIMIT $3`, t.ID, repository, limit)
}

// LastPublished returns the newest published review of a pull request, by its number.
func (s *Store) LastPublished(ctx context.Context, t domain.Tenant, repository string, number int) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND repository_id = $2 AND number = $3 AND state = 'completed'
		ORDER BY finished_us DESC, id DESC LIMIT 1`, t.ID, repository, number)
}
