package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Calibration counts how often findings of a category were taken or refused, and has the threshold that follows.
type Calibration struct {
	Record
	Category     string
	Buckets      string // JSON array of [domain.CalibrationBucket]
	Taken        int64
	Refused      int64
	Ignored      int64  // findings whose only outcome is that they were ignored at merge
	ImpliedPPM   int64  // the threshold that the counts imply, in millionths; 0 until there is enough data
	ThresholdPPM int64  // the threshold in effect, in millionths; 0 for [domain.MediumConfidence]
	MovedUS      int64  // when the threshold moved last; 0 if it never did
	Held         string // why the threshold is not the implied one: a [domain.CalibrationHold]
	UpdatedUS    int64
}

func (v *Calibration) table() (string, string, []string, []any) {
	return "calibrations", "cal", []string{"category", "buckets", "taken", "refused", "ignored", "implied_ppm", "threshold_ppm", "moved_us",
			"held", "updated_us"},
		[]any{&v.Category, &v.Buckets, &v.Taken, &v.Refused, &v.Ignored, number(&v.ImpliedPPM), number(&v.ThresholdPPM), number(&v.MovedUS),
			&v.Held, &v.UpdatedUS}
}

// Calibrations lists the calibrations of a repository, newest first.
func (s *Store) Calibrations(ctx context.Context, t domain.Tenant, repository string, before Cursor, limit int) ([]Calibration, error) {
	return records[Calibration](ctx, s, t, repository, before, limit)
}

// SaveCalibration stores the calibration of a category of a repository in place of the earlier one, and returns it. It returns
// [errs.NotFound] if the tenant has no such repository.
func (s *Store) SaveCalibration(ctx context.Context, t domain.Tenant, v Calibration) (Calibration, error) {
	return returning(ctx, s, scanRecord[Calibration], `INSERT INTO calibrations (id, tenant_id, repository_id, category, buckets, taken,
			refused, ignored, implied_ppm, threshold_ppm, moved_us, held, updated_us, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, {now}, {now})
		ON CONFLICT (tenant_id, repository_id, category) DO UPDATE SET buckets = $5, taken = $6, refused = $7, ignored = $8,
			implied_ppm = $9, threshold_ppm = $10, moved_us = $11, held = $12, updated_us = {now}
		RETURNING `+recordColumns+`, category, buckets, taken, refused, ignored, implied_ppm, threshold_ppm, moved_us, held, updated_us`,
		domain.NewID("cal"), t.ID, v.Repository, v.Category, v.Buckets, v.Taken, v.Refused, v.Ignored, orNull(v.ImpliedPPM),
		orNull(v.ThresholdPPM), orNull(v.MovedUS), v.Held)
}

// orNull returns n, and NULL for 0.
func orNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// Thresholds returns the thresholds that the calibration of a repository has moved; none if the tenant has no such repository.
func (s *Store) Thresholds(ctx context.Context, t domain.Tenant, repository string) (domain.Thresholds, error) {
	rows, err := many(ctx, s, func(r scanner, v *Calibration) error { return r.Scan(&v.Category, &v.ThresholdPPM) },
		`SELECT category, threshold_ppm FROM calibrations WHERE tenant_id = $1 AND repository_id = $2 AND threshold_ppm > 0`, t.ID, repository)
	out := domain.Thresholds{}
	for _, v := range rows {
		out[domain.Category(v.Category)] = float64(v.ThresholdPPM) / 1e6
	}
	return out, err
}

// FreezeThresholds stores the thresholds that a run uses and returns them. Later calls keep and return the first ones, so that
// every attempt at the run decides alike. It returns [errs.NotFound] if the tenant has no such run.
func (s *Store) FreezeThresholds(ctx context.Context, t domain.Tenant, run string, v domain.Thresholds) (domain.Thresholds, error) {
	kept, err := returning(ctx, s, value[string], `UPDATE review_runs SET thresholds = COALESCE(thresholds, $3)
		WHERE tenant_id = $1 AND id = $2 RETURNING thresholds`, t.ID, run, JSON(v))
	if err != nil {
		return nil, err
	}
	return FromJSON[domain.Thresholds](kept), nil
}

// RepositoryKey names a repository with its tenant.
type RepositoryKey struct{ Tenant, Repository string }

