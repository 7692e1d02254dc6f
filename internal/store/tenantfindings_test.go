package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// worklist is a tenant with findings in two repositories.
type worklist struct {
	storetest.World
	t      testing.TB
	s      *store.Store
	second store.Repository
	pull   store.PullRequest // of the second repository
	ids    map[string]string // the ids of findings by their title
	tie    [2]string         // the titles of two findings of one severity and time, the greater id first
}

// newWorklist stores a medium, b critical, d low and f medium in the first repository, and c critical and e medium in the
// second one. They were created in the order of their titles, e and f at the same time.
func newWorklist(t testing.TB, s *store.Store) *worklist {
	w := &worklist{World: storetest.Seed(t, s), s: s, t: t, ids: map[string]string{}, tie: [2]string{"e", "f"}}
	w.second = storetest.Repository(t, s, w.Tenant, w.Installation)
	w.pull = storetest.PullRequest(t, s, w.second, 31)
	other := storetest.Run(t, s, w.pull, "auto")
	w.found(w.Run, "a", domain.Medium, 10)
	w.found(w.Run, "b", domain.Critical, 20)
	w.found(other, "c", domain.Critical, 30)
	w.found(w.Run, "d", domain.Low, 40)
	w.found(other, "e", domain.Medium, 50)
	w.found(w.Run, "f", domain.Medium, 50)
	if w.ids["f"] > w.ids["e"] {
		w.tie = [2]string{"f", "e"}
	}
	return w
}

// found stores a finding that a published review shows, and that was created at us.
func (w *worklist) found(run store.Run, title string, severity domain.Severity, us int64) {
	w.t.Helper()
	f := finding(title, title)
	f.Severity, f.Category, f.RuleID, f.Anchor.Path = severity, domain.CategoryBug, "llm/"+title, title+".go"
	id := must2(w.s.SaveRunFindings(bg, run, []domain.Finding{f}))(w.t)[0].ID
	testkit.OK(w.t, w.s.MarkPosted(bg, w.Tenant, run.ID, []string{id}))
	raw(w.t, w.s, `UPDATE findings SET created_us = $1 WHERE id = $2`, us, id)
	w.ids[title] = id
}

// list returns the titles of a page.
func (w *worklist) list(f store.TenantFindingsFilter, p store.FindingsPage) string {
	w.t.Helper()
	if f.State == "" {
		f.State = domain.FindingOpen
	}
	if p.Limit == 0 {
		p.Limit = 10
	}
	out := ""
	for _, v := range must2(w.s.TenantFindings(bg, w.Tenant, f, p))(w.t) {
		out += v.Finding.Title
	}
	return out
}

func titles(rows []store.TenantFinding) (out string) {
	for _, v := range rows {
		out += v.Finding.Title
	}
	return out
}

// The orders list all findings, also where severity and time are equal, and pages neither repeat nor leave out one.
func TestOrdersOfFindings(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := newWorklist(t, s)
		tie := w.tie[0] + w.tie[1]
		for order, want := range map[store.FindingOrder]string{
			store.WorstFirst: "cb" + tie + "ad", store.NewestFirst: tie + "dcba", store.OldestFirst: "abcd" + w.tie[1] + w.tie[0],
		} {
			testkit.Equal(t, string(order), w.list(store.TenantFindingsFilter{}, store.FindingsPage{Order: order}), want)
			for _, size := range []int{1, 2, 5} {
				paged, after := "", store.FindingPosition{}
				for range 10 {
					rows := must2(s.TenantFindings(bg, w.Tenant, store.TenantFindingsFilter{State: domain.FindingOpen}, store.FindingsPage{Order: order, After: after, Limit: size}))(t)
					if len(rows) == 0 {
						break
					}
					paged, after = paged+titles(rows), rows[len(rows)-1].Position()
				}
				testkit.Equal(t, fmt.Sprint(order, " in pages of ", size), paged, want)
			}
			for skip := range 8 {
				testkit.Equal(t, fmt.Sprint(order, " without ", skip), w.list(store.TenantFindingsFilter{}, store.FindingsPage{Order: order, Skip: skip}), want[min(skip, 6):])
			}
		}
		after := store.FindingPosition{Severity: domain.Low, Cursor: store.Cursor{US: 40, ID: w.ids["d"]}}
		testkit.Equal(t, "a severity that the page before has passed", w.list(store.TenantFindingsFilter{Severity: "high"}, store.FindingsPage{Order: store.WorstFirst, After: after}), "")
	})
}

