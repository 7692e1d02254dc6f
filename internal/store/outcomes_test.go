package store_test

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// kindsOf returns the kinds of a finding's outcomes with their people, in the order of their names.
func kindsOf(t testing.TB, s *store.Store, tenant domain.Tenant, finding string) string {
	t.Helper()
	have := map[domain.OutcomeKind][]string{}
	for _, v := range must2(s.OutcomesOfFinding(bg, tenant, finding))(t) {
		have[v.Kind] = append(have[v.Kind], v.Person)
	}
	var out []string
	for _, kind := range domain.OutcomeKinds() {
		if people, is := have[kind]; is {
			out = append(out, strings.TrimSpace(string(kind)+" "+strings.Join(people, "+")))
		}
	}
	return strings.Join(out, ", ")
}

// An outcome is stored once per kind and person, with the finding's rule, category and confidence.
func TestOutcomesOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		f := finding("a", "A")
		f.RuleID, f.Category, f.Confidence = "llm/x", domain.CategoryBug, 0.8125
		id := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{f}))(t)[0].ID
		var added atomic.Int64
		atOnce(8, func(int) {
			is, err := s.AddOutcome(bg, w.Tenant, domain.Outcome{Finding: id, Kind: domain.OutcomeThumbsUp, Person: "usr_1", Name: strings.Repeat("ü", 300)})
			testkit.OK(t, err)
			if is {
				added.Add(1)
			}
		})
		testkit.Equal(t, "added", added.Load(), 1)
		must2(s.AddOutcome(bg, w.Tenant, domain.Outcome{Finding: id, Kind: domain.OutcomeThumbsUp, Person: "usr_2"}))(t)
		all := must2(s.OutcomesOfFinding(bg, w.Tenant, id))(t)
		testkit.Equal(t, "outcomes", len(all), 2)
		v := all[0]
		if v.Person != "usr_1" {
			v = all[1]
		}
		v.AtUS = 0
		testkit.Equal(t, "outcome", v, domain.Outcome{Repository: w.Repository.ID, PullRequest: w.Pull.ID, Finding: id, RuleID: "llm/x",
			Category: domain.CategoryBug, Confidence: 0.8125, Kind: domain.OutcomeThumbsUp, Person: "usr_1", Name: strings.Repeat("ü", 100)})
		dropped := must2(s.DropOutcome(bg, w.Tenant, id, domain.OutcomeThumbsUp, "usr_1"))(t)
		again := must2(s.DropOutcome(bg, w.Tenant, id, domain.OutcomeThumbsUp, "usr_1"))(t)
		testkit.Equal(t, "dropped", [2]bool{dropped, again}, [2]bool{true, false})
		testkit.Equal(t, "left", kindsOf(t, s, w.Tenant, id), "thumbs_up usr_2")
		_, err := s.AddOutcome(bg, w.Tenant, domain.Outcome{Finding: "fnd_absent", Kind: domain.OutcomeFixed})
		wantKind(t, err, errs.NotFound)
		_, err = s.AddOutcome(bg, w.Tenant, domain.Outcome{Finding: id, Kind: "other"})
		wantKind(t, err, errs.Invalid)
	})
}

// A finding has one outcome that the code decides, and an applied suggestion counts instead of a fix.
func TestOutcomesOfCode(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		id := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A")}))(t)[0].ID
		for _, step := range []struct{ kind, want string }{
			{"dismissed", "dismissed"},
			{"ignored", "dismissed, ignored"},
			{"fixed", "fixed, dismissed"},
			{"applied", "applied, dismissed"},
			{"fixed", "applied, dismissed"},
			{"ignored", "dismissed, ignored"},
		} {
			must2(s.AddOutcome(bg, w.Tenant, domain.Outcome{Finding: id, Kind: domain.OutcomeKind(step.kind)}))(t)
			testkit.Equal(t, "after "+step.kind, kindsOf(t, s, w.Tenant, id), step.want)
		}
	})
}

// A repository's outcomes are listed newest first, by category, rule and time.
func TestOutcomesOfARepository(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		found := []domain.Finding{finding("a", "A"), finding("b", "B"), finding("c", "C")}
		for i, rule := range []string{"llm/x", "llm/y", "llm/x"} {
			found[i].RuleID, found[i].Category = rule, []domain.Category{domain.CategoryBug, domain.CategoryBug, domain.CategoryDocs}[i]
		}
		saved := must2(s.SaveRunFindings(bg, w.Run, found))(t)
		for _, f := range saved {
			must2(s.AddOutcome(bg, w.Tenant, domain.Outcome{Finding: f.ID, Kind: domain.OutcomeFixed}))(t)
		}
		list := func(f store.OutcomesFilter) []domain.Outcome {
			return must2(s.Outcomes(bg, w.Tenant, w.Repository.ID, f))(t)
		}
		all := list(store.OutcomesFilter{})
		testkit.Equal(t, "all", len(all), 3)
		testkit.Equal(t, "newest", all[0].AtUS >= all[2].AtUS, true)
		testkit.Equal(t, "of a category", len(list(store.OutcomesFilter{Category: domain.CategoryBug})), 2)
		testkit.Equal(t, "of a rule", len(list(store.OutcomesFilter{RuleID: "llm/x"})), 2)
		testkit.Equal(t, "of both", len(list(store.OutcomesFilter{RuleID: "llm/x", Category: domain.CategoryDocs})), 1)
		testkit.Equal(t, "since now", len(list(store.OutcomesFilter{SinceUS: all[0].AtUS + 1})), 0)
		testkit.Equal(t, "since the newest", len(list(store.OutcomesFilter{SinceUS: all[0].AtUS})) > 0, true)
	})
}
