package store

import "context"

// uncheckedAge is the time in microseconds for which a head may lack its check before it is listed (design choice): a
// check is made within seconds.
const uncheckedAge = "600000000"

// unchecked is the condition that the row of pull_requests is open and its head has no known check at its place, for longer
// than uncheckedAge. The column updated_us does not tell the age, because each sweep sets it.
const unchecked = `pull_requests.state = 'open' AND pull_requests.created_us < {now} - ` + uncheckedAge + `
	AND ` + headSince + ` < {now} - ` + uncheckedAge + ` AND NOT EXISTS (SELECT 1
	FROM head_checks h WHERE h.tenant_id = pull_requests.tenant_id AND h.repository_id = pull_requests.repository_id
		AND h.head_sha = pull_requests.head_sha AND (h.place = '' OR h.place = pull_requests.head_ref))`

// firstRunOfHead is the time at which the first run of the head of a row of pull_requests was made, NULL for none.
const firstRunOfHead = `(SELECT MIN(n.created_us) FROM review_runs n WHERE n.tenant_id = pull_requests.tenant_id
	AND n.pull_request_id = pull_requests.id AND n.head_sha = pull_requests.head_sha)`

// headSince is the time since which the head of a row of pull_requests should have a check: since its first run, or since
// the host changed the pull request last.
const headSince = `COALESCE(` + firstRunOfHead + `, pull_requests.host_updated_us)`

// uncheckedSince is the time since which the head of a row of pull_requests lacks a check, 0 if it has one.
const uncheckedSince = `CASE WHEN ` + unchecked + ` THEN ` + headSince + ` ELSE 0 END`

// UncheckedHeads counts the open pull requests of a repository whose heads have no known check.
type UncheckedHeads struct {
	Tenant, Repository string
	Number             int   // the one that waits longest, of those with a run if there is one
	WithRun            int64 // their heads have a run, so that they should have a check
	WithoutRun         int64 // no event has asked for a run, as for pull requests from before the repository was connected
	SinceUS            int64 // since when Number waits
}

// maxUncheckedRepositories is the maximum number of repositories that [Store.UncheckedHeads] lists.
const maxUncheckedRepositories = 500

// UncheckedHeads lists the active repositories of all tenants with open heads that have no known check, at most 500: first
// those where a head has a run, then by the longest time. It includes repositories whose policy shows no checks.
func (s *Store) UncheckedHeads(ctx context.Context) ([]UncheckedHeads, error) {
	return many(ctx, s, func(r scanner, v *UncheckedHeads) error {
		return r.Scan(&v.Tenant, &v.Repository, &v.Number, &v.WithRun, &v.WithoutRun, &v.SinceUS)
	}, `SELECT tenant_id, repository_id, MAX(CASE WHEN place = 1 THEN number END), SUM(has_run), COUNT(*) - SUM(has_run),
			MAX(CASE WHEN place = 1 THEN since END) FROM (
			SELECT tenant_id, repository_id, number, since, has_run,
				ROW_NUMBER() OVER (PARTITION BY tenant_id, repository_id ORDER BY has_run DESC, since, number) AS place FROM (
				SELECT pull_requests.tenant_id, pull_requests.repository_id, pull_requests.number, `+headSince+` AS since,
					CASE WHEN `+firstRunOfHead+` IS NULL THEN 0 ELSE 1 END AS has_run
				FROM pull_requests JOIN repositories e ON e.tenant_id = pull_requests.tenant_id AND e.id = pull_requests.repository_id
				WHERE e.state = 'active' AND `+unchecked+`) AS u) AS v
		GROUP BY tenant_id, repository_id ORDER BY MAX(has_run) DESC, 6, repository_id LIMIT $1`, maxUncheckedRepositories)
}
