package store

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// MaxCounted is the number up to which [Store.CountFindings] counts the findings of a severity. It returns one more for all
// greater numbers.
const MaxCounted = 10_000

// TenantFinding is a finding in a list over the repositories of a tenant.
type TenantFinding struct {
	FindingRow
	Repository, Owner, Name string
}

// Position returns the finding's position in the list.
func (v TenantFinding) Position() FindingPosition {
	return FindingPosition{Severity: v.Severity, Cursor: v.FindingRow.Place()}
}

// FindingPosition is a position in a list of findings of a tenant. The severity counts in the order [WorstFirst] alone.
type FindingPosition struct {
	Severity domain.Severity
	Cursor
}

// FindingOrder is the order of a list of findings.
type FindingOrder string

// The orders of findings. Findings that were created at the same time are ordered by id.
const (
	WorstFirst  FindingOrder = "severity" // the most severe first, and the newest of a severity first
	NewestFirst FindingOrder = "newest"
	OldestFirst FindingOrder = "oldest"
)

// Selection selects rows by a yes or no of theirs.
type Selection string

// The selections.
const (
	All     Selection = ""
	OnlyYes Selection = "yes"
	OnlyNo  Selection = "no"
)

// TenantFindingsFilter narrows the findings of a tenant; zero fields do not narrow it.
type TenantFindingsFilter struct {
	User         string // only repositories on which the host gave this person a role within the last hour
	Repository   string
	State        domain.FindingState // must be set
	OpenPulls    Selection           // whether the pull request is open
	Published    Selection           // whether a published review shows the finding
	Severity     string
	Category     string
	Rule         string // its id
	Path         string // of the file at the head of the newest run with the finding
	Number       int    // of the pull request
	Author       string // of the pull request, as the host spells it
	AuthoredBy   string // only pull requests whose author this person is, by a sign-in at the host or a confirmed link
	Since, Until int64  // creation time in [Since, Until), microseconds
}

// FindingsPage selects a page of a list of findings.
type FindingsPage struct {
	Order FindingOrder
	After FindingPosition // of the last finding of the page before; zero for the first page
	Skip  int             // number of findings to leave out
	Limit int
}

// TenantFindings lists findings of a tenant in the order of the page.
func (s *Store) TenantFindings(ctx context.Context, t domain.Tenant, f TenantFindingsFilter, p FindingsPage) ([]TenantFinding, error) {
	if len(f.walks(p)) == 0 { // the page before ended below the wanted severity
		return nil, nil
	}
	text, args, err := f.page(t, p, tenantFindingRows)
	if err != nil {
		return nil, err
	}
	return many(ctx, s, scanTenantFinding, text, args...)
}

func scanTenantFinding(r scanner, v *TenantFinding) error {
	return scanFindingRow(extraColumns{r, []any{&v.Repository, &v.Owner, &v.Name}}, &v.FindingRow)
}

// CountFindings counts the findings of a tenant by severity, up to [MaxCounted]. It ignores the
// filter's severity.
func (s *Store) CountFindings(ctx context.Context, t domain.Tenant, f TenantFindingsFilter) (domain.SeverityCounts, error) {
	var out domain.SeverityCounts
	f.Severity = ""
	c := conditions{text: `SELECT w.severity, COUNT(*) FROM (`, args: []any{t.ID}}
	for i, w := range f.walks(FindingsPage{}) {
		if i > 0 {
			c.then(` UNION ALL `)
		}
		c.then(`SELECT b.severity FROM (SELECT severity FROM findings WHERE tenant_id = $1`)
		if err := f.narrow(&c, w); err != nil {
			return out, err
		}
		c.then(` LIMIT ?) b`, MaxCounted+1)
	}
	c.then(`) w GROUP BY w.severity`)
	err := s.rows(ctx, s.db.Read, c.text, c.args, func(r scanner) error {
		var severity string
		var n int64
		if err := r.Scan(&severity, &n); err != nil {
			return err
		}
		out.Add(severity, min(n, MaxCounted+1))
		return nil
	})
	return out, err
}

// tenantFindingRows follows SELECT, and reads findings with their pull requests and repositories.
const tenantFindingRows = findingRowColumns + `, repository_id, h_owner, h_name FROM findings` + findingPulls +
	` JOIN (SELECT id AS h_id, tenant_id AS h_tenant, owner AS h_owner, name AS h_name FROM repositories) h ON h_tenant = tenant_id
		AND h_id = repository_id`

