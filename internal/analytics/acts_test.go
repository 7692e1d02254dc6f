package analytics_test

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestSettingsLive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		v, err := a.Settings(bg, w.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "defaults", v, analytics.AnalyticsSettings{AnalyticsSettingsUpdate: analytics.AnalyticsSettingsUpdate{SmallestGroup: 5, RetentionDays: 365}})
		in := analytics.AnalyticsSettingsUpdate{PerPersonFigures: true, SmallestGroup: 2, RetentionDays: 30}
		made, err := a.PutSettings(bg, w.Tenant, store.NeverStored, in)
		testkit.OK(t, err)
		testkit.Equal(t, "version", made.Version, 1)
		for what, version := range map[string]int64{"never stored": store.NeverStored, "one to come": 2} {
			_, err = a.PutSettings(bg, w.Tenant, version, analytics.AnalyticsSettingsUpdate{SmallestGroup: 9, RetentionDays: 99})
			refused(t, what, err, errs.Stale)
		}
		v, err = a.Settings(bg, w.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "stored", v.AnalyticsSettingsUpdate, in)
		testkit.Equal(t, "version", v.Version, 1)
		if v.UpdatedAt == nil {
			t.Error("the time of storing is missing")
		}
		in.RetentionDays = 60
		v, err = a.PutSettings(bg, w.Tenant, 1, in)
		testkit.OK(t, err)
		testkit.Equal(t, "version after a change", v.Version, 2)
		theirs, err := a.Settings(bg, w.Other.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "another tenant's", theirs.Version, 0)
		testkit.Equal(t, "log", acts(t, w), "analytics-settings.update perPersonFigures smallestGroup retentionDays; analytics-settings.update retentionDays")
		testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingAnalytics, "no document"))
		_, err = a.Settings(bg, w.Tenant)
		refused(t, "a damaged document", err, errs.Internal)
	})
}

func TestTeamsLive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		mona := w.Person("mona", domain.RoleMember)
		update := func(id string, version int64, body string) (analytics.AnalyticsTeam, error) {
			return a.UpdateTeam(bg, w.Tenant, id, version, featuretest.Request[analytics.AnalyticsTeamUpdate](t, body))
		}
		made, err := a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "Core", MemberIDs: []string{mona}, RepositoryIDs: []string{w.Repository.ID}})
		testkit.OK(t, err)
		testkit.Equal(t, "version", made.Version, 1)
		_, err = a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "Core"})
		refused(t, "the name again", err, errs.Conflict)
		testkit.Equal(t, "the name again", code(err), "already_exists")
		second, err := a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "Edge"})
		testkit.OK(t, err)
		_, err = update(second.ID, 0, `{"name":"Core"}`)
		refused(t, "another's name", err, errs.Conflict)

		changed, err := update(made.ID, made.Version, `{"name":"Kernel"}`)
		testkit.OK(t, err)
		if changed.Name != "Kernel" || !slices.Equal(changed.MemberIDs, []string{mona}) || !slices.Equal(changed.RepositoryIDs, []string{w.Repository.ID}) || changed.Version != 2 {
			t.Errorf("changed is %+v", changed)
		}
		_, err = update(made.ID, made.Version, `{"name":"x"}`)
		refused(t, "the version before", err, errs.Stale)
		_, err = update("tea_never", 0, `{"name":"x"}`)
		refused(t, "absent", err, errs.NotFound)
		_, err = a.UpdateTeam(bg, w.Other.Tenant, made.ID, 0, analytics.AnalyticsTeamUpdate{})
		refused(t, "another tenant's", err, errs.NotFound)
		changed, err = update(made.ID, 0, `{"repositoryIds":[]}`)
		testkit.OK(t, err)
		testkit.Equal(t, "repositories of any version", len(changed.RepositoryIDs), 0)

		testkit.OK(t, s.DismissMember(bg, w.Tenant, mona))
		first, err := a.Teams(bg, w.Tenant, store.Cursor{}, 1)
		testkit.OK(t, err)
		testkit.Require(t, "first page", len(first), 1)
		testkit.Equal(t, "newest", first[0].ID, second.ID)
		rest, err := a.Teams(bg, w.Tenant, after(first[0].CreatedAt, first[0].ID), 9)
		testkit.OK(t, err)
		testkit.Require(t, "rest", len(rest), 1)
		testkit.Equal(t, "oldest", rest[0].ID, made.ID)
		testkit.Equal(t, "members after one has left", len(rest[0].MemberIDs), 0)

		refused(t, "deleted by another tenant", a.DeleteTeam(bg, w.Other.Tenant, made.ID), errs.NotFound)
		testkit.OK(t, a.DeleteTeam(bg, w.Tenant, made.ID))
		refused(t, "deleted again", a.DeleteTeam(bg, w.Tenant, made.ID), errs.NotFound)
		testkit.Equal(t, "log", acts(t, w), "analytics-team.create name memberIds repositoryIds; analytics-team.create name memberIds repositoryIds; "+
			"analytics-team.update name; analytics-team.update repositoryIds; analytics-team.delete name memberIds repositoryIds")
	})
}

func TestTeamsRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		mona := w.Person("mona", domain.RoleMember)
		stranger, err := s.CreateUser(bg, "stranger", false)
		testkit.OK(t, err)
		testkit.OK(t, s.SetMember(bg, w.Other.Tenant, stranger.ID, domain.RoleAdmin, "hand"))
		team, err := a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "Core"})
		testkit.OK(t, err)
		for name, tc := range map[string]struct{ body, fields string }{
			"another tenant's":   {`{"name":"x","memberIds":["` + stranger.ID + `"],"repositoryIds":["` + w.Other.Repository.ID + `"]}`, "/memberIds/0 /repositoryIds/0"},
			"unknown ids":        {`{"name":"x","memberIds":["usr_never"],"repositoryIds":["rep_never"]}`, "/memberIds/0 /repositoryIds/0"},
			"one of two":         {`{"name":"x","memberIds":["` + mona + `","usr_never"]}`, "/memberIds/1"},
			"a member twice":     {`{"name":"x","memberIds":["` + mona + `","` + mona + `"]}`, "/memberIds/1"},
			"a repository twice": {`{"name":"x","memberIds":[],"repositoryIds":["` + w.Repository.ID + `","` + w.Repository.ID + `"]}`, "/repositoryIds/1"},
			"a name of spaces":   {`{"name":" ","memberIds":[]}`, "/name"},
		} {
			t.Run(name, func(t *testing.T) {
				_, err := a.CreateTeam(bg, w.Tenant, featuretest.Request[analytics.AnalyticsTeamCreate](t, tc.body))
				testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.fields)
				_, err = a.UpdateTeam(bg, w.Tenant, team.ID, 0, featuretest.Request[analytics.AnalyticsTeamUpdate](t, tc.body))
				testkit.Equal(t, "wrong fields of a change", featuretest.Pointers(t, err), tc.fields)
			})
		}
		there, err := a.Teams(bg, w.Tenant, store.Cursor{}, 9)
		testkit.OK(t, err)
		testkit.Require(t, "teams", len(there), 1)
		testkit.Equal(t, "version", there[0].Version, 1)
	})
}

func TestThereAreOnlySoManyTeams(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		testkit.OK(t, s.InTx(bg, func(ctx context.Context) error {
			for i := range analytics.MaxTeams - 1 {
				if _, err := s.CreateTeam(ctx, w.Tenant, store.Team{Name: strconv.Itoa(i)}); err != nil {
					return err
				}
			}
			return nil
		}))
		last, err := a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "last"})
		testkit.OK(t, err)
		_, err = a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "one more"})
		refused(t, "one more", err, errs.Conflict)
		testkit.Equal(t, "one more", code(err), "limit_reached")
		_, err = a.CreateTeam(bg, w.Other.Tenant, analytics.AnalyticsTeamCreate{Name: "theirs"})
		testkit.OK(t, err)
		testkit.OK(t, a.DeleteTeam(bg, w.Tenant, last.ID))
		_, err = a.CreateTeam(bg, w.Tenant, analytics.AnalyticsTeamCreate{Name: "in its place"})
		testkit.OK(t, err)
	})
}

func TestBudgetAlertsLive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		olga := w.Person("olga", domain.RoleAdmin)
		alerts := func(state string, before store.Cursor, limit int) []analytics.BudgetAlert {
			t.Helper()
			v, err := a.BudgetAlerts(bg, w.Tenant, state, before, limit)
			testkit.OK(t, err)
			return v
		}
		testkit.Equal(t, "at first", len(alerts("", store.Cursor{}, 9)), 0)
		var ids []string
		for _, percent := range []int{50, 80, 100} {
			v, err := s.AddBudgetAlert(bg, w.Tenant, store.BudgetAlert{Period: "2026-11", Threshold: percent, BudgetMicros: 100, SpentMicros: int64(percent), Currency: "USD"})
			testkit.OK(t, err)
			ids = append(ids, v.ID)
		}
		theirs, err := s.AddBudgetAlert(bg, w.Other.Tenant, store.BudgetAlert{Period: "2026-11", Threshold: 50})
		testkit.OK(t, err)
		page := alerts("", store.Cursor{}, 2)
		testkit.Require(t, "first page", len(page), 2)
		next := alerts("", after(page[1].CreatedAt, page[1].ID), 2)
		testkit.Require(t, "second page", len(next), 1)
		testkit.Equal(t, "newest", page[0].Threshold, 100)
		testkit.Equal(t, "oldest", next[0], analytics.BudgetAlert{ID: ids[0], Period: "2026-11", Threshold: 50, BudgetMicros: 100, SpentMicros: 50, Currency: "USD", State: "open", CreatedAt: next[0].CreatedAt})

		v, err := a.AcknowledgeBudgetAlert(bg, w.Tenant, ids[0], olga)
		testkit.OK(t, err)
		if v.State != "acknowledged" || v.AcknowledgedBy != olga || v.AcknowledgedAt == nil {
			t.Errorf("acknowledged: %+v", v)
		}
		_, err = a.AcknowledgeBudgetAlert(bg, w.Tenant, ids[0], olga)
		refused(t, "again", err, errs.Conflict)
		testkit.Equal(t, "again", code(err), "already_acknowledged")
		for what, id := range map[string]string{"absent": "alr_never", "another tenant's": theirs.ID} {
			_, err = a.AcknowledgeBudgetAlert(bg, w.Tenant, id, olga)
			refused(t, what, err, errs.NotFound)
		}
		open := alerts("open", store.Cursor{}, 9)
		testkit.Require(t, "open", len(open), 2)
		testkit.Equal(t, "the last of them", open[1].ID, ids[1])
		done := alerts("acknowledged", store.Cursor{}, 9)
		testkit.Require(t, "acknowledged", len(done), 1)
		testkit.Equal(t, "it", done[0].ID, ids[0])
		testkit.Equal(t, "log", acts(t, w), "budget-alert.acknowledge state")
	})
}
