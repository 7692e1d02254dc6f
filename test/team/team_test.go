package team

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// pulls returns the number of pull requests to play: a default, or the number in ASSAY_TEAM.
func pulls() int {
	if n, err := strconv.Atoi(os.Getenv("ASSAY_TEAM")); err == nil {
		return n
	}
	return 40
}

// step is the number of pull requests of a row of the table.
const step = 20

// place is a rule in a folder.
type place struct{ rule, folder string }

func placeOf(f domain.Finding) place { return place{f.RuleID, f.Folder()} }

// refusals are the dismissed findings by place, as the team remembers them.
type refusals map[place]*refusal

type refusal struct {
	findings      int
	people, pulls map[string]bool
}

func (r refusals) add(f domain.Finding, who string, number int) {
	at := placeOf(f)
	if r[at] == nil {
		r[at] = &refusal{people: map[string]bool{}, pulls: map[string]bool{}}
	}
	r[at].findings++
	r[at].people[who], r[at].pulls[fmt.Sprint(number)] = true, true
}

// enough lists the places that must be proposed (docs/suppressions.md): three findings, two people, two pull requests.
func (r refusals) enough() (out []place) {
	for at, n := range r {
		if n.findings >= 3 && len(n.people) >= 2 && len(n.pulls) >= 2 && !strings.HasPrefix(at.rule, "llm/other/") {
			out = append(out, at)
		}
	}
	return out
}

// team is the fixture with the people of the repository.
type team struct {
	*reviewtest.Fixture
	seed       uint64
	repository store.Repository
	members    []person
	manager    string
	comments   int64
	refusals   refusals
	accepted   map[place]domain.Severity // by repetition

	mu    sync.Mutex
	pulls map[string]pull // by head
}

// row is a row of the table.
type row struct {
	comments, refused, hidden int
	above                     int // remarks in a place that is left out, of a severity above those that the team refused there
	planted, shown, covered   int // true defects that the model reported, of them those with a comment, and those in a place that is left out
}

func newTeam(t *testing.T, seed uint64) *team {
	m := &team{Fixture: reviewtest.NewFixture(t, storetest.SQLite(t)), seed: seed, pulls: map[string]pull{}, refusals: refusals{},
		accepted: map[place]domain.Severity{}}
	m.Service.Snapshots, m.Service.Models = m, models{m}
	m.Policy(`{"maxInlineComments":20}`)
	user := func(name string) string {
		u, err := m.Store.CreateUser(bg, name, false)
		testkit.OK(t, err)
		return u.ID
	}
	m.members, m.manager = members(user), user("greta")
	m.Host.Roles = map[string]string{"erik": "write", "helper": "write"}
	for _, p := range m.members {
		m.Host.Roles[p.name] = "write"
	}
	return m
}

// review opens a pull request, and waits until it is reviewed.
func (m *team) review(p pull) {
	m.T.Helper()
	m.mu.Lock()
	m.pulls[storetest.SHA(p.head())] = p
	m.mu.Unlock()
	m.Deliver(m.Event("opened", p.head(), func(pr *codehost.PullRequest) {
		pr.Number, pr.Author, pr.AuthorID = p.number, "erik", "5"
	}))
	run := m.run()
	if run.State != domain.RunCompleted || int(run.Number) != p.number {
		m.T.Fatalf("pull request %d: the last run is of %d, %s (%s)", p.number, run.Number, run.State, run.Reason)
	}
	if m.repository.ID == "" {
		r, err := m.Store.Repository(bg, m.World.Tenant, run.Repository)
		testkit.OK(m.T, err)
		m.repository = r
	}
}

// run returns the last run.
func (m *team) run() store.Run {
	m.T.Helper()
	runs, err := m.Store.RecentRuns(bg, 1)
	testkit.OK(m.T, err)
	testkit.Require(m.T, "runs", len(runs), 1)
	return runs[0]
}

// known lists the findings of the last pull request.
func (m *team) known() []store.KnownFinding {
	m.T.Helper()
	known, err := m.Store.KnownFindings(bg, m.World.Tenant, m.run().PullRequest)
	testkit.OK(m.T, err)
	return known
}

