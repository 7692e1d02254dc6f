package store

import "context"

// uncheckedAge is the time in microseconds for which a head may lack its check before it is listed (design choice): a
// check is made within seconds.
const uncheckedAge = "600000000"

// unchecked is the condition that the row of pull_requests is open and its head has no known check at its place.
const unchecked = `pull_requests.state = 'open' AND pull_requests.updated_us < {now} - ` + uncheckedAge + ` AND NOT EXISTS (SELECT 1
	FROM head_checks h WHERE h.tenant_id = pull_requests.tenant_id AND h.repository_id = pull_requests.repository_id
		AND h.head_sha = pull_requests.head_sha AND (h.place = '' OR h.place = pull_requests.head_ref))`

// firstRunOfHead is the time at which the first run of the head of a row of pull_requests was made, NULL for none.
const firstRunOfHead = `(SELECT MIN(n.created_us) FROM review_runs n WHERE n.tenant_id = pull_requests.tenant_id
	AND n.pull_request_id = pull_requests.id AND n.head_sha = pull_requests.head_sha)`

// uncheckedSince is the time since which the head of a row of pull_requests lacks a check, 0 if it has one: since its
// first run, or since the host changed the pull request last.
const uncheckedSince = `CASE WHEN ` + unchecked + ` THEN COALESCE(` + firstRunOfHead + `, pull_requests.host_updated_us) ELSE 0 END`

// UncheckedHeads counts the open pull requests of a repository whose heads have no known check.
type UncheckedHeads struct {
	Tenant, Repository string
	Number             int   // one of them
	WithRun            int64 // their heads have a run, so that they should have a check
	WithoutRun         int64 // no event has asked for a run, as for pull requests from before the repository was connected
	SinceUS            int64 // the longest time
}

// maxUncheckedRepositories is the maximum number of repositories that [Store.UncheckedHeads] lists.
const maxUncheckedRepositories = 500

// UncheckedHeads lists the active repositories of all tenants with open heads that have no known check, the longest time
// first, at most 500. It includes repositories whose policy shows no checks.
func (s *Store) UncheckedHeads(ctx context.Context) ([]UncheckedHeads, error) {
	return many(ctx, s, func(r scanner, v *UncheckedHeads) error {
		return r.Scan(&v.Tenant, &v.Repository, &v.Number, &v.WithRun, &v.WithoutRun, &v.SinceUS)
	}, `SELECT tenant_id, repository_id, MIN(number), COUNT(run), COUNT(*) - COUNT(run), MIN(COALESCE(run, updated)) FROM (
			SELECT pull_requests.tenant_id, pull_requests.repository_id, pull_requests.number, pull_requests.host_updated_us AS updated,
				`+firstRunOfHead+` AS run
			FROM pull_requests JOIN repositories e ON e.tenant_id = pull_requests.tenant_id AND e.id = pull_requests.repository_id
			WHERE e.state = 'active' AND `+unchecked+`) AS u
		GROUP BY tenant_id, repository_id ORDER BY MIN(COALESCE(run, updated)), repository_id LIMIT $1`, maxUncheckedRepositories)
}
