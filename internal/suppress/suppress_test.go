package suppress_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/suppress"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// desk is a tenant with two people who review.
type desk struct {
	*featuretest.World
	t          *testing.T
	mona, olga string
}

func newDesk(t *testing.T, s *store.Store) *desk {
	t.Helper()
	d := &desk{World: featuretest.NewWorld(t, s), t: t}
	d.mona, d.olga = d.Person("mona", domain.RoleMember), d.Person("olga", domain.RoleMember)
	return d
}

// found stores a finding in a new pull request and returns its id.
func (d *desk) found(number int, f domain.Finding) string {
	d.t.Helper()
	pull := storetest.PullRequest(d.t, d.Store, d.Repository, number)
	return d.foundBy(storetest.Run(d.t, d.Store, pull, domain.NewID("x")), f)
}

func (d *desk) foundBy(run store.Run, f domain.Finding) string {
	d.t.Helper()
	f.ID, f.Title, f.Route, f.State = domain.NewID("fnd"), "t", domain.RouteInline, domain.FindingOpen
	if f.Fingerprints.Exact == "" {
		f.Fingerprints.Exact = f.ID
	}
	kept, err := d.Store.SaveRunFindings(bg, run, []domain.Finding{f})
	testkit.OK(d.t, err)
	return kept[0].ID
}

func (d *desk) dismiss(person, finding string) {
	d.t.Helper()
	_, err := d.Features.Approvals.Dismiss(bg, d.Tenant, d.Repository, approval.Dismissal{Finding: finding, Reason: "we want it so", UserID: person, Name: "name"})
	testkit.OK(d.t, err)
}

// all lists the suppressions, oldest first.
func (d *desk) all() []store.Suppression {
	d.t.Helper()
	rows, err := d.Store.Suppressions(bg, d.Tenant, d.Repository.ID, store.SuppressionsFilter{Limit: 300})
	testkit.OK(d.t, err)
	slices.Reverse(rows)
	return rows
}

// said describes the suppressions.
func (d *desk) said() string {
	var out []string
	for _, v := range d.all() {
		out = append(out, fmt.Sprintf("%s %s %s %s", v.Scope, v.Paths, v.Source, v.State))
	}
	return strings.Join(out, "; ")
}

func (d *desk) decide(id string, in suppress.Decision) (store.Suppression, error) {
	in.UserID, in.Name = d.olga, "Olga"
	return d.Features.Suppress.Decide(bg, d.Tenant, d.Repository, id, in)
}

func bug(path string) domain.Finding {
	return domain.Finding{Origin: domain.OriginModel, RuleID: "llm/correctness/nil-deref", Category: domain.CategoryBug, Severity: domain.High,
		Anchor: domain.Anchor{Path: path, Quote: "x"}}
}

func code(err error) string {
	if e, is := errors.AsType[*errs.Error](err); is {
		return e.Code
	}
	return fmt.Sprint(err)
}

// A dismissal proposes to leave the finding out, once for its fingerprint, with an event; taking all
// dismissals back withdraws the proposal.
func TestADismissalProposes(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		d := newDesk(t, s)
		f := bug("shop/cart.go")
		f.Fingerprints.Exact, f.CodePrints = "v1:a", []string{"v1:other-rule"}
		pull := storetest.PullRequest(t, d.Store, d.Repository, 50)
		before := f
		before.Fingerprints.Exact, before.CodePrints = "v1:earlier-code", nil
		id := d.foundBy(storetest.Run(t, d.Store, pull, domain.NewID("x")), before)
		now := f
		now.ID, now.Title, now.Route, now.State = id, "t", domain.RouteInline, domain.FindingOpen
		_, err := d.Store.SaveRunFindings(bg, storetest.Run(t, d.Store, pull, domain.NewID("x")), []domain.Finding{now})
		testkit.OK(t, err)
		d.dismiss(d.mona, id)
		testkit.Equal(t, "proposed", d.said(), "fingerprint [] dismissal proposed")
		v := d.all()[0]
		if v.Matches != "v1:a" || v.Prints != `["v1:other-rule","v1:a"]` || v.Finding != id || v.Reason != "we want it so" || v.ProposedBy != d.mona || v.RuleID != f.RuleID {
			t.Errorf("%+v", v)
		}
		again := d.found(51, f)
		d.dismiss(d.olga, again)
		testkit.Equal(t, "not twice", len(d.all()), 1)
		told := 0
		for _, row := range storetest.Dump(t, url)["events"] {
			if strings.Contains(row, domain.EventSuppression) && strings.Contains(row, v.ID) {
				told++
			}
		}
		testkit.Equal(t, "events", told, 1)
		d.reopen(id)
		d.reopen(again)
		testkit.Equal(t, "withdrawn", d.said(), "fingerprint [] dismissal withdrawn")
	})
}

