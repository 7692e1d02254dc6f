package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// FindingRow is a finding in a repository's list, as its newest run reported it.
type FindingRow struct {
	KnownFinding
	Number               int
	Title, PullState     string // of the pull request; the title is text from outside
	Author               string // of the pull request: text from outside
	FirstRun, LastRun    string
	CreatedUS, UpdatedUS int64
	PullRequest          string // its id
}

// Place returns the row's position in the list.
func (v FindingRow) Place() Cursor { return Cursor{US: v.CreatedUS, ID: v.ID} }

const findingRowColumns = findingColumns +
	`, p_number, p_title, p_state, p_author, first_run, last_run, created_us, updated_us, pull_request_id`

// findingPulls joins findings with their pull requests.
const findingPulls = ` JOIN (SELECT id AS p_id, tenant_id AS p_tenant, number AS p_number, title AS p_title, state AS p_state,
		author AS p_author FROM pull_requests) p ON p_tenant = tenant_id AND p_id = pull_request_id`

const findingRows = `SELECT ` + findingRowColumns + ` FROM findings` + findingPulls + ` WHERE tenant_id = $1 AND repository_id = $2`

func scanFindingRow(r scanner, v *FindingRow) error {
	return scanKnown(extraColumns{r, []any{&v.Number, &v.Title, &v.PullState, &v.Author, &v.FirstRun, &v.LastRun, &v.CreatedUS,
		&v.UpdatedUS, &v.PullRequest}}, &v.KnownFinding)
}

// FindingsFilter narrows the findings of a repository; zero fields do not narrow it.
type FindingsFilter struct {
	State    domain.FindingState
	Severity string
	Category string
	Rule     string // its id
	Path     string // of the file at the head of the newest run with the finding
	Number   int    // of the pull request
	Before   Cursor // zero for the newest page
	Limit    int
}

// Findings lists findings of a repository, newest first.
func (s *Store) Findings(ctx context.Context, t domain.Tenant, repository string, f FindingsFilter) ([]FindingRow, error) {
	c := conditions{text: findingRows, args: []any{t.ID, repository}}
	c.and(`(created_us, findings.id) < (?, ?)`, f.Before.from(), f.Before.ID)
	if f.State != "" {
		c.and(`state = ?`, string(f.State))
	}
	if f.Severity != "" {
		c.and(`severity = ?`, f.Severity)
	}
	if f.Category != "" {
		c.and(`category = ?`, f.Category)
	}
	if f.Number != 0 {
		c.and(`p_number = ?`, f.Number)
	}
	if err := c.ofRuleAndPath(f.Rule, f.Path); err != nil {
		return nil, err
	}
	c.then(` ORDER BY created_us DESC, findings.id DESC LIMIT ?`, f.Limit)
	return many(ctx, s, scanFindingRow, c.text, c.args...)
}

// ofRuleAndPath selects findings of a rule and a file; "" selects all.
func (c *conditions) ofRuleAndPath(rule, path string) error {
	for column, want := range map[string]string{"rule_id": rule, "path": path} {
		if want == "" {
			continue
		}
		part, err := inBody(column, want)
		if err != nil {
			return err
		}
		if column == "rule_id" {
			c.and(`(rule_id = ? OR rule_id = '' AND REPLACE(body, ?, '') <> body)`, want, part)
		} else {
			c.and(`(path = ? OR path = '' AND REPLACE(body, ?, '') <> body)`, want, part)
		}
	}
	return nil
}

// inBody returns the part of a finding's JSON that holds its rule or path, to match rows of versions that
// had no columns for them. Each part occurs once.
func inBody(column, value string) (string, error) {
	raw, err := json.Marshal(value)
	if column == "rule_id" {
		return `"ruleId":` + string(raw) + `,`, err
	}
	return `"anchor":{"path":` + string(raw) + `,`, err
}

// Finding reads one finding of a repository.
func (s *Store) Finding(ctx context.Context, t domain.Tenant, repository, id string) (FindingRow, error) {
	return one(ctx, s, scanFindingRow, findingRows+` AND findings.id = $3`, t.ID, repository, id)
}

// Sighting is a finding as one run reported it.
type Sighting struct {
	domain.Finding
	Run, HeadSHA string
	RunState     domain.RunState
	AtUS         int64 // when the run was made
}

// maxSightings is the maximum number of runs that [Store.Sightings] returns.
const maxSightings = 100

// Sightings lists a finding as its runs reported it, newest run first, at most [maxSightings].
func (s *Store) Sightings(ctx context.Context, t domain.Tenant, finding string) ([]Sighting, error) {
	return many(ctx, s, func(r scanner, v *Sighting) error {
		var body string
		if err := r.Scan(&v.Run, &v.HeadSHA, &v.RunState, &v.AtUS, &body); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(body), &v.Finding); err != nil {
			return fmt.Errorf("finding of the run %s: %w", v.Run, err)
		}
		return nil
	}, `SELECT r.id, r.head_sha, r.state, r.created_us, x.body FROM findings f JOIN review_runs r ON r.tenant_id = f.tenant_id
		AND r.pull_request_id = f.pull_request_id
		JOIN run_findings x ON x.tenant_id = r.tenant_id AND x.run_id = r.id AND x.finding_id = f.id
		WHERE f.tenant_id = $1 AND f.id = $2 ORDER BY r.created_us DESC, r.id DESC LIMIT $3`, t.ID, finding, maxSightings)
}

// maxDecisions is the maximum number of listed decisions on a finding, for each kind.
const maxDecisions = 50

// FindingApprovals lists the approvals that removed or reworded a finding, newest first, at most 50.
func (s *Store) FindingApprovals(ctx context.Context, t domain.Tenant, finding string) ([]Approval, error) {
	raw, err := json.Marshal(finding)
	if err != nil {
		return nil, err
	}
	return many(ctx, s, scanApproval, `SELECT `+strings.Replace(approvalColumns, "a.draft,", "'',", 1)+approvalRows+
		` JOIN findings f ON f.tenant_id = r.tenant_id AND f.pull_request_id = r.pull_request_id
		WHERE a.tenant_id = $1 AND f.id = $2 AND REPLACE(a.changes, $3, '') <> a.changes ORDER BY a.created_us DESC, a.output_id DESC
			LIMIT $4`, t.ID, finding, string(raw), maxDecisions)
}
