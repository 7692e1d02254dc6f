package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// RepositoryName names a repository in a list of a tenant.
type RepositoryName struct {
	ID    string `json:"id" example:"rep_example"`
	Owner string `json:"owner" example:"octo"`
	Name  string `json:"name" example:"shop"`
}

// ListedRun is a review run in a list of several repositories.
type ListedRun struct {
	ReviewRun
	Repository   RepositoryName `json:"repository"`
	OpenFindings int64          `json:"openFindings" doc:"Of the pull request: shown by a published review, and open now"`
	ReviewURL    string         `json:"reviewUrl,omitempty" doc:"Address of the published review on the code host; absent without one"`
	Verdict      string         `json:"verdict,omitempty" enum:"failure,neutral,success,skipped" doc:"Of its check; absent if undecided"`
	CostMicros   *int64         `json:"costMicros" doc:"Of ended model calls, in millionths of the currency; null if a price is unknown"`
	Currency     string         `json:"currency" example:"USD"`
	// OpenBySeverity counts findings that stayed open, of every state of the run.
	OpenBySeverity domain.SeverityCounts `json:"openBySeverity" doc:"Findings of the run that are open now, without those stored only"`
}

func listedRun(v store.RunRow) ListedRun {
	return ListedRun{ReviewRun: reviewRun(v.Run, store.PullRequest{Title: v.Title, Author: v.Author, State: v.PullState}),
		Repository:   RepositoryName{v.Repository, v.Owner, v.Name},
		OpenFindings: v.OpenFindings, ReviewURL: v.ReviewURL, Verdict: v.Verdict, CostMicros: new(int64(0)), Currency: analytics.Currency}
}

// TenantRunsInput is the input of GET T/review-runs.
type TenantRunsInput struct {
	InTenant
	Page
	RepositoryID string    `query:"repositoryId" maxLength:"100" doc:"Only those of one repository"`
	Number       int       `query:"number" minimum:"1" maximum:"2147483647" doc:"Only those of pull requests with this number"`
	State        string    `query:"state" enum:"queued,running,awaiting_approval,publishing,completed,failed,cancelled,superseded,skipped" doc:"Only those in this state"`
	MadeBy       string    `query:"madeBy" enum:"event,command,request" doc:"Only those that were made by an event of the code host, by a command in a comment, or by a request for a review in the interface"`
	Author       string    `query:"author" maxLength:"200" doc:"Only those of pull requests of this author, as the code host writes the name"`
	Since        time.Time `query:"since" doc:"Only those that were made at this time or later (RFC 3339)"`
	Until        time.Time `query:"until" doc:"Only those that were made before this time (RFC 3339)"`
}

func (s *server) tenantRuns(ctx context.Context, in *TenantRunsInput) (*Listed[ListedRun], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	roles, err := s.rolesOf(ctx, c)
	if err != nil {
		return nil, err
	}
	f := store.RunsFilter{Repository: in.RepositoryID, Number: in.Number, State: domain.RunState(in.State),
		MadeBy: in.MadeBy, Author: in.Author, Since: microsOf(in.Since), Until: microsOf(in.Until), Before: before, Limit: limit}
	if !roles.Everywhere() {
		f.User = c.user.ID
	}
	rows, err := s.Store.TenantRuns(ctx, c.tenant, f)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(rows))
	for i, v := range rows {
		ids[i] = v.ID
	}
	counts, err := s.Store.RunSeverities(ctx, c.tenant, ids)
	if err != nil {
		return nil, err
	}
	costs, err := s.Store.RunCosts(ctx, c.tenant, ids)
	if err != nil {
		return nil, err
	}
	return paged(rows, in.Limit, func(v store.RunRow) ListedRun {
		out := listedRun(v)
		out.OpenBySeverity, out.CostMicros = counts[v.ID], usageTotal(costs[v.ID]).CostMicros
		return out
	}), nil
}

