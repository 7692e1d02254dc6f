package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// names returns the ids of a pull request's rows by the names of the rows.
func names(t *testing.T, s *store.Store, w storetest.World) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, k := range must2(s.KnownFindings(bg, w.Tenant, w.Pull.ID))(t) {
		if len(k.Names) == 0 {
			t.Errorf("the finding %s has no name", k.ID)
		}
		for _, n := range k.Names {
			if out[n] != "" {
				t.Errorf("%s names two findings", n)
			}
			out[n] = k.ID
		}
	}
	return out
}

// Rows are chosen by the ids and prints that a run gives for its findings.
func TestRowsAreChosenByIdThenByName(t *testing.T) {
	type said struct {
		row   string // title of the row whose id it gives, "" for no id, "?" for an unknown id
		print string
		want  string // title of the row that it gets, "new" for a new row
	}
	for name, c := range map[string][]said{
		"by name":                                {{"", "a", "A"}, {"", "b", "B"}},
		"by another name":                        {{"", "a2", "A"}},
		"a new one":                              {{"", "c", "new"}},
		"a new one with an id":                   {{"?", "c", "new"}},
		"an id that no row has, a known name":    {{"?", "a", "A"}},
		"by id, under a new name":                {{"A", "c", "A"}},
		"by id, under the name of another":       {{"A", "b", "A"}},
		"by id, and the other is there too":      {{"A", "b", "A"}, {"B", "b", "B"}},
		"names exchanged":                        {{"A", "b", "A"}, {"B", "a", "B"}},
		"by id, and a new one has its name":      {{"A", "a", "A"}, {"", "a", "new"}},
		"two names of one row":                   {{"", "a", "A"}, {"", "a2", "new"}},
		"two names of one row, the id at second": {{"", "a", "new"}, {"A", "a2", "A"}},
		"one print twice":                        {{"", "c", "new"}, {"", "c", "new"}},
		"one id twice":                           {{"A", "c", "A"}, {"A", "d", "new"}},
		"an id that no row has, twice":           {{"?", "c", "new"}, {"?", "d", "new"}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				rows := map[string]string{"?": "fnd_none"}
				for _, f := range must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A"), finding("b", "B")}))(t) {
					rows[f.Title] = f.ID
				}
				second := finding("a2", "A")
				second.ID = rows["A"]
				must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{second}))(t)

				var found []domain.Finding
				for _, x := range c {
					f := finding(x.print, "said")
					f.ID = rows[x.row]
					found = append(found, f)
				}
				run := storetest.Run(t, s, w.Pull, "rerun:1")
				for range 2 { // the second time with the ids of the first
					got := must2(s.SaveRunFindings(bg, run, found))(t)
					called := names(t, s, w)
					var ids []string
					for i, f := range got {
						switch want := rows[c[i].want]; {
						case slices.Contains(ids, f.ID):
							t.Errorf("%+v: its row has another finding of this run", c[i])
						case want != "" && f.ID != want, want == "" && (f.ID == rows["A"] || f.ID == rows["B"]):
							t.Errorf("%+v: row %s of %v", c[i], f.ID, rows)
						case called[f.Fingerprints.Exact] != f.ID:
							t.Errorf("%+v: %s names %q, not its row %s", c[i], f.Fingerprints.Exact, called[f.Fingerprints.Exact], f.ID)
						}
						ids = append(ids, f.ID)
					}
					testkit.Equal(t, "the first name", called["a"], rows["A"])
					testkit.Equal(t, "the name of the other", called["b"], rows["B"])
					found = got
				}
			})
		})
	}
}

// A finding whose print could not be computed gets a row of its own.
func TestFindingsWithoutAPrint(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		got := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("", "A"), finding("", "B")}))(t)
		again := must2(s.SaveRunFindings(bg, w.Run, got))(t)
		testkit.Equal(t, "ids", fmt.Sprint(again[0].ID, again[1].ID), fmt.Sprint(got[0].ID, got[1].ID))
		testkit.Equal(t, "findings", count(t, s, `SELECT COUNT(*) FROM findings`), 2)
		testkit.Equal(t, "names", count(t, s, `SELECT COUNT(*) FROM finding_prints`), 0)
	})
}

// A worker of an older version writes only the column exact and no names.
func TestRowsOfAnOlderVersion(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		old := func(id, exact string) {
			raw(t, s, `INSERT INTO findings (id, tenant_id, repository_id, pull_request_id, exact, state, body, first_run, last_run, created_us, updated_us)
				SELECT '`+id+`', p.tenant_id, p.repository_id, p.id, '`+exact+`', 'open', '{"title":"old"}', 'r', 'r', 1, 1 FROM pull_requests p WHERE p.id = '`+w.Pull.ID+`'`)
		}
		first := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("a", "A")}))(t)[0]
		first.Fingerprints.Exact = "a2"
		must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{first}))(t)
		old("fnd_old1", "b")  // a new finding
		old("fnd_old2", "a2") // the old worker does not know the second name
		old("fnd_old3", "c")
		raw(t, s, `UPDATE findings SET exact = 'd' WHERE id = 'fnd_old3'`)
		raw(t, s, `INSERT INTO finding_prints (tenant_id, pull_request_id, exact, finding_id, created_us) SELECT tenant_id, pull_request_id, 'c', id, 1 FROM findings WHERE id = 'fnd_old3'`)

		got := must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{finding("b", "B"), finding("a2", "A"), finding("d", "D")}))(t)
		testkit.Equal(t, "by the column", got[0].ID, "fnd_old1")
		testkit.Equal(t, "by the name", got[1].ID, first.ID)
		if got[2].ID == "fnd_old3" { // its column has d, but its name is c
			t.Error("a row with a name was found by its column")
		}
		testkit.Equal(t, "findings", count(t, s, `SELECT COUNT(*) FROM findings`), 5)
		testkit.Equal(t, "columns", count(t, s, `SELECT COUNT(*) FROM findings WHERE exact = id`), 1)
	})
}

