package connect_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

const panelModel = "claude-sonnet-5"

// panelWorld is a world whose tiers speak OpenAI's interface, and whose panel Anthropic's. What the panel finds follows what
// the tiers find.
func panelWorld(t *testing.T, s *store.Store, panel []model.Finding, more domain.ModelPolicy) *world {
	t.Helper()
	rules := append([]model.Rule{{Match: model.Match{Stage: "generate", Model: panelModel},
		Reply: model.Reply{Findings: panel, Usage: &model.Usage{Input: 700, Output: 30}}}}, finds()...)
	w := newWorld(t, s, model.Options{Rules: rules})
	base := w.models.Endpoint
	w.models.Endpoint = func(k catalog.Key) string {
		if k.Kind == catalog.Anthropic {
			return strings.TrimSuffix(base(k), "/v1")
		}
		return base(k)
	}
	w.prices()
	w.route("", more)
	key := store.Credential{ID: domain.NewID("crd"), Name: "second", Kind: catalog.Anthropic}
	w.models.Keyring = storetest.Keyring(t, s)
	sealed, err := w.models.Keyring.SealSecret(bg, connect.CredentialScope(w.Tenant, key.ID), secret.New(simKey))
	testkit.OK(t, err)
	key.APIKey = sealed
	storetest.Credential(t, s, w.Tenant, key)
	w.panel(domain.TierRoute{CredentialID: key.ID, Model: panelModel})
	return w
}

// edit changes the stored policy.
func (w *world) edit(change func(*domain.ModelPolicy)) {
	w.t.Helper()
	p, _, err := policy.Models(bg, w.store, w.Tenant, "")
	testkit.OK(w.t, err)
	change(&p)
	w.put("", store.SettingModelPolicy, p)
}

// panel routes the panel.
func (w *world) panel(route domain.TierRoute) {
	w.t.Helper()
	w.edit(func(p *domain.ModelPolicy) { p.Tiers[domain.TierPanel] = route })
}

// ownRoutes routes the tiers to a model of a key.
func ownRoutes(key, model string) func(*domain.ModelPolicy) {
	return func(p *domain.ModelPolicy) {
		for _, tier := range domain.RequiredTiers() {
			p.Tiers[tier] = domain.TierRoute{CredentialID: key, Model: model}
		}
	}
}

func division() model.Finding {
	return model.Finding{Path: "shop.go", LineContains: "return sum / n", Title: "The division can be by zero", Explanation: "n can be 0 here.",
		Trigger: "Average(1, 0)", Category: "bug", RuleKey: "division-by-zero", Severity: "high"}
}

func rounding() model.Finding {
	return model.Finding{Path: "shop.go", LineContains: "func Average", Title: "The result is cut to whole numbers", Explanation: "Integers lose the fraction.",
		Trigger: "Average(1, 2) is 0", Category: "bug", RuleKey: "integer-division", Severity: "medium"}
}

// The panel's findings join those of the tiers, each names the models that reported it, and the panel's calls have their own
// key, tier and cost.
func TestAPanelOfASecondVendor(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := panelWorld(t, s, []model.Finding{division(), rounding()}, domain.ModelPolicy{})
		res, err := w.review()
		testkit.OK(t, err)
		own, panel := domain.Finder{Model: "sim-standard"}, domain.Finder{Vendor: "Anthropic", Model: panelModel, Panel: true}
		got := map[string][]domain.Finder{}
		for _, f := range res.Findings {
			got[f.RuleID[strings.LastIndex(f.RuleID, "/")+1:]], got[f.Title] = f.FoundBy, f.FoundBy
		}
		if both := got["division-by-zero"]; len(both) != 2 || !slices.Contains(both, own) || !slices.Contains(both, panel) {
			t.Errorf("the division was found by %v", both)
		}
		if only := got[rounding().Title]; !slices.Equal(only, []domain.Finder{panel}) {
			t.Errorf("the rounding was found by %v of %v", only, got)
		}
		rows, err := s.RunUsage(bg, w.Tenant, w.Run.ID)
		testkit.OK(t, err)
		i := slices.IndexFunc(rows, func(u store.ModelUsage) bool { return u.Tier == domain.TierPanel })
		if i < 0 || rows[i].Model != panelModel || rows[i].Calls != 1 {
			t.Fatalf("the usage of the run is %+v", rows)
		}
		if len(res.Notices) > 0 {
			t.Errorf("the review says %q", res.Notices)
		}
	})
}

