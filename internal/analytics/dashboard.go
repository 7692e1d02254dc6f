package analytics

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// The sizes of the overview: days of spending, days of spending by model, and the number of models shown.
const (
	OverviewDays = 14
	ModelDays    = 30
	TopModels    = 5
)

// Dashboard is the overview of a tenant for one person. It counts runs only on repositories that the person
// may see, and shows money and connections only to admins.
type Dashboard struct {
	Span
	ReviewsByDay []ReviewsOfDay `json:"reviewsByDay" doc:"Review runs of the last 14 days, on repositories that the person may see"`
	TotalReviews int64          `json:"totalReviews"`
	Waiting      WaitingCounts  `json:"waiting" doc:"What waits for the person; the list is the inbox"`
	// Findings and MyFindings count open findings of open pull requests that published reviews show. In each, 10001 stands for
	// more than 10000.
	Findings    domain.SeverityCounts `json:"findings" doc:"Those of GET T/findings without filters"`
	MyFindings  domain.SeverityCounts `json:"myFindings" doc:"Those of the person's own pull requests"`
	Spend       *Spend                `json:"spend,omitempty" doc:"For admins"`
	Connections []Connection          `json:"connections,omitempty" doc:"For admins: all of them, by kind and name"`
}

// WaitingCounts count the items that wait for a person.
type WaitingCounts struct {
	Approvals      int64 `json:"approvals"`
	Suppressions   int64 `json:"suppressions"`
	FailedRuns     int64 `json:"failedRuns"`
	ReviewRequests int64 `json:"reviewRequests"`
	Onboardings    int64 `json:"onboardings" doc:"New repositories that were tried out, to accept or decline"`
	Rules          int64 `json:"rules" doc:"Rules that were proposed from replies, to accept or decline"`
	BudgetAlerts   int64 `json:"budgetAlerts" doc:"0 but for admins"`
	Connections    int64 `json:"connections" doc:"In error or paused; 0 but for admins"`
	HostAccounts   int64 `json:"hostAccounts" doc:"Accounts on code hosts that an admin linked, to confirm or refuse"`
}

// Spend is the recent cost of models.
type Spend struct {
	Currency  string      `json:"currency" example:"USD"`
	ByDay     []CostRow   `json:"byDay" doc:"The last 14 days, every day"`
	Total     CostFigures `json:"total" doc:"The exact sum of the days"`
	TopModels []CostRow   `json:"topModels" doc:"At most five, by what they cost over the last 30 days, the dearest first"`

	Budget *MonthBudget `json:"budget,omitempty" doc:"Budget of the current month, from the model policy or else from the tenant's settings; absent without a budget"`
}