// Each filter narrows the list and the counts.
func TestFiltersOfFindings(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := newWorklist(t, s)
		raw(t, s, `UPDATE findings SET posted_run = NULL WHERE id = $1`, w.ids["d"])
		raw(t, s, `UPDATE findings SET category = 'security' WHERE id = $1`, w.ids["a"])
		testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, "", []string{w.ids["f"]}, domain.FindingResolved))
		person := must2(s.CreateUser(bg, "Mona", false))(t).ID
		testkit.OK(t, s.SetRepositoryRole(bg, w.Tenant, w.second.ID, person, "view"))
		access := must2(s.Access(bg, w.second.Access))(t)
		must2(s.CreateIdentity(bg, store.Identity{UserID: person, Issuer: access.Host, Subject: "77", Kind: store.IdentityCodeHost, Login: "hubot"}))(t)
		raw(t, s, `UPDATE pull_requests SET author = 'hubot', author_id = 77 WHERE id = $1`, w.pull.ID)
		for name, c := range map[string]struct {
			f      store.TenantFindingsFilter
			want   string
			counts domain.SeverityCounts
		}{
			"open":              {store.TenantFindingsFilter{}, "cbead", domain.SeverityCounts{Critical: 2, Medium: 2, Low: 1}},
			"resolved":          {store.TenantFindingsFilter{State: domain.FindingResolved}, "f", domain.SeverityCounts{Medium: 1}},
			"a severity":        {store.TenantFindingsFilter{Severity: "medium"}, "ea", domain.SeverityCounts{Critical: 2, Medium: 2, Low: 1}},
			"published":         {store.TenantFindingsFilter{Published: store.OnlyYes}, "cbea", domain.SeverityCounts{Critical: 2, Medium: 2}},
			"not published":     {store.TenantFindingsFilter{Published: store.OnlyNo}, "d", domain.SeverityCounts{Low: 1}},
			"a repository":      {store.TenantFindingsFilter{Repository: w.second.ID}, "ce", domain.SeverityCounts{Critical: 1, Medium: 1}},
			"a person":          {store.TenantFindingsFilter{User: person}, "ce", domain.SeverityCounts{Critical: 1, Medium: 1}},
			"a category":        {store.TenantFindingsFilter{Category: "security"}, "a", domain.SeverityCounts{Medium: 1}},
			"a rule":            {store.TenantFindingsFilter{Rule: "llm/b"}, "b", domain.SeverityCounts{Critical: 1}},
			"a path":            {store.TenantFindingsFilter{Path: "d.go"}, "d", domain.SeverityCounts{Low: 1}},
			"a pull request":    {store.TenantFindingsFilter{Number: 31}, "ce", domain.SeverityCounts{Critical: 1, Medium: 1}},
			"an author":         {store.TenantFindingsFilter{Author: "mona"}, "bad", domain.SeverityCounts{Critical: 1, Medium: 1, Low: 1}},
			"a signed-in":       {store.TenantFindingsFilter{AuthoredBy: person}, "ce", domain.SeverityCounts{Critical: 1, Medium: 1}},
			"nobody":            {store.TenantFindingsFilter{AuthoredBy: "usr_x"}, "", domain.SeverityCounts{}},
			"since":             {store.TenantFindingsFilter{Since: 30}, "ced", domain.SeverityCounts{Critical: 1, Medium: 1, Low: 1}},
			"until":             {store.TenantFindingsFilter{Until: 30}, "ba", domain.SeverityCounts{Critical: 1, Medium: 1}},
			"all at once":       {store.TenantFindingsFilter{User: person, Repository: w.second.ID, OpenPulls: store.OnlyYes, Published: store.OnlyYes, Severity: "critical", Category: "bug", Rule: "llm/c", Path: "c.go", Number: 31, Author: "hubot", AuthoredBy: person, Since: 30, Until: 31}, "c", domain.SeverityCounts{Critical: 1}},
			"open pulls":        {store.TenantFindingsFilter{OpenPulls: store.OnlyYes}, "cbead", domain.SeverityCounts{Critical: 2, Medium: 2, Low: 1}},
			"only closed pulls": {store.TenantFindingsFilter{OpenPulls: store.OnlyNo}, "", domain.SeverityCounts{}},
		} {
			testkit.Equal(t, name, w.list(c.f, store.FindingsPage{Order: store.WorstFirst}), c.want)
			if c.f.State == "" {
				c.f.State = domain.FindingOpen
			}
			testkit.Equal(t, "counts of "+name, must2(s.CountFindings(bg, w.Tenant, c.f))(t), c.counts)
		}
		other := storetest.Seed(t, s).Tenant
		rows := must2(s.TenantFindings(bg, other, store.TenantFindingsFilter{State: domain.FindingOpen}, store.FindingsPage{Order: store.WorstFirst, Limit: 10}))(t)
		testkit.Equal(t, "of another tenant", len(rows), 0)
	})
}

