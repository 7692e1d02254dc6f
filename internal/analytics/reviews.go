package analytics

import (
	"cmp"
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/stats"
	"github.com/assay-dev/assay/internal/store"
)

// Figures are the outcomes of reviews in a span of days. They name no person; only [Service.Mine] has
// figures of a single person.
type Figures struct {
	Span
	Withheld      string          `json:"withheld,omitempty" enum:"small_group,not_enabled" doc:"Why there are no figures: the team has fewer members than the settings ask for, or the tenant has no figures per person"`
	Reviews       []ReviewOutcome `json:"reviews" doc:"Review runs by outcome"`
	ReviewsByDay  []ReviewsOfDay  `json:"reviewsByDay" doc:"Review runs by the day on which they were made, UTC, every day"`
	TotalReviews  int64           `json:"totalReviews"`
	FirstReview   FirstReview     `json:"timeToFirstReview"`
	Findings      []FindingRow    `json:"findings" doc:"Findings by category and severity, by when they were first found"`
	TotalFindings FindingFigures  `json:"totalFindings"`
	CleanChanges  CleanChanges    `json:"cleanChanges"`
}

// ReviewOutcome counts review runs in one state.
type ReviewOutcome struct {
	Outcome string `json:"outcome" enum:"queued,running,awaiting_approval,publishing,completed,failed,cancelled,superseded,skipped"`
	Count   int64  `json:"count"`
}

// ReviewsOfDay are the review runs of one day.
type ReviewsOfDay struct {
	Day      string          `json:"day" format:"date" example:"2026-11-30"`
	Count    int64           `json:"count"`
	Outcomes []ReviewOutcome `json:"outcomes"`
}

// FirstReview is how long pull requests waited for their first review.
type FirstReview struct {
	Count         int64    `json:"count" doc:"Pull requests whose first review ended in the span"`
	MedianSeconds *float64 `json:"medianSeconds" doc:"From when the pull request was first seen; null without any"`
	P90Seconds    *float64 `json:"p90Seconds" doc:"90 of 100 waited at most so long; null without any"`
}

// CleanChanges are the changes that turned out clean, and how many of them the reviews left without a comment.
type CleanChanges struct {
	Changes        int64    `json:"changes" doc:"Merged pull requests with a review, of whose findings none was resolved by a later head"`
	WithoutComment int64    `json:"withoutComment" doc:"Of those, pull requests without any comment on a line"`
	Share          *float64 `json:"share" doc:"Of changes without a comment; null without any"`
	Low            *float64 `json:"low" doc:"Lower limit of the 95 % interval of the share (Wilson); null without any"`
	High           *float64 `json:"high" doc:"Upper limit; null without any"`
}

// FindingFigures count findings.
type FindingFigures struct {
	Found      int64 `json:"found"`
	Shown      int64 `json:"shown" doc:"In a published review"`
	Taken      int64 `json:"taken" doc:"Shown, and gone from a later head of the pull request"`
	Dismissed  int64 `json:"dismissed" doc:"By a person"`
	Open       int64 `json:"open"`
	Suppressed int64 `json:"suppressed" doc:"Kept out of reviews by a suppression"`
}

// FindingRow counts findings of one category and severity.
type FindingRow struct {
	Category string `json:"category"`
	Severity string `json:"severity"`
	FindingFigures
}

func (v *FindingFigures) add(w FindingFigures) {
	v.Found += w.Found
	v.Shown += w.Shown
	v.Taken += w.Taken
	v.Dismissed += w.Dismissed
	v.Open += w.Open
	v.Suppressed += w.Suppressed
}

// Tenant returns the figures of a tenant, or of the repositories of one of its teams. It withholds the
// figures of a team with fewer members than the settings require. Errors: Invalid.
func (s *Service) Tenant(ctx context.Context, t domain.Tenant, team, from, to string) (Figures, error) {
	settings, days, err := s.asked(ctx, t, from, to)
	if err != nil {
		return Figures{}, err
	}
	if team != "" {
		v, err := s.Store.Team(ctx, t, team)
		if errs.Is(err, errs.NotFound) {
			return Figures{}, &errs.Error{Kind: errs.Invalid, Message: "Something in the request is not as the description says.",
				Fields: []errs.Field{{Pointer: "query/teamId", Message: "must be the id of a team of the tenant"}}}
		}
		if err != nil {
			return Figures{}, err
		}
		if len(v.Members) < settings.SmallestGroup {
			return withheld(days, "small_group"), nil
		}
	}
	return s.figures(ctx, t, days, store.FigureScope{Team: team})
}

// Repository returns the figures of a repository. Errors: Invalid.
func (s *Service) Repository(ctx context.Context, t domain.Tenant, repository, from, to string) (Figures, error) {
	_, days, err := s.asked(ctx, t, from, to)
	if err != nil {
		return Figures{}, err
	}
	return s.figures(ctx, t, days, store.FigureScope{Repository: repository})
}