// Several runs of one pull request rename the same findings crosswise, at the same time.
func TestNamesAreTakenAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		var all []domain.Finding
		for i := range 8 {
			all = append(all, finding(fmt.Sprint("f", i), "T"))
		}
		all = must2(s.SaveRunFindings(bg, w.Run, all))(t)
		runs := make([]store.Run, 6)
		for i := range runs {
			runs[i] = storetest.Run(t, s, w.Pull, fmt.Sprint("rerun:", i))
		}
		atOnce(len(runs), func(i int) {
			mine := slices.Clone(all)
			for j := range mine {
				switch j % 3 {
				case 0:
					mine[j].Fingerprints.Exact = fmt.Sprint("f", (j+i)%8) // a name of another finding
				case 1:
					mine[j].Fingerprints.Exact = fmt.Sprint("n", (j+i)%3) // a name that several want
				}
			}
			mine = append(mine, finding(fmt.Sprint("n", i%4), "new"), finding("same", "of all"))
			if _, err := s.SaveRunFindings(bg, runs[i], mine); err != nil {
				t.Error(err)
			}
		})
		testkit.Equal(t, "names of the first", names(t, s, w)["f0"], all[0].ID)
		testkit.Equal(t, "seen", count(t, s, `SELECT COUNT(*) FROM run_findings`), 8+6*10)
		testkit.Equal(t, "rows of findings that all runs saw", count(t, s, `SELECT COUNT(DISTINCT finding_id) FROM run_findings WHERE body LIKE '%"of all"%'`), 1)
	})
}

// A resolved finding counts as not shown, until a review shows it again.
func TestAFindingThatIsBack(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		save := func(trigger string) domain.Finding {
			t.Helper()
			run := storetest.Run(t, s, w.Pull, trigger)
			return must2(s.SaveRunFindings(bg, run, []domain.Finding{finding("a", "A")}))(t)[0]
		}
		f := save("1")
		testkit.OK(t, s.MarkPosted(bg, w.Tenant, "run_1", []string{f.ID}))
		must2(s.SetComment(bg, w.Tenant, f.ID, "", "42", "https://host.example/42"))(t)
		if f = save("2"); !f.Known || f.Earlier != nil {
			t.Fatalf("shown: %+v", f)
		}
		testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, "run_2", []string{f.ID}, domain.FindingResolved))
		want := domain.Earlier{Comment: "42", URL: "https://host.example/42"}
		for _, trigger := range []string{"3", "4"} { // the run that finds it first may never be published
			if f = save(trigger); f.Known || f.State != domain.FindingOpen || f.Earlier == nil || *f.Earlier != want {
				t.Fatalf("back, not shown: %+v", f)
			}
			k := must2(s.KnownFindings(bg, w.Tenant, w.Pull.ID))(t)[0]
			if k.Known || k.Earlier == nil || *k.Earlier != want || k.ResolvedRun != "run_2" {
				t.Fatalf("back, not shown: %+v", k)
			}
		}
		testkit.OK(t, s.MarkPosted(bg, w.Tenant, "run_4", []string{f.ID}))
		if f = save("5"); !f.Known || f.Earlier != nil {
			t.Fatalf("shown again: %+v", f)
		}
		// A worker of an older version resolves it without naming the run.
		raw(t, s, `UPDATE findings SET state = 'resolved'`)
		for _, trigger := range []string{"6", "7"} {
			if f = save(trigger); f.Known || f.Earlier == nil {
				t.Fatalf("resolved by an older version: %+v", f)
			}
		}
	})
}

// A finding of a model that quotes no code does not take the row that has its print, and the decision on it.
func TestAFindingWithoutCodeGetsItsOwnRow(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		save := func(quote string) domain.Finding {
			f := finding("a", "A")
			f.Origin, f.Anchor.Quote = domain.OriginModel, quote
			return must2(s.SaveRunFindings(bg, w.Run, []domain.Finding{f}))(t)[0]
		}
		first := save("x")
		testkit.Equal(t, "with code", save("x").ID, first.ID)
		if other := save(""); other.ID == first.ID || domain.PrintOfCode(other.Fingerprints.Exact) != "a" {
			t.Errorf("%s has %q, the first row is %s", other.ID, other.Fingerprints.Exact, first.ID)
		}
	})
}
