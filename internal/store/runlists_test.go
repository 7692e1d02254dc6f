package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Runs of a tenant come page by page, newest first, each once, by any filter. A person with a role on
// one repository sees only its runs.
func TestTenantRuns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		other := storetest.PullRequest(t, s, second, 9)
		want := []string{w.Run.ID}
		for i := range 7 {
			pull := w.Pull
			if i%2 == 0 {
				pull = other
			}
			want = append(want, storetest.Run(t, s, pull, fmt.Sprint("cmd:", i)).ID)
		}
		slices.Reverse(want)
		pages := func(f store.RunsFilter) (out []string) {
			for f.Limit = 3; ; {
				rows := must2(s.TenantRuns(bg, w.Tenant, f))(t)
				for _, r := range rows {
					out = append(out, r.ID)
				}
				if len(rows) < f.Limit {
					return out
				}
				f.Before = rows[len(rows)-1].Place()
			}
		}
		testkit.Equal(t, "all", strings.Join(pages(store.RunsFilter{}), " "), strings.Join(want, " "))
		testkit.Equal(t, "of a repository", len(pages(store.RunsFilter{Repository: second.ID})), 4)
		testkit.Equal(t, "in a state", len(pages(store.RunsFilter{State: domain.RunFailed})), 0)
		testkit.Equal(t, "of an author", len(pages(store.RunsFilter{Author: "mona"})), 8)
		testkit.Equal(t, "of another author", len(pages(store.RunsFilter{Author: "mon_"})), 0)
		testkit.Equal(t, "by events", len(pages(store.RunsFilter{MadeBy: store.ByEvent})), 8)
		testkit.Equal(t, "by commands", len(pages(store.RunsFilter{MadeBy: store.ByCommand})), 0)
		testkit.Equal(t, "on request", len(pages(store.RunsFilter{MadeBy: store.ByRequest})), 0)
		testkit.Equal(t, "since then", len(pages(store.RunsFilter{Since: w.Run.CreatedUS + 3_600_000_000})), 0)
		testkit.Equal(t, "until then", len(pages(store.RunsFilter{Until: w.Run.CreatedUS})), 0)
		user := must2(s.CreateUser(bg, "Mona", false))(t).ID
		testkit.Equal(t, "without a role", len(pages(store.RunsFilter{User: user})), 0)
		testkit.OK(t, s.SetRepositoryRole(bg, w.Tenant, second.ID, user, "view"))
		testkit.Equal(t, "with a role", len(pages(store.RunsFilter{User: user})), 4)
		testkit.OK(t, s.SetRepositoryRole(bg, w.Tenant, second.ID, user, "none"))
		testkit.Equal(t, "with the role none", len(pages(store.RunsFilter{User: user})), 0)

		row := must2(s.RunRowsByID(bg, w.Tenant, []string{w.Run.ID, domain.NewID("run")}))(t)
		if len(row) != 1 || row[0].Owner != "octo" || row[0].Title != "Change" || row[0].Author != "mona" || row[0].PullState != "open" || row[0].OpenFindings != 0 || row[0].ReviewURL != "" {
			t.Errorf("%+v", row)
		}
	})
}

// The figures beside runs, pull requests and repositories count open findings of published reviews. The
// newest run is the last one created.
func TestGlances(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s)
		saved := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A"), finding("b", "B"), finding("c", "C")}))(t)
		testkit.OK(t, s.MarkPosted(bg, w.Tenant, w.Run.ID, []string{saved[0].ID, saved[1].ID}))
		testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, "", []string{saved[1].ID}, domain.FindingDismissed))
		last := storetest.Run(t, s, w.Pull, "cmd:1")
		storetest.PullRequest(t, s, w.Repository, 77)
		empty := storetest.Repository(t, s, w.Tenant, w.Installation)
		for _, g := range must2(s.RepositoryGlances(bg, w.Tenant, []string{w.Repository.ID, empty.ID, domain.NewID("rep")}))(t) {
			if want := (store.RepositoryGlance{Repository: w.Repository.ID, OpenPulls: 2, OpenFindings: 1, LastRun: last.ID, Policy: g.Policy}); g.Repository == w.Repository.ID && g != want {
				t.Errorf("%+v", g)
			}
			if g.Repository == empty.ID && (g.OpenPulls != 0 || g.LastRun != "") {
				t.Errorf("%+v", g)
			}
		}
		pulls := must2(s.PullRequests(bg, w.Tenant, w.Repository.ID, store.PullFilter{Limit: 5}))(t)
		if len(pulls) != 2 || pulls[0].Number != 77 || pulls[0].LastRun != "" || pulls[1].LastRun != last.ID || pulls[1].OpenFindings != 1 || pulls[1].UpdatedUS == 0 {
			t.Errorf("%+v", pulls)
		}
		testkit.Equal(t, "below", len(must2(s.PullRequests(bg, w.Tenant, w.Repository.ID, store.PullFilter{Below: 77, State: "open", Limit: 5}))(t)), 1)
		testkit.Equal(t, "merged", len(must2(s.PullRequests(bg, w.Tenant, w.Repository.ID, store.PullFilter{State: "merged", Limit: 5}))(t)), 0)
		testkit.Equal(t, "by number", len(must2(s.PullRequests(bg, w.Tenant, w.Repository.ID, store.PullFilter{Number: 77, Limit: 5}))(t)), 1)
		testkit.Equal(t, "asked for", must2(s.RequestedRuns(bg, w.Tenant, w.Repository.ID, time.Hour))(t), int64(0))
	})
}

// A page of ten thousand runs begins at its place in an index.
func TestTenantRunsBeginAtTheirPlace(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := fill(t, s, 10_000)
		text, args := store.TenantRunsStatement(w.Tenant, store.RunsFilter{Before: store.Cursor{US: 1 << 60, ID: "z"}, Limit: 50})
		how := plan(t, s, text, args...)
		if bad := scans(how); len(bad) > 0 || !strings.Contains(how, "review_runs_tenant") && !strings.Contains(how, "review_runs_created") {
			t.Error(how)
		}
		testkit.Equal(t, "page", len(must2(s.TenantRuns(bg, w.Tenant, store.RunsFilter{Limit: 50}))(t)), 50)
	})
}
