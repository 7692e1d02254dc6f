package store

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// TriageRun is the first, cheap analysis of a pull request's head. Its results are empty until it is
// completed.
type TriageRun struct {
	Record
	PullRequest string
	Number      int
	HeadSHA     string
	State       domain.TriageState
	Reason      string // why it failed, was cancelled or is incomplete
	Cause       string // the event that triggered it
	Size        string // xs, s, m, l or xl
	Kind        string // one of [domain.ChangeKinds]
	Risk        string // low, medium or high
	Areas       string // JSON array
	Depth       string // of review: T0 to T4
	DepthWhy    string
	Run         string // the review run whose engine chose the depth; "" if no run did
	Files       int64
	Lines       int64  // added and removed, in files that people write
	Labels      string // JSON array: suggested
	Method      string // heuristic or model
	Model       string // the model that was asked; "" for none
	CostMicros  *int64 // nil if no model was asked or a price is unknown
	StartedUS   int64  // 0 before the start
	FinishedUS  int64  // 0 before the end
}

// Owner returns the tenant of the triage run.
func (r TriageRun) Owner() domain.Tenant { return domain.Tenant{ID: r.Tenant} }

func (v *TriageRun) table() (string, string, []string, []any) {
	return "triage_runs", "tri", []string{"pull_request_id", "number", "head_sha", "state", "reason", "cause", "size", "kind", "risk",
			"areas", "depth", "depth_why", "run_id", "files", "lines",
			"labels", "method", "model", "cost_micros", "started_us", "finished_us"},
		[]any{&v.PullRequest, &v.Number, &v.HeadSHA, (*string)(&v.State), &v.Reason, &v.Cause, &v.Size, &v.Kind, &v.Risk, &v.Areas,
			&v.Depth, &v.DepthWhy, &v.Run, &v.Files, &v.Lines,
			&v.Labels, &v.Method, &v.Model, &v.CostMicros, number(&v.StartedUS), number(&v.FinishedUS)}
}

// TriageRuns lists the triage runs of a repository, newest first.
func (s *Store) TriageRuns(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]TriageRun, error) {
	return records[TriageRun](ctx, s, t, repository, before, limit)
}

// CreateTriage creates the triage run of a head with its first transition. A head has at most one; made is
// false if it exists. Call it in the transaction that creates its job.
func (s *Store) CreateTriage(ctx context.Context, t domain.Tenant, v TriageRun) (id string, made bool, err error) {
	id = domain.NewID("tri")
	err = s.Atomically(ctx, func(ctx context.Context) error {
		made, err = s.exec1(ctx, `INSERT INTO triage_runs (id, tenant_id, repository_id, pull_request_id, number, head_sha, state, cause,
			size, kind, risk, areas, depth, labels, method, created_us)
			VALUES ($1, $2, $3, $4, $5, $6, 'queued', $7, '', '', '', '[]', '', '[]', '', {now})
				ON CONFLICT (tenant_id, pull_request_id, head_sha) WHERE cause <> '' DO NOTHING`,
			id, t.ID, v.Repository, v.PullRequest, v.Number, v.HeadSHA, v.Cause)
		if err != nil || !made {
			return err
		}
		return s.addTriageTransition(ctx, t, id, "", domain.TriageQueued, v.Cause)
	})
	if err != nil || !made {
		return "", false, err
	}
	return id, true, nil
}

// TriageForWork reads a triage run of any tenant by its id, for its job.
func (s *Store) TriageForWork(ctx context.Context, id string) (TriageRun, error) {
	name, _, columns, _ := new(TriageRun).table()
	return first(ctx, s, s.db.Write, scanRecord[TriageRun], `SELECT `+recordColumns+`, `+strings.Join(columns, ", ")+` FROM `+name+
		` WHERE id = $1`, []any{id})
}

// TriageOfHead reads the newest triage run of a pull request's head. It returns [errs.NotFound] if the head
// has no triage run.
func (s *Store) TriageOfHead(ctx context.Context, t domain.Tenant, pull, head string) (TriageRun, error) {
	name, _, columns, _ := new(TriageRun).table()
	return one(ctx, s, scanRecord[TriageRun], `SELECT `+recordColumns+`, `+strings.Join(columns, ", ")+` FROM `+name+
		` WHERE tenant_id = $1 AND pull_request_id = $2 AND head_sha = $3
		ORDER BY created_us DESC, id DESC LIMIT 1`, t.ID, pull, head)
}

