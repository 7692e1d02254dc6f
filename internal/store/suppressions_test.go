package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A suppression is decided once, is in effect until its time has passed or it is withdrawn, and is listed by its
// state.
func TestSuppressionStates(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		repo := w.Repository.ID
		make1 := func() store.Suppression {
			return must2(store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: store.Record{Repository: repo}, Scope: domain.ScopeRule,
				Matches: "llm/x", Paths: `["a/**"]`, State: domain.SuppressionProposed, Source: domain.SuppressedByDismissal, Prints: "[]"}))(t)
		}
		now := must2(s.Now(bg))(t)
		accept := store.SuppressionDecision{To: domain.SuppressionAccepted, Scope: domain.ScopeRule, Matches: "llm/x", Paths: `["a/**"]`, By: "usr_1", Name: "Olga"}
		past, later, decline := accept, accept, accept
		decline.To = domain.SuppressionDeclined
		past.ExpiresUS, later.ExpiresUS = now-1, now+time.Hour.Microseconds()
		forEver, expired, expiring, declined, waits := make1(), make1(), make1(), make1(), make1()
		testkit.Equal(t, "proposed", must2(s.LockSuppressions(bg, w.Tenant, repo))(t), 5)
		testkit.OK(t, s.DecideSuppression(bg, w.Tenant, repo, forEver.ID, accept))
		testkit.OK(t, s.DecideSuppression(bg, w.Tenant, repo, expired.ID, past))
		testkit.OK(t, s.DecideSuppression(bg, w.Tenant, repo, expiring.ID, later))
		testkit.OK(t, s.DecideSuppression(bg, w.Tenant, repo, declined.ID, decline))
		wantKind(t, s.DecideSuppression(bg, w.Tenant, repo, forEver.ID, accept), errs.NotFound)
		wantKind(t, s.WithdrawSuppression(bg, w.Tenant, repo, waits.ID, domain.SuppressionAccepted, "", "", ""), errs.NotFound)
		ids := func(f store.SuppressionsFilter) string {
			var out []string
			f.Limit = 10
			for _, v := range must2(s.Suppressions(bg, w.Tenant, repo, f))(t) {
				out = append(out, v.ID)
			}
			return strings.Join(out, " ")
		}
		testkit.Equal(t, "accepted", ids(store.SuppressionsFilter{State: domain.SuppressionAccepted}), expiring.ID+" "+forEver.ID)
		testkit.Equal(t, "expired", ids(store.SuppressionsFilter{State: domain.SuppressionExpired}), expired.ID)
		testkit.Equal(t, "declined", ids(store.SuppressionsFilter{State: domain.SuppressionDeclined}), declined.ID)
		testkit.Equal(t, "of another scope", ids(store.SuppressionsFilter{Scope: domain.ScopeCategory}), "")
		testkit.Equal(t, "in effect", len(must2(s.SuppressionsInEffect(bg, w.Tenant, repo))(t)), 2)
		testkit.Equal(t, "the same", len(must2(s.SameSuppressions(bg, w.Tenant, repo, forEver))(t)), 4)
		testkit.OK(t, s.WithdrawSuppression(bg, w.Tenant, repo, forEver.ID, domain.SuppressionAccepted, "usr_2", "Mona", "known again"))
		left := must2(s.SuppressionsInEffect(bg, w.Tenant, repo))(t)
		if len(left) != 1 || left[0].ID != expiring.ID || left[0].DecidedName != "Olga" || left[0].DecidedUS == 0 {
			t.Errorf("%+v", left)
		}
		row := must2(s.Suppression(bg, w.Tenant, repo, forEver.ID))(t)
		if row.State != domain.SuppressionWithdrawn || row.WithdrawnName != "Mona" || row.WithdrawnUS == 0 || row.DecidedName != "Olga" {
			t.Errorf("%+v", row)
		}
	})
}

// Refusals are the findings of a rule that are dismissed now, with the person of their last dismissal.
func TestRefusals(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		found := []domain.Finding{finding("a", "A"), finding("b", "B"), finding("c", "C"), finding("d", "D")}
		for i := range found {
			found[i].RuleID = "llm/x"
		}
		found[3].RuleID = "llm/y"
		saved := must2(s.SaveRunFindings(bg, w.Run, found))(t)
		move := func(i int, from, to domain.FindingState, user, person string) {
			testkit.OK(t, s.DecideFinding(bg, w.Tenant, w.Repository.ID, from, store.FindingDecision{Finding: saved[i].ID, State: to, Reason: "r", User: user, Person: person}))
		}
		move(0, domain.FindingOpen, domain.FindingDismissed, "usr_1", "usr_1")
		move(0, domain.FindingDismissed, domain.FindingOpen, "usr_1", "usr_1")
		move(0, domain.FindingOpen, domain.FindingDismissed, "", "host:x:7")
		move(1, domain.FindingOpen, domain.FindingDismissed, "usr_2", "") // of an older version
		move(2, domain.FindingOpen, domain.FindingDismissed, "usr_1", "usr_1")
		move(2, domain.FindingDismissed, domain.FindingOpen, "usr_1", "usr_1")
		move(3, domain.FindingOpen, domain.FindingDismissed, "usr_1", "usr_1")
		people := map[string]string{}
		for _, v := range must2(s.Refusals(bg, w.Tenant, w.Repository.ID, "llm/x"))(t) {
			people[v.Finding] = v.Person
		}
		if want := map[string]string{saved[0].ID: "host:x:7", saved[1].ID: "usr_2"}; !maps.Equal(people, want) {
			t.Errorf("people %v, want %v", people, want)
		}
	})
}

