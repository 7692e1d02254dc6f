package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// settleFirst and settleMost are the pauses between questions about an unsettled publication: 30 s, doubled
// each time, at most an hour.
const (
	settleFirst = 30 * time.Second
	settleMost  = time.Hour
)

// LeaveUnsettled records that the job of a publication died after the choice of a draft, so that only the
// host knows whether the review is visible. A new generation fences off a worker that still works on it.
// cause and reason go to the run if the review is not visible. It returns false if no draft was chosen or
// the publication has ended.
func (s *Store) LeaveUnsettled(ctx context.Context, t domain.Tenant, run string, cause domain.EndCause, reason string) (bool, error) {
	return s.exec1(ctx, `UPDATE publications SET gen = gen + 1, settle_us = {now}, settle_tries = 0, settle_cause = $3, reason = $4,
		updated_us = {now}
		WHERE tenant_id = $1 AND run_id = $2 AND phase IN ('CHOSEN', 'SUBMITTING')`, t.ID, run, string(cause), clip.Bytes(reason, 500))
}

// TakeUnsettled makes the caller the only one that asks the host about an unsettled publication, under a
// new generation. It schedules the next question after a growing pause. It succeeds if the pause is over,
// or if the publication was not updated for spacing. It returns [errs.NotFound] if the publication is not
// unsettled or not due.
func (s *Store) TakeUnsettled(ctx context.Context, t domain.Tenant, run string, spacing time.Duration) (Publication, error) {
	pause := settleFirst
	tries, err := first(ctx, s, s.db.Write, value[int], `SELECT settle_tries FROM publications WHERE tenant_id = $1 AND run_id = $2
		AND settle_us IS NOT NULL`, []any{t.ID, run})
	if err != nil {
		return Publication{}, err
	}
	for range min(tries, 10) {
		pause = min(2*pause, settleMost)
	}
	return returning(ctx, s, scanPublication, `UPDATE publications
		SET gen = gen + 1, settle_us = {now} + $3, settle_tries = settle_tries + 1, updated_us = {now}
		WHERE tenant_id = $1 AND run_id = $2 AND settle_tries = $5 AND phase IN ('CHOSEN', 'SUBMITTING')
			AND (settle_us <= {now} OR settle_us IS NOT NULL AND updated_us <= {now} - $4)
		RETURNING `+publicationColumns, t.ID, run, pause.Microseconds(), spacing.Microseconds(), tries)
}

// PostponeSettling postpones the questions about an unsettled publication whose repository is disconnected.
// It resets the count of questions, so that short pauses apply after the repository is back. The generation
// stays.
func (s *Store) PostponeSettling(ctx context.Context, t domain.Tenant, run string, pause time.Duration) error {
	_, err := s.exec(ctx, `UPDATE publications SET settle_us = {now} + $3, settle_tries = 0 WHERE tenant_id = $1 AND run_id = $2
		AND settle_us IS NOT NULL`, t.ID, run, pause.Microseconds())
	return err
}

// GiveUpSettling abandons an unsettled publication that was not updated for after, because its repository
// stays disconnected. It returns false if there is no such publication.
func (s *Store) GiveUpSettling(ctx context.Context, t domain.Tenant, run, reason string, after time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE publications SET phase = 'ABANDONED', reason = $3, gen = gen + 1, updated_us = {now}, settle_us = NULL,
		clean_us = {now} + $4
		WHERE tenant_id = $1 AND run_id = $2 AND settle_us IS NOT NULL AND phase IN ('CHOSEN', 'SUBMITTING') AND updated_us <= {now} - $5`,
		t.ID, run, clip.Bytes(reason, 500), cleanAfter[0].Microseconds(), after.Microseconds())
}

// UnsettledRuns lists the runs with unsettled publications that are due for a question to the host.
func (s *Store) UnsettledRuns(ctx context.Context, limit int) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs
		WHERE id IN (SELECT run_id FROM publications WHERE settle_us <= {now} ORDER BY settle_us LIMIT $1) ORDER BY created_us, id`, limit)
}

// UnsettledOf returns the oldest run of a pull request with an unsettled publication. It returns
// [errs.NotFound] if there is no such run.
func (s *Store) UnsettledOf(ctx context.Context, t domain.Tenant, pull string) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND state = 'publishing'
		AND id IN (SELECT run_id FROM publications WHERE tenant_id = $1 AND settle_us IS NOT NULL) ORDER BY created_us, id LIMIT 1`, t.ID, pull)
}

// cleanAfter holds the pauses after which the janitor looks for drafts of an ended publication. Writes that
// a host applies late appear within them.
var cleanAfter = [...]time.Duration{time.Minute, 10 * time.Minute, time.Hour}

// TakeUnclean returns at most limit ids of runs whose ended publications can have left a draft and are due
// for a look. It schedules the next look of each.
func (s *Store) TakeUnclean(ctx context.Context, limit int) ([]string, error) {
	return returned(ctx, s, value[string], `WITH due AS MATERIALIZED (SELECT id FROM publications WHERE clean_us <= {now} ORDER BY id
		LIMIT $1{forupdate})
		UPDATE publications SET clean_tries = clean_tries + 1, clean_us = CASE clean_tries WHEN 0 THEN {now} + $2 WHEN 1 THEN {now} + $3
			ELSE NULL END
		WHERE clean_us <= {now} AND id IN (SELECT id FROM due) RETURNING run_id`, limit, cleanAfter[1].Microseconds(),
		cleanAfter[2].Microseconds())
}

// PriorWrites counts the writes of a verb for a subject that the host can have applied. age is the time
// since the newest ended, or started if its end is unknown. Writes that the host refused or that were
// certainly not sent do not count.
func (s *Store) PriorWrites(ctx context.Context, t domain.Tenant, kind, subject, verb string) (n int, age time.Duration, err error) {
	type prior struct{ n, us int64 }
	p, err := first(ctx, s, s.db.Write, func(r scanner, p *prior) error { return r.Scan(&p.n, &p.us) },
		`SELECT COUNT(*), COALESCE({now} - MAX(COALESCE(finished_us, started_us)), 0) FROM write_attempts
			WHERE tenant_id = $1 AND subject_kind = $2 AND subject_id = $3 AND verb = $4 AND outcome IN ('', 'ok', 'ambiguous')`,
		[]any{t.ID, kind, subject, verb})
	return int(p.n), time.Duration(p.us) * time.Microsecond, err
}

// BeginCheck stores the intent to create the check run of a run before the request is sent. It returns held
// false if more than prior creates can have been applied, so that of two workers that both saw prior only
// one continues. The subject of w is the run.
func (s *Store) BeginCheck(ctx context.Context, t domain.Tenant, w WriteAttempt, prior int) (id string, held bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		_, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM review_runs WHERE tenant_id = $1 AND id = $2{forupdate}`,
			[]any{t.ID, w.SubjectID})
		if err != nil {
			return err
		}
		made, _, err := s.PriorWrites(ctx, t, w.SubjectKind, w.SubjectID, w.Verb)
		if err != nil || made > prior {
			return err
		}
		id, held, err = s.BeginWrite(ctx, t, w)
		return err
	})
	return id, held && err == nil, err
}

// SetCheckID records the host's id of a run's check run. Later calls have no effect.
func (s *Store) SetCheckID(ctx context.Context, t domain.Tenant, run, id string) error {
	_, err := s.exec(ctx, `UPDATE review_runs SET check_id = $3 WHERE tenant_id = $1 AND id = $2 AND check_id = ''`, t.ID, run, id)
	return err
}
