package store

import (
	"cmp"
	"context"
	"math"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// PullRequest is the stored state of a pull request. Title and author are text from outside.
type PullRequest struct {
	ID, Tenant, Repository          string
	Number                          int
	Title, Author, HeadSHA, BaseRef string
	State                           string // open, closed, merged
	Draft, Paused                   bool
	ActiveRun                       string
	SummaryReview                   domain.HostID
	ReviewedHead                    string
	HostUpdatedUS                   int64
	AuthorID                        domain.HostID  // "" if unknown
	HeadRef                         string         // "" if unknown
	TargetTip                       string         // see [Store.SetTargetTip]
	FeedbackHead                    string         // see [Store.SetFeedbackHead]
	FeedbackAfter                   FeedbackCursor // see [Store.SetFeedbackAfter]
}

const pullColumns = `id, tenant_id, repository_id, number, title, author, head_sha, base_ref, state, draft, paused, active_run,
	COALESCE(NULLIF(summary_text, ''), CAST(summary_review AS TEXT)), reviewed_head, host_updated_us,
	COALESCE(NULLIF(author_text, ''), CAST(author_id AS TEXT)), head_ref, target_tip, feedback_head, feedback_after`

func scanPull(r scanner, p *PullRequest) error {
	return r.Scan(&p.ID, &p.Tenant, &p.Repository, &p.Number, &p.Title, &p.Author, &p.HeadSHA, &p.BaseRef, &p.State, &p.Draft, &p.Paused,
		text(&p.ActiveRun), hostID(&p.SummaryReview), &p.ReviewedHead, &p.HostUpdatedUS, hostID(&p.AuthorID), &p.HeadRef, &p.TargetTip,
		&p.FeedbackHead, &p.FeedbackAfter)
}

// UpsertPullRequest creates or refreshes a pull request that was read from the host. An older answer never
// overwrites a newer one; the host's clock decides.
func (s *Store) UpsertPullRequest(ctx context.Context, t domain.Tenant, p PullRequest) (PullRequest, error) {
	return s.upsertPullRequest(ctx, t, p, `pull_requests.host_updated_us <= excluded.host_updated_us`)
}

// RecordPullRequestEvent creates or refreshes a pull request from an event. Hosts' clocks tick in seconds, and
// events overtake each other. If an event has the stored time but another head, target, state or draft
// flag, the stored facts stay and contradicted is true; the caller must then ask the host.
func (s *Store) RecordPullRequestEvent(ctx context.Context, t domain.Tenant,
	p PullRequest) (row PullRequest, contradicted bool, err error) {
	row, err = s.upsertPullRequest(ctx, t, p, `(pull_requests.host_updated_us < excluded.host_updated_us
		OR pull_requests.host_updated_us = excluded.host_updated_us
		AND pull_requests.head_sha = excluded.head_sha AND pull_requests.base_ref = excluded.base_ref
			AND pull_requests.state = excluded.state AND pull_requests.draft = excluded.draft)`)
	differs := row.HeadSHA != p.HeadSHA || row.BaseRef != p.BaseRef || row.State != p.State || row.Draft != p.Draft
	return row, differs && row.HostUpdatedUS == p.HostUpdatedUS, err
}

// upsertPullRequest inserts a pull request, or overwrites the stored one if the condition newer holds. It
// locks and returns the row.
func (s *Store) upsertPullRequest(ctx context.Context, t domain.Tenant, p PullRequest, newer string) (PullRequest, error) {
	if _, err := s.exec(ctx, `INSERT INTO pull_requests (id, tenant_id, repository_id, number, title, author, head_sha, base_ref,
		state, draft, host_updated_us, author_id, author_text, head_ref, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, {now}, {now})
		ON CONFLICT (repository_id, number) DO UPDATE SET title = excluded.title, head_sha = excluded.head_sha, base_ref = excluded.base_ref,
			head_ref = CASE WHEN excluded.head_ref = '' THEN pull_requests.head_ref ELSE excluded.head_ref END,
			state = excluded.state, draft = excluded.draft, host_updated_us = excluded.host_updated_us, updated_us = excluded.updated_us,
			author_id = CASE WHEN excluded.author_id = 0 THEN pull_requests.author_id ELSE excluded.author_id END,
			author_text = CASE WHEN excluded.author_id = 0 THEN pull_requests.author_text ELSE excluded.author_text END
		WHERE pull_requests.tenant_id = excluded.tenant_id AND `+newer,
		domain.NewID("pr"), t.ID, p.Repository, p.Number, clip.Bytes(p.Title, 500), p.Author, p.HeadSHA, p.BaseRef, p.State, p.Draft,
		p.HostUpdatedUS, numericKey(p.AuthorID), idText(p.AuthorID), clip.Bytes(p.HeadRef, 500)); err != nil {
		return PullRequest{}, err
	}
	return first(ctx, s, s.db.Write, scanPull, `SELECT `+pullColumns+
		` FROM pull_requests WHERE tenant_id = $1 AND repository_id = $2 AND number = $3{forupdate}`,
		[]any{t.ID, p.Repository, p.Number})
}

// PullRequest reads a pull request by its id.
func (s *Store) PullRequest(ctx context.Context, t domain.Tenant, id string) (PullRequest, error) {
	return one(ctx, s, scanPull, `SELECT `+pullColumns+` FROM pull_requests WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// PullRequestNumbered reads a pull request of a repository by its number.
func (s *Store) PullRequestNumbered(ctx context.Context, t domain.Tenant, repository string, number int) (PullRequest, error) {
	return one(ctx, s, scanPull, `SELECT `+pullColumns+` FROM pull_requests WHERE tenant_id = $1 AND repository_id = $2
		AND number = $3`, t.ID, repository, number)
}

// PullRequestForUpdate reads a pull request and locks its row until the caller's transaction ends.
func (s *Store) PullRequestForUpdate(ctx context.Context, t domain.Tenant, id string) (PullRequest, error) {
	return first(ctx, s, s.db.Write, scanPull, `SELECT `+pullColumns+` FROM pull_requests WHERE tenant_id = $1 AND id = $2{forupdate}`,
		[]any{t.ID, id})
}

// SetPaused pauses or resumes automatic reviews of a pull request.
func (s *Store) SetPaused(ctx context.Context, t domain.Tenant, pull string, paused bool) error {
	_, err := s.exec(ctx, `UPDATE pull_requests SET paused = $3, updated_us = {now} WHERE tenant_id = $1 AND id = $2`, t.ID, pull, paused)
	return err
}

// ClaimPullRequest makes a run the active run of its pull request. It succeeds if there is no other active
// run or that run has ended. It locks the row first, so that the deciding statement sees a run that claimed
// the pull request while this call waited for the lock.
func (s *Store) ClaimPullRequest(ctx context.Context, t domain.Tenant, pull, run string) (claimed bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		_, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM pull_requests WHERE tenant_id = $1 AND id = $2{forupdate}`,
			[]any{t.ID, pull})
		if err != nil {
			return err
		}
		claimed, err = s.exec1(ctx, `UPDATE pull_requests SET active_run = $3 WHERE tenant_id = $1 AND id = $2
			AND (active_run IS NULL OR active_run = $3
				OR NOT EXISTS (SELECT 1 FROM review_runs r WHERE r.tenant_id = $1 AND r.id = pull_requests.active_run
					AND r.state IN ('queued', 'running', 'publishing')))
			AND EXISTS (SELECT 1 FROM review_runs r WHERE r.tenant_id = $1 AND r.pull_request_id = $2 AND r.id = $3)`, t.ID, pull, run)
		return err
	})
	if isAbsent(err) {
		err = nil
	}
	return claimed && err == nil, err
}

