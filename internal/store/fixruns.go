package store

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// FixRun proposes edits for findings of a review run, checks them and delivers them.
type FixRun struct {
	Record
	Run         string
	FindingIDs  string // JSON array
	Delivery    domain.FixDelivery
	State       domain.FixState
	Reason      string
	URL         string // of the commit, the pull request or the first comment
	CreatedBy   string // id of a person; "" if a comment asked
	StartedUS   int64  // 0 before the start
	FinishedUS  int64  // 0 before the end
	PullRequest string // our id
	Number      int    // of the pull request
	HeadSHA     string // the edits are made against this commit
	AskedName   string // of the person who asked; text from outside
	AskedKey    string // names the comment that asked, with its thread; "" for the interface
	Result      string // JSON object: edits, checks and refusals; "{}" before they are known
	Proposed    int    // findings with proposed edits
	Passed      int    // findings whose edits passed all checks
	CommitSHA   string
	Branch      string // that has the commit
	Instead     domain.FixInstead
}

// Owner returns the tenant of the fix run.
func (v FixRun) Owner() domain.Tenant { return domain.Tenant{ID: v.Tenant} }

func (v *FixRun) table() (string, string, []string, []any) {
	return "fix_runs", "fix", []string{"run_id", "finding_ids", "delivery", "state", "reason", "url", "created_by", "started_us",
			"finished_us", "pull_request_id", "number", "head_sha", "asked_name", "asked_key", "result", "proposed", "passed", "commit_sha",
			"branch", "instead"},
		[]any{&v.Run, &v.FindingIDs, (*string)(&v.Delivery), (*string)(&v.State), &v.Reason, &v.URL, &v.CreatedBy, number(&v.StartedUS),
			number(&v.FinishedUS), &v.PullRequest, &v.Number, &v.HeadSHA, &v.AskedName, &v.AskedKey, &v.Result, &v.Proposed, &v.Passed,
			&v.CommitSHA, &v.Branch, (*string)(&v.Instead)}
}

// Limits of fix runs (design choices).
const (
	MaxFixRunsOfHead = 3  // of a pull request and one head
	maxFixRunsOfPull = 10 // of a pull request
)

// CreateFixRun stores a queued fix run of a pull request. Call it in the transaction that creates its job. made is false if the
// comment v.AskedKey has made one before, which is then returned. Errors: [errs.NotFound] if the pull request or the review run does
// not belong to the tenant; [errs.Conflict] beyond [MaxFixRunsOfHead] and [maxFixRunsOfPull] (too_many_fixes), and while another fix
// run of the pull request has not ended (fix_under_way).
func (s *Store) CreateFixRun(ctx context.Context, t domain.Tenant, v FixRun) (out FixRun, made bool, err error) {
	v.State = domain.FixQueued
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.PullRequestForUpdate(ctx, t, v.PullRequest); err != nil { // requests are counted one after the other
			return err
		}
		n, err := s.countFixRuns(ctx, s.db.Write, t, v.PullRequest, v.HeadSHA, v.AskedKey)
		switch {
		case err != nil:
			return err
		case n.same > 0:
			out, err = first(ctx, s, s.db.Write, scanRecord[FixRun], selectRecord[FixRun]()+` AND pull_request_id = $3 AND asked_key = $4
				ORDER BY created_us LIMIT 1`, []any{t.ID, v.Repository, v.PullRequest, v.AskedKey})
			return err
		}
		if err := n.refusal(); err != nil {
			return err
		}
		v.Result, made = "{}", true
		out, err = AddRecord(ctx, s, t, v)
		return err
	})
	if err != nil {
		return FixRun{}, false, err
	}
	return out, made, nil
}

// fixCounts counts the fix runs of a pull request: those that have not ended, those of a head, all, and those that a comment asked for.
type fixCounts struct{ open, head, pull, same int64 }

// refusal returns a Conflict if there is no room for another fix run.
func (n fixCounts) refusal() error {
	switch {
	case n.open > 0:
		return errs.New(errs.Conflict, "fix_under_way", "A fix run of this pull request has not ended. Wait for its end, and ask again.")
	case n.head >= MaxFixRunsOfHead:
		return errs.New(errs.Conflict, "too_many_fixes", "This head has had %d fix runs, which is the limit. A push makes room.", n.head)
	case n.pull >= maxFixRunsOfPull:
		return errs.New(errs.Conflict, "too_many_fixes", "This pull request has had %d fix runs, which is the limit.", n.pull)
	}
	return nil
}

