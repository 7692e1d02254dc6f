package httpapi

import (
	"context"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// TenantFinding is a finding in a list of several repositories.
type TenantFinding struct {
	ListedFinding
	Repository RepositoryName `json:"repository"`
	MayDismiss bool           `json:"mayDismiss" doc:"It is open, and the signed-in person has review permission in its repository"`
	MayReopen  bool           `json:"mayReopen" doc:"It is dismissed, and the signed-in person has review permission in its repository"`
}

// FindingCounts says how many findings a list has.
type FindingCounts struct {
	Total      int64                 `json:"total" doc:"In the list; at most 10000"`
	More       bool                  `json:"more" doc:"The list has more than total"`
	BySeverity domain.SeverityCounts `json:"bySeverity" doc:"Without the filter severity; 10001 stands for more than 10000"`
}

// CountedFindings is a page of the list of findings with their number.
type CountedFindings struct {
	List[TenantFinding]
	Counts FindingCounts `json:"counts"`
}

// TenantFindingsInput is the input of GET T/findings.
type TenantFindingsInput struct {
	InTenant
	Page
	FindingKinds
	Sort         string    `query:"sort" enum:"severity,newest,oldest" default:"severity" doc:"severity: the worst first, then the newest"`
	Skip         int       `query:"skip" minimum:"0" maximum:"10000" doc:"How many to leave out before the page"`
	RepositoryID string    `query:"repositoryId" maxLength:"100" doc:"Only those of one repository"`
	State        string    `query:"state" enum:"open,resolved,dismissed,suppressed" default:"open" doc:"Only those in this state now"`
	PullRequests string    `query:"pullRequests" enum:"open,closed,all" default:"open" doc:"Of pull requests in this state"`
	Published    string    `query:"published" enum:"yes,no,all" default:"yes" doc:"Whether a published review shows them"`
	Number       int       `query:"number" minimum:"1" maximum:"2147483647" doc:"Only those of pull requests with this number"`
	Author       string    `query:"author" maxLength:"200" doc:"Only those of pull requests of this author, as the code host spells the name"`
	Mine         bool      `query:"mine" doc:"Only those of pull requests whose author is the signed-in person"`
	Since        time.Time `query:"since" doc:"Only those that were found at this time or later (RFC 3339)"`
	Until        time.Time `query:"until" doc:"Only those that were found before this time (RFC 3339)"`
}

// selections translates a parameter with the values yes and no, or open and closed.
var selections = map[string]store.Selection{"yes": store.OnlyYes, "open": store.OnlyYes, "no": store.OnlyNo, "closed": store.OnlyNo}

// filter returns the filter for a person who may see everything.
func (in *TenantFindingsInput) filter() store.TenantFindingsFilter {
	return store.TenantFindingsFilter{Repository: in.RepositoryID, State: domain.FindingState(in.State),
		OpenPulls: selections[in.PullRequests], Published: selections[in.Published], Severity: in.Severity, Category: in.Category,
		Rule: in.Rule, Path: in.Path, Number: in.Number, Author: in.Author, Since: microsOf(in.Since), Until: microsOf(in.Until)}
}

func (s *server) tenantFindings(ctx context.Context, in *TenantFindingsInput) (*Read[CountedFindings], error) {
	after, err := findingsCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	roles, err := s.rolesOf(ctx, c)
	if err != nil {
		return nil, err
	}
	f := in.filter()
	if !roles.Everywhere() {
		f.User = c.user.ID
	}
	if in.Mine {
		f.AuthoredBy = c.user.ID
	}
	rows, err := s.Store.TenantFindings(ctx, c.tenant, f,
		store.FindingsPage{Order: store.FindingOrder(in.Sort), After: after, Skip: in.Skip, Limit: in.Limit + 1})
	if err != nil {
		return nil, err
	}
	counts, err := s.Store.CountFindings(ctx, c.tenant, f)
	if err != nil {
		return nil, err
	}
	return read(countedFindings(rows, in.Limit, roles, findingCounts(counts, in.Severity)), nil)
}

// countedFindings builds the answer. rows has at most one row more than limit.
func countedFindings(rows []store.TenantFinding, limit int, roles auth.Roles, counts FindingCounts) CountedFindings {
	out := CountedFindings{List: List[TenantFinding]{Items: []TenantFinding{}}, Counts: counts}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1].Position()
		out.NextCursor = writeCursor(strconv.FormatInt(last.US, 10), last.ID, last.Severity.String())
	}
	for _, v := range rows {
		mayDecide := roles.On(v.Repository) >= perm.RepoReviewer
		out.Items = append(out.Items, TenantFinding{ListedFinding: listedFinding(v.FindingRow),
			Repository: RepositoryName{v.Repository, v.Owner, v.Name},
			MayDismiss: mayDecide && v.State == domain.FindingOpen, MayReopen: mayDecide && v.State == domain.FindingDismissed})
	}
	return out
}

// findingCounts returns the numbers of a list that the filter severity narrows, if it is not "".
func findingCounts(c domain.SeverityCounts, severity string) FindingCounts {
	total := c.Total()
	if severity != "" {
		total = c.Count(severity)
	}
	return FindingCounts{Total: min(total, store.MaxCounted), More: total > store.MaxCounted, BySeverity: c}
}

// findingsCursor decodes a position in the list of a tenant's findings.
func findingsCursor(cursor string) (store.FindingPosition, error) {
	if cursor == "" {
		return store.FindingPosition{}, nil
	}
	parts, err := readCursor(cursor, 3)
	if err != nil {
		return store.FindingPosition{}, err
	}
	us, err := strconv.ParseInt(parts[0], 10, 64)
	severity, known := domain.ParseSeverity(parts[2])
	if err != nil || us < 0 || !plausibleID(parts[1]) || !known {
		return store.FindingPosition{}, badCursor()
	}
	return store.FindingPosition{Severity: severity, Cursor: store.Cursor{US: us, ID: parts[1]}}, nil
}