// A suppression matches what a review computes: not the fingerprint that a second row with equal code has. A finding without code has
// no fingerprint of its own, so that none is proposed.
func TestAProposalHasTheFingerprintOfReviews(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		f := bug("shop/cart.go")
		f.Fingerprints.Exact, f.CodePrints = "v1:a:fnd_0", []string{"v1:b:fnd_1"}
		id := d.found(50, f)
		d.dismiss(d.mona, id)
		if list := d.all(); len(list) != 1 || list[0].Matches != "v1:a" || list[0].Prints != `["v1:b","v1:a"]` {
			t.Errorf("%+v", list)
		}
		f.Fingerprints.Exact, f.Anchor.Quote = "v1:c", ""
		d.dismiss(d.mona, d.found(51, f))
		testkit.Equal(t, "without code", len(d.all()), 1)
	})
}

// A rule is proposed for a folder from three dismissed findings of two people in two pull requests on.
func TestRepeatedRefusalsProposeTheRule(t *testing.T) {
	t.Parallel()
	const rule = `rule ["shop/**"] repetition proposed`
	security := bug("shop/a.go")
	security.Category = domain.CategorySecurity
	light := security
	light.Severity = domain.Medium
	minor := bug("shop/a.go")
	minor.Severity = domain.Low
	other := bug("shop/a.go")
	other.RuleID = "llm/other/bug"
	secret := domain.Finding{Origin: domain.OriginSecret, RuleID: "gitleaks/x", Category: domain.CategorySecret, Severity: domain.Low, Anchor: domain.Anchor{Path: "shop/a.go"}}
	for name, tt := range map[string]struct {
		found  []domain.Finding
		pulls  []int
		people string // of the dismissals: m or o
		want   bool
	}{
		"three of two people in two":         {[]domain.Finding{bug("shop/a.go"), bug("shop/b.go"), bug("shop/a.go")}, []int{60, 61, 61}, "mom", true},
		"two":                                {[]domain.Finding{bug("shop/a.go"), bug("shop/b.go")}, []int{60, 61}, "mo", false},
		"of one person":                      {[]domain.Finding{bug("shop/a.go"), bug("shop/b.go"), bug("shop/a.go")}, []int{60, 61, 62}, "mmm", false},
		"in one pull request":                {[]domain.Finding{bug("shop/a.go"), bug("shop/b.go"), bug("shop/a.go")}, []int{60, 60, 60}, "mom", false},
		"in several folders":                 {[]domain.Finding{bug("shop/a.go"), bug("docs/b.go"), bug("shop/x/a.go")}, []int{60, 61, 62}, "mom", false},
		"at the root":                        {[]domain.Finding{bug("a.go"), bug("b.go"), bug("a.go")}, []int{60, 61, 62}, "mom", false},
		"of a rule that names no defect":     {[]domain.Finding{other, other, other}, []int{60, 61, 62}, "mom", false},
		"secrets":                            {[]domain.Finding{secret, secret, secret}, []int{60, 61, 62}, "mom", false},
		"grave security":                     {[]domain.Finding{security, security, security}, []int{60, 61, 62}, "mom", false},
		"grave security and one that is not": {[]domain.Finding{security, security, light}, []int{60, 61, 62}, "mom", false},
		"the last one is the lightest":       {[]domain.Finding{bug("shop/a.go"), bug("shop/b.go"), minor}, []int{60, 61, 61}, "mom", true},
		"light security":                     {[]domain.Finding{light, light, light}, []int{60, 61, 62}, "mom", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				d := newDesk(t, s)
				runs := map[int]store.Run{}
				for i, f := range tt.found {
					n := tt.pulls[i]
					if _, there := runs[n]; !there {
						runs[n] = storetest.Run(t, s, storetest.PullRequest(t, s, d.Repository, n), "auto")
					}
					d.dismiss(map[byte]string{'m': d.mona, 'o': d.olga}[tt.people[i]], d.foundBy(runs[n], f))
				}
				if got := strings.Contains(d.said(), rule); got != tt.want {
					t.Errorf("proposed %v: %s", got, d.said())
				}
				if last := d.all()[len(d.all())-1]; tt.want && !strings.HasPrefix(last.Reason, "2 people dismissed 3 findings of this rule in this folder, in ") {
					t.Error(last.Reason)
				} else if highest := slices.MaxFunc(tt.found, func(a, b domain.Finding) int { return int(a.Severity) - int(b.Severity) }).Severity; tt.want && last.Severity != highest.String() {
					t.Errorf("covers up to %s, want %s", last.Severity, highest)
				}
			})
		})
	}
}

