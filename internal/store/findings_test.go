package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func finding(exact, title string) domain.Finding {
	return domain.Finding{Title: title, Fingerprints: domain.Fingerprints{Exact: exact}, Anchor: domain.Anchor{Path: "a.go"}}
}

func TestFindingsKeepTheirID(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		first := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A"), finding("b", "B")}))(t)
		if first[0].ID == "" || first[0].ID == first[1].ID || first[0].State != domain.FindingOpen || first[0].Known {
			t.Fatalf("%+v", first)
		}
		second := storetest.Run(t, s, w.Pull, "rerun:1")
		again := must2(s.SaveRunFindings(bg, second, []domain.Finding{finding("c", "C"), finding("a", "A, said better")}))(t)
		testkit.Equal(t, "id of the same finding", again[1].ID, first[0].ID)
		known := must2(s.KnownFindings(bg, w.Tenant, w.Pull.ID))(t)
		testkit.Require(t, "known", len(known), 3)

		// The findings of a run stay as the run saw them, in its order.
		saw := must2(s.RunFindings(bg, w.Tenant, w.Run.ID))(t)
		testkit.Equal(t, "seen by the first", fmt.Sprint(saw[0].Title, saw[1].Title), "AB")
		saw = must2(s.RunFindings(bg, w.Tenant, second.ID))(t)
		testkit.Equal(t, "seen by the second", fmt.Sprint(saw[0].Title, saw[1].Title), "CA, said better")
		must2(s.SaveRunFindings(bg, second, []domain.Finding{finding("a", "A"), finding("c", "C")}))(t)
		saw = must2(s.RunFindings(bg, w.Tenant, second.ID))(t)
		testkit.Equal(t, "saved again in another order", fmt.Sprint(saw[0].Title, saw[1].Title), "AC")
	})
}

func TestFindingStates(t *testing.T) {
	for was, want := range map[domain.FindingState]domain.FindingState{
		domain.FindingOpen: domain.FindingOpen, domain.FindingResolved: domain.FindingOpen, domain.FindingOutdated: domain.FindingOpen,
		domain.FindingDismissed: domain.FindingDismissed, domain.FindingSuppressed: domain.FindingOpen,
	} {
		t.Run(string(was), func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				f := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A")}))(t)[0]
				testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, "", []string{f.ID}, was))
				testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, "", nil, domain.FindingResolved))
				testkit.Equal(t, "state", must2(s.KnownFindings(bg, w.Tenant, w.Pull.ID))(t)[0].State, was)
				again := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A")}))(t)[0]
				testkit.Equal(t, "state when it is found again", again.State, want)
			})
		})
	}
}

// Only an open finding is moved: a finding that a person dismissed is not resolved.
func TestSetFindingStateOnlyFromOpen(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		f := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A")}))(t)[0]
		testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, "", []string{f.ID}, domain.FindingDismissed))
		testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, w.Run.ID, []string{f.ID}, domain.FindingResolved))
		testkit.Equal(t, "state", must2(s.KnownFindings(bg, w.Tenant, w.Pull.ID))(t)[0].State, domain.FindingDismissed)
	})
}

func TestPostedFindings(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		f := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A")}))(t)[0]
		testkit.OK(t, s.MarkPosted(bg, w.Tenant, w.Run.ID, nil))
		testkit.OK(t, s.MarkPosted(bg, w.Tenant, w.Run.ID, []string{f.ID}))
		for _, c := range []struct {
			finding      string
			was, comment int64
			taken        bool
		}{{f.ID, 0, 41, true}, {f.ID, 0, 41, true}, {f.ID, 41, 42, true}, {f.ID, 0, 41, false}, {f.ID, 41, 42, true}, {"fnd_none", 0, 42, false}} {
			testkit.Equal(t, fmt.Sprint(c), must2(s.SetComment(bg, w.Tenant, c.finding, domain.NumberID(c.was), domain.NumberID(c.comment), fmt.Sprint("https://host.example/", c.comment)))(t), c.taken)
		}
		k := must2(s.KnownFindings(bg, w.Tenant, w.Pull.ID))(t)[0]
		if k.PostedRun != w.Run.ID || k.CommentID != "42" || k.CommentURL != "https://host.example/42" || !k.Known {
			t.Fatalf("%+v", k)
		}
		again := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A")}))(t)[0]
		testkit.Equal(t, "known", again.Known, true)
	})
}

// Two runs of one pull request save the same findings at the same time: one row each.
func TestSaveRunFindingsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		var all []domain.Finding
		for i := range 20 {
			all = append(all, finding(fmt.Sprint("f", i), "T"))
		}
		runs := make([]store.Run, 6)
		for i := range runs {
			runs[i] = storetest.Run(t, s, w.Pull, fmt.Sprint("rerun:", i))
		}
		atOnce(len(runs), func(i int) {
			mine := append([]domain.Finding{}, all...)
			if i%2 == 1 { // in reverse order
				for a, b := 0, len(mine)-1; a < b; a, b = a+1, b-1 {
					mine[a], mine[b] = mine[b], mine[a]
				}
			}
			if _, err := s.SaveRunFindings(bg, runs[i], mine); err != nil {
				t.Error(err)
			}
		})
		testkit.Equal(t, "findings", count(t, s, `SELECT COUNT(*) FROM findings`), 20)
		testkit.Equal(t, "seen", count(t, s, `SELECT COUNT(*) FROM run_findings`), 120)
	})
}

