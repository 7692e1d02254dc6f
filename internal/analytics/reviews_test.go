package analytics_test

import (
	"strconv"
	"testing"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The figures of a tenant with a pull request and four findings.
func TestFigures(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		empty, err := a.Tenant(bg, w.Other.Tenant, "", "", "")
		testkit.OK(t, err)
		if empty.TotalReviews != 1 || empty.FirstReview.MedianSeconds != nil || len(empty.Findings) != 0 || len(empty.ReviewsByDay) != 30 {
			t.Errorf("without reviews: %+v", empty)
		}
		raw(`UPDATE pull_requests SET created_us = created_us - 60000000 WHERE tenant_id = $1`, w.Tenant.ID)
		raw(`UPDATE review_runs SET state = 'completed', finished_us = (SELECT p.created_us FROM pull_requests p WHERE p.id = pull_request_id) + 90000000 WHERE id = $1`, w.Run.ID)
		_, err = s.SaveRunFindings(bg, w.Run, []domain.Finding{
			{Title: "a", Category: "bug", Severity: domain.High, Fingerprints: domain.Fingerprints{Exact: "a"}}, {Title: "b", Category: "bug", Severity: domain.High, Fingerprints: domain.Fingerprints{Exact: "b"}},
			{Title: "c", Category: "bug", Severity: domain.High, Fingerprints: domain.Fingerprints{Exact: "c"}}, {Title: "d", Category: "security", Severity: domain.Low, Fingerprints: domain.Fingerprints{Exact: "d"}}})
		testkit.OK(t, err)
		raw(`UPDATE findings SET state = 'resolved' WHERE exact IN ('a', 'b')`) // b was never shown
		raw(`UPDATE findings SET state = 'dismissed', posted_run = $1 WHERE exact = 'c'`, w.Run.ID)
		raw(`UPDATE findings SET posted_run = $1 WHERE exact IN ('a', 'd')`, w.Run.ID)
		team, err := a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "Core", MemberIDs: []string{w.Person("mona", domain.RoleMember), w.Person("olga", domain.RoleMember)},
			RepositoryIDs: []string{w.Repository.ID}})
		testkit.OK(t, err)
		_, err = a.PutSettings(bg, w.Tenant, 0, analytics.AnalyticsSettingsUpdate{SmallestGroup: 2, RetentionDays: 365})
		testkit.OK(t, err)
		for whose, ask := range map[string]func() (analytics.Figures, error){
			"tenant":     func() (analytics.Figures, error) { return a.Tenant(bg, w.Tenant, "", "", "") },
			"repository": func() (analytics.Figures, error) { return a.Repository(bg, w.Tenant, w.Repository.ID, "", "") },
			"team":       func() (analytics.Figures, error) { return a.Tenant(bg, w.Tenant, team.ID, "", "") },
		} {
			t.Run(whose, func(t *testing.T) {
				got, err := ask()
				testkit.OK(t, err)
				testkit.Equal(t, "reviews", got.TotalReviews, 1)
				testkit.Require(t, "outcomes", len(got.Reviews), 1)
				testkit.Equal(t, "outcome", got.Reviews[0], analytics.ReviewOutcome{Outcome: "completed", Count: 1})
				if got.FirstReview.Count != 1 || *got.FirstReview.MedianSeconds != 90 || *got.FirstReview.P90Seconds != 90 {
					t.Errorf("first review %+v", got.FirstReview)
				}
				testkit.Require(t, "rows", len(got.Findings), 2)
				testkit.Equal(t, "bugs", got.Findings[0], analytics.FindingRow{Category: "bug", Severity: "high", FindingFigures: analytics.FindingFigures{Found: 3, Shown: 2, Taken: 1, Dismissed: 1}})
				testkit.Equal(t, "all", got.TotalFindings, analytics.FindingFigures{Found: 4, Shown: 3, Taken: 1, Dismissed: 1, Open: 1})
			})
		}
	})
}