// A finding follows the state of its pull request, also one that is stored after the pull request was closed.
func TestFindingsOfClosedPullRequests(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := newWorklist(t, s)
		now := func(state string, us int64) {
			p := w.pull
			p.State, p.HostUpdatedUS = state, us
			must2(s.UpsertPullRequest(bg, w.Tenant, p))(t)
		}
		lists := func(open, closed string) {
			t.Helper()
			testkit.Equal(t, "of open pull requests", w.list(store.TenantFindingsFilter{OpenPulls: store.OnlyYes, Repository: w.second.ID}, store.FindingsPage{Order: store.OldestFirst}), open)
			testkit.Equal(t, "of closed ones", w.list(store.TenantFindingsFilter{OpenPulls: store.OnlyNo}, store.FindingsPage{Order: store.OldestFirst}), closed)
		}
		lists("ce", "")
		now("merged", 2000)
		lists("", "ce")
		w.found(storetest.Run(t, s, w.pull, "cmd:later"), "g", domain.High, 60)
		lists("", "ceg")
		now("closed", 3000)
		lists("", "ceg")
		now("open", 4000)
		lists("ceg", "")
	})
}

// The version before this one stores findings without the state of the pull request.
func TestFindingsOfTheVersionBefore(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := newWorklist(t, s)
		add := func(title string) {
			t.Helper()
			id := domain.NewID("fnd")
			raw(t, s, `INSERT INTO findings (id, tenant_id, repository_id, pull_request_id, exact, state, body, first_run, last_run, created_us, updated_us, category, severity, rule_id, path)
				SELECT $1, p.tenant_id, p.repository_id, p.id, $1, 'open', $2, $3, $3, {now}, {now}, 'bug', 'high', 'llm/x', 'x.go' FROM pull_requests p WHERE p.id = $4`,
				id, `{"id":"`+id+`","severity":"high","title":"`+title+`"}`, w.Run.ID, w.pull.ID)
		}
		lists := func(open, closed string) {
			t.Helper()
			testkit.Equal(t, "of open pull requests", w.list(store.TenantFindingsFilter{OpenPulls: store.OnlyYes, Repository: w.second.ID}, store.FindingsPage{Order: store.OldestFirst}), open)
			testkit.Equal(t, "of closed ones", w.list(store.TenantFindingsFilter{OpenPulls: store.OnlyNo}, store.FindingsPage{Order: store.OldestFirst}), closed)
		}
		add("g")
		lists("ceg", "")
		raw(t, s, `UPDATE pull_requests SET state = 'merged' WHERE id = $1`, w.pull.ID)
		add("h")
		lists("", "cegh")
	})
}