// A finding of a mandatory rule is never proposed, and a proposal whose rule has become mandatory is not
// accepted.
func TestMandatoryRulesAreNeverSuppressed(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		d := newDesk(t, s)
		made, err := s.CreateRule(bg, d.Tenant, store.Rule{Repository: d.Repository.ID, Title: "t", Instruction: "i", Paths: "[]", Languages: "[]", Severity: "low", Enabled: true})
		testkit.OK(t, err)
		f := domain.Finding{Origin: domain.OriginModel, RuleID: domain.RulePrefix + made.ID, Category: domain.CategoryRule, Severity: domain.Low,
			Anchor: domain.Anchor{Path: "a/b.go", Quote: "x"}}
		d.dismiss(d.mona, d.found(50, f))
		testkit.Equal(t, "of a rule", d.said(), "fingerprint [] dismissal proposed")
		raw(`UPDATE rules SET mandatory = TRUE WHERE id = $1`, made.ID)
		_, err = d.decide(d.all()[0].ID, suppress.Decision{Accept: true})
		testkit.Equal(t, "accepted", featuretest.Pointers(t, err), "/decision")
		d.dismiss(d.mona, d.found(51, f))
		testkit.Equal(t, "of a mandatory rule", len(d.all()), 1)
		_, err = d.decide(d.all()[0].ID, suppress.Decision{})
		testkit.OK(t, err)
	})
}