// microsOf converts a time for a column, and the zero time to 0. Earlier times than the first storable one
// become that one.
func microsOf(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(t.UnixMicro(), 1)
}

// PolicyGlance summarizes a policy.
type PolicyGlance struct {
	Enabled     bool   `json:"enabled" doc:"Pull requests are reviewed"`
	Profile     string `json:"profile" enum:"quiet,balanced,assertive"`
	PublishMode string `json:"publishMode" enum:"auto,approval,summary-only,silent"`
	MinSeverity string `json:"minSeverity" enum:"info,low,medium,high,critical"`
}

// RepositoryFigures holds the facts beside a repository in lists.
type RepositoryFigures struct {
	Onboarding       string `json:"onboarding,omitempty" enum:"waiting,trying,proposed,accepted,declined,failed" doc:"Where its trial stands; absent where it was not tried out"`
	OpenPullRequests int64  `json:"openPullRequests" doc:"That are known here"`
	OpenFindings     int64  `json:"openFindings" doc:"Of open pull requests: shown by a published review, and open now"`
	// OpenBySeverity has the sum OpenFindings.
	OpenBySeverity domain.SeverityCounts `json:"openBySeverity" doc:"The open findings by severity"`
	UncheckedHeads int64                 `json:"uncheckedHeads" doc:"Open pull requests without a check; 0 where checks are off"`
	LastRun        *ReviewRun            `json:"lastRun,omitempty" doc:"The newest run; absent without runs"`
	Policy         PolicyGlance          `json:"policy" doc:"As it holds"`
}

// glances reads the figures of repositories with a constant number of queries.
func (s *server) glances(ctx context.Context, t domain.Tenant, rows []store.Repository) (map[string]RepositoryFigures, error) {
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = r.ID
	}
	found, err := s.Store.RepositoryGlances(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	var last []string
	for _, g := range found {
		if g.LastRun != "" {
			last = append(last, g.LastRun)
		}
	}
	runs, err := s.runsByID(ctx, t, last)
	if err != nil {
		return nil, err
	}
	trials, err := s.Store.OnboardingStates(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	counts, err := s.Store.RepositorySeverities(ctx, t, ids)
	if err != nil {
		return nil, err
	}
	out := map[string]RepositoryFigures{}
	for _, g := range found {
		p, _, err := policy.Resolve(g.Policy)
		if err != nil {
			return nil, err
		}
		if !showsChecks(p) {
			g.Unchecked = 0
		}
		out[g.Repository] = RepositoryFigures{UncheckedHeads: g.Unchecked, Onboarding: string(trials[g.Repository]),
			OpenPullRequests: g.OpenPulls,
			OpenFindings:     g.OpenFindings, OpenBySeverity: counts[g.Repository], LastRun: runs[g.LastRun],
			Policy: PolicyGlance{Enabled: p.Enabled, Profile: p.Profile, PublishMode: string(p.PublishMode), MinSeverity: p.MinSeverity.String()}}
	}
	return out, nil
}

// showsChecks reports whether heads get checks under a policy.
func showsChecks(p domain.Policy) bool { return p.Enabled && p.PublishMode != domain.PublishSilent }

// runsByID reads runs for lists, in one query.
func (s *server) runsByID(ctx context.Context, t domain.Tenant, ids []string) (map[string]*ReviewRun, error) {
	out := map[string]*ReviewRun{}
	if len(ids) == 0 {
		return out, nil
	}
	rows, err := s.Store.RunRowsByID(ctx, t, ids)
	for _, v := range rows {
		out[v.ID] = new(listedRun(v).ReviewRun)
	}
	return out, err
}

// oneRepository returns a repository whose runs the caller may see.
func (s *server) oneRepository(ctx context.Context, _ *InRepository) (*Read[Repository], error) {
	c := callerFrom(ctx)
	figures, err := s.glances(ctx, c.tenant, []store.Repository{c.repository})
	return read(repository(c.repository, figures[c.repository.ID]), err)
}
