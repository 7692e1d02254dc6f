package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// Viewer is the person whose inbox is read, with the role that holds on every repository. Roles on single
// repositories come from host answers of the last hour.
type Viewer struct {
	User  string
	Admin bool   // of the tenant
	Least string // none, view, review or manage: on every repository
	// AuthorDecides reports whether authors may decide on reviews of their own pull requests, so that their
	// inboxes list these approvals.
	AuthorDecides bool
}

// The kinds of inbox entries.
const (
	WaitsApproval    = "approval"
	WaitsSuppression = "suppression"
	WaitsFailedRun   = "failed_run"
	WaitsAlert       = "budget_alert"
	WaitsConnection  = "connection"
	WaitsToken       = "token" // of a connection to a code host; expires within a week
	WaitsRequest     = "review_request"
	WaitsOnboarding  = "onboarding"
	WaitsRule        = "rule"
	WaitsHostAccount = "host_account" // a link to an account of a host that the person has not answered
)

// Waiting is an inbox entry: something that waits for a person's action.
type Waiting struct {
	Kind        string
	ID          string // of the output, suppression, rule, run, alert, connection (also of a token or link), pull request or onboarding
	US          int64
	Repository  string // "" if it concerns no repository
	Owner, Name string // of the repository
	Run         string // "" if it concerns no run
	Number      int64  // of the pull request; percentage of an alert; expiry of a token in microseconds; else 0
	Title       string // of the pull request, what is suppressed, the period, the name or the login; partly text from outside
	Detail      string // the reason, message, address of the host, or kind of connection and message
	Connection  string // provider, tracker, mcp_server or channel
}

// Place returns the entry's position in the list.
func (v Waiting) Place() Cursor { return Cursor{US: v.US, ID: v.ID} }

// hasRole returns the condition that the viewer has a role on the repository of a row. $2 is the viewer, $3
// the viewer's role on every repository; everywhere and roles list the sufficient roles.
func hasRole(repository, everywhere, roles string) string {
	return ` ($3 IN (` + everywhere + `) OR EXISTS (SELECT 1 FROM repository_roles x WHERE x.tenant_id = $1 AND x.repository_id = ` +
		repository + ` AND x.user_id = $2
		AND x.role IN (` + roles + `) AND x.checked_us > {now} - 3600000000)) `
}

// The sufficient roles for [hasRole].
const (
	viewRoles   = `'view', 'review', 'manage'`
	reviewRoles = `'review', 'manage'`
	manageRoles = `'manage'`
)

// waitingRows returns the query for all entries of a viewer: $1 tenant, $2 person, $3 role on every
// repository, $4 "admin" for an admin of the tenant. A failed run is listed for 14 days (design choice), if
// it is the newest run of its pull request.
func (v Viewer) waitingRows() string {
	own := ` AND NOT EXISTS (SELECT 1 FROM repositories h JOIN accesses e ON e.tenant_id = h.tenant_id AND e.id = h.access_id
		JOIN identities i ON i.issuer = e.host
			WHERE h.tenant_id = $1 AND h.id = a.repository_id AND i.user_id = $2 AND i.subject = ` + authorSubject + `)
		AND NOT EXISTS (SELECT 1 FROM repositories h JOIN accesses a ON a.tenant_id = h.tenant_id AND a.id = h.access_id
			JOIN host_account_links i ON ` + linkOfAccess + `
			WHERE h.tenant_id = $1 AND h.id = o.repository_id AND i.user_id = $2 AND i.state <> 'refused' AND i.subject = ` + authorSubject + `)`
	if v.AuthorDecides {
		own = ""
	}
	return `SELECT 'approval' AS kind, a.output_id AS id, a.created_us AS us, a.repository_id AS repository, r.id AS run,
		r.number AS number, o.title AS title, '' AS detail, '' AS connection
		FROM approvals a JOIN review_runs r ON r.tenant_id = a.tenant_id AND r.id = a.run_id
			JOIN pull_requests o ON o.tenant_id = r.tenant_id AND o.id = r.pull_request_id
		WHERE a.tenant_id = $1 AND a.state = 'pending' AND` + hasRole("a.repository_id", reviewRoles, reviewRoles) + own + `
	UNION ALL SELECT 'suppression', s.id, s.created_us, s.repository_id, '', 0,
		CASE WHEN s.scope = 'fingerprint' THEN s.rule_id || ' ' || s.path ELSE s.matches END, s.reason, '' FROM suppressions s
		WHERE s.tenant_id = $1 AND s.state = 'proposed' AND` + hasRole("s.repository_id", manageRoles, manageRoles) + `
	UNION ALL SELECT 'rule', u.id, u.created_us, u.repository_id, '', u.number, u.title, u.instruction, '' FROM rule_proposals u
		WHERE u.tenant_id = $1 AND u.state = 'proposed' AND` + hasRole("u.repository_id", manageRoles, manageRoles) + `
	UNION ALL SELECT 'onboarding', o.id, o.proposed_us, o.repository_id, '', 0, h.owner || '/' || h.name, '', '' FROM onboardings o
		JOIN repositories h ON h.tenant_id = o.tenant_id AND h.id = o.repository_id
		WHERE o.tenant_id = $1 AND o.state = 'proposed' AND h.state = 'active' AND` + hasRole("o.repository_id", manageRoles, manageRoles) + `
	UNION ALL SELECT 'failed_run', r.id, r.created_us, r.repository_id, r.id, r.number, p.title, r.reason, ''
		FROM review_runs r JOIN pull_requests p ON p.tenant_id = r.tenant_id AND p.id = r.pull_request_id
		WHERE r.tenant_id = $1 AND r.state = 'failed' AND p.state = 'open' AND r.created_us > {now} - 1209600000000 AND` +
		hasRole("r.repository_id", manageRoles, manageRoles) + `
		AND NOT EXISTS (SELECT 1 FROM review_runs n WHERE n.tenant_id = $1 AND n.pull_request_id = r.pull_request_id
			AND (n.created_us > r.created_us OR n.created_us = r.created_us AND n.id > r.id))
	UNION ALL SELECT 'budget_alert', a.id, a.created_us, COALESCE(a.repository_id, ''), '', a.threshold, a.period, '', '' FROM budget_alerts a
		WHERE a.tenant_id = $1 AND a.state = 'open' AND $4 = 'admin'
	UNION ALL SELECT 'connection', h.id, h.us, '', '', 0, h.name, h.message, h.kind FROM (` + health +
		`) h WHERE h.state IN ('error', 'paused') AND $4 = 'admin'
	UNION ALL SELECT 'token', c.id, c.token_ends_us - 604800000000, '', '', c.token_ends_us, c.name, '', 'provider' FROM provider_connections c
		WHERE c.tenant_id = $1 AND c.enabled AND c.state <> 'error' AND c.token_ends_us <> 0 AND c.token_ends_us <= {now} + 604800000000
			AND $4 = 'admin'
	UNION ALL SELECT 'review_request', q.pull_request_id, q.requested_us, q.repository_id, '', p.number, p.title, '', ''
		FROM review_requests q JOIN pull_requests p ON p.tenant_id = q.tenant_id AND p.id = q.pull_request_id
		WHERE q.tenant_id = $1 AND q.user_id = $2 AND p.state = 'open' AND` + hasRole("q.repository_id", viewRoles, viewRoles) + `
	UNION ALL SELECT 'host_account', i.connection_id, i.proposed_us, '', '', 0,
		CASE WHEN i.login <> '' THEN i.login ELSE i.name END, i.host, ''
		FROM host_account_links i WHERE i.tenant_id = $1 AND i.user_id = $2 AND i.state = 'proposed'
			AND EXISTS (SELECT 1 FROM accesses a WHERE ` + linkOfAccess + `)`
}