func (s *Store) countFixRuns(ctx context.Context, pool *sql.DB, t domain.Tenant, pull, head, asked string) (fixCounts, error) {
	return first(ctx, s, pool, func(r scanner, n *fixCounts) error { return r.Scan(&n.open, &n.head, &n.pull, &n.same) },
		`SELECT COALESCE(SUM(CASE WHEN state IN ('queued', 'running', 'publishing') THEN 1 ELSE 0 END), 0),
			COALESCE(SUM(CASE WHEN head_sha = $3 THEN 1 ELSE 0 END), 0), COUNT(*),
			COALESCE(SUM(CASE WHEN $4 <> '' AND asked_key = $4 THEN 1 ELSE 0 END), 0)
		FROM fix_runs WHERE tenant_id = $1 AND pull_request_id = $2`, []any{t.ID, pull, head, asked})
}

// FixRoom returns the Conflict with which [Store.CreateFixRun] would refuse a fix run of a head now; nil if there is room, also for a
// pull request of another tenant.
func (s *Store) FixRoom(ctx context.Context, t domain.Tenant, pull, head string) error {
	n, err := s.countFixRuns(ctx, s.db.Read, t, pull, head, "")
	if err != nil {
		return err
	}
	return n.refusal()
}

// FixRunFilter narrows a list of fix runs.
type FixRunFilter struct {
	State    domain.FixState    // "" for all
	Delivery domain.FixDelivery // "" for all
	Number   int                // of the pull request; 0 for all
	Run      string             // the review run; "" for all
	Before   Cursor             // zero for the newest page
	Limit    int                // 50 if 0
}

// FixRuns lists the fix runs of a repository, newest first.
func (s *Store) FixRuns(ctx context.Context, t domain.Tenant, repository string, f FixRunFilter) ([]FixRun, error) {
	text := selectRecord[FixRun]() + ` AND (created_us, id) < ($3, $4)`
	args := []any{t.ID, repository, f.Before.from(), f.Before.ID}
	and := func(part string, v any) {
		args = append(args, v)
		text += part + strconv.Itoa(len(args))
	}
	if f.State != "" {
		and(` AND state = $`, string(f.State))
	}
	if f.Delivery != "" {
		and(` AND delivery = $`, string(f.Delivery))
	}
	if f.Number != 0 {
		and(` AND number = $`, f.Number)
	}
	if f.Run != "" {
		and(` AND run_id = $`, f.Run)
	}
	if f.Limit <= 0 {
		f.Limit = 50
	}
	and(` ORDER BY created_us DESC, id DESC LIMIT $`, f.Limit)
	return many(ctx, s, scanRecord[FixRun], text, args...)
}

// FixRun reads a fix run of a repository.
func (s *Store) FixRun(ctx context.Context, t domain.Tenant, repository, id string) (FixRun, error) {
	return oneRecord[FixRun](ctx, s, t, repository, id)
}

// FixRunForWork reads a fix run of any tenant by its id, for its job.
func (s *Store) FixRunForWork(ctx context.Context, id string) (v FixRun, err error) {
	_, _, columns, _ := v.table()
	text := `SELECT ` + recordColumns
	for _, c := range columns {
		text += `, ` + c
	}
	return first(ctx, s, s.db.Write, scanRecord[FixRun], text+` FROM fix_runs WHERE id = $1`, []any{id})
}

// FixMove is a transition of a fix run.
type FixMove struct {
	From, To domain.FixState
	Reason   string // for people; "" keeps the former reason
	URL      string // "" keeps the former address
}

// MoveFixRun makes a transition. It returns false if the fix run is not in state From any more, and an error for an illegal
// transition.
func (s *Store) MoveFixRun(ctx context.Context, t domain.Tenant, id string, m FixMove) (bool, error) {
	if !domain.FixMayMove(m.From, m.To) {
		return false, errs.New(errs.Internal, "illegal_transition", "A fix run cannot go from %s to %s.", m.From, m.To)
	}
	return s.exec1(ctx, `UPDATE fix_runs SET state = $4, reason = CASE WHEN $5 = '' THEN reason ELSE $5 END,
			url = CASE WHEN $6 = '' THEN url ELSE $6 END,
			started_us = CASE WHEN $4 = 'running' AND started_us IS NULL THEN {now} ELSE started_us END,
			finished_us = CASE WHEN $7 THEN {now} ELSE finished_us END
		WHERE tenant_id = $1 AND id = $2 AND state = $3`, t.ID, id, string(m.From), string(m.To), clip.Bytes(m.Reason, 2000),
		clip.Bytes(m.URL, 2000), m.To.Terminal())
}