func TestReviewedHunks(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		testkit.OK(t, s.AddReviewedHunks(bg, w.Tenant, w.Pull.ID, "main", w.Run.ID, nil))
		testkit.OK(t, s.AddReviewedHunks(bg, w.Tenant, w.Pull.ID, "main", w.Run.ID, []string{"b", "a"}))
		testkit.OK(t, s.AddReviewedHunks(bg, w.Tenant, w.Pull.ID, "main", w.Run.ID, []string{"a", "c", "a"}))
		got := must2(s.ReviewedHunks(bg, w.Tenant, w.Pull.ID, "main", domain.DepthFull))(t)
		if len(got) != 3 || !got["a"] || !got["b"] || !got["c"] {
			t.Fatalf("%v", got)
		}
	})
}

// Hunks of a reduced review are new to a full review until a full one has looked at them. A reduced
// review leaves out hunks of either kind.
func TestReviewedHunksByDepth(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		reduced, _, err := s.CreateRun(bg, w.Tenant, store.Run{Repository: w.Repository.ID, PullRequest: w.Pull.ID, Number: w.Pull.Number, HeadSHA: "b", TriggerKey: "auto", TriggerEvent: "pull_request.opened", Depth: domain.DepthReduced})
		testkit.OK(t, err)
		seen := func(depth domain.Depth) string {
			return fmt.Sprint(slices.Sorted(maps.Keys(must2(s.ReviewedHunks(bg, w.Tenant, w.Pull.ID, "main", depth))(t))))
		}
		testkit.OK(t, s.AddReviewedHunks(bg, w.Tenant, w.Pull.ID, "main", reduced.ID, []string{"a", "b"}))
		testkit.Equal(t, "to a reduced one", seen(domain.DepthReduced), "[a b]")
		testkit.Equal(t, "to a full one", seen(domain.DepthFull), "[]")
		testkit.OK(t, s.AddReviewedHunks(bg, w.Tenant, w.Pull.ID, "main", w.Run.ID, []string{"b", "c"}))
		testkit.Equal(t, "to a reduced one, after a full one", seen(domain.DepthReduced), "[a b c]")
		testkit.Equal(t, "to a full one, after a full one", seen(domain.DepthFull), "[b c]")
		testkit.OK(t, s.AddReviewedHunks(bg, w.Tenant, w.Pull.ID, "main", reduced.ID, []string{"a", "b", "c"}))
		testkit.Equal(t, "to a full one, after another reduced one", seen(domain.DepthFull), "[b c]")
	})
}

// A print counts as shown elsewhere if a published review of another pull request of the repository
// showed a finding of that name, even if the finding was resolved since.
func TestShownElsewhere(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		said := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("shown", "A"), finding("stored", "B"), finding("gone", "C")}))(t)
		testkit.OK(t, s.MarkPosted(bg, w.Tenant, w.Run.ID, []string{said[0].ID, said[2].ID}))
		testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, w.Run.ID, []string{said[2].ID}, domain.FindingResolved))
		second := finding("other name", "A")
		second.ID = said[0].ID
		must2(s.SaveRunFindings(bg, storetest.Run(t, s, w.Pull, "rerun:1"), []domain.Finding{second}))(t)
		ask := func(repository, pull string) string {
			got := must2(s.ShownElsewhere(bg, w.Tenant, repository, pull, []string{"shown", "stored", "gone", "other name", "unheard of"}))(t)
			slices.Sort(got)
			return fmt.Sprint(got)
		}
		other := storetest.PullRequest(t, s, w.Repository, 2)
		testkit.Equal(t, "for another pull request", ask(w.Repository.ID, other.ID), "[gone other name shown]")
		testkit.Equal(t, "for the same one", ask(w.Repository.ID, w.Pull.ID), "[]")
		testkit.Equal(t, "in another repository", ask(storetest.Repository(t, s, w.Tenant, w.Installation).ID, other.ID), "[]")
	})
}

// The names of a repository with many findings are read by their index.
func TestShownElsewhereUsesAnIndex(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		var many []domain.Finding
		for i := range 1000 {
			many = append(many, finding(fmt.Sprint("print", i), fmt.Sprint("T", i)))
		}
		must2(s.SaveRunFindings(bg, w.Run, many))(t)
		raw(t, s, `UPDATE findings SET posted_run = 'run_1'`)
		raw(t, s, `ANALYZE`)
		for _, st := range statements(t) {
			if !strings.HasSuffix(st.where, " ShownElsewhere") {
				continue
			}
			p := plan(t, s, s.DB().SQL(strings.ReplaceAll(st.text, "{list}", "$4, $5")), w.Tenant.ID, w.Repository.ID, "pr_other", "print1", "print2")
			if !strings.Contains(p, "finding_prints_exact") {
				t.Errorf("the names are not looked up:\n%s", p)
			}
			return
		}
		t.Error("no statement of ShownElsewhere was found")
	})
}
