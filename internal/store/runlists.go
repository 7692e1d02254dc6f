package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// RunRow is a run in a list, with the other facts that the list shows.
type RunRow struct {
	Run
	Owner, Name  string // of the repository
	Title        string // of the pull request: text from outside
	Author       string // of the pull request: text from outside
	PullState    string
	OpenFindings int64  // of the pull request: open and shown by a published review
	ReviewURL    string // of the published review; "" if there is no review
}

// Place returns the run's position in the list.
func (v RunRow) Place() Cursor { return Cursor{US: v.CreatedUS, ID: v.ID} }

// openShown counts the open findings of a pull request that a published review shows.
const openShown = `(SELECT COUNT(*) FROM findings f WHERE f.tenant_id = $1 AND f.pull_request_id = pull_id AND f.state = 'open'
	AND f.posted_run IS NOT NULL)`

// runRows reads runs with the other facts of a list. No column of its joined tables has the name of a run's
// column.
const runRows = `SELECT ` + runColumns + `, h_owner, h_name, p_title, p_author, p_state, ` + openShown + `,
		COALESCE((SELECT b.ext_url FROM publications b WHERE b.tenant_id = $1 AND b.run_id = review_runs.id AND b.phase = 'PUBLISHED'), '')
	FROM review_runs
	JOIN (SELECT id AS h_id, tenant_id AS h_tenant, owner AS h_owner, name AS h_name FROM repositories) h ON h_tenant = tenant_id
		AND h_id = repository_id
	JOIN (SELECT id AS pull_id, tenant_id AS p_tenant, title AS p_title, author AS p_author, state AS p_state
		FROM pull_requests) p ON p_tenant = tenant_id AND pull_id = pull_request_id
	WHERE tenant_id = $1`

func scanRunRow(r scanner, v *RunRow) error {
	return scanRun(extraColumns{r, []any{&v.Owner, &v.Name, &v.Title, &v.Author, &v.PullState, &v.OpenFindings, &v.ReviewURL}}, &v.Run)
}

// extraColumns scans additional columns after those of a row.
type extraColumns struct {
	scanner
	more []any
}

// Scan implements [scanner].
func (b extraColumns) Scan(into ...any) error { return b.scanner.Scan(append(into, b.more...)...) }

// The kinds of triggers of a run.
const (
	ByEvent   = "event"   // an event of the pull request
	ByCommand = "command" // a comment on the host
	ByRequest = "request" // a request in the interface, for a first or another review
)

// triggerConditions holds the condition on the trigger event for each kind.
var triggerConditions = map[string]string{
	ByEvent:   `trigger_event NOT LIKE 'command.%' AND trigger_event NOT LIKE 'request.%' AND trigger_event <> 'rerun'`,
	ByCommand: `trigger_event LIKE 'command.%'`,
	ByRequest: `(trigger_event = 'rerun' OR trigger_event LIKE 'request.%')`,
}

// RunsFilter narrows the runs of a tenant; zero fields do not narrow it.
type RunsFilter struct {
	User         string // only repositories on which the host gave this person a role within the last hour
	Repository   string
	State        domain.RunState
	Number       int    // of the pull request
	MadeBy       string // one of the constants
	Author       string // of the pull request, as the host spells it
	Since, Until int64  // creation time in [Since, Until), microseconds
	Before       Cursor // zero for the newest page
	Limit        int
}

// TenantRuns lists runs of a tenant, newest first.
func (s *Store) TenantRuns(ctx context.Context, t domain.Tenant, f RunsFilter) ([]RunRow, error) {
	text, args := f.statement(t)
	return many(ctx, s, scanRunRow, text, args...)
}

func (f RunsFilter) statement(t domain.Tenant) (string, []any) {
	// The inner query chooses the page among the runs alone, so that it can start at its place in an index.
	// The other facts join the chosen runs only.
	c := conditions{text: runRows + ` AND review_runs.id IN (SELECT id FROM review_runs WHERE tenant_id = $1`, args: []any{t.ID}}
	c.and(`(created_us, id) < (?, ?)`, f.Before.from(), f.Before.ID)
	if f.User != "" {
		c.and(visibleTo, f.User)
	}
	if f.Repository != "" {
		c.and(`repository_id = ?`, f.Repository)
	}
	if f.Number != 0 {
		c.and(`number = ?`, f.Number)
	}
	if f.State != "" {
		c.and(`state = ?`, string(f.State))
	}
	if made := triggerConditions[f.MadeBy]; made != "" {
		c.and(made)
	}
	if f.Author != "" {
		c.and(ofAuthor, f.Author)
	}
	if f.Since > 0 {
		c.and(`created_us >= ?`, f.Since)
	}
	if f.Until > 0 {
		c.and(`created_us < ?`, f.Until)
	}
	c.then(` ORDER BY created_us DESC, id DESC LIMIT ?) ORDER BY created_us DESC, review_runs.id DESC`, f.Limit)
	return c.text, c.args
}

// visibleTo selects rows of the repositories on which the host gave a person a role within the last hour.
const visibleTo = `repository_id IN (SELECT x.repository_id FROM repository_roles x WHERE x.tenant_id = $1 AND x.user_id = ?
	AND x.role <> 'none' AND x.checked_us > {now} - 3600000000)`

// ofAuthor selects rows of the pull requests of an author, by the name that the host spells.
const ofAuthor = `pull_request_id IN (SELECT p.id FROM pull_requests p WHERE p.tenant_id = $1 AND p.author = ?)`

// conditions builds a statement from parts. Its texts are constants of this package, and every value is a
// parameter.
type conditions struct {
	text string
	args []any
}