// Run is a review run.
type Run struct {
	ID, Tenant, Repository, PullRequest string
	Number                              int
	HeadSHA, BaseSHA, MergeBase         string
	BaseRef                             string // the pull request's target branch when the run was created
	Verdict                             string // see [Store.SetVerdict]
	TriggerKey, TriggerEvent, Delivery  string
	Depth                               domain.Depth
	State                               domain.RunState
	End                                 domain.EndCause // "" until the run has ended
	Reason, SupersededBy                string
	CheckID                             string // the host's id of the check run; "" before it is known
	Tier, ModelState                    string
	Progress, Summary                   string // JSON
	EngineVersion                       string
	PromptHash                          string // of the texts and schemas in prompts; "" before the run starts
	Asker                               domain.Asker
	Thresholds                          string // JSON; see [Store.FreezeThresholds]; "" before the run starts
	ModelDeadlineUS                     int64
	CreatedUS, StartedUS, FinishedUS    int64
	NowUS                               int64 // the database's clock when the row was read
}

// Owner returns the tenant of the run.
func (r Run) Owner() domain.Tenant { return domain.Tenant{ID: r.Tenant} }

const runColumns = `id, tenant_id, repository_id, pull_request_id, number, head_sha, base_sha, merge_base, trigger_key,
	trigger_event, delivery_id, state, reason, superseded_by,
	tier, model_state, progress, summary, engine_version, model_deadline_us, created_us, started_us, finished_us, end_cause, check_id,
		depth, prompt_hash, asked_how, asked_by, asked_name, base_ref, verdict, thresholds, {now}`

