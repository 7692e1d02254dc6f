package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// settleFirst and settleMost bound the pauses between questions about an
// unsettled publication: 30 s, doubled each time, at most an hour.
const (
	settleFirst = 30 * time.Second
	settleMost  = time.Hour
)

// LeaveUnsettled notes that the job of a publication died after its draft was
// chosen: only the host knows whether the review is visible. Whoever still works
// on it is fenced off. cause and reason are the run's, if nothing turns out to
// be visible. False: nothing was chosen, or the publication is over.
func (s *Store) LeaveUnsettled(ctx context.Context, t domain.Tenant, run string, cause domain.EndCause, reason string) (bool, error) {
	return s.exec1(ctx, `UPDATE publications SET gen = gen + 1, settle_us = {now}, settle_tries = 0, settle_cause = $3, reason = $4, updated_us = {now}
		WHERE tenant_id = $1 AND run_id = $2 AND phase IN ('CHOSEN', 'SUBMITTING')`, t.ID, run, string(cause), clip.Bytes(reason, 500))
}

// TakeUnsettled makes the caller the one that asks the host about a publication
// that is not settled, under a new generation; the next may ask after a growing
// pause. It is given where the pause is over, or where nobody has touched it for
// spacing. Kind [errs.NotFound]: there is none, or it is not the time.
func (s *Store) TakeUnsettled(ctx context.Context, t domain.Tenant, run string, spacing time.Duration) (Publication, error) {
	pause := settleFirst
	tries, err := first(ctx, s, s.db.Write, value[int], `SELECT settle_tries FROM publications WHERE tenant_id = $1 AND run_id = $2 AND settle_us IS NOT NULL`, []any{t.ID, run})
	if err != nil {
		return Publication{}, err
	}
	for range min(tries, 10) {
		pause = min(2*pause, settleMost)
	}
	return returning(ctx, s, scanPublication, `UPDATE publications SET gen = gen + 1, settle_us = {now} + $3, settle_tries = settle_tries + 1, updated_us = {now}
		WHERE tenant_id = $1 AND run_id = $2 AND settle_tries = $5 AND phase IN ('CHOSEN', 'SUBMITTING') AND (settle_us <= {now} OR settle_us IS NOT NULL AND updated_us <= {now} - $4)
		RETURNING `+publicationColumns, t.ID, run, pause.Microseconds(), spacing.Microseconds(), tries)
}

// PutOffSettling has a publication that is not settled wait, because there is nobody to
// ask: its repository is disconnected. How often it was asked is forgotten, so that the
// questions begin anew when it is back. It fences nobody off.
func (s *Store) PutOffSettling(ctx context.Context, t domain.Tenant, run string, pause time.Duration) error {
	_, err := s.exec(ctx, `UPDATE publications SET settle_us = {now} + $3, settle_tries = 0 WHERE tenant_id = $1 AND run_id = $2 AND settle_us IS NOT NULL`, t.ID, run, pause.Microseconds())
	return err
}

// GiveUpSettling abandons a publication that is not settled and of which nobody could be asked for so
// long, because its repository stays disconnected. False: there is none like that.
func (s *Store) GiveUpSettling(ctx context.Context, t domain.Tenant, run, reason string, after time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE publications SET phase = 'ABANDONED', reason = $3, gen = gen + 1, updated_us = {now}, settle_us = NULL, clean_us = {now} + $4
		WHERE tenant_id = $1 AND run_id = $2 AND settle_us IS NOT NULL AND phase IN ('CHOSEN', 'SUBMITTING') AND updated_us <= {now} - $5`,
		t.ID, run, clip.Bytes(reason, 500), cleanAfter[0].Microseconds(), after.Microseconds())
}

// UnsettledRuns lists the runs whose publications are due to be asked about.
func (s *Store) UnsettledRuns(ctx context.Context, limit int) ([]Run, error) {
	return many(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE id IN (SELECT run_id FROM publications WHERE settle_us <= {now} ORDER BY settle_us LIMIT $1) ORDER BY created_us, id`, limit)
}

// UnsettledOf returns the run of a pull request whose publication is not
// settled; kind [errs.NotFound] where there is none.
func (s *Store) UnsettledOf(ctx context.Context, t domain.Tenant, pull string) (Run, error) {
	return one(ctx, s, scanRun, `SELECT `+runColumns+` FROM review_runs WHERE tenant_id = $1 AND pull_request_id = $2 AND state = 'publishing'
		AND id IN (SELECT run_id FROM publications WHERE tenant_id = $1 AND settle_us IS NOT NULL) ORDER BY created_us, id LIMIT 1`, t.ID, pull)
}

// cleanAfter are the pauses after which the janitor looks for drafts of a
// publication that has ended: what a host applies late appears within them.
var cleanAfter = [...]time.Duration{time.Minute, 10 * time.Minute, time.Hour}

// TakeUnclean returns the ids of the runs whose ended publications may have left
// a draft and are due to be looked at, at most limit of them, and sets the time
// of the next look of each.
func (s *Store) TakeUnclean(ctx context.Context, limit int) ([]string, error) {
	return returned(ctx, s, value[string], `WITH due AS MATERIALIZED (SELECT id FROM publications WHERE clean_us <= {now} ORDER BY id LIMIT $1{forupdate})
		UPDATE publications SET clean_tries = clean_tries + 1, clean_us = CASE clean_tries WHEN 0 THEN {now} + $2 WHEN 1 THEN {now} + $3 ELSE NULL END
		WHERE clean_us <= {now} AND id IN (SELECT id FROM due) RETURNING run_id`, limit, cleanAfter[1].Microseconds(), cleanAfter[2].Microseconds())
}

// PriorWrites says how many writes of a verb about a subject may have been
// applied, and how long ago the newest of them ended, or began where its end is
// not known. One that the host refused, or that was surely not sent, is not
// among them.
func (s *Store) PriorWrites(ctx context.Context, t domain.Tenant, kind, subject, verb string) (n int, age time.Duration, err error) {
	type prior struct{ n, us int64 }
	p, err := first(ctx, s, s.db.Write, func(r scanner, p *prior) error { return r.Scan(&p.n, &p.us) },
		`SELECT COUNT(*), COALESCE({now} - MAX(COALESCE(finished_us, started_us)), 0) FROM write_attempts
			WHERE tenant_id = $1 AND subject_kind = $2 AND subject_id = $3 AND verb = $4 AND outcome IN ('', 'ok', 'ambiguous')`, []any{t.ID, kind, subject, verb})
	return int(p.n), time.Duration(p.us) * time.Microsecond, err
}

// BeginCheck commits the intent of making the check run of a run before it is
// sent, unless more than prior of them may have been applied: of two workers
// that both saw prior, one may go on. The subject of w is the run.
func (s *Store) BeginCheck(ctx context.Context, t domain.Tenant, w WriteAttempt, prior int) (id string, held bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		_, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM review_runs WHERE tenant_id = $1 AND id = $2{forupdate}`, []any{t.ID, w.SubjectID})
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

// SetCheckID records the host's id of a run's check run, once.
func (s *Store) SetCheckID(ctx context.Context, t domain.Tenant, run, id string) error {
	_, err := s.exec(ctx, `UPDATE review_runs SET check_id = $3 WHERE tenant_id = $1 AND id = $2 AND check_id = ''`, t.ID, run, id)
	return err
}