// Mine returns the figures of a person's own pull requests, on repositories that the person may see. It
// withholds them if the tenant has not enabled figures per person. Errors: Invalid.
func (s *Service) Mine(ctx context.Context, t domain.Tenant, who store.Viewer, from, to string) (Figures, error) {
	settings, days, err := s.asked(ctx, t, from, to)
	if err != nil {
		return Figures{}, err
	}
	if !settings.PerPersonFigures {
		return withheld(days, "not_enabled"), nil
	}
	return s.figures(ctx, t, days, store.FigureScope{Author: who.User, Viewer: sees(who)})
}

// sees returns the person whose repository roles narrow the count. It returns "" if the person has a role
// on every repository.
func sees(who store.Viewer) string {
	if slices.Contains([]string{"view", "review", "manage"}, who.Least) {
		return ""
	}
	return who.User
}

// asked reads the settings and parses the requested span, and shortens it to the retention period of the
// settings.
func (s *Service) asked(ctx context.Context, t domain.Tenant, from, to string) (AnalyticsSettings, Span, error) {
	settings, err := s.Settings(ctx, t)
	if err != nil {
		return settings, Span{}, err
	}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return settings, Span{}, err
	}
	days, err := span(now, from, to)
	if err != nil {
		return settings, days, err
	}
	oldest := day(now/store.DayUS - int64(settings.RetentionDays) + 1)
	days.From, days.To = max(days.From, oldest), max(days.To, oldest)
	return settings, days, nil
}

func withheld(days Span, why string) Figures {
	return Figures{Span: days, Withheld: why, Reviews: []ReviewOutcome{}, ReviewsByDay: []ReviewsOfDay{}, Findings: []FindingRow{}}
}

func (s *Service) figures(ctx context.Context, t domain.Tenant, days Span, scope store.FigureScope) (Figures, error) {
	out := withheld(days, "")
	var err error
	if scope.From, scope.To, err = days.us(); err != nil {
		return out, err
	}
	if out.ReviewsByDay, err = s.reviews(ctx, t, scope); err != nil {
		return out, err
	}
	byOutcome := map[string]int64{}
	for _, d := range out.ReviewsByDay {
		out.TotalReviews += d.Count
		for _, o := range d.Outcomes {
			byOutcome[o.Outcome] += o.Count
		}
	}
	for outcome, n := range byOutcome {
		out.Reviews = append(out.Reviews, ReviewOutcome{outcome, n})
	}
	slices.SortFunc(out.Reviews, func(a, b ReviewOutcome) int { return cmp.Compare(a.Outcome, b.Outcome) })
	first, err := s.Store.FirstReviews(ctx, t, scope)
	if err != nil {
		return out, err
	}
	if out.FirstReview.Count = first.Count; first.Count > 0 {
		out.FirstReview.MedianSeconds, out.FirstReview.P90Seconds = new(float64(first.MedianUS)/1e6), new(float64(first.P90US)/1e6)
	}
	clean, err := s.Store.CleanChanges(ctx, t, scope)
	if err != nil {
		return out, err
	}
	out.CleanChanges = cleanChanges(clean)
	rows, err := s.Store.FindingFigures(ctx, t, scope)
	if err != nil {
		return out, err
	}
	for _, r := range rows {
		row := FindingRow{r.Category, r.Severity, FindingFigures{r.Found, r.Shown, r.Taken, r.Dismissed, r.Open, r.Suppressed}}
		out.Findings = append(out.Findings, row)
		out.TotalFindings.add(row.FindingFigures)
	}
	return out, nil
}

func cleanChanges(c store.CleanChanges) CleanChanges {
	out := CleanChanges{Changes: c.Changes, WithoutComment: c.Silent}
	if c.Changes > 0 {
		low, high := stats.Wilson(float64(c.Silent), float64(c.Changes))
		out.Share, out.Low, out.High = new(float64(c.Silent)/float64(c.Changes)), &low, &high
	}
	return out
}

// reviews counts review runs by day, including days without runs.
func (s *Service) reviews(ctx context.Context, t domain.Tenant, scope store.FigureScope) ([]ReviewsOfDay, error) {
	rows, err := s.Store.RunOutcomes(ctx, t, scope)
	if err != nil {
		return nil, err
	}
	out := []ReviewsOfDay{}
	for n := scope.From / store.DayUS; n*store.DayUS < scope.To; n++ {
		d := ReviewsOfDay{Day: day(n), Outcomes: []ReviewOutcome{}}
		for len(rows) > 0 && rows[0].Day == n {
			d.Count += rows[0].Count
			d.Outcomes = append(d.Outcomes, ReviewOutcome{string(rows[0].State), rows[0].Count})
			rows = rows[1:]
		}
		out = append(out, d)
	}
	return out, nil
}