// page returns the statement that reads the findings of a page, with the columns and tables of rows. The inner query chooses the page
// among the entries of the index findings_list, with a walk for each severity and each state of the pull request. The other facts join
// the chosen rows only.
func (f TenantFindingsFilter) page(t domain.Tenant, p FindingsPage, rows string) (string, []any, error) {
	direction, beyond := ` DESC`, `<`
	if p.Order == OldestFirst {
		direction, beyond = ` ASC`, `>`
	}
	c := conditions{text: `SELECT ` + rows + ` JOIN (SELECT w.rank AS w_rank, w.us AS w_us, w.id AS w_id FROM (`, args: []any{t.ID}}
	order := `us` + direction + `, w.id` + direction
	if p.Order == WorstFirst {
		order = `rank, w.` + order
	}
	for i, w := range f.walks(p) {
		if i > 0 {
			c.then(` UNION ALL `)
		}
		c.then(`SELECT b.rank, b.us, b.id FROM (SELECT CAST(? AS BIGINT) AS rank, created_us AS us, id FROM findings WHERE tenant_id = $1`,
			w.rank)
		if err := f.narrow(&c, w); err != nil {
			return "", nil, err
		}
		if p.After.ID != "" && (p.Order != WorstFirst || w.severity == p.After.Severity) {
			c.and(`(created_us, id) `+beyond+` (?, ?)`, p.After.US, p.After.ID)
		}
		c.then(` ORDER BY created_us`+direction+`, id`+direction+` LIMIT ?) b`, p.Skip+p.Limit)
	}
	c.then(`) w ORDER BY w.`+order+` LIMIT ? OFFSET ?) w ON w_id = findings.id WHERE tenant_id = $1`, p.Limit, p.Skip)
	if p.Order == WorstFirst {
		c.then(` ORDER BY w_rank, w_us DESC, w_id DESC`)
	} else {
		c.then(` ORDER BY w_us` + direction + `, w_id` + direction)
	}
	return c.text, c.args, nil
}

// findingsWalk is a part of a list whose rows lie side by side in the index findings_list.
type findingsWalk struct {
	severity domain.Severity
	rank     int // 0 for the worst
	openPull bool
}

// walks returns the parts that a page can have rows of.
func (f TenantFindingsFilter) walks(p FindingsPage) (out []findingsWalk) {
	severities := []domain.Severity{domain.Critical, domain.High, domain.Medium, domain.Low, domain.Info}
	if f.Severity != "" {
		only, _ := domain.ParseSeverity(f.Severity)
		severities = []domain.Severity{only}
	}
	if p.Order == WorstFirst && p.After.ID != "" {
		severities = slices.DeleteFunc(severities, func(s domain.Severity) bool { return s > p.After.Severity })
	}
	for rank, severity := range severities {
		for _, open := range []bool{true, false} {
			if f.OpenPulls == All || open == (f.OpenPulls == OnlyYes) {
				out = append(out, findingsWalk{severity, rank, open})
			}
		}
	}
	return out
}

// narrow adds the conditions of the filter in a walk.
func (f TenantFindingsFilter) narrow(c *conditions, w findingsWalk) error {
	c.and(`state = ? AND pull_open = ? AND severity = ?`, string(f.State), w.openPull, w.severity.String())
	switch f.Published {
	case OnlyYes:
		c.and(`posted_run IS NOT NULL`)
	case OnlyNo:
		c.and(`posted_run IS NULL`)
	}
	if f.User != "" {
		c.and(visibleTo, f.User)
	}
	if f.Repository != "" {
		c.and(`repository_id = ?`, f.Repository)
	}
	if f.Since > 0 {
		c.and(`created_us >= ?`, f.Since)
	}
	if f.Until > 0 {
		c.and(`created_us < ?`, f.Until)
	}
	if f.Number != 0 {
		c.and(`pull_request_id IN (SELECT p.id FROM pull_requests p WHERE p.tenant_id = $1 AND p.number = ?)`, f.Number)
	}
	if f.Author != "" {
		c.and(ofAuthor, f.Author)
	}
	if f.AuthoredBy != "" {
		c.and(`pull_request_id IN (`+authoredPulls+`)`, f.AuthoredBy, f.AuthoredBy)
	}
	if f.Category != "" {
		c.and(`category = ?`, f.Category)
	}
	return c.ofRuleAndPath(f.Rule, f.Path)
}

// authoredPulls selects the pull requests of the tenant $1 whose author a person is, by a sign-in at the host or by a link
// that the person confirmed. It has the person as two parameters.
var authoredPulls = `SELECT o.id FROM identities d JOIN accesses c ON c.tenant_id = $1 AND c.host = d.issuer
	JOIN repositories e ON e.tenant_id = $1 AND COALESCE(e.access_id, e.installation_id) = c.id
	JOIN pull_requests o ON o.tenant_id = $1 AND o.repository_id = e.id AND o.author_id <> 0
		AND d.subject = ` + authorSubject + `
	WHERE d.kind = 'codehost' AND d.user_id = ?
	UNION SELECT o.id FROM host_account_links i JOIN accesses a ON ` + linkedByHand + `
	JOIN repositories e ON e.tenant_id = $1 AND e.access_id = a.id
	JOIN pull_requests o ON o.tenant_id = $1 AND o.repository_id = e.id AND o.author_id <> 0 AND i.subject = ` + authorSubject + `
	WHERE i.tenant_id = $1 AND i.user_id = ?`
