package approval_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// found stores findings of the world's run and returns them.
func (p *panel) found(all ...domain.Finding) []domain.Finding {
	p.t.Helper()
	for i := range all {
		f := &all[i]
		f.ID, f.Severity, f.Title, f.Route, f.State = domain.NewID("fnd"), domain.High, "t", domain.RouteInline, domain.FindingOpen
		f.Fingerprints.Exact, f.Anchor.Quote = f.ID, "x"
	}
	kept, err := p.Store.SaveRunFindings(bg, p.Run, all)
	testkit.OK(p.t, err)
	return kept
}

// dismiss dismisses a finding as a person.
func (p *panel) dismiss(person, finding, reason string) error {
	_, err := p.Features.Approvals.Dismiss(bg, p.Tenant, p.Repository, approval.Dismissal{Finding: finding, Reason: reason, UserID: person, Name: "name"})
	return err
}

// reopen withdraws a dismissal.
func (p *panel) reopen(person, finding string) error {
	_, err := p.Features.Approvals.Reopen(bg, p.Tenant, p.Repository, approval.Dismissal{Finding: finding, UserID: person, Name: "name"})
	return err
}

// A finding is dismissed once, with a reason. Later runs keep the dismissal, and withdrawing it reopens the
// finding. Both acts are in the finding's history, in the audit log and in an event.
func TestDismissals(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		p := newPanel(t, s, nil)
		id := p.found(domain.Finding{Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug})[0].ID
		state := func() string {
			row, err := s.Finding(bg, p.Tenant, p.Repository.ID, id)
			testkit.OK(t, err)
			out := string(row.State)
			all, err := p.Features.Approvals.Decisions(bg, p.Tenant, p.Repository.ID, id)
			testkit.OK(t, err)
			for _, d := range all {
				out += ", " + d.Kind + " " + d.State + " " + d.Why
			}
			return out
		}
		for _, reason := range []string{"", "a\nb", strings.Repeat("x", 501), " x"} {
			testkit.Equal(t, "wrong fields of "+reason, featuretest.Pointers(t, p.dismiss(p.olga, id, reason)), "/reason")
		}
		refused(t, "nothing to reopen", p.reopen(p.olga, id), errs.Conflict, "finding_open")
		testkit.OK(t, p.dismiss(p.olga, id, "the caller checks it"))
		refused(t, "again", p.dismiss(p.olga, id, "known"), errs.Conflict, "finding_dismissed")
		const proposed = ", suppression proposed the caller checks it"
		testkit.Equal(t, "shown", state(), "dismissed, dismissal dismissed the caller checks it"+proposed)
		again := domain.Finding{ID: id, Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug, Severity: domain.High, Title: "again", Fingerprints: domain.Fingerprints{Exact: id}, Route: domain.RouteInline, State: domain.FindingOpen,
			Anchor: domain.Anchor{Quote: "x"}}
		_, err := s.SaveRunFindings(bg, storetest.Run(t, s, p.Pull, "cmd:later"), []domain.Finding{again})
		testkit.OK(t, err)
		testkit.Equal(t, "after a later run", state(), "dismissed, dismissal dismissed the caller checks it"+proposed)
		outcomes, err := s.OutcomesOfFinding(bg, p.Tenant, id)
		testkit.OK(t, err)
		if len(outcomes) != 1 || outcomes[0].Kind != domain.OutcomeDismissed || outcomes[0].Person != p.olga || outcomes[0].Name != "name" {
			t.Errorf("outcomes of a dismissed finding: %+v", outcomes)
		}
		testkit.OK(t, p.reopen(p.olga, id))
		outcomes, err = s.OutcomesOfFinding(bg, p.Tenant, id)
		testkit.OK(t, err)
		testkit.Equal(t, "outcomes after the dismissal was taken back", len(outcomes), 0)
		testkit.Equal(t, "open again", state(), "open, dismissal open , dismissal dismissed the caller checks it, suppression withdrawn the caller checks it")
		all, err := p.Features.Approvals.Decisions(bg, p.Tenant, p.Repository.ID, id)
		testkit.OK(t, err)
		if last := all[len(all)-1]; last.By != p.olga || last.AtUS == 0 {
			t.Errorf("who withdrew the suppression, and when: %+v", last)
		}
		testkit.Equal(t, "entries", p.entries("finding.dismiss")+p.entries("finding.reopen"), 2)
		told := 0
		for _, row := range storetest.Dump(t, url)["events"] {
			if strings.Contains(row, domain.EventFindingDecided) && strings.Contains(row, id) {
				told++
			}
		}
		testkit.Equal(t, "events", told, 2)
		p.Repository = storetest.Repository(t, s, p.Tenant, p.Installation)
		refused(t, "through another repository", p.dismiss(p.olga, id, "x"), errs.NotFound, "not_found")
	})
}

