package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// DayUS is a day in microseconds. Figures count UTC days.
const DayUS = 86_400_000_000

// Now returns the database's clock in microseconds.
func (s *Store) Now(ctx context.Context) (int64, error) {
	return one(ctx, s, value[int64], `SELECT {now}`)
}

// The groups of costs.
const (
	CostsByDay        = "day"
	CostsByModel      = "model"
	CostsByTier       = "tier"
	CostsByRepository = "repository"
	CostsByKind       = "kind" // of run
)

// costPart is the expression that selects the group of a call c. $5 is the kind of group.
const costPart = `CASE $5 WHEN 'day' THEN CAST(c.started_us / 86400000000 AS TEXT) WHEN 'model' THEN c.model WHEN 'tier' THEN c.tier
				WHEN 'repository' THEN c.repository_id ELSE c.run_kind END`

// inCosts narrows the calls c to a time range and optionally a repository.
const inCosts = ` AND c.started_us >= $2 AND c.started_us < $3 AND ($4 = '' OR c.repository_id = $4)`

// Cost sums the calls of one group.
type Cost struct {
	Key  string // days since 1970-01-01, model, tier, repository id, or kind of run
	Name string // owner/name of a stored repository; "" otherwise

	Calls, Input, Cached, CacheWrite, Output, Reasoning int64

	CostMicros int64 // of the calls with a known price
	Unpriced   int64 // calls without a known price, including calls that never ended
	Estimated  int64 // calls with estimated token counts
}

// Costs sums the calls that began in [from, to) by group, ordered by key. An empty repository selects all
// repositories of the tenant.
func (s *Store) Costs(ctx context.Context, t domain.Tenant, repository, group string, from, to int64) ([]Cost, error) {
	return many(ctx, s, func(r scanner, v *Cost) error {
		return r.Scan(&v.Key, &v.Name, &v.Calls, &v.Input, &v.Cached, &v.CacheWrite, &v.Output, &v.Reasoning, &v.CostMicros, &v.Unpriced,
			&v.Estimated)
	}, `SELECT k.part, COALESCE((SELECT e.owner || '/' || e.name FROM repositories e WHERE e.tenant_id = $1 AND e.id = k.part), ''), k.calls,
			k.input, k.cached, k.cache_write, k.output, k.reasoning, k.cost, k.unpriced, k.estimated
		FROM (SELECT `+costPart+` AS part, COUNT(*) AS calls,
			CAST(SUM(c.input_tokens) AS BIGINT) AS input, CAST(SUM(c.cached_tokens) AS BIGINT) AS cached,
				CAST(SUM(c.cache_write_tokens) AS BIGINT) AS cache_write,
			CAST(SUM(c.output_tokens) AS BIGINT) AS output, CAST(SUM(c.reasoning_tokens) AS BIGINT) AS reasoning,
			CAST(COALESCE(SUM(c.cost_micros), 0) AS BIGINT) AS cost, COUNT(*) FILTER (WHERE c.cost_micros IS NULL) AS unpriced,
			COUNT(*) FILTER (WHERE c.estimated) AS estimated
			FROM llm_calls c WHERE c.tenant_id = $1`+inCosts+` GROUP BY 1) k
		ORDER BY k.part`, t.ID, from, to, repository, group)
}

// DayCost is the cost of one group on one day.
type DayCost struct {
	Day               int64  // days since 1970-01-01, UTC
	Key               string // as in [Cost]
	Calls, CostMicros int64
	Unpriced          int64
}

// DayCosts sums the costs of the groups in keys by day, in no particular order. The other parameters are as
// in [Store.Costs].
func (s *Store) DayCosts(ctx context.Context, t domain.Tenant, repository, group string, from, to int64, keys []string) ([]DayCost, error) {
	return manyIn(ctx, s, func(r scanner, v *DayCost) error { return r.Scan(&v.Day, &v.Key, &v.Calls, &v.CostMicros, &v.Unpriced) }, keys,
		`SELECT k.day, k.part, COUNT(*), CAST(COALESCE(SUM(k.cost), 0) AS BIGINT), COUNT(*) FILTER (WHERE k.cost IS NULL)
		FROM (SELECT c.started_us / 86400000000 AS day, `+costPart+` AS part, c.cost_micros AS cost FROM llm_calls c WHERE `+
			`c.tenant_id = $1`+inCosts+`) k
		WHERE k.part IN ({list}) GROUP BY k.day, k.part`, t.ID, from, to, repository, group)
}

// FigureScope selects the reviews and findings to count. Empty fields do not narrow it.
type FigureScope struct {
	From, To   int64  // [From, To)
	Repository string // only this repository
	Team       string // only the team's repositories
	Viewer     string // only repositories on which the host gave this person a role within the last hour
	Author     string // only pull requests whose author this person is, by a sign-in at the host or a confirmed link
}

func (f FigureScope) args(t domain.Tenant) []any {
	return []any{t.ID, f.From, f.To, f.Repository, f.Team, f.Viewer, f.Author}
}

// inFigures holds the conditions of a [FigureScope] on the rows r, without those on time.
var inFigures = ` AND ($4 = '' OR r.repository_id = $4)
	AND ($5 = '' OR r.repository_id IN (SELECT g.repository_id FROM analytics_team_repositories g WHERE g.tenant_id = $1 AND g.team_id = $5))
	AND ($6 = '' OR r.repository_id IN (SELECT x.repository_id FROM repository_roles x WHERE x.tenant_id = $1 AND x.user_id = $6
		AND x.role <> 'none' AND x.checked_us > {now} - 3600000000))
	AND ($7 = '' OR EXISTS (SELECT 1 FROM pull_requests o JOIN repositories e ON e.tenant_id = o.tenant_id AND e.id = o.repository_id
		JOIN accesses a ON a.tenant_id = e.tenant_id AND a.id = COALESCE(e.access_id, e.installation_id)
		WHERE o.tenant_id = $1 AND o.id = r.pull_request_id AND o.author_id <> 0 AND (EXISTS (SELECT 1 FROM identities d
			WHERE d.kind = 'codehost' AND d.issuer = a.host AND d.user_id = $7 AND d.subject = ` + authorSubject + `) OR ` +
	authorLinkedByHand(`$7`) + `)))`