// TriageMove is a transition of a triage run.
type TriageMove struct {
	From, To domain.TriageState
	Cause    string // for its history
	Reason   string // for people; "" keeps the former reason
}

// MoveTriage makes a transition and writes its history row, in the caller's transaction or its own. It
// returns false if the triage run is not in state From any more, and an error for an illegal transition.
func (s *Store) MoveTriage(ctx context.Context, t domain.Tenant, id string, m TriageMove) (moved bool, err error) {
	if !domain.TriageMayMove(m.From, m.To) {
		return false, errs.New(errs.Internal, "illegal_transition", "A triage run cannot go from %s to %s.", m.From, m.To)
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		moved, err = s.exec1(ctx, `UPDATE triage_runs SET state = $4, reason = CASE WHEN $5 = '' THEN reason ELSE $5 END,
				started_us = CASE WHEN $4 = 'running' THEN {now} ELSE started_us END, finished_us = CASE WHEN $6 THEN {now} ELSE finished_us END
			WHERE tenant_id = $1 AND id = $2 AND state = $3`, t.ID, id, string(m.From), string(m.To), clip.Bytes(m.Reason, 2000), m.To.Terminal())
		if err != nil || !moved {
			return err
		}
		return s.addTriageTransition(ctx, t, id, m.From, m.To, m.Cause)
	})
	return moved && err == nil, err
}

func (s *Store) addTriageTransition(ctx context.Context, t domain.Tenant, id string, from, to domain.TriageState, cause string) error {
	_, err := s.exec(ctx, `INSERT INTO triage_transitions (triage_id, seq, tenant_id, from_state, to_state, cause, at_us)
		SELECT $1, COUNT(*) + 1, $2, $3, $4, $5, {now} FROM triage_transitions WHERE triage_id = $1`, id, t.ID, string(from), string(to),
		clip.Bytes(cause, 500))
	return err
}

// TriageTransitions lists the transitions of a triage run, oldest first.
func (s *Store) TriageTransitions(ctx context.Context, t domain.Tenant, id string) ([]Transition, error) {
	return many(ctx, s, func(r scanner, v *Transition) error { return r.Scan(&v.Seq, &v.From, &v.To, &v.Cause, &v.AtUS) },
		`SELECT seq, from_state, to_state, cause, at_us FROM triage_transitions WHERE tenant_id = $1 AND triage_id = $2 ORDER BY seq`, t.ID, id)
}

// SetTriageResult records the result of a running triage run. Its cost is the sum of the model calls with
// its id. It returns false if the triage run is not running.
func (s *Store) SetTriageResult(ctx context.Context, t domain.Tenant, v TriageRun) (bool, error) {
	return s.exec1(ctx, `UPDATE triage_runs SET size = $3, kind = $4, risk = $5, areas = $6, depth = $7, depth_why = $8, files = $9,
		lines = $10, labels = $11, method = $12, model = $13,
			cost_micros = (SELECT CASE WHEN COUNT(*) = COUNT(c.cost_micros) THEN SUM(c.cost_micros) END FROM llm_calls c
				WHERE c.tenant_id = $1 AND c.run_id = $2)
		WHERE tenant_id = $1 AND id = $2 AND state = 'running'`,
		t.ID, v.ID, v.Size, v.Kind, v.Risk, v.Areas, v.Depth, clip.Bytes(v.DepthWhy, 500), v.Files, v.Lines, v.Labels, v.Method, v.Model)
}

// TriageAnswer reads a model's stored answer to a triage run's question. It returns ok false if the stored
// answer has another question hash.
func (s *Store) TriageAnswer(ctx context.Context, t domain.Tenant, id, hash string) (out []byte, ok bool, err error) {
	text, err := one(ctx, s, value[string], `SELECT answer FROM triage_runs WHERE tenant_id = $1 AND id = $2 AND answer_hash = $3
		AND answer_hash <> ''`, t.ID, id, hash)
	if isAbsent(err) {
		return nil, false, nil
	}
	return []byte(text), err == nil, err
}