func (v Viewer) args(t domain.Tenant) []any {
	as := "member"
	if v.Admin {
		as = "admin"
	}
	return []any{t.ID, v.User, v.Least, as}
}

// Waiting lists a person's inbox, newest first, at most limit entries.
func (s *Store) Waiting(ctx context.Context, t domain.Tenant, who Viewer, before Cursor, limit int) ([]Waiting, error) {
	return many(ctx, s, func(r scanner, v *Waiting) error {
		return r.Scan(&v.Kind, &v.ID, &v.US, &v.Repository, &v.Run, &v.Number, &v.Title, &v.Detail, &v.Connection, &v.Owner, &v.Name)
	}, `SELECT w.kind, w.id, w.us, w.repository, w.run, w.number, w.title, w.detail, w.connection,
			COALESCE(h.owner, ''), COALESCE(h.name, '') FROM (`+who.waitingRows()+`) w
		LEFT JOIN repositories h ON h.tenant_id = $1 AND h.id = w.repository
		WHERE (w.us, w.id) < ($5, $6) ORDER BY w.us DESC, w.id DESC LIMIT $7`, append(who.args(t), before.from(), before.ID, limit)...)
}

// CountWaiting counts a person's inbox entries by kind.
func (s *Store) CountWaiting(ctx context.Context, t domain.Tenant, who Viewer) (map[string]int64, error) {
	out := map[string]int64{}
	err := s.rows(ctx, s.db.Read, `SELECT w.kind, COUNT(*) FROM (`+who.waitingRows()+`) w GROUP BY w.kind`, who.args(t),
		func(r scanner) error {
			var kind string
			var n int64
			if err := r.Scan(&kind, &n); err != nil {
				return err
			}
			out[kind] = n
			return nil
		})
	return out, err
}

// ConnectionHealth is the state of a connection of a tenant.
type ConnectionHealth struct {
	Kind      string // provider, tracker, mcp_server or channel
	ID, Name  string
	State     string // active, pending, error, paused or disabled
	Message   string
	UpdatedUS int64
}

// health selects the state of every connection of the tenant $1.
const health = `SELECT 'provider' AS kind, id, name, CASE WHEN enabled THEN state
	ELSE 'disabled' END AS state, message, updated_us AS us FROM provider_connections WHERE tenant_id = $1
	UNION ALL SELECT 'tracker', id, name, CASE WHEN enabled THEN state ELSE 'disabled' END, message, updated_us
		FROM tracker_connections WHERE tenant_id = $1
	UNION ALL SELECT 'mcp_server', id, name, CASE WHEN enabled THEN state ELSE 'disabled' END, message, updated_us FROM mcp_servers
		WHERE tenant_id = $1
	UNION ALL SELECT 'channel', id, name, CASE WHEN NOT enabled THEN 'disabled' WHEN paused_us <> 0 THEN 'paused'
		ELSE 'active' END, paused_reason, updated_us FROM notification_channels WHERE tenant_id = $1`

// ConnectionHealth lists the states of a tenant's connections, by kind and name. The list is complete,
// because each kind has a maximum number of connections.
func (s *Store) ConnectionHealth(ctx context.Context, t domain.Tenant) ([]ConnectionHealth, error) {
	return many(ctx, s, func(r scanner, v *ConnectionHealth) error {
		return r.Scan(&v.Kind, &v.ID, &v.Name, &v.State, &v.Message, &v.UpdatedUS)
	},
		`SELECT h.kind, h.id, h.name, h.state, h.message, h.us FROM (`+health+`) h ORDER BY h.kind, h.name, h.id`, t.ID)
}
