package store_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Pull requests are found by number and by a part of the title, whose characters have no further meaning.
func TestPullRequestsAreFound(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		add := func(r store.Repository, number int, title, state string, us int64) {
			must2(s.UpsertPullRequest(bg, w.Tenant, store.PullRequest{Repository: r.ID, Number: number, Title: title, Author: "mona",
				HeadSHA: storetest.SHA(title), BaseRef: "main", State: state, HostUpdatedUS: us}))(t)
		}
		add(w.Repository, 101, "Retry 50% of payments", "open", 10)
		add(w.Repository, 102, "retry_all payments", "closed", 40)
		add(second, 103, "No RETRY on 101", "open", 20)
		add(w.Repository, 104, "Übersicht DER Ändérung", "open", 30)
		person := must2(s.CreateUser(bg, "Mona", false))(t).ID
		testkit.OK(t, s.SetRepositoryRole(bg, w.Tenant, second.ID, person, "view"))
		for _, c := range []struct{ name, user, text, want string }{
			{"by a part", "", "RETRY", "103 101 102 "},
			{"by its number first", "", "101", "101 103 "},
			{"by its number as people write it", "", "#102", "102 "},
			{"a percent sign", "", "0%", "101 "},
			{"an underscore", "", "y_a", "102 "},
			{"a backslash", "", `\`, ""},
			{"letters beyond ASCII", "", "Übersicht der Ä", "104 "},
			{"of a repository that the person may see", person, "retry", "103 "},
			{"a number that is too large", "", "99999999999999999999", ""},
		} {
			got := ""
			for _, v := range must2(s.SearchPulls(bg, w.Tenant, store.SearchFilter{User: c.user, Text: c.text, Limit: 5}))(t) {
				got += fmt.Sprint(v.Number, " ")
			}
			testkit.Equal(t, c.name, got, c.want)
		}
		testkit.Equal(t, "at most", len(must2(s.SearchPulls(bg, w.Tenant, store.SearchFilter{Text: "retry", Limit: 2}))(t)), 2)
	})
}

// Open findings are found by a part of the title, the newest first.
func TestFindingsAreFound(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := newWorklist(t, s)
		testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, "", []string{w.ids["b"]}, domain.FindingDismissed))
		found := func(f store.SearchFilter) string {
			rows, more, err := s.SearchFindings(bg, w.Tenant, f)
			testkit.OK(t, err)
			testkit.Equal(t, "more", more, false)
			return titles(rows)
		}
		testkit.Equal(t, "by title", found(store.SearchFilter{Text: "A", Limit: 5}), "a")
		testkit.Equal(t, "a dismissed one", found(store.SearchFilter{Text: "b", Limit: 5}), "")
		testkit.Equal(t, "at most", found(store.SearchFilter{Limit: 3}), w.tie[0]+w.tie[1]+"d")
		testkit.Equal(t, "of a person without repositories", found(store.SearchFilter{User: "usr_none", Limit: 3}), "")
	})
}

// Repositories are found by a part of owner/name with letters beyond ASCII.
func TestRepositoriesAreFound(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		r := must2(s.UpsertRepository(bg, w.Tenant, store.Repository{Installation: w.Installation.ID, ExternalID: "4711", Owner: "Ärzte", Name: "Übersicht", DefaultBranch: "main"}))(t)
		for _, part := range []string{"Übersicht", "ÜbersICHT", "Ärzte/Ü"} {
			rows := must2(s.RepositoriesPage(bg, w.Tenant, store.RepositoryFilter{Name: part, Limit: 5}))(t)
			if len(rows) != 1 || rows[0].ID != r.ID {
				t.Errorf("%s: %+v", part, rows)
			}
		}
	})
}

// Lists show what runs cost, and that a price is unknown.
func TestCostsOfRuns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		call := func(cost *int64, ended bool) {
			c := store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID, Stage: "generate", Credential: "crd_1", Tier: "fast", Model: "m", CostMicros: cost, Outcome: "ok"}
			id := must2(s.BeginCall(bg, w.Tenant, c))(t)
			if ended {
				must2(s.EndCall(bg, w.Tenant, id, c))(t)
			}
		}
		call(new(int64(40)), true)
		call(new(int64(2)), true)
		call(nil, true)
		call(nil, false)
		got := must2(s.RunCosts(bg, w.Tenant, []string{w.Run.ID, "run_none"}))(t)
		testkit.Equal(t, "runs with calls", len(got), 1)
		testkit.Equal(t, "cost", got[w.Run.ID].CostMicros, int64(42))
		testkit.Equal(t, "calls, without a price, open", fmt.Sprint(got[w.Run.ID].Calls, got[w.Run.ID].Unpriced, got[w.Run.ID].Open), "4 1 1")
	})
}