// SaveTriageAnswer stores a model's answer to a triage run's question. It replaces the answer to another
// question, and ignores a second answer to the same one.
func (s *Store) SaveTriageAnswer(ctx context.Context, t domain.Tenant, id, hash string, out []byte) error {
	_, err := s.exec(ctx, `UPDATE triage_runs SET answer_hash = $3, answer = $4 WHERE tenant_id = $1 AND id = $2
		AND answer_hash <> $3`, t.ID, id, hash, string(out))
	return err
}

// TakeTriageDepth copies the depth from the newest review of a head that chose one to the triage runs of
// the head.
func (s *Store) TakeTriageDepth(ctx context.Context, t domain.Tenant, pull, head string) error {
	_, err := s.exec(ctx, `UPDATE triage_runs SET (depth, run_id) = (SELECT r.tier, r.id FROM review_runs r WHERE r.tenant_id = $1
		AND r.pull_request_id = $2 AND r.head_sha = $3 AND r.tier <> ''
			ORDER BY r.created_us DESC, r.id DESC LIMIT 1), depth_why = 'chosen by the review'
		WHERE tenant_id = $1 AND pull_request_id = $2 AND head_sha = $3 AND cause <> ''
			AND EXISTS (SELECT 1 FROM review_runs r WHERE r.tenant_id = $1 AND r.pull_request_id = $2 AND r.head_sha = $3 AND r.tier <> '')`,
		t.ID, pull, head)
	return err
}

// TriageLabel is a label that a triage run wants on a pull request.
type TriageLabel struct {
	Label, Triage string
	State         domain.LabelState
	Reason        string // why it was dropped
}

// WantTriageLabels stores the labels that a triage run wants on its pull request. Labels that were wanted
// there before stay unchanged; fresh counts the others.
func (s *Store) WantTriageLabels(ctx context.Context, t domain.Tenant, triage TriageRun, labels []string) (fresh int, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		fresh = 0
		// Sorted keys prevent deadlocks between concurrent inserts.
		for _, l := range slices.SortedFunc(slices.Values(labels), func(a, b string) int {
			return strings.Compare(strings.ToLower(a),
				strings.ToLower(b))
		}) {
			made, err := s.exec1(ctx, `INSERT INTO triage_labels (tenant_id, pull_request_id, label_key, label, triage_id, state, reason,
				created_us, updated_us)
				VALUES ($1, $2, $3, $4, $5, 'waiting', '', {now}, {now}) ON CONFLICT (tenant_id, pull_request_id, label_key) DO NOTHING`,
				t.ID, triage.PullRequest, strings.ToLower(l), l, triage.ID)
			if err != nil {
				return err
			}
			if made {
				fresh++
			}
		}
		return nil
	})
	return fresh, err
}

// TriageLabels lists the labels that triage wanted on a pull request, by name.
func (s *Store) TriageLabels(ctx context.Context, t domain.Tenant, pull string) ([]TriageLabel, error) {
	return many(ctx, s, func(r scanner, v *TriageLabel) error { return r.Scan(&v.Label, &v.Triage, &v.State, &v.Reason) },
		`SELECT label, triage_id, state, reason FROM triage_labels WHERE tenant_id = $1 AND pull_request_id = $2 ORDER BY label_key`, t.ID, pull)
}

// EndTriageLabel moves a waiting label to its final state. It returns false if the label is not waiting,
// and an error for an illegal transition.
func (s *Store) EndTriageLabel(ctx context.Context, t domain.Tenant, pull, label string, to domain.LabelState,
	reason string) (bool, error) {
	if !domain.LabelMayMove(domain.LabelWaiting, to) {
		return false, errs.New(errs.Internal, "illegal_transition", "A wanted label cannot become %s.", to)
	}
	return s.exec1(ctx, `UPDATE triage_labels SET state = $4, reason = $5, updated_us = {now} WHERE tenant_id = $1
		AND pull_request_id = $2 AND label_key = $3 AND state = 'waiting'`,
		t.ID, pull, strings.ToLower(label), string(to), clip.Bytes(reason, 500))
}

// RecentTriageRuns lists triage runs of all tenants, newest first, for operators. repository (owner/name)
// and state narrow the list unless they are "".
func (s *Store) RecentTriageRuns(ctx context.Context, repository string, state domain.TriageState, limit int) ([]TriageRun, error) {
	return recentRecords[TriageRun](ctx, s, OperatorFilter{Repository: repository, Limit: limit}, string(state))
}