// A person accepts a proposal as it is or with another scope, paths and time, or declines it.
func TestDecisions(t *testing.T) {
	t.Parallel()
	soon, past, far := time.Now().Add(time.Hour), time.Now().Add(-time.Hour), time.Now().AddDate(6, 0, 0)
	secret := domain.Finding{Origin: domain.OriginSecret, RuleID: "gitleaks/x", Category: domain.CategorySecret, Severity: domain.Low, Anchor: domain.Anchor{Path: "a/b.go"}}
	grave := bug("a/b.go")
	grave.Category = domain.CategorySecurity
	nameless := bug("a/b.go")
	nameless.RuleID = "llm/other/bug"
	for name, tt := range map[string]struct {
		f    domain.Finding
		in   suppress.Decision
		want string // state, scope, what matches and paths, or wrong fields
	}{
		"as it is":                {bug("a/b.go"), suppress.Decision{Accept: true}, "accepted fingerprint v1:a []"},
		"declined":                {bug("a/b.go"), suppress.Decision{Note: "no"}, "declined fingerprint v1:a []"},
		"its rule":                {bug("a/[b]/c.go"), suppress.Decision{Accept: true, Scope: domain.ScopeRule}, `accepted rule llm/correctness/nil-deref ["a/\\[b\\]/**"]`},
		"its rule everywhere":     {bug("a/b.go"), suppress.Decision{Accept: true, Scope: domain.ScopeRule, Paths: []string{}}, "accepted rule llm/correctness/nil-deref []"},
		"its category in paths":   {bug("a/b.go"), suppress.Decision{Accept: true, Scope: domain.ScopeCategory, Paths: []string{"x/**"}, ExpiresAt: &soon}, `accepted category bug ["x/**"]`},
		"a file at the root":      {bug("b.go"), suppress.Decision{Accept: true, Scope: domain.ScopeCategory}, `accepted category bug ["/b.go"]`},
		"paths of a fingerprint":  {bug("a/b.go"), suppress.Decision{Accept: true, Paths: []string{"x"}}, "/paths"},
		"a wrong pattern":         {bug("a/b.go"), suppress.Decision{Accept: true, Scope: domain.ScopeRule, Paths: []string{"//x", "y", "y"}}, "/paths/0 /paths/2"},
		"a pattern of exceptions": {bug("a/b.go"), suppress.Decision{Accept: true, Scope: domain.ScopeRule, Paths: []string{"x/**", "!x/y.go"}}, "/paths/1"},
		"a root pattern":          {bug("a/b.go"), suppress.Decision{Accept: true, Scope: domain.ScopeRule, Paths: []string{"/x"}}, `accepted rule llm/correctness/nil-deref ["/x"]`},
		"without a file":          {bug(""), suppress.Decision{Accept: true, Scope: domain.ScopeCategory}, "/paths"},
		"without a file, in all":  {bug(""), suppress.Decision{Accept: true, Scope: domain.ScopeRule, Paths: []string{}}, "accepted rule llm/correctness/nil-deref []"},
		"a rule without a name":   {nameless, suppress.Decision{Accept: true, Scope: domain.ScopeRule}, "/scope"},
		"a category of it":        {nameless, suppress.Decision{Accept: true, Scope: domain.ScopeCategory}, `accepted category bug ["a/**"]`},
		"in the past":             {bug("a/b.go"), suppress.Decision{Accept: true, ExpiresAt: &past}, "/expiresAt"},
		"too far in the future":   {bug("a/b.go"), suppress.Decision{Accept: true, ExpiresAt: &far}, "/expiresAt"},
		"declined with a scope":   {bug("a/b.go"), suppress.Decision{Scope: domain.ScopeRule, Paths: []string{}, ExpiresAt: &soon}, "/scope /paths /expiresAt"},
		"a note with a control":   {bug("a/b.go"), suppress.Decision{Note: "a\x00"}, "/note"},
		"a secret as it is":       {secret, suppress.Decision{Accept: true}, "accepted fingerprint v1:a []"},
		"a secret by category":    {secret, suppress.Decision{Accept: true, Scope: domain.ScopeCategory}, "/scope"},
		"grave security by rule":  {grave, suppress.Decision{Accept: true, Scope: domain.ScopeRule}, "/scope"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				d := newDesk(t, s)
				tt.f.Fingerprints.Exact = "v1:a"
				d.dismiss(d.mona, d.found(50, tt.f))
				v, err := d.decide(d.all()[0].ID, tt.in)
				got := featuretest.Pointers(t, err)
				if err == nil {
					got = fmt.Sprint(v.State, " ", v.Scope, " ", v.Matches, " ", v.Paths)
				}
				testkit.Equal(t, "decision", got, tt.want)
				_, err = d.decide(d.all()[0].ID, suppress.Decision{})
				if v.State != "" {
					testkit.Equal(t, "decided again", code(err), "suppression_decided")
				}
			})
		})
	}
}

// A secret in the note of a decision is stored nowhere.
func TestASecretInANote(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.Features.Suppress.Scan = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
		d.dismiss(d.mona, d.found(50, bug("a/b.go")))
		v, err := d.decide(d.all()[0].ID, suppress.Decision{Accept: true, Note: "hunter2 stays"})
		testkit.OK(t, err)
		testkit.Equal(t, "accepted", v.Note, "[redacted] stays")
		v, err = d.Features.Suppress.Withdraw(bg, d.Tenant, d.Repository, v.ID, suppress.Decision{UserID: d.mona, Name: "Mona", Note: "hunter2 goes"})
		testkit.OK(t, err)
		testkit.Equal(t, "withdrawn", v.WithdrawnNote, "[redacted] goes")
	})
}

