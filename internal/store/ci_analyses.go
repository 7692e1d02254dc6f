package store

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// CIAnalysis explains a failed job of a pull request's head. Job, Workflow, URL, Facts, Log, Cause and Evidence come from outside
// and contain no secrets.
type CIAnalysis struct {
	Record
	PullRequest  string
	Number       int
	HeadSHA      string
	Job          string
	URL          string
	State        domain.CIState
	Cause        string // of the failure
	Evidence     string // JSON array of [domain.CIEvidence]
	Suggestion   string
	Flaky        bool  // the same job failed and passed on this commit
	FinishedUS   int64 // 0 before the end
	Key          string
	HostJob      string // the host's id of the job; "" if the host has no log of it
	Source       string // job, check or status
	Facts        string // JSON array of texts
	Trigger      string // the event that led to it
	Reason       string // why it failed, was cancelled or has less than was wished
	Relation     string // one of [domain.CIRelations]; "" before the end
	Tool         string
	Log          string // JSON array of [domain.CILogLine]
	LogLines     int64  // of the whole log
	NoLog        string // why there is no log
	Notes        string // JSON array of texts: what was cut or dropped
	Method       string // [domain.CIByPattern] or [domain.CIByModel]
	Model        string // that was asked; "" for none
	CostMicros   *int64 // nil if no model was asked or a price is unknown
	OnBase       string // failed, passed, or "" if it is unknown
	FailedBefore int64  // earlier analyses of the job in the repository
	FlakyBefore  int64  // those of them whose job also passed on their commit
	PassedUS     int64  // when the job was seen to have passed on this commit; 0 if it was not
	StartedUS    int64  // 0 before the start
}

// Owner returns the tenant of the analysis.
func (v CIAnalysis) Owner() domain.Tenant { return domain.Tenant{ID: v.Tenant} }

func (v *CIAnalysis) table() (string, string, []string, []any) {
	return "ci_analyses", "cia", []string{"pull_request_id", "number", "head_sha", "job", "url", "state", "cause", "evidence",
			"suggestion", "flaky", "finished_us", "job_key", "job_id", "source", "facts", "trigger_event", "reason", "relation", "tool",
			"kept_log", "log_lines", "no_log", "notes", "method", "model", "cost_micros", "on_base", "failed_before", "flaky_before",
			"passed_us", "started_us"},
		[]any{text(&v.PullRequest), &v.Number, &v.HeadSHA, &v.Job, &v.URL, (*string)(&v.State), &v.Cause, &v.Evidence, &v.Suggestion,
			&v.Flaky, number(&v.FinishedUS), &v.Key, &v.HostJob, &v.Source, &v.Facts, &v.Trigger, &v.Reason, &v.Relation, &v.Tool,
			&v.Log, &v.LogLines, &v.NoLog, &v.Notes, &v.Method, &v.Model, &v.CostMicros, &v.OnBase, &v.FailedBefore, &v.FlakyBefore,
			number(&v.PassedUS), number(&v.StartedUS)}
}

// CIFilter narrows a list of analyses. Zero fields do not narrow it.
type CIFilter struct {
	Number          int
	State, Relation string
	Flaky           bool
	Before          Cursor
	Limit           int
}

// CIAnalyses lists the analyses of a repository, newest first.
func (s *Store) CIAnalyses(ctx context.Context, t domain.Tenant, repository string, f CIFilter) ([]CIAnalysis, error) {
	return many(ctx, s, scanRecord[CIAnalysis], selectRecord[CIAnalysis]()+` AND (created_us, id) < ($3, $4)
		AND ($5 = 0 OR number = $5) AND ($6 = '' OR state = $6) AND ($7 = '' OR relation = $7) AND ($8 = 0 OR flaky = TRUE)
		ORDER BY created_us DESC, id DESC LIMIT $9`,
		t.ID, repository, f.Before.from(), f.Before.ID, f.Number, f.State, f.Relation, bit(f.Flaky), f.Limit)
}