func scanRun(r scanner, v *Run) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Repository, &v.PullRequest, &v.Number, &v.HeadSHA, &v.BaseSHA, &v.MergeBase, &v.TriggerKey,
		&v.TriggerEvent, &v.Delivery, &v.State,
		&v.Reason, text(&v.SupersededBy), &v.Tier, &v.ModelState, &v.Progress, &v.Summary, &v.EngineVersion, number(&v.ModelDeadlineUS),
		&v.CreatedUS,
		number(&v.StartedUS), number(&v.FinishedUS), &v.End, &v.CheckID, &v.Depth, &v.PromptHash, text((*string)(&v.Asker.How)),
		&v.Asker.UserID, &v.Asker.Name, &v.BaseRef, &v.Verdict, text(&v.Thresholds), &v.NowUS)
}

// CreateRun creates a run with its first transition, or returns the existing run with the same key and made
// false. Call it in the transaction that creates the job.
func (s *Store) CreateRun(ctx context.Context, t domain.Tenant, v Run) (run Run, made bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		run, err = returning(ctx, s, scanRun, `INSERT INTO review_runs (id, tenant_id, repository_id, pull_request_id, number, head_sha,
			trigger_key, trigger_event, delivery_id, depth, asked_how, asked_by, asked_name, base_ref, state, created_us)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'queued', {now})
			ON CONFLICT (tenant_id, repository_id, number, head_sha, trigger_key) DO NOTHING RETURNING `+runColumns,
			domain.NewID("run"), t.ID, v.Repository, v.PullRequest, v.Number, v.HeadSHA, v.TriggerKey, v.TriggerEvent, v.Delivery,
			string(cmp.Or(v.Depth, domain.DepthFull)),
			null(string(v.Asker.How)), v.Asker.UserID, clip.Bytes(v.Asker.Name, 200), v.BaseRef)
		if err == nil {
			made = true
			return s.addTransition(ctx, t, run.ID, "", domain.RunQueued, "made by "+v.TriggerEvent)
		}
		if !isAbsent(err) || s.db.IsForeign(err) {
			return err
		}
		run, err = first(ctx, s, s.db.Write, scanRun, `SELECT `+runColumns+
			` FROM review_runs WHERE tenant_id = $1 AND repository_id = $2 AND number = $3 AND head_sha = $4 AND trigger_key = $5`,
			[]any{t.ID, v.Repository, v.Number, v.HeadSHA, v.TriggerKey})
		return err
	})
	if err != nil {
		return Run{}, false, err
	}
	return run, made, nil
}

// OpenRuns lists the open runs of a pull request without the run except.
func (s *Store) OpenRuns(ctx context.Context, t domain.Tenant, pull, except string) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND id <> $3
		AND state IN ('queued', 'running', 'awaiting_approval', 'publishing') ORDER BY created_us, id`, t.ID, pull, except)
}

// OpenRunsOfAccess lists the open runs on the repositories of an access.
func (s *Store) OpenRunsOfAccess(ctx context.Context, t domain.Tenant, access string) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1
		AND state IN ('queued', 'running', 'awaiting_approval', 'publishing')
		AND repository_id IN (SELECT id FROM repositories WHERE tenant_id = $1 AND access_id = $2) ORDER BY created_us, id`, t.ID, access)
}

// AccessBusy reports whether assay still has to write to the host about runs on the repositories of an
// access: a run is open, or its end is not shown yet. It ignores runs whose publication can no longer be
// settled through the access.
func (s *Store) AccessBusy(ctx context.Context, t domain.Tenant, access string) (bool, error) {
	n, err := first(ctx, s, s.db.Write, value[int64], `SELECT COUNT(*) FROM review_runs r WHERE r.tenant_id = $1
		AND r.repository_id IN (SELECT id FROM repositories WHERE tenant_id = $1 AND access_id = $2)
		AND (r.state IN ('queued', 'running', 'awaiting_approval', 'publishing')
				AND NOT EXISTS (SELECT 1 FROM publications p WHERE p.run_id = r.id AND p.settle_tries = 0 AND p.settle_us > {now})
			OR EXISTS (SELECT 1 FROM jobs j WHERE j.subject = r.id AND j.kind = 'review.reflect' AND j.state IN ('queued', 'running')
				AND j.run_us < {now} + 60000000))`, []any{t.ID, access})
	return n > 0, err
}