// The answer omits the figures of a group that is too small, and those of a person if the tenant does not
// want them.
func TestFiguresAreWithheld(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		mona := w.Person("mona", domain.RoleMember)
		authored(w, raw, mona)
		people := []string{mona}
		for i := range 4 {
			people = append(people, w.Person("p"+strconv.Itoa(i), domain.RoleMember))
		}
		four, err := a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "four", MemberIDs: people[:4], RepositoryIDs: []string{w.Repository.ID}})
		testkit.OK(t, err)
		five, err := a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "five", MemberIDs: people, RepositoryIDs: []string{w.Repository.ID}})
		testkit.OK(t, err)
		check := func(what string, got analytics.Figures, err error, why string, runs int64) {
			t.Helper()
			testkit.OK(t, err)
			testkit.Equal(t, what+": why", got.Withheld, why)
			testkit.Equal(t, what+": runs", got.TotalReviews, runs)
			if why != "" && len(got.Reviews)+len(got.ReviewsByDay)+len(got.Findings) != 0 {
				t.Errorf("%s: %+v", what, got)
			}
			if got.From == "" || got.To == "" {
				t.Errorf("%s: the answer has no days: %+v", what, got.Span)
			}
		}
		team := func(what, id, why string, runs int64) {
			t.Helper()
			got, err := a.Tenant(bg, w.Tenant, id, "", "")
			check(what, got, err, why, runs)
		}
		mine := func(what, why string, runs int64) {
			t.Helper()
			got, err := a.Mine(bg, w.Tenant, store.Viewer{User: mona, Least: "view"}, "", "")
			check(what, got, err, why, runs)
		}
		team("four of five", four.ID, "small_group", 0)
		team("five of five", five.ID, "", 1)
		mine("not enabled", "not_enabled", 0)
		_, err = a.PutSettings(bg, w.Tenant, 0, analytics.AnalyticsSettingsUpdate{PerPersonFigures: true, SmallestGroup: 4, RetentionDays: 365})
		testkit.OK(t, err)
		team("four of four", four.ID, "", 1)
		mine("enabled", "", 1)
		testkit.OK(t, s.DismissMember(bg, w.Tenant, people[3]))
		team("one has left", four.ID, "small_group", 0)
		for what, id := range map[string]string{"an unknown team": "tea_never", "another tenant's": teamOf(t, w, w.Other.Tenant)} {
			_, err := a.Tenant(bg, w.Tenant, id, "", "")
			testkit.Equal(t, what+" team", featuretest.Pointers(t, err), "query/teamId")
		}
	})
}

// teamOf makes an empty team of a tenant, and returns the id.
func teamOf(t testing.TB, w *featuretest.World, tenant domain.Tenant) string {
	t.Helper()
	v, err := w.Features.Analytics.CreateTeam(bg, tenant, analytics.AnalyticsTeamCreate{Name: "Theirs"})
	testkit.OK(t, err)
	return v.ID
}

// Figures go back as far as the retention of the settings, and not further.
func TestFiguresEndWithTheRetention(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		old := storetest.Run(t, s, w.Pull, "old")
		raw(`UPDATE review_runs SET created_us = created_us - $2 WHERE id = $1`, old.ID, 30*store.DayUS)
		now, err := s.Now(bg)
		testkit.OK(t, err)
		back := func(days int) string { return store.Time(now).AddDate(0, 0, -days).Format("2006-01-02") }
		figures := func(what, from, to string, days int, runs int64) analytics.Span {
			t.Helper()
			got, err := a.Repository(bg, w.Tenant, w.Repository.ID, from, to)
			testkit.OK(t, err)
			testkit.Equal(t, what+": days", len(got.ReviewsByDay), days)
			testkit.Equal(t, what+": runs", got.TotalReviews, runs)
			return got.Span
		}
		figures("a year", back(40), back(0), 41, 2)
		_, err = a.PutSettings(bg, w.Tenant, 0, analytics.AnalyticsSettingsUpdate{SmallestGroup: 5, RetentionDays: 30})
		testkit.OK(t, err)
		testkit.Equal(t, "span", figures("a month", back(40), back(0), 30, 1), analytics.Span{From: back(29), To: back(0)})
		testkit.Equal(t, "span if all is too old", figures("too old", back(60), back(50), 1, 0), analytics.Span{From: back(29), To: back(29)})
	})
}