func bit(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// CIAnalysis reads an analysis of a repository.
func (s *Store) CIAnalysis(ctx context.Context, t domain.Tenant, repository, id string) (CIAnalysis, error) {
	return oneRecord[CIAnalysis](ctx, s, t, repository, id)
}

// CIAnalysisForWork reads an analysis of any tenant by its id, for its job.
func (s *Store) CIAnalysisForWork(ctx context.Context, id string) (CIAnalysis, error) {
	name, _, columns, _ := new(CIAnalysis).table()
	return first(ctx, s, s.db.Write, scanRecord[CIAnalysis], `SELECT `+recordColumns+`, `+strings.Join(columns, ", ")+` FROM `+name+
		` WHERE id = $1`, []any{id})
}

// CIAnalysesOfHead lists the analyses of a pull request's head, oldest first, at most [domain.MaxCIPerHead].
func (s *Store) CIAnalysesOfHead(ctx context.Context, t domain.Tenant, pull, head string) ([]CIAnalysis, error) {
	name, _, columns, _ := new(CIAnalysis).table()
	return many(ctx, s, scanRecord[CIAnalysis], `SELECT `+recordColumns+`, `+strings.Join(columns, ", ")+` FROM `+name+
		` WHERE tenant_id = $1 AND pull_request_id = $2 AND head_sha = $3 AND job_key <> '' ORDER BY created_us, id LIMIT $4`,
		t.ID, pull, head, domain.MaxCIPerHead)
}

// AddCIAnalysis stores a queued analysis of a failed job: once per head and key, at most [domain.MaxCIPerHead] per head and
// [domain.MaxCIPerHour] per tenant and hour. It counts the job's earlier analyses. It returns [errs.NotFound] if the tenant has no
// such pull request. Call it in the transaction that creates its job.
func (s *Store) AddCIAnalysis(ctx context.Context, t domain.Tenant, v CIAnalysis) (id string, added Added, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.PullRequestForUpdate(ctx, t, v.PullRequest); err != nil {
			return err
		}
		type counts struct{ same, head, hour, failed, flaky int64 }
		n, err := first(ctx, s, s.db.Write, func(r scanner, n *counts) error {
			return r.Scan(&n.same, &n.head, &n.hour, &n.failed, &n.flaky)
		}, `SELECT
			(SELECT COUNT(*) FROM ci_analyses WHERE tenant_id = $1 AND pull_request_id = $3 AND head_sha = $4 AND job_key = $5),
			(SELECT COUNT(*) FROM ci_analyses WHERE tenant_id = $1 AND pull_request_id = $3 AND head_sha = $4 AND job_key <> ''),
			(SELECT COUNT(*) FROM ci_analyses WHERE tenant_id = $1 AND job_key <> '' AND created_us > {now} - 3600000000),
			(SELECT COUNT(*) FROM ci_analyses WHERE tenant_id = $1 AND repository_id = $2 AND job_key = $5),
			(SELECT COUNT(*) FROM ci_analyses WHERE tenant_id = $1 AND repository_id = $2 AND job_key = $5 AND flaky = TRUE)`,
			[]any{t.ID, v.Repository, v.PullRequest, v.HeadSHA, v.Key})
		switch {
		case err != nil:
			return err
		case n.same > 0:
			added = AddedKnown
			return nil
		case n.head >= domain.MaxCIPerHead || n.hour >= domain.MaxCIPerHour:
			added = AddedOverLimit
			return nil
		}
		v.State, v.FailedBefore, v.FlakyBefore = domain.CIQueued, n.failed, n.flaky
		v.Evidence, v.Log, v.Notes = "[]", "[]", "[]"
		made, err := AddRecord(ctx, s, t, v)
		id, added = made.ID, AddedNew
		return err
	})
	if err != nil {
		return "", "", err
	}
	return id, added, nil
}

// RepeatCIAnalysis records that the job of a known analysis failed again on the same head: v has the new attempt, and attempts the host's
// ids of all failed jobs with its key. It returns [AddedKnown] if the analysis is of one of them, and for a failure without a log if its
// facts are the same. Otherwise the analysis begins again, and keeps its former result until the new one; an analysis that has not ended
// reads the new attempt instead. added is [AddedNew] with the number of the repetition if the caller must create a job, in the same
// transaction, and [AddedOverLimit] beyond [domain.MaxCIRepeats].
func (s *Store) RepeatCIAnalysis(ctx context.Context, t domain.Tenant, v CIAnalysis, attempts []string) (id string, added Added,
	repeat int, err error) {
	added = AddedKnown
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.PullRequestForUpdate(ctx, t, v.PullRequest); err != nil {
			return err
		}
		type former struct {
			id, host, facts, state string
			jobs                   int
		}
		f, err := first(ctx, s, s.db.Write, func(r scanner, f *former) error {
			return r.Scan(&f.id, &f.host, &f.facts, &f.state, &f.jobs)
		}, `SELECT id, job_id, facts, state, (SELECT COUNT(*) FROM jobs WHERE subject = a.id AND kind = $5) FROM ci_analyses a
			WHERE tenant_id = $1 AND pull_request_id = $2 AND head_sha = $3 AND job_key = $4`,
			[]any{t.ID, v.PullRequest, v.HeadSHA, v.Key, string(domain.KindCI)})
		if err != nil {
			return err
		}
		id = f.id
		if f.host != "" && slices.Contains(attempts, f.host) || f.host == "" && v.HostJob == "" && f.facts == v.Facts {
			return nil
		}
		state := domain.CIState(f.state)
		if state.Terminal() {
			if f.jobs > domain.MaxCIRepeats {
				added = AddedOverLimit
				return nil
			}
			state, added, repeat = domain.CIQueued, AddedNew, f.jobs
		}
		_, err = s.exec(ctx, `UPDATE ci_analyses SET state = $3, job_id = $4, url = $5, facts = $6, no_log = $7, source = $8,
			passed_us = NULL, finished_us = NULL WHERE tenant_id = $1 AND id = $2`, t.ID, f.id, string(state), v.HostJob, v.URL, v.Facts,
			v.NoLog, v.Source)
		return err
	})
	if err != nil {
		return "", "", 0, err
	}
	return id, added, repeat, nil
}