// A suppression stays in effect after retention has deleted the finding that led to it.
func TestASuppressionOutlivesItsFinding(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := storetest.Seed(t, s)
		f := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A")}))(t)[0]
		v := must2(store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: store.Record{Repository: w.Repository.ID}, Finding: f.ID,
			Scope: domain.ScopeFingerprint, Matches: "a", Paths: "[]", State: domain.SuppressionAccepted, Prints: `["a"]`}))(t)
		must2(s.MoveRun(bg, w.Tenant, w.Run.ID, store.RunMove{From: domain.RunQueued, To: domain.RunCancelled}))(t)
		raw(`UPDATE pull_requests SET state = 'closed'`)
		must2(s.DropRuns(bg, -time.Hour, 10))(t)
		wantKind(t, func() error { _, err := s.Finding(bg, w.Tenant, w.Repository.ID, f.ID); return err }(), errs.NotFound)
		left := must2(s.SuppressionsInEffect(bg, w.Tenant, w.Repository.ID))(t)
		if len(left) != 1 || left[0].ID != v.ID || left[0].Finding != "" {
			t.Errorf("%+v", left)
		}
	})
}

// Fingerprints are added to an accepted suppression once each, and the newest are kept.
func TestAddSuppressionPrint(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		add := func(state domain.SuppressionState) store.Suppression {
			return must2(store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: store.Record{Repository: w.Repository.ID},
				Scope: domain.ScopeFingerprint, Matches: "a", Paths: "[]", State: state, Prints: `["a"]`}))(t)
		}
		prints := func(v store.Suppression) string {
			return must2(s.Suppression(bg, w.Tenant, w.Repository.ID, v.ID))(t).Prints
		}
		v := add(domain.SuppressionAccepted)
		for _, p := range []string{"b", "a", "b"} {
			testkit.OK(t, s.AddSuppressionPrint(bg, w.Tenant, w.Repository.ID, v.ID, p))
		}
		testkit.Equal(t, "prints", prints(v), `["a","b"]`)
		for i := range 50 {
			testkit.OK(t, s.AddSuppressionPrint(bg, w.Tenant, w.Repository.ID, v.ID, fmt.Sprint(i)))
		}
		if got := store.FromJSON[[]string](prints(v)); len(got) != 40 || got[0] != "10" || got[39] != "49" {
			t.Errorf("beyond the bound: %v", got)
		}
		ended := add(domain.SuppressionWithdrawn)
		testkit.OK(t, s.AddSuppressionPrint(bg, w.Tenant, w.Repository.ID, ended.ID, "b"))
		testkit.Equal(t, "prints of a withdrawn one", prints(ended), `["a"]`)
		wantKind(t, s.AddSuppressionPrint(bg, w.Tenant, w.Repository.ID, "sup_unknown", "b"), errs.NotFound)
	})
}

// Reviews that add fingerprints at the same time lose none.
func TestAddSuppressionPrintAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		v := must2(store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: store.Record{Repository: w.Repository.ID},
			Scope: domain.ScopeFingerprint, Matches: "a", Paths: "[]", State: domain.SuppressionAccepted, Prints: `["a"]`}))(t)
		atOnce(10, func(i int) {
			if err := s.AddSuppressionPrint(bg, w.Tenant, w.Repository.ID, v.ID, fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
		got := store.FromJSON[[]string](must2(s.Suppression(bg, w.Tenant, w.Repository.ID, v.ID))(t).Prints)
		testkit.Equal(t, "prints", len(got), 11)
	})
}

// The inbox names what a proposed suppression is about: the rule and the file of a finding instead of its fingerprint, which tells
// people nothing, and otherwise the rule or the category.
func TestTheInboxNamesSuppressions(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for scope, matches := range map[domain.SuppressionScope]string{domain.ScopeFingerprint: "v1:60df93d2", domain.ScopeRule: "llm/x", domain.ScopeCategory: "bug"} {
			must2(store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: store.Record{Repository: w.Repository.ID}, Scope: scope, Matches: matches, RuleID: "llm/x", Path: "a.go",
				Paths: "[]", Prints: "[]", State: domain.SuppressionProposed}))(t)
		}
		var titles []string
		for _, v := range must2(s.Waiting(bg, w.Tenant, store.Viewer{User: "usr_1", Least: "manage"}, store.Cursor{}, 10))(t) {
			titles = append(titles, v.Title)
		}
		slices.Sort(titles)
		testkit.Equal(t, "titles", strings.Join(titles, ", "), "bug, llm/x, llm/x a.go")
	})
}