// Connection is the state of one of the tenant's connections.
type Connection struct {
	Kind      string    `json:"kind" enum:"provider,tracker,mcp_server,channel"`
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	State     string    `json:"state" enum:"pending,active,error,paused,disabled"`
	Message   string    `json:"message" doc:"Why it is so; empty where there is nothing to say"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Dashboard returns the overview for one person.
func (s *Service) Dashboard(ctx context.Context, t domain.Tenant, who store.Viewer) (Dashboard, error) {
	now, err := s.Store.Now(ctx)
	if err != nil {
		return Dashboard{}, err
	}
	today := now / store.DayUS
	last := func(n int64) Span { return Span{day(today - n + 1), day(today)} }
	out := Dashboard{Span: last(OverviewDays)}
	scope := store.FigureScope{Viewer: sees(who), From: (today - OverviewDays + 1) * store.DayUS, To: (today + 1) * store.DayUS}
	if out.ReviewsByDay, err = s.reviews(ctx, t, scope); err != nil {
		return out, err
	}
	for _, d := range out.ReviewsByDay {
		out.TotalReviews += d.Count
	}
	n, err := s.Store.CountWaiting(ctx, t, who)
	if err != nil {
		return out, err
	}
	out.Waiting = WaitingCounts{Approvals: n[store.WaitsApproval], Suppressions: n[store.WaitsSuppression],
		FailedRuns:     n[store.WaitsFailedRun],
		ReviewRequests: n[store.WaitsRequest], Onboardings: n[store.WaitsOnboarding], Rules: n[store.WaitsRule],
		BudgetAlerts: n[store.WaitsAlert], Connections: n[store.WaitsConnection] + n[store.WaitsToken],
		HostAccounts: n[store.WaitsHostAccount]}
	if err := s.countFindings(ctx, t, who, &out); err != nil {
		return out, err
	}
	if !who.Admin {
		return out, nil
	}
	spend, err := s.spend(ctx, t, out.Span, last(ModelDays))
	if err != nil {
		return out, err
	}
	if spend.Budget, err = s.budget(ctx, t, "", now); err != nil {
		return out, err
	}
	out.Spend = &spend
	rows, err := s.Store.ConnectionHealth(ctx, t)
	for _, r := range rows {
		out.Connections = append(out.Connections, Connection{r.Kind, r.ID, r.Name, r.State, r.Message, store.Time(r.UpdatedUS)})
	}
	return out, err
}

// countFindings counts the open findings for a person.
func (s *Service) countFindings(ctx context.Context, t domain.Tenant, who store.Viewer, out *Dashboard) (err error) {
	f := store.TenantFindingsFilter{User: sees(who), State: domain.FindingOpen, OpenPulls: store.OnlyYes, Published: store.OnlyYes}
	if out.Findings, err = s.Store.CountFindings(ctx, t, f); err != nil {
		return err
	}
	f.AuthoredBy = who.User
	out.MyFindings, err = s.Store.CountFindings(ctx, t, f)
	return err
}

func (s *Service) spend(ctx context.Context, t domain.Tenant, days, models Span) (Spend, error) {
	byDay, err := s.costs(ctx, t, "", store.CostsByDay, days)
	if err != nil {
		return Spend{}, err
	}
	byModel, err := s.costs(ctx, t, "", store.CostsByModel, models)
	if err != nil {
		return Spend{}, err
	}
	out := Spend{Currency: Currency, Total: byDay.Total}
	first, end, err := days.us()
	if err != nil {
		return out, err
	}
	for rows := byDay.Items; first < end; first += store.DayUS {
		row := CostRow{Key: day(first / store.DayUS), Name: day(first / store.DayUS)}
		if len(rows) > 0 && rows[0].Key == row.Key {
			row, rows = rows[0], rows[1:]
		}
		out.ByDay = append(out.ByDay, row)
	}
	slices.SortStableFunc(byModel.Items, func(a, b CostRow) int { return cmp.Compare(b.CostMicros, a.CostMicros) })
	out.TopModels = byModel.Items[:min(len(byModel.Items), TopModels)]
	return out, nil
}

// InboxItem is something that waits for the signed-in person.
type InboxItem struct {
	Kind string `json:"kind" enum:"approval,suppression,failed_run,budget_alert,connection,review_request,onboarding,rule,host_account"`

	ID             string    `json:"id" doc:"Of the output, suppression, run, alert, connection, pull request, onboarding or rule"`
	RepositoryID   string    `json:"repositoryId,omitempty" doc:"Absent where it is about no repository"`
	Repository     string    `json:"repository,omitempty" doc:"Its owner and name" example:"octo/shop"`
	RunID          string    `json:"runId,omitempty" doc:"The review run, for approval and failed_run"`
	Number         int64     `json:"number,omitempty" doc:"Of the pull request, where there is one"`
	ConnectionKind string    `json:"connectionKind,omitempty" enum:"provider,tracker,mcp_server,channel"`
	Title          string    `json:"title" doc:"Title of the pull request, what would be suppressed, or what it is about; partly text from outside"`
	Detail         string    `json:"detail" doc:"The reason or message; empty where there is nothing to say"`
	CreatedAt      time.Time `json:"createdAt" doc:"Since when it waits"`
	// OpenBySeverity is nil for items without a review run.
	OpenBySeverity *domain.SeverityCounts `json:"openBySeverity,omitempty" doc:"Of the review run; absent without one"`
}

// Inbox lists at most limit items that wait for a person, newest first.
func (s *Service) Inbox(ctx context.Context, t domain.Tenant, who store.Viewer, before store.Cursor, limit int) ([]InboxItem, error) {
	rows, err := s.Store.Waiting(ctx, t, who, before, limit)
	if err != nil {
		return nil, err
	}
	var runs []string
	for _, r := range rows {
		if r.Run != "" {
			runs = append(runs, r.Run)
		}
	}
	counts, err := s.Store.RunSeverities(ctx, t, runs)
	if err != nil {
		return nil, err
	}
	out := make([]InboxItem, len(rows))
	for i, r := range rows {
		out[i] = InboxItem{Kind: r.Kind, ID: r.ID, RepositoryID: r.Repository, RunID: r.Run, Number: r.Number,
			ConnectionKind: r.Connection, Title: r.Title, Detail: r.Detail, CreatedAt: store.Time(r.US)}
		if r.Repository != "" {
			out[i].Repository = r.Owner + "/" + r.Name
		}
		if r.Run != "" {
			out[i].OpenBySeverity = new(counts[r.Run])
		}
		switch r.Kind {
		case store.WaitsOnboarding:
			out[i].Title = r.Title + " was tried out: accept or decline reviews"
		case store.WaitsHostAccount:
			out[i].Title, out[i].Detail = fmt.Sprintf("Is %s your account on %s?", r.Title, r.Detail), ""
		case store.WaitsToken:
			out[i].Kind, out[i].Number, out[i].Detail = store.WaitsConnection, 0, domain.TokenEnds(store.Time(r.Number))
		case store.WaitsAlert:
			out[i].Number, out[i].Title = 0, fmt.Sprintf("%d %% of the budget of %s is spent", r.Number, r.Title)
		}
	}
	return out, nil
}