// MoveCI moves an analysis to another state. reason is for people; "" keeps the former reason. It returns false if the analysis is
// not in state from any more, and an error for an illegal transition.
func (s *Store) MoveCI(ctx context.Context, t domain.Tenant, id string, from, to domain.CIState, reason string) (moved bool, err error) {
	if !domain.CIMayMove(from, to) {
		return false, errs.New(errs.Internal, "illegal_transition", "An analysis of a failed job cannot go from %s to %s.", from, to)
	}
	return s.exec1(ctx, `UPDATE ci_analyses SET state = $4, reason = CASE WHEN $5 = '' THEN reason ELSE $5 END,
			started_us = CASE WHEN $4 = 'running' THEN {now} ELSE started_us END, finished_us = CASE WHEN $6 THEN {now} ELSE finished_us END
		WHERE tenant_id = $1 AND id = $2 AND state = $3`, t.ID, id, string(from), string(to), clip.Bytes(reason, 500), to.Terminal())
}

// SetCIResult records the result of a running analysis. Its cost is the sum of the model calls with its id. It returns false if
// the analysis is not running, or has another attempt of the job by now.
func (s *Store) SetCIResult(ctx context.Context, t domain.Tenant, v CIAnalysis) (bool, error) {
	return s.exec1(ctx, `UPDATE ci_analyses SET cause = $3, evidence = $4, suggestion = $5, relation = $6, tool = $7, kept_log = $8,
		log_lines = $9, no_log = $10, notes = $11, method = $12, model = $13, on_base = $14, reason = $15,
			cost_micros = (SELECT CASE WHEN COUNT(*) = COUNT(c.cost_micros) THEN SUM(c.cost_micros) END FROM llm_calls c
				WHERE c.tenant_id = $1 AND c.run_id = $2)
		WHERE tenant_id = $1 AND id = $2 AND state = 'running' AND job_id = $16 AND facts = $17`,
		t.ID, v.ID, v.Cause, v.Evidence, v.Suggestion, v.Relation, v.Tool, v.Log, v.LogLines, v.NoLog, v.Notes, v.Method, v.Model, v.OnBase, clip.Bytes(v.Reason, 500), v.HostJob, v.Facts)
}

// MarkCIPassed records that jobs of a head have passed, so that their analyses are suspected to be flaky. It returns the number of
// analyses that it has changed.
func (s *Store) MarkCIPassed(ctx context.Context, t domain.Tenant, pull, head string, keys []string) (n int64, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		for _, k := range keys {
			more, err := s.exec(ctx, `UPDATE ci_analyses SET flaky = TRUE, passed_us = {now} WHERE tenant_id = $1 AND pull_request_id = $2
				AND head_sha = $3 AND job_key = $4 AND job_key <> '' AND passed_us IS NULL`, t.ID, pull, head, k)
			if err != nil {
				return err
			}
			n += more
		}
		return nil
	})
	return n, err
}

// CIAnswer reads a model's stored answer to an analysis's question. It returns ok false if the stored answer has another hash.
func (s *Store) CIAnswer(ctx context.Context, t domain.Tenant, id, hash string) (out []byte, ok bool, err error) {
	answer, err := one(ctx, s, value[string], `SELECT answer FROM ci_analyses WHERE tenant_id = $1 AND id = $2 AND answer_hash = $3
		AND answer_hash <> ''`, t.ID, id, hash)
	if isAbsent(err) {
		return nil, false, nil
	}
	return []byte(answer), err == nil, err
}

// SaveCIAnswer stores a model's answer to an analysis's question. It replaces the answer to another question, and ignores a second
// answer to the same one.
func (s *Store) SaveCIAnswer(ctx context.Context, t domain.Tenant, id, hash string, out []byte) error {
	_, err := s.exec(ctx, `UPDATE ci_analyses SET answer_hash = $3, answer = $4 WHERE tenant_id = $1 AND id = $2
		AND answer_hash <> $3`, t.ID, id, hash, string(out))
	return err
}

// maxPullsOfHead is the most pull requests that [Store.OpenPullsOfHead] returns (design choice).
const maxPullsOfHead = 20

// OpenPullsOfHead lists the open pull requests of a repository with a head, oldest first, at most [maxPullsOfHead].
func (s *Store) OpenPullsOfHead(ctx context.Context, t domain.Tenant, repository, head string) ([]PullRequest, error) {
	return many(ctx, s, scanPull, `SELECT `+pullColumns+` FROM pull_requests WHERE tenant_id = $1 AND repository_id = $2 AND head_sha = $3
		AND state = 'open' ORDER BY number LIMIT $4`, t.ID, repository, head, maxPullsOfHead)
}