// look counts what a review made of a pull request. No true finding may be hidden, and no opinion may be shown in a place that the
// manager accepted.
func (m *team) look(p pull, known []store.KnownFinding) (r row) {
	secrets := 0
	for _, k := range known {
		highest, left := m.accepted[placeOf(k.Finding)]
		if k.CommentID != "" {
			r.comments++
		}
		if k.State == domain.FindingSuppressed {
			r.hidden++
		}
		switch {
		case isTrue(k.Finding):
			r.planted++
			if k.IsSecret() {
				secrets++
			}
			if left {
				r.covered++
			}
			if k.CommentID != "" {
				r.shown++
			}
			if k.State == domain.FindingOpen && (k.CommentID != "" || k.Verdict != domain.VerdictConfirmed) {
				continue
			}
			m.T.Errorf("pull request %d: %s (%s, %s in %s) is %s, and has comment %q", p.number, k.Title, k.Severity, k.RuleID, k.Folder(), k.State,
				k.CommentID)
		case left && k.Severity > highest:
			r.above++
		case left && k.CommentID != "":
			m.T.Errorf("pull request %d: %s is shown again in %s: %s", p.number, k.RuleID, k.Folder(), k.Title)
		}
	}
	if p.secret != "" && secrets == 0 {
		m.T.Errorf("pull request %d: its secret is not found", p.number)
	}
	return r
}

// compare fails if the places that were proposed by repetition are not those that the team refused often enough.
func (m *team) compare(number int) {
	order := func(a, b place) int {
		return cmp.Or(strings.Compare(a.rule, b.rule), strings.Compare(a.folder, b.folder))
	}
	want, got := slices.SortedFunc(slices.Values(m.refusals.enough()), order), slices.SortedFunc(maps.Keys(m.accepted), order)
	if !slices.Equal(got, want) {
		m.T.Fatalf("after pull request %d: proposed by repetition are %v, want %v", number, got, want)
	}
}

// TestATeamIsHeard plays pull requests of a team. What it refused often enough is gone, strangers change nothing, and no true finding of
// High and no secret is hidden.
func TestATeamIsHeard(t *testing.T) {
	t.Parallel()
	m := newTeam(t, 1)
	var rows []row
	var all row
	for n := 1; n <= pulls(); n++ {
		p := newPull(m.seed, n)
		m.review(p)
		known := m.known()
		r := m.look(p, known)
		if n%4 <= 1 {
			m.disturb(p, known)
		}
		m.refuse(p, known)
		for _, k := range m.known() {
			if k.State == domain.FindingDismissed {
				r.refused++
			}
		}
		m.decide()
		m.compare(n)
		if (n-1)%step == 0 {
			rows = append(rows, row{})
		}
		rows[len(rows)-1].add(r)
		all.add(r)
	}
	if all.covered == 0 {
		t.Error("no true finding is in a place that the manager left out: the test shows nothing")
	}
	t.Logf("%d remarks were above the severity that the team refused in their places", all.above)
	t.Log("\n" + table(rows, pulls()))
}

func (r *row) add(o row) {
	r.comments += o.comments
	r.refused += o.refused
	r.hidden += o.hidden
	r.above += o.above
	r.planted += o.planted
	r.shown += o.shown
	r.covered += o.covered
}

// table writes the rows as in docs/engine/team.md.
func table(rows []row, n int) string {
	var b strings.Builder
	b.WriteString("| pull requests | comments each | of them refused | not shown each " +
		"| true findings | with a comment | in a place left out |\n|---|---|---|---|---|---|---|\n")
	for i, r := range rows {
		first, last := i*step+1, min((i+1)*step, n)
		count := float64(last - first + 1)
		fmt.Fprintf(&b, "| %d–%d | %.1f | %.0f %% | %.1f | %d | %d | %d |\n", first, last, float64(r.comments)/count,
			100*float64(r.refused)/float64(max(r.comments, 1)), float64(r.hidden)/count, r.planted, r.shown, r.covered)
	}
	return b.String()
}
