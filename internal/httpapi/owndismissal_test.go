package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The author of a pull request who may review dismisses what reviews say of it, but for
// secrets and what breaks a mandatory rule: that takes somebody else, in the interface
// and by an assistant, unless the tenant lets authors decide.
func TestAuthorsDismissTheirOwnFindings(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		w.assistants(true, everyTool()...)
		w.person(reviewer, false, w.Tenant, domain.RoleMember)
		w.role(reviewer, w.Repository, "review")
		rule := func(repository string, mandatory bool) string {
			row, err := s.CreateRule(bg, w.Tenant, store.Rule{Repository: repository, Title: "t", Instruction: "i", Paths: "[]", Languages: "[]", Severity: "high", Enabled: true, Mandatory: mandatory})
			must(t, err)
			return row.ID
		}
		must1, may1, must2 := rule("", true), rule("", false), rule(w.Repository.ID, true)
		var all []domain.Finding
		add := func(f domain.Finding) {
			f.ID, f.Severity, f.Title, f.Route, f.State = domain.NewID("fnd"), domain.High, "t", domain.RouteInline, domain.FindingOpen
			f.Fingerprints.Exact = f.ID
			all = append(all, f)
		}
		add(domain.Finding{Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug})
		add(domain.Finding{Origin: domain.OriginRule, RuleID: may1, Category: domain.CategoryRule})
		own := len(all)
		add(domain.Finding{Origin: domain.OriginSecret, RuleID: "gitleaks/x", Category: domain.CategorySecret})
		add(domain.Finding{Origin: domain.OriginModel, RuleID: must1, Category: domain.CategoryRule})
		add(domain.Finding{Origin: domain.OriginModel, RuleID: must2, Category: domain.CategoryRule})
		add(domain.Finding{Origin: domain.OriginModel, RuleID: "llm/x", Rules: []string{"llm/y", must1}, Category: domain.CategoryBug})
		add(domain.Finding{Origin: domain.OriginModel, RuleID: "rul_gone", Category: domain.CategoryRule, Basis: &domain.Basis{Mandatory: true}})
		kept, err := s.SaveRunFindings(bg, w.Run, all)
		must(t, err)
		raw(`UPDATE pull_requests SET author_id = 4711`)
		raw(`INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us) SELECT 'idn_1', $1, web_url, '4711', 'codehost', 'x', 1, 1 FROM apps WHERE id = (SELECT app_id FROM installations WHERE id = $2)`,
			w.people[reviewer].id, w.Installation.ID)
		at := func(i int) string { return w.repo() + "/findings/" + kept[i].ID }
		dismiss := func(who string, i int) reply {
			return w.call(who, http.MethodPut, at(i)+"/dismissal", `{"reason":"known"}`)
		}
		why := func(who string, i int) string {
			var h httpapi.FindingHistory
			w.into(&h, w.call(who, http.MethodGet, at(i), ""))
			return h.WhyNotDismiss
		}
		assistant := w.assistant(w.scoped(reviewer, everyScope()...))
		for i := range kept {
			if i < own {
				testkit.Equal(t, "what is said before", why(reviewer, i), "")
				testkit.Equal(t, "the author of "+all[i].RuleID, dismiss(reviewer, i).status, http.StatusOK)
				continue
			}
			if got := dismiss(reviewer, i); got.status != http.StatusForbidden || problemOf(t, got) != "own_pull_request" {
				t.Errorf("the author of %s: %d %s", all[i].RuleID, got.status, got.body)
			}
			got, text := w.tool(assistant, "dismiss_finding", map[string]any{"repository": w.Repository.ID, "finding": kept[i].ID, "reason": "known"})
			if !got.IsError || !strings.HasPrefix(text, "The author of a pull request does not dismiss") {
				t.Errorf("the author's assistant, of %s: %s", all[i].RuleID, text)
			}
			testkit.Equal(t, "what is said before", why(reviewer, i), "The author of a pull request does not dismiss a secret, or what breaks a mandatory rule, here. Somebody else who may review has to.")
			testkit.Equal(t, "what somebody else is told", why(admin, i), "")
		}
		testkit.Equal(t, "what a viewer is told", why(member, own), "Somebody who may review in this repository decides on it.")
		testkit.Equal(t, "somebody else", dismiss(admin, own).status, http.StatusOK)
		testkit.Equal(t, "the author takes it back", w.call(reviewer, http.MethodDelete, at(own)+"/dismissal", "").status, http.StatusOK)
		testkit.Equal(t, "and does not dismiss it again", dismiss(reviewer, own).status, http.StatusForbidden)
		must(t, s.PutSetting(bg, w.Tenant, "", store.SettingTenant, `{"authorMayApprove":true}`))
		testkit.Equal(t, "where authors decide", why(reviewer, own), "")
		testkit.Equal(t, "the author, who may", dismiss(reviewer, own).status, http.StatusOK)
		got, text := w.tool(assistant, "dismiss_finding", map[string]any{"repository": w.Repository.ID, "finding": kept[own+1].ID, "reason": "known"})
		if got.IsError {
			t.Errorf("the author's assistant, where authors decide: %s", text)
		}
	})
}

// An assistant hears what people decided about a finding as the interface tells it.
func TestAssistantsHearWhatPeopleDecided(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.assistants(false, everyTool()...)
		w.reviewed("A nil map is written to", "shop/cart.go")
		var l httpapi.List[httpapi.ListedFinding]
		w.into(&l, w.call(admin, http.MethodGet, w.repo()+"/findings", ""))
		at := w.repo() + "/findings/" + l.Items[0].ID
		testkit.Equal(t, "dismissed", w.call(admin, http.MethodPut, at+"/dismissal", `{"reason":"the caller checks it"}`).status, http.StatusOK)
		testkit.Equal(t, "taken back", w.call(admin, http.MethodDelete, at+"/dismissal", "").status, http.StatusOK)
		var h httpapi.FindingHistory
		w.into(&h, w.call(admin, http.MethodGet, at, ""))
		got, text := w.tool(w.assistant(w.scoped(member, everyScope()...)), "explain_finding", map[string]any{"repository": w.Repository.ID, "finding": l.Items[0].ID})
		decided := structured[struct {
			Decisions []struct{ Kind, State, Why, At string }
		}](t, got).Decisions
		if len(decided) != 2 || len(h.Decisions) != 2 {
			t.Fatalf("an assistant hears %+v, people read %+v", decided, h.Decisions)
		}
		for i, d := range decided {
			if v := h.Decisions[i]; d.Kind != v.Kind || d.State != v.State || d.Why != v.Why || d.At == "" {
				t.Errorf("an assistant hears %+v, people read %+v", d, v)
			}
		}
		if decided[1].Why != "the caller checks it" || !strings.Contains(text, "Decided (dismissal): dismissed") || !strings.Contains(text, "the caller checks it") {
			t.Errorf("an assistant hears %+v, and reads %s", decided, text)
		}
	})
}