// Outcomes counts the review runs created on one day, by state.
type Outcomes struct {
	Day   int64 // days since 1970-01-01, UTC
	State domain.RunState
	Count int64
}

// RunOutcomes counts review runs by day and state.
func (s *Store) RunOutcomes(ctx context.Context, t domain.Tenant, f FigureScope) ([]Outcomes, error) {
	return many(ctx, s, func(r scanner, v *Outcomes) error { return r.Scan(&v.Day, &v.State, &v.Count) },
		`SELECT r.created_us / 86400000000, r.state, COUNT(*) FROM review_runs r
		WHERE r.tenant_id = $1 AND r.created_us >= $2 AND r.created_us < $3`+inFigures+` GROUP BY 1, 2 ORDER BY 1, 2`, f.args(t)...)
}

// FirstReviews summarizes the time from the first sight of pull requests to their first review.
type FirstReviews struct{ Count, MedianUS, P90US int64 }

// FirstReviews measures the pull requests whose first completed run ended within the scope's time. A wait
// starts when the pull request was first seen. Median and 90th percentile use the nearest rank.
func (s *Store) FirstReviews(ctx context.Context, t domain.Tenant, f FigureScope) (FirstReviews, error) {
	return one(ctx, s, func(r scanner, v *FirstReviews) error { return r.Scan(&v.Count, &v.MedianUS, &v.P90US) },
		`WITH firsts AS (SELECT r.pull_request_id AS pull, MIN(r.finished_us) AS done FROM review_runs r
			WHERE r.tenant_id = $1 AND r.state = 'completed' AND r.finished_us IS NOT NULL`+inFigures+` GROUP BY r.pull_request_id),
		waits AS (SELECT f.done - p.created_us AS wait, ROW_NUMBER() OVER (ORDER BY f.done - p.created_us) AS place, COUNT(*) OVER () AS total
			FROM firsts f JOIN pull_requests p ON p.tenant_id = $1 AND p.id = f.pull WHERE f.done >= $2 AND f.done < $3)
		SELECT COUNT(*), COALESCE(MAX(CASE WHEN place = (total * 50 + 99) / 100 THEN wait END), 0),
			COALESCE(MAX(CASE WHEN place = (total * 90 + 99) / 100 THEN wait END), 0) FROM waits`,
		f.args(t)...)
}

// FindingFigures counts findings of one category and severity. Shown counts those in a published review.
// Dismissed, Open and Suppressed count current states.
type FindingFigures struct {
	Category, Severity                               string
	Found, Shown, Taken, Dismissed, Open, Suppressed int64
}

// FindingFigures counts the findings created within the scope's time, by category and severity. Taken
// counts shown findings that a later head resolved.
func (s *Store) FindingFigures(ctx context.Context, t domain.Tenant, f FigureScope) ([]FindingFigures, error) {
	return many(ctx, s, func(r scanner, v *FindingFigures) error {
		return r.Scan(&v.Category, &v.Severity, &v.Found, &v.Shown, &v.Taken, &v.Dismissed, &v.Open, &v.Suppressed)
	}, `SELECT r.category, r.severity, COUNT(*), COUNT(*) FILTER (WHERE r.posted_run IS NOT NULL),
		COUNT(*) FILTER (WHERE r.posted_run IS NOT NULL AND r.state = 'resolved'),
			COUNT(*) FILTER (WHERE r.state = 'dismissed'), COUNT(*) FILTER (WHERE r.state = 'open'),
				COUNT(*) FILTER (WHERE r.state = 'suppressed')
		FROM findings r WHERE r.tenant_id = $1 AND r.created_us >= $2 AND r.created_us < $3`+inFigures+` GROUP BY 1, 2 ORDER BY 1, 2`,
		f.args(t)...)
}

// CleanChanges counts merged pull requests whose reviews brought no change: with a published review, and without a shown
// finding that a later head resolved. Silent counts those without any comment on a line. A pull request belongs to the
// time at which its last review ended.
type CleanChanges struct{ Changes, Silent int64 }

// CleanChanges counts the clean changes in the scope.
func (s *Store) CleanChanges(ctx context.Context, t domain.Tenant, f FigureScope) (CleanChanges, error) {
	return one(ctx, s, func(r scanner, v *CleanChanges) error { return r.Scan(&v.Changes, &v.Silent) },
		`WITH lasts AS (SELECT r.pull_request_id AS pull, MAX(r.finished_us) AS done FROM review_runs r
			WHERE r.tenant_id = $1 AND r.state = 'completed' AND r.verdict <> '' AND r.finished_us IS NOT NULL`+inFigures+`
			GROUP BY r.pull_request_id)
		SELECT COUNT(*), COUNT(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM findings x WHERE x.tenant_id = $1 AND x.pull_request_id = p.id
			AND (x.comment_text <> '' OR x.comment_id <> 0)))
		FROM lasts l JOIN pull_requests p ON p.tenant_id = $1 AND p.id = l.pull
		WHERE p.state = 'merged' AND l.done >= $2 AND l.done < $3
			AND NOT EXISTS (SELECT 1 FROM findings x WHERE x.tenant_id = $1 AND x.pull_request_id = p.id AND x.posted_run IS NOT NULL
				AND x.state = 'resolved')`, f.args(t)...)
}