// An author with review permission dismisses findings of their own pull request. Dismissing secrets and
// violations of mandatory rules takes another reviewer, unless the tenant lets authors decide.
func TestAuthorsDismissTheirOwnFindings(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		p := newPanel(t, s, raw)
		rule := func(repository string, mandatory bool) string {
			row, err := s.CreateRule(bg, p.Tenant, store.Rule{Repository: repository, Title: "t", Instruction: "i", Paths: "[]", Languages: "[]", Severity: "high", Enabled: true, Mandatory: mandatory})
			testkit.OK(t, err)
			return row.ID
		}
		everywhere, optional, here := rule("", true), rule("", false), rule(p.Repository.ID, true)
		own := p.found(
			domain.Finding{Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug},
			domain.Finding{Origin: domain.OriginRule, RuleID: optional, Category: domain.CategoryRule})
		others := p.found(
			domain.Finding{Origin: domain.OriginSecret, RuleID: "gitleaks/x", Category: domain.CategorySecret},
			domain.Finding{Origin: domain.OriginModel, RuleID: everywhere, Category: domain.CategoryRule},
			domain.Finding{Origin: domain.OriginModel, RuleID: here, Category: domain.CategoryRule},
			domain.Finding{Origin: domain.OriginModel, RuleID: "llm/x", Rules: []string{"llm/y", everywhere}, Category: domain.CategoryBug},
			domain.Finding{Origin: domain.OriginModel, RuleID: "rul_gone", Category: domain.CategoryRule, Basis: &domain.Basis{Mandatory: true}})
		p.authored(p.mona)
		why := func(finding string, who approval.Viewer) string {
			t.Helper()
			row, err := s.Finding(bg, p.Tenant, p.Repository.ID, finding)
			testkit.OK(t, err)
			said, err := p.Features.Approvals.WhyNotDismiss(bg, p.Tenant, p.Repository, row, who)
			testkit.OK(t, err)
			return said
		}
		mona, olga := viewer(p.mona, perm.RepoReviewer), viewer(p.olga, perm.RepoReviewer)
		for _, f := range own {
			testkit.Equal(t, "reason before the dismissal", why(f.ID, mona), "")
			testkit.OK(t, p.dismiss(p.mona, f.ID, "known"))
		}
		for _, f := range others {
			refused(t, "the author of "+f.RuleID, p.dismiss(p.mona, f.ID, "known"), errs.Forbidden, "own_pull_request")
			testkit.Equal(t, "reason before the dismissal", why(f.ID, mona), "The author of a pull request cannot dismiss a secret or a violation of a mandatory rule here. Ask another person with review permission.")
			testkit.Equal(t, "reason for another reviewer", why(f.ID, olga), "")
		}
		one := others[0].ID
		testkit.Equal(t, "reason for a viewer", why(one, viewer(p.mona, perm.RepoViewer)), "A person with review permission in this repository decides on it.")
		testkit.OK(t, p.dismiss(p.olga, one, "known"))
		testkit.OK(t, p.reopen(p.mona, one))
		refused(t, "the author who reopened it", p.dismiss(p.mona, one, "known"), errs.Forbidden, "own_pull_request")
		p.authorsDecide()
		testkit.Equal(t, "where authors decide", why(one, mona), "")
		testkit.OK(t, p.dismiss(p.mona, one, "known"))
	})
}

// A secret in the reason of a dismissal on the page is stored nowhere: not in the finding, its history or the proposed suppression.
func TestASecretInTheReasonOfADismissal(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		p := newPanel(t, s, nil)
		p.Features.Approvals.Scan = func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }
		id := p.found(domain.Finding{Origin: domain.OriginModel, RuleID: "llm/correctness/nil-deref", Category: domain.CategoryBug})[0].ID
		testkit.OK(t, p.dismiss(p.mona, id, "hunter2 is only for tests"))
		all, err := p.Features.Approvals.Decisions(bg, p.Tenant, p.Repository.ID, id)
		testkit.OK(t, err)
		testkit.Equal(t, "history", all[0].Why, "[redacted] is only for tests")
		proposed, err := s.Suppressions(bg, p.Tenant, p.Repository.ID, store.SuppressionsFilter{Limit: 9})
		testkit.OK(t, err)
		testkit.Require(t, "proposed", len(proposed), 1)
		testkit.Equal(t, "proposed reason", proposed[0].Reason, "[redacted] is only for tests")
	})
}