// A panel that cannot look leaves the review as it is without one, and the review says why.
func TestAPanelThatCannotLook(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault  model.Fault
		policy domain.ModelPolicy
		change func(*world)
		want   string
		lack   ask.PanelLack
	}{
		"revoked":    {fault: model.Fault{Action: model.Unauthorized}, want: "its provider refused the model key"},
		"no credit":  {fault: model.Fault{Action: model.Quota}, want: "no credit left"},
		"limited":    {fault: model.Fault{Action: model.RateLimit, RetrySeconds: 3600}, want: "limits the rate"},
		"overloaded": {fault: model.Fault{Action: model.Overloaded}, want: "its provider did not answer"},
		"no answer":  {fault: model.Fault{Action: model.InvalidJSON}, want: "no usable answer"},
		"no schema":  {fault: model.Fault{Action: model.Status, Status: 400, Message: "odd"}, want: "refused the request"},
		"no price": {policy: domain.ModelPolicy{Budget: budgetOf(1_000_000_000, "hard")}, change: func(w *world) {
			w.edit(func(p *domain.ModelPolicy) {
				p.Tiers[domain.TierPanel] = domain.TierRoute{CredentialID: p.Tiers[domain.TierPanel].CredentialID, Model: "claude-of-our-own"}
			})
		}, want: "the budget or a limit has no room"},
		"same vendor": {change: func(w *world) {
			w.edit(func(p *domain.ModelPolicy) { ownRoutes(p.Tiers["fast"].CredentialID, "claude-haiku")(p) })
		}, want: "of the same vendor", lack: ask.PanelSameVendor},
		"key gone": {change: func(w *world) { w.panel(domain.TierRoute{CredentialID: "crd_gone", Model: panelModel}) }, want: "its model key is gone",
			lack: ask.PanelKeyGone},
		"region": {policy: domain.ModelPolicy{AllowedRegions: []string{"eu"}}, change: func(w *world) {
			key := store.Credential{ID: domain.NewID("crd"), Name: "eu", Kind: catalog.Compatible, BaseURL: "https://eu.example.com/v1", DataRegion: "eu"}
			storetest.Credential(w.t, w.store, w.Tenant, key)
			w.edit(ownRoutes(key.ID, "sim-strong"))
		}, want: "does not allow the region", lack: ask.PanelKeyUnfit},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.SQLite(t)
			w := panelWorld(t, s, []model.Finding{rounding()}, tc.policy)
			if tc.change != nil {
				tc.change(w)
			}
			if tc.fault.Action != "" {
				tc.fault.Match, tc.fault.Times = model.Match{Model: panelModel}, forGood
				_, err := w.sim.SetFault(tc.fault)
				testkit.OK(t, err)
			}
			m, _ := w.open()
			if m.PanelLack != tc.lack {
				t.Errorf("the panel lacks %q", m.PanelLack)
			}
			res, err := w.review()
			if got := outcome(res, err); got != "complete, confirmed" {
				t.Errorf("the review ended with %q", got)
			}
			if said := strings.Join(res.Notices, " "); !strings.Contains(said, "The panel did not look: ") || !strings.Contains(said, tc.want) {
				t.Errorf("the review says %q", said)
			}
		})
	}
}

// A repository can keep the panel away.
func TestARepositoryWithoutThePanel(t *testing.T) {
	t.Parallel()
	w := panelWorld(t, storetest.SQLite(t), []model.Finding{rounding()}, domain.ModelPolicy{})
	w.put(w.Repository.ID, store.SettingModelPolicy, domain.ModelPolicy{AllowPanel: new(bool)})
	res, err := w.review()
	testkit.OK(t, err)
	if len(res.Findings) != 1 || len(res.Findings[0].FoundBy) > 0 || len(res.Notices) > 0 {
		t.Errorf("%+v, %q", res.Findings, res.Notices)
	}
}
