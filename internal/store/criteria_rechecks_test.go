package store_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// An edit is wanted once. A later edit has another number, and the end of an earlier one then writes
// nothing.
func TestWantRecheck(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		l := must2(s.ReplaceFoundLinks(bg, w.Tenant, w.Pull.ID, foundLinks("P-1/body")))(t)[0]
		want := func(digest, expect string) int64 {
			t.Helper()
			seq, changed, err := s.WantRecheck(bg, w.Tenant, l.ID, digest)
			testkit.OK(t, err)
			testkit.Equal(t, "wanted "+digest, fmt.Sprint(seq, changed), expect)
			return seq
		}
		testkit.OK(t, s.SetJudgedCriteria(bg, w.Tenant, l.ID, "a"))
		want("a", "0 false") // it was judged
		first := want("b", "1 true")
		want("b", "0 false")
		second := want("a", "2 true") // back again, while b was to be judged
		end := func(seq int64, digest, why string, current bool) {
			t.Helper()
			testkit.Equal(t, "current", must2(s.EndRecheck(bg, w.Tenant, l.ID, seq, digest, why))(t), current)
		}
		end(first, "b", "late", false)
		end(second, "a", "", true)
		if _, due, err := s.RecheckAgain(bg, w.Tenant, l.ID); due || err != nil {
			t.Errorf("a judged edit is due again: %v", err)
		}
		third := want("c", "3 true")
		end(third, "c", "A review is under way.", true)
		seq, due, err := s.RecheckAgain(bg, w.Tenant, l.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "again", fmt.Sprint(seq, due), "4 true")
		end(third, "c", "late", false)
		got := must2(s.TrackerLinkForWork(bg, l.ID))(t)
		testkit.Equal(t, "row", fmt.Sprint(got.Wanted, got.WantedSeq, got.Recheck), "c4A review is under way.")
	})
}

// Links that store more than may be known are found by the current state of their repository, author
// and connection, and are not found after they were emptied.
func TestOverexposed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		con := must2(s.CreateTrackerConnection(bg, w.Tenant, store.TrackerConnection{ID: domain.NewID("tcn"), Kind: "jira", Name: "Jira", BaseURL: "https://jira.example", AuthKind: "token", Projects: "[]", Mapping: "{}", Enabled: true}))(t)
		l := must2(s.ReplaceFoundLinks(bg, w.Tenant, w.Pull.ID, []store.FoundLink{{Connection: con.ID, Tracker: "jira", IssueKey: "P-1", FoundIn: "title"}}))(t)[0]
		const allowed = `"allowOnPublic":true`
		set := func(private, stranger bool, mapping string, enabled bool) {
			t.Helper()
			repository := w.Repository
			repository.Private = private
			must2(s.UpsertRepository(bg, w.Tenant, repository))(t)
			con.Mapping, con.Enabled = mapping, enabled
			con = must2(s.UpdateTrackerConnection(bg, w.Tenant, con))(t)
			read := l
			read.KeyOnly, read.Title, read.Stranger = false, "The sum", stranger
			testkit.OK(t, s.SetTicketFacts(bg, w.Tenant, read))
		}
		for _, tc := range []struct {
			private, stranger bool
			mapping           string
			enabled           bool
			found             int
		}{
			{true, false, `{}`, true, 0}, {false, false, `{}`, true, 1}, {true, true, `{}`, true, 1}, {false, true, `{}`, false, 1},
			{false, false, `{` + allowed + `}`, true, 0}, {true, true, `{` + allowed + `}`, true, 0}, {false, false, `{` + allowed + `}`, false, 1},
			{false, false, `{"acceptanceCriteria":{"heading":"\"allowOnPublic\":true"}}`, true, 1},
		} {
			set(tc.private, tc.stranger, tc.mapping, tc.enabled)
			testkit.Equal(t, fmt.Sprintf("found of %+v", tc), len(must2(s.OverexposedLinks(bg, allowed, 10))(t)), tc.found)
		}
		testkit.OK(t, s.PutACChecks(bg, w.Tenant, w.Run.ID, l, []store.ACCheck{{CriterionID: "c", Criterion: "The sum is shown.", Evidence: "[]"}}))
		testkit.Equal(t, "hidden", must2(s.HideTrackerLink(bg, w.Tenant, l))(t), true)
		testkit.Equal(t, "hidden again", must2(s.HideTrackerLink(bg, w.Tenant, l))(t), false)
		testkit.Equal(t, "found", len(must2(s.OverexposedLinks(bg, allowed, 10))(t)), 0)
		testkit.Equal(t, "checks", len(must2(s.RunACChecks(bg, w.Tenant, w.Pull.ID, w.Run.ID))(t)), 0)
		testkit.Equal(t, "title", must2(s.TrackerLinkForWork(bg, l.ID))(t).Title, "")
	})
}