// A decision is refused where the same scope is in effect or the suppression is of another repository, and a
// declined scope is proposed again by a command alone.
func TestDecisionsThatConflict(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.dismiss(d.mona, d.found(50, bug("a/b.go")))
		d.dismiss(d.mona, d.found(51, bug("a/b.go")))
		rows := d.all()
		byRule := suppress.Decision{Accept: true, Scope: domain.ScopeRule}
		first, err := d.decide(rows[0].ID, byRule)
		testkit.OK(t, err)
		_, err = d.decide(rows[1].ID, byRule)
		testkit.Equal(t, "the same scope", code(err), "suppression_exists")
		_, err = d.Features.Suppress.Withdraw(bg, d.Tenant, d.Repository, first.ID, suppress.Decision{UserID: d.mona, Name: "Mona", Note: "again"})
		testkit.OK(t, err)
		_, err = d.Features.Suppress.Withdraw(bg, d.Tenant, d.Repository, first.ID, suppress.Decision{})
		testkit.Equal(t, "withdrawn twice", code(err), "suppression_withdrawn")
		_, err = d.Features.Suppress.Withdraw(bg, d.Tenant, d.Repository, rows[1].ID, suppress.Decision{})
		testkit.Equal(t, "withdrawn before it is decided", code(err), "suppression_proposed")
		_, err = d.decide(rows[1].ID, byRule)
		testkit.OK(t, err)
		_, err = d.Features.Suppress.Decide(bg, d.Tenant, store.Repository{ID: "rep_other"}, rows[1].ID, suppress.Decision{})
		testkit.Equal(t, "of another repository", errs.Is(err, errs.NotFound), true)

		f := bug("a/c.go")
		f.Fingerprints.Exact = "v1:c"
		id := d.found(52, f)
		d.dismiss(d.mona, id)
		waits := d.all()[2]
		_, err = d.decide(waits.ID, suppress.Decision{})
		testkit.OK(t, err)
		d.dismiss(d.olga, d.found(53, f))
		n := len(d.all())
		testkit.OK(t, d.Features.Suppress.Propose(bg, d.Tenant, d.Repository, domain.SuppressionRequest{Finding: id, Source: domain.SuppressedByCommand, Reason: "r", Name: "dana"}))
		testkit.Equal(t, "by a command", len(d.all())-n, 1)
	})
}

// Of two people who decide at once one wins, and the other is told who did.
func TestOneDecisionWins(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		d.dismiss(d.mona, d.found(50, bug("a/b.go")))
		id := d.all()[0].ID
		results := make([]error, 4)
		var wait sync.WaitGroup
		for i := range results {
			wait.Go(func() { _, results[i] = d.decide(id, suppress.Decision{Accept: i%2 == 0}) })
		}
		wait.Wait()
		won := 0
		for _, err := range results {
			switch {
			case err == nil:
				won++
			case code(err) != "suppression_decided" || !strings.Contains(err.Error(), "Olga"):
				t.Error(err)
			}
		}
		testkit.Equal(t, "won", won, 1)
		entries, err := d.Features.Audit.Entries(bg, d.Tenant, store.AuditFilter{Limit: 100})
		testkit.OK(t, err)
		n := 0
		for _, e := range entries {
			if strings.HasPrefix(e.Action, "suppression.") {
				n++
			}
		}
		testkit.Equal(t, "entries", n, 1)
	})
}

// Proposals of one scope that are made at once are one, and there are never more than 200 undecided ones.
func TestProposalsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		id := d.found(50, bug("a/b.go"))
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				testkit.OK(t, d.Features.Suppress.Propose(bg, d.Tenant, d.Repository, domain.SuppressionRequest{Finding: id, Source: domain.SuppressedByDismissal, Reason: strings.Repeat("x", 1000)}))
			})
		}
		wait.Wait()
		testkit.Equal(t, "at once", len(d.all()), 1)
		testkit.Equal(t, "reason", len([]rune(d.all()[0].Reason)), 500)
		for range 199 {
			_, err := store.AddRecord(bg, s, d.Tenant, store.Suppression{Record: store.Record{Repository: d.Repository.ID}, Scope: domain.ScopeRule, Paths: "[]", State: domain.SuppressionProposed, Prints: "[]"})
			testkit.OK(t, err)
		}
		d.dismiss(d.mona, d.found(51, bug("a/c.go")))
		testkit.Equal(t, "beyond the bound", len(d.all()), 200)
	})
}