// EarlierReviews counts earlier reviews with a model that events started within a time before a run: those
// of the same author in the tenant, and those of reduced depth in the same repository. Runs that ended
// before they needed a model do not count, for example those limited to deterministic checks.
func (s *Store) EarlierReviews(ctx context.Context, t domain.Tenant, run string, within time.Duration) (author, outside int64, err error) {
	type pair struct{ author, outside int64 }
	v, err := one(ctx, s, func(r scanner, v *pair) error { return r.Scan(&v.author, &v.outside) },
		`SELECT COUNT(*) FILTER (WHERE p.author = mp.author AND p.author_id = mp.author_id), COUNT(*) FILTER (WHERE r.depth = 'reduced'
			AND r.repository_id = m.repository_id)
		FROM review_runs m JOIN pull_requests mp ON mp.tenant_id = m.tenant_id AND mp.id = m.pull_request_id
		JOIN review_runs r ON r.tenant_id = m.tenant_id AND r.started_us > m.started_us - $3
			AND (r.started_us, r.id) < (m.started_us, m.id) AND r.trigger_key LIKE 'auto%'
			AND (r.model_deadline_us IS NOT NULL OR r.finished_us IS NULL)
		JOIN pull_requests p ON p.tenant_id = r.tenant_id AND p.id = r.pull_request_id
		WHERE m.tenant_id = $1 AND m.id = $2`, t.ID, run, within.Microseconds())
	return v.author, v.outside, err
}

// RunMove is a transition of a run.
type RunMove struct {
	From, To     domain.RunState
	End          domain.EndCause // why it ends; "" if it continues
	Cause        string          // shown in the history
	Reason       string          // stored on the run at its end
	SupersededBy string
}

// MoveRun makes a transition and writes its history row, in the caller's transaction or its own. It returns
// false if the run is not in state From any more, and an error for an illegal transition.
func (s *Store) MoveRun(ctx context.Context, t domain.Tenant, id string, m RunMove) (moved bool, err error) {
	if !domain.RunMayMove(m.From, m.To) {
		return false, errs.New(errs.Internal, "illegal_transition", "A run cannot go from %s to %s.", m.From, m.To)
	}
	err = s.Atomically(ctx, func(ctx context.Context) error {
		moved, err = s.exec1(ctx, `UPDATE review_runs SET state = $4,
				reason = CASE WHEN $5 = '' THEN reason ELSE $5 END,
				superseded_by = COALESCE($6, superseded_by),
				end_cause = CASE WHEN $8 = '' THEN end_cause ELSE $8 END,
				started_us = CASE WHEN $4 = 'running' AND started_us IS NULL THEN {now} ELSE started_us END,
				finished_us = CASE WHEN $7 THEN {now} ELSE finished_us END
			WHERE tenant_id = $1 AND id = $2 AND state = $3`, t.ID, id, string(m.From), string(m.To), clip.Bytes(m.Reason, 2000),
			null(m.SupersededBy), m.To.Terminal(), string(m.End))
		if err != nil || !moved {
			return err
		}
		return s.addTransition(ctx, t, id, m.From, m.To, m.Cause)
	})
	return moved && err == nil, err
}

func (s *Store) addTransition(ctx context.Context, t domain.Tenant, run string, from, to domain.RunState, cause string) error {
	_, err := s.exec(ctx, `INSERT INTO run_transitions (run_id, seq, tenant_id, from_state, to_state, cause, at_us)
		SELECT $1, COUNT(*) + 1, $2, $3, $4, $5, {now} FROM run_transitions WHERE run_id = $1`, run, t.ID, string(from), string(to),
		clip.Bytes(cause, 500))
	return err
}

// Transition is a step in the history of a run.
type Transition struct {
	Seq      int64
	From, To string
	Cause    string
	AtUS     int64
}

// Transitions lists the transitions of a run, oldest first.
func (s *Store) Transitions(ctx context.Context, t domain.Tenant, run string) ([]Transition, error) {
	return many(ctx, s, func(r scanner, v *Transition) error { return r.Scan(&v.Seq, &v.From, &v.To, &v.Cause, &v.AtUS) },
		`SELECT seq, from_state, to_state, cause, at_us FROM run_transitions WHERE tenant_id = $1 AND run_id = $2 ORDER BY seq`, t.ID, run)
}