// A finding that is stored while its pull request is merged belongs to a merged pull request. SQLite has one writer.
func TestAFindingStoredDuringTheMerge(t *testing.T) {
	t.Parallel()
	s := storetest.Postgres(t)
	w := newWorklist(t, s)
	tx := must2(s.DB().Write.BeginTx(bg, nil))(t)
	t.Cleanup(func() { _ = tx.Rollback() })
	_, err := tx.ExecContext(bg, s.DB().SQL(`INSERT INTO findings (id, tenant_id, repository_id, pull_request_id, exact, state, body, first_run, last_run, created_us, updated_us)
		SELECT 'fnd_race', tenant_id, repository_id, id, 'race', 'open', '{}', $1, $1, {now}, {now} FROM pull_requests WHERE id = $2`), w.Run.ID, w.pull.ID)
	testkit.OK(t, err)
	merged := make(chan error, 1)
	go func() {
		_, err := s.DB().Write.ExecContext(bg, `UPDATE pull_requests SET state = 'merged' WHERE id = $1`, w.pull.ID)
		merged <- err
	}()
	testkit.Eventually(t, time.Minute, func() (bool, string) {
		waits := count(t, s, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
		return waits > 0 || len(merged) > 0, "the merge neither waits nor ends"
	})
	testkit.OK(t, tx.Commit())
	testkit.OK(t, <-merged)
	testkit.Equal(t, "findings of open pull requests", count(t, s, `SELECT COUNT(*) FROM findings WHERE pull_request_id = $1 AND pull_open`, w.pull.ID), 0)
}

// A page walks the index of the list in each of its parts, and sorts only what these parts select.
func TestPagesOfFindingsUseTheIndex(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		testkit.OK(t, bulkFindings(s, w, 20_000))
		raw(t, s, `ANALYZE`)
		for name, p := range map[string]store.FindingsPage{"first": {Order: store.WorstFirst, Limit: 50}, "oldest": {Order: store.OldestFirst, Limit: 50},
			"later": {Order: store.WorstFirst, Limit: 50, After: store.FindingPosition{Severity: domain.High, Cursor: store.Cursor{US: 1 << 60, ID: "z"}}}} {
			text, args, err := store.FindingsStatement(w.Tenant, store.TenantFindingsFilter{State: domain.FindingOpen, OpenPulls: store.OnlyYes, Published: store.OnlyYes}, p)
			testkit.OK(t, err)
			got := plan(t, s, text, args...)
			if !strings.Contains(got, "findings_list") || strings.Contains(got, "Seq Scan on findings") || strings.Contains(got, "SCAN findings") {
				t.Errorf("%s:\n%s", name, got)
			}
			if testing.Verbose() {
				t.Logf("%s\n%s", name, got)
			}
		}
	})
}

// bulkFindings stores n findings: one of a hundred is open and of an open pull request.
func bulkFindings(s *store.Store, w storetest.World, n int) error {
	severities := []string{"critical", "high", "medium", "low", "info"}
	return bulk(s, n, `INSERT INTO findings (id, tenant_id, repository_id, pull_request_id, exact, state, body, posted_run, first_run, last_run, created_us, updated_us, category, severity, rule_id, path, pull_open)
		VALUES ($1, $2, $3, $4, $1, $5, $6, $7, $8, $8, {now} + CAST($9 AS BIGINT), {now}, $10, $11, $12, $13, $14)`, func(i int) []any {
		state, open := "resolved", i%3 == 0
		switch {
		case i%100 == 0:
			state, open = "open", true
		case i%10 == 1:
			state, open = "open", false
		}
		id := domain.NewID("fnd")
		body := `{"id":"` + id + `","ruleId":"llm/x","severity":"` + severities[i%5] + `","title":"t","explanation":"` + strings.Repeat("words ", 150) + `"}`
		return []any{id, w.Tenant.ID, w.Repository.ID, w.Pull.ID, state, body, w.Run.ID, w.Run.ID, i, "bug", severities[i/100%5], fmt.Sprint("llm/rule-", i%97), fmt.Sprint("dir/file-", i%997, ".go"), open}
	})
}