// SetFixBranch stores the branch that a publishing fix run writes to. Only the first call has an effect.
func (s *Store) SetFixBranch(ctx context.Context, t domain.Tenant, id, branch string) error {
	_, err := s.exec1(ctx, `UPDATE fix_runs SET branch = $3 WHERE tenant_id = $1 AND id = $2 AND state = 'publishing' AND branch = ''`,
		t.ID, id, branch)
	return err
}

// ForgetFixBranch records that the branch of an ended fix run without a commit does not exist any more.
func (s *Store) ForgetFixBranch(ctx context.Context, t domain.Tenant, id string) error {
	_, err := s.exec1(ctx, `UPDATE fix_runs SET branch = '' WHERE tenant_id = $1 AND id = $2 AND commit_sha = ''
		AND state IN ('completed', 'failed', 'cancelled')`, t.ID, id)
	return err
}

// SetFixCommit stores the commit that a fix run made. Only the first call has an effect.
func (s *Store) SetFixCommit(ctx context.Context, t domain.Tenant, id, sha string) error {
	_, err := s.exec1(ctx, `UPDATE fix_runs SET commit_sha = $3 WHERE tenant_id = $1 AND id = $2 AND state = 'publishing'
		AND commit_sha = ''`, t.ID, id, sha)
	return err
}

// SetFixInstead stores why a publishing fix run suggests its edits and does not deliver them as asked. Only the first call has an
// effect, and none after a commit.
func (s *Store) SetFixInstead(ctx context.Context, t domain.Tenant, id string, why domain.FixInstead) error {
	_, err := s.exec1(ctx, `UPDATE fix_runs SET instead = $3 WHERE tenant_id = $1 AND id = $2 AND state = 'publishing' AND instead = ''
		AND commit_sha = ''`, t.ID, id, string(why))
	return err
}

// StartFixWindow sets the deadline for an unavailable model; later calls keep it. It returns the remaining time by the database's
// clock.
func (s *Store) StartFixWindow(ctx context.Context, t domain.Tenant, id string, window time.Duration) (left time.Duration, err error) {
	us, err := returning(ctx, s, value[int64], `UPDATE fix_runs SET model_deadline_us = COALESCE(model_deadline_us, {now} + $3)
		WHERE tenant_id = $1 AND id = $2 RETURNING model_deadline_us - {now}`, t.ID, id, window.Microseconds())
	return time.Duration(us) * time.Microsecond, err
}

// FixStageResult reads the stored result of a finished stage of a fix run. It returns ok false if no result is stored.
func (s *Store) FixStageResult(ctx context.Context, t domain.Tenant, run, stage, inputHash string) (out []byte, ok bool, err error) {
	out, err = one(ctx, s, value[[]byte], `SELECT output FROM fix_run_stages WHERE tenant_id = $1 AND fix_run_id = $2 AND stage = $3
		AND input_hash = $4`, t.ID, run, stage, inputHash)
	if isAbsent(err) {
		return nil, false, nil
	}
	return out, err == nil, err
}

// SaveFixStageResult stores the result of a stage; later results for the same input are ignored.
func (s *Store) SaveFixStageResult(ctx context.Context, t domain.Tenant, run, stage, inputHash string, out []byte) error {
	_, err := s.exec(ctx, `INSERT INTO fix_run_stages (fix_run_id, stage, input_hash, tenant_id, output, created_us)
		VALUES ($1, $2, $3, $4, $5, {now})
		ON CONFLICT (fix_run_id, stage, input_hash) DO NOTHING`, run, stage, inputHash, t.ID, out)
	return err
}

// DropFixStages deletes the stored results of the stages of a fix run.
func (s *Store) DropFixStages(ctx context.Context, t domain.Tenant, run string) error {
	_, err := s.exec(ctx, `DELETE FROM fix_run_stages WHERE tenant_id = $1 AND fix_run_id = $2`, t.ID, run)
	return err
}