// Run reads a run of a tenant.
func (s *Store) Run(ctx context.Context, t domain.Tenant, id string) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// RunForWork reads a run of any tenant by its id, for its job.
func (s *Store) RunForWork(ctx context.Context, id string) (Run, error) {
	return first(ctx, s, s.db.Write, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE id = $1`, []any{id})
}

// RunFilter narrows a list of runs.
type RunFilter struct {
	State  domain.RunState // "" for all
	Number int             // 0 for all
	Before Cursor          // zero for the newest page
	Limit  int             // 50 if 0
}

// Cursor is a place in a list that is ordered newest first. The zero value is the start of the list.
type Cursor struct {
	US int64
	ID string
}

// from returns the time of the place, and the maximum time for the start of the list. A condition that a
// parameter switches off would keep the engines from starting at the place in the index.
func (c Cursor) from() int64 {
	if c.ID == "" {
		return math.MaxInt64
	}
	return c.US
}

// Runs lists the runs of a repository, newest first.
func (s *Store) Runs(ctx context.Context, t domain.Tenant, repository string, f RunFilter) ([]Run, error) {
	text, args := f.statement(t, repository)
	return many(ctx, s, scanRun, text, args...)
}

// statement contains only the conditions that narrow the list; see [Cursor].
func (f RunFilter) statement(t domain.Tenant, repository string) (text string, args []any) {
	text = `SELECT ` + runColumns + ` FROM review_runs WHERE tenant_id = $1 AND repository_id = $2 AND (created_us, id) < ($3, $4)`
	args = []any{t.ID, repository, f.Before.from(), f.Before.ID}
	and := func(part string, v any) {
		args = append(args, v)
		text += part + strconv.Itoa(len(args))
	}
	if f.State != "" {
		and(` AND state = $`, string(f.State))
	}
	if f.Number != 0 {
		and(` AND number = $`, f.Number)
	}
	if f.Limit <= 0 {
		f.Limit = 50
	}
	and(` ORDER BY created_us DESC, id DESC LIMIT $`, f.Limit)
	return text, args
}

// RecentRuns lists the newest runs of the instance, for operators.
func (s *Store) RecentRuns(ctx context.Context, limit int) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs ORDER BY created_us DESC, id DESC LIMIT $1`, limit)
}

// StartModelWindow sets the deadline for the model; later calls keep it. It returns the remaining time by
// the database's clock.
func (s *Store) StartModelWindow(ctx context.Context, t domain.Tenant, run string, window time.Duration) (left time.Duration, err error) {
	us, err := returning(ctx, s, value[int64], `UPDATE review_runs SET model_deadline_us = COALESCE(model_deadline_us, {now} + $3)
		WHERE tenant_id = $1 AND id = $2
		RETURNING model_deadline_us - {now}`, t.ID, run, window.Microseconds())
	return time.Duration(us) * time.Microsecond, err
}

// SetRunProgress records the progress of a run for display. It returns false and writes nothing if the run
// is not open or does not exist.
func (s *Store) SetRunProgress(ctx context.Context, t domain.Tenant, run, progress string) (open bool, err error) {
	return s.exec1(ctx, `UPDATE review_runs SET progress = $3 WHERE tenant_id = $1 AND id = $2
		AND state IN ('queued', 'running', 'awaiting_approval', 'publishing')`, t.ID, run, progress)
}

// SetRunBase records the compared commits of a run, and the versions of engine and prompts.
func (s *Store) SetRunBase(ctx context.Context, t domain.Tenant, run, base, mergeBase, engineVersion, promptHash string) error {
	return must1(s.exec1(ctx, `UPDATE review_runs SET base_sha = $3, merge_base = $4, engine_version = $5, prompt_hash = $6
		WHERE tenant_id = $1 AND id = $2`, t.ID, run, base, mergeBase, engineVersion, promptHash))
}

// SetRunResult records the engine's result for the whole run.
func (s *Store) SetRunResult(ctx context.Context, t domain.Tenant, run, tier, modelState, summary string) error {
	return must1(s.exec1(ctx, `UPDATE review_runs SET tier = $3, model_state = $4, summary = $5 WHERE tenant_id = $1 AND id = $2`,
		t.ID, run, tier, modelState, summary))
}