// Pauses between two counts of a repository's outcomes.
const (
	calibrationPause = time.Hour      // at least, if outcomes changed
	calibrationDaily = 24 * time.Hour // at most, because a threshold moves with time
)

// DueCalibrations lists repositories whose outcomes are to be counted: those that were not counted in the last hour and whose
// outcomes have changed, or that were not counted in the last day. Those that wait longest come first. A count that lies more
// than an hour in the future, because the clock was set back, is due.
func (s *Store) DueCalibrations(ctx context.Context, limit int) ([]RepositoryKey, error) {
	return many(ctx, s, func(r scanner, v *RepositoryKey) error { return r.Scan(&v.Tenant, &v.Repository) },
		`SELECT r.tenant_id, r.id FROM repositories r
		LEFT JOIN calibration_checks c ON c.tenant_id = r.tenant_id AND c.repository_id = r.id
		WHERE c.checked_us IS NULL
				AND EXISTS (SELECT 1 FROM finding_outcomes o WHERE o.tenant_id = r.tenant_id AND o.repository_id = r.id)
			OR c.checked_us > {now} + $1
			OR c.checked_us <= {now} - $1 AND (c.checked_us <= {now} - $2
				OR c.outcomes <> (SELECT COUNT(*) FROM finding_outcomes o WHERE o.tenant_id = r.tenant_id AND o.repository_id = r.id)
				OR c.newest_us <> (SELECT COALESCE(MAX(o.created_us), 0) FROM finding_outcomes o
					WHERE o.tenant_id = r.tenant_id AND o.repository_id = r.id))
		ORDER BY COALESCE(c.checked_us, 0), r.id LIMIT $3`, calibrationPause.Microseconds(), calibrationDaily.Microseconds(), limit)
}

// StartCalibration records that the outcomes of a repository are counted now, in the caller's transaction. It returns false if
// they were counted in the last hour, also by another worker, or up to an hour in the future. It returns [errs.NotFound] if the
// tenant has no such repository.
func (s *Store) StartCalibration(ctx context.Context, t domain.Tenant, repository string) (started bool, err error) {
	return s.exec1(ctx, `INSERT INTO calibration_checks (tenant_id, repository_id, outcomes, newest_us, checked_us)
		SELECT $1, $2, COUNT(*), COALESCE(MAX(created_us), 0), {now} FROM finding_outcomes WHERE tenant_id = $1 AND repository_id = $2
		ON CONFLICT (tenant_id, repository_id) DO UPDATE SET outcomes = excluded.outcomes, newest_us = excluded.newest_us,
			checked_us = excluded.checked_us
		WHERE calibration_checks.checked_us <= {now} - $3 OR calibration_checks.checked_us > {now} + $3`,
		t.ID, repository, calibrationPause.Microseconds())
}

// RatedFinding is an outcome of a finding, with the facts of the finding that a calibration needs.
type RatedFinding struct {
	Finding, PullRequest, RuleID, Path string
	Category                           domain.Category
	Severity                           string
	Kind                               domain.OutcomeKind
	Person                             string // as in [domain.Outcome]
	ConfidencePPM                      int64  // millionths
}

// RatedFindings lists the outcomes of a repository since a time, with their findings, newest first, at most [maxOutcomes].
func (s *Store) RatedFindings(ctx context.Context, t domain.Tenant, repository string, sinceUS int64) ([]RatedFinding, error) {
	return many(ctx, s, func(r scanner, v *RatedFinding) error {
		return r.Scan(&v.Finding, &v.PullRequest, &v.RuleID, &v.Path, &v.Category, &v.Severity, &v.Kind, &v.Person, &v.ConfidencePPM)
	}, `SELECT o.finding_id, o.pull_request_id, o.rule_id, f.path, o.category, f.severity, o.kind, o.person, o.confidence_ppm
		FROM finding_outcomes o JOIN findings f ON f.tenant_id = o.tenant_id AND f.id = o.finding_id
		WHERE o.tenant_id = $1 AND o.repository_id = $2 AND o.created_us >= $3
		ORDER BY o.created_us DESC, o.finding_id, o.kind, o.person LIMIT $4`, t.ID, repository, sinceUS, maxOutcomes)
}