// and adds a condition with question marks for its parameters.
func (c *conditions) and(part string, values ...any) { c.then(` AND `+part, values...) }

// then adds a part with question marks for its parameters.
func (c *conditions) then(part string, values ...any) {
	for _, v := range values {
		c.args = append(c.args, v)
		part = strings.Replace(part, "?", "$"+strconv.Itoa(len(c.args)), 1)
	}
	c.text += part
}

// RunRowsByID reads runs of a tenant by their ids, in no particular order.
func (s *Store) RunRowsByID(ctx context.Context, t domain.Tenant, ids []string) ([]RunRow, error) {
	return manyIn(ctx, s, scanRunRow, ids, runRows+` AND review_runs.id IN ({list})`, t.ID)
}

// RepositoryGlance holds the facts that a list shows beside a repository's row.
type RepositoryGlance struct {
	Repository   string
	OpenPulls    int64
	OpenFindings int64  // of open pull requests: open and shown by a published review
	Unchecked    int64  // open pull requests whose heads have no known check
	LastRun      string // its newest run; "" for none
	Policy       PolicySources
}

// RepositoryGlances reads the glances of repositories, in no particular order.
func (s *Store) RepositoryGlances(ctx context.Context, t domain.Tenant, ids []string) ([]RepositoryGlance, error) {
	return manyIn(ctx, s, func(r scanner, v *RepositoryGlance) error {
		return r.Scan(&v.Repository, &v.OpenPulls, &v.OpenFindings, &v.Unchecked, &v.LastRun,
			&v.Policy.Tenant, &v.Policy.Repository, &v.Policy.Intake, &v.Policy.Public)
	}, ids, `SELECT r.id, (SELECT COUNT(*) FROM pull_requests p WHERE p.tenant_id = $1 AND p.repository_id = r.id AND p.state = 'open'),
			(SELECT COUNT(*) FROM findings f JOIN pull_requests p ON p.tenant_id = f.tenant_id AND p.id = f.pull_request_id
				WHERE f.tenant_id = $1 AND f.repository_id = r.id AND f.state = 'open' AND f.posted_run IS NOT NULL AND p.state = 'open'),
			(SELECT COUNT(*) FROM pull_requests WHERE pull_requests.tenant_id = $1 AND pull_requests.repository_id = r.id AND `+unchecked+`),
			COALESCE((SELECT n.id FROM review_runs n WHERE n.tenant_id = $1 AND n.repository_id = r.id ORDER BY n.created_us DESC, n.id DESC
				LIMIT 1), ''),
			COALESCE(d.body, ''), COALESCE(q.body, ''), r.intake, NOT r.private
		FROM repositories r LEFT JOIN settings d ON d.tenant_id = r.tenant_id AND d.repository_id = '' AND d.kind = $2
		LEFT JOIN settings q ON q.tenant_id = r.tenant_id AND q.repository_id = r.id AND q.kind = $2
		WHERE r.tenant_id = $1 AND r.id IN ({list})`, t.ID, SettingPolicy)
}

// PullFilter narrows the pull requests of a repository.
type PullFilter struct {
	State  string // open, closed or merged; "" for all
	Below  int    // only numbers below; 0 for the newest page
	Number int    // only the one with this number; 0 for all
	Limit  int
}

// PullRow is a pull request in a list.
type PullRow struct {
	PullRequest
	CreatedUS, UpdatedUS int64
	OpenFindings         int64  // open and shown by a published review
	UncheckedUS          int64  // since when its head lacks a check; 0 if it has one
	LastRun              string // its newest run; "" for none
}

// PullRequests lists pull requests of a repository, the highest number first.
func (s *Store) PullRequests(ctx context.Context, t domain.Tenant, repository string, f PullFilter) ([]PullRow, error) {
	c := conditions{text: `SELECT ` + pullColumns + `, created_us, updated_us,
			(SELECT COUNT(*) FROM findings f WHERE f.tenant_id = $1 AND f.pull_request_id = pull_requests.id AND f.state = 'open'
				AND f.posted_run IS NOT NULL), ` + uncheckedSince + `,
			COALESCE((SELECT n.id FROM review_runs n WHERE n.tenant_id = $1 AND n.pull_request_id = pull_requests.id
				ORDER BY n.created_us DESC, n.id DESC LIMIT 1), '')
		FROM pull_requests WHERE tenant_id = $1 AND repository_id = $2`, args: []any{t.ID, repository}}
	if f.State != "" {
		c.and(`state = ?`, f.State)
	}
	if f.Below > 0 {
		c.and(`number < ?`, f.Below)
	}
	if f.Number > 0 {
		c.and(`number = ?`, f.Number)
	}
	c.then(` ORDER BY number DESC LIMIT ?`, f.Limit)
	return many(ctx, s, func(r scanner, v *PullRow) error {
		return scanPull(extraColumns{r, []any{&v.CreatedUS, &v.UpdatedUS, &v.OpenFindings, &v.UncheckedUS, &v.LastRun}}, &v.PullRequest)
	}, c.text, c.args...)
}

// RequestedRuns counts the runs of a repository that people requested in the interface within a time as
// first reviews of pull requests.
func (s *Store) RequestedRuns(ctx context.Context, t domain.Tenant, repository string, within time.Duration) (int64, error) {
	return first(ctx, s, s.db.Write, value[int64], `SELECT COUNT(*) FROM review_runs WHERE tenant_id = $1 AND repository_id = $2
		AND trigger_event LIKE 'request.%' AND created_us > {now} - $3`,
		[]any{t.ID, repository, within.Microseconds()})
}
