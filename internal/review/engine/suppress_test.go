package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// fingerprintOf returns a suppression of one finding.
func fingerprintOf(f domain.Finding) domain.Suppression {
	return domain.Suppression{ID: "sup_1", Scope: domain.ScopeFingerprint, Matches: []string{f.Fingerprints.Exact}}
}

// A finding that a suppression in effect covers is not shown in another pull request, and the result names the
// suppression.
func TestSuppressionsHideFindings(t *testing.T) {
	t.Parallel()
	_, k := first(t, domain.FindingOpen)
	for name, tt := range map[string]struct {
		hides  domain.Suppression
		hidden bool
	}{
		"its fingerprint":                 {fingerprintOf(k), true},
		"another fingerprint":             {domain.Suppression{Scope: domain.ScopeFingerprint, Matches: []string{"v1:other"}}, false},
		"its rule, everywhere":            {domain.Suppression{Scope: domain.ScopeRule, MaxSeverity: k.Severity, Matches: []string{k.RuleID}}, true},
		"its rule, in its folder":         {domain.Suppression{Scope: domain.ScopeRule, MaxSeverity: k.Severity, Matches: []string{k.RuleID}, Paths: []string{"shop/**"}}, true},
		"its rule, elsewhere":             {domain.Suppression{Scope: domain.ScopeRule, MaxSeverity: k.Severity, Matches: []string{k.RuleID}, Paths: []string{"docs/**"}}, false},
		"another rule":                    {domain.Suppression{Scope: domain.ScopeRule, Matches: []string{"llm/api/breaking-change"}}, false},
		"its rule, for lower severities":  {domain.Suppression{Scope: domain.ScopeRule, MaxSeverity: k.Severity - 1, Matches: []string{k.RuleID}}, false},
		"its category, for lower ones":    {domain.Suppression{Scope: domain.ScopeCategory, MaxSeverity: k.Severity - 1, Matches: []string{string(k.Category)}}, false},
		"its category":                    {domain.Suppression{Scope: domain.ScopeCategory, MaxSeverity: k.Severity, Matches: []string{string(k.Category)}}, true},
		"its category, elsewhere":         {domain.Suppression{Scope: domain.ScopeCategory, MaxSeverity: k.Severity, Matches: []string{string(k.Category)}, Paths: []string{"*.md"}}, false},
		"a rule named as the category is": {domain.Suppression{Scope: domain.ScopeRule, Matches: []string{string(k.Category)}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, _ := first(t, domain.FindingOpen)
			in.Known, in.Models = nil, models(&scripted{generate: findings(division()), verify: confirmAll})
			tt.hides.ID = "sup_7"
			in.Suppressions = []domain.Suppression{tt.hides}
			res := review(t, in, Deps{})
			if len(res.Findings) != 1 || (res.Findings[0].State == domain.FindingSuppressed) != tt.hidden {
				t.Fatalf("%+v", res.Findings)
			}
			f := res.Findings[0]
			if !tt.hidden {
				if f.SuppressedBy != "" || f.Route != domain.RouteInline || res.Stats.Suppressed() != 0 {
					t.Errorf("by %s, route %s, counted %d", f.SuppressedBy, f.Route, res.Stats.Suppressed())
				}
				return
			}
			if f.SuppressedBy != "sup_7" || f.Route != domain.RouteStored || res.Stats.Suppressed() != 1 || len(res.Open()) != 0 {
				t.Errorf("by %s, route %s, counted %d, open %d", f.SuppressedBy, f.Route, res.Stats.Suppressed(), len(res.Open()))
			}
			if len(res.Discarded) != 1 || res.Discarded[0].Stage != discardedDecision || res.Discarded[0].FindingID != f.ID ||
				res.Discarded[0].Finding.SuppressedBy != "sup_7" {
				t.Errorf("not shown: %+v", res.Discarded)
			}
		})
	}
}

// A suppression with paths covers a finding if all places of its defect match them.
func TestASuppressionCoversAllPlaces(t *testing.T) {
	t.Parallel()
	place := func(path string) domain.Evidence { return domain.Evidence{Kind: domain.EvidencePlace, Path: path} }
	for name, tt := range map[string]struct {
		paths  []string
		places []domain.Evidence
		want   bool
	}{
		"all places match":          {[]string{"shop/**"}, []domain.Evidence{place("shop/b.go")}, true},
		"one place does not match":  {[]string{"shop/**"}, []domain.Evidence{place("shop/b.go"), place("pay/a.go")}, false},
		"two patterns":              {[]string{"shop/**", "pay/**"}, []domain.Evidence{place("pay/a.go")}, true},
		"every file":                {nil, []domain.Evidence{place("pay/a.go")}, true},
		"a proof outside the paths": {[]string{"shop/**"}, []domain.Evidence{{Kind: domain.EvidenceRule, Path: "AGENTS.md"}}, true},
	} {
		f := domain.Finding{RuleID: "llm/x", Anchor: domain.Anchor{Path: "shop/a.go"}, Evidence: tt.places}
		if got := covers(domain.Suppression{Scope: domain.ScopeRule, Matches: []string{"llm/x"}, Paths: tt.paths}, f); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// Secrets, and security findings of High and above, are covered by their fingerprint alone, and findings of
// mandatory rules by nothing.
func TestSuppressionsNeverHideGraveFindings(t *testing.T) {
	t.Parallel()
	at := domain.Anchor{Path: "shop/shop.go", Quote: "x"}
	print := domain.Fingerprints{Exact: "v1:a"}
	by := func(scope domain.SuppressionScope, matches string) []domain.Suppression {
		return []domain.Suppression{{ID: "sup_1", Scope: scope, Matches: []string{matches}, MaxSeverity: domain.Critical}}
	}
	secret := domain.Finding{Origin: domain.OriginSecret, RuleID: "gitleaks/x", Category: domain.CategorySecret, Severity: domain.Low, Anchor: at, Fingerprints: print}
	grave := domain.Finding{Origin: domain.OriginModel, RuleID: "llm/security/x", Category: domain.CategorySecurity, Severity: domain.High, Anchor: at, Fingerprints: print}
	light := grave
	light.Severity = domain.Medium
	binding := domain.Finding{Origin: domain.OriginModel, RuleID: "repo/R1", Category: domain.CategoryRule, Anchor: at, Fingerprints: print}
	further := domain.Finding{Origin: domain.OriginModel, RuleID: "llm/x", Rules: []string{"repo/R1"}, Category: domain.CategoryBug, Anchor: at, Fingerprints: print}
	for name, tt := range map[string]struct {
		f    domain.Finding
		by   []domain.Suppression
		want string
	}{
		"a secret, by its category":              {secret, by(domain.ScopeCategory, "secret"), ""},
		"a secret, by its rule":                  {secret, by(domain.ScopeRule, "gitleaks/x"), ""},
		"a secret, by its fingerprint":           {secret, by(domain.ScopeFingerprint, "v1:a"), "sup_1"},
		"high security, by its category":         {grave, by(domain.ScopeCategory, "security"), ""},
		"high security, by its rule":             {grave, by(domain.ScopeRule, "llm/security/x"), ""},
		"high security, by its fingerprint":      {grave, by(domain.ScopeFingerprint, "v1:a"), "sup_1"},
		"medium security, by its category":       {light, by(domain.ScopeCategory, "security"), "sup_1"},
		"a mandatory rule, by its rule":          {binding, by(domain.ScopeRule, "repo/R1"), ""},
		"a mandatory rule, by its category":      {binding, by(domain.ScopeCategory, "rule"), ""},
		"a mandatory rule, by its fingerprint":   {binding, by(domain.ScopeFingerprint, "v1:a"), ""},
		"a mandatory rule among those it breaks": {further, by(domain.ScopeFingerprint, "v1:a"), ""},
	} {
		w := &work{in: Input{Suppressions: tt.by}, rules: []Rule{{ID: "R1", Mandatory: true}}}
		if got := w.suppressedBy(tt.f); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A suppressed finding is reported again when no suppression covers it any more, also if the models do not report
// it again because its code was reviewed.
func TestAWithdrawnSuppressionBringsTheFindingBack(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"a model reports it": true, "no model looks there again": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, k := first(t, domain.FindingSuppressed)
			k.SuppressedBy, k.Known = "sup_1", false
			in.Known, in.Suppressions = []domain.Finding{k}, nil
			m := &scripted{generate: findings(), verify: confirmAll}
			if again {
				m.generate = findings(division())
			}
			in.Models = models(m)
			res := review(t, in, Deps{})
			if len(res.Findings) != 1 {
				t.Fatalf("%+v", res.Findings)
			}
			if f := res.Findings[0]; f.ID != k.ID || f.State != domain.FindingOpen || f.SuppressedBy != "" || f.Route != domain.RouteInline {
				t.Errorf("the same %v, %s by %q, %s", f.ID == k.ID, f.State, f.SuppressedBy, f.Route)
			}
		})
	}
}

// A suppressed fingerprint does not follow its finding onto other code, which is judged as a new finding. The same
// code stays suppressed under another fingerprint.
func TestASuppressedFingerprintDoesNotFollowChangedCode(t *testing.T) {
	t.Parallel()
	const was = "	return Total(items) / len(items)"
	for name, tt := range map[string]struct {
		is      string // the line at the head
		scope   domain.SuppressionScope
		print   string // exact fingerprint of the earlier finding, where it is not that of its code
		hidden  bool
		carried bool // it is still the earlier finding
	}{
		"other code":                         {"	return Total(items) * 100 / len(items)", domain.ScopeFingerprint, "", false, false},
		"other code, suppressed by its rule": {"	return Total(items) * 100 / len(items)", domain.ScopeRule, "", true, false},
		"the same code":                      {was, domain.ScopeFingerprint, "", true, true},
		"the same code, another print":       {was, domain.ScopeFingerprint, "v1:before", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, k := first(t, domain.FindingSuppressed)
			k.SuppressedBy, k.Known, k.Names = "sup_1", false, []string{k.Fingerprints.Exact}
			if tt.print != "" {
				k.Fingerprints.Exact, k.Names = tt.print, []string{tt.print}
			}
			in.Known, in.Suppressions = []domain.Finding{k}, []domain.Suppression{fingerprintOf(k)}
			if tt.scope == domain.ScopeRule {
				in.Suppressions = []domain.Suppression{{ID: "sup_1", Scope: tt.scope, Matches: []string{k.RuleID}, MaxSeverity: k.Severity}}
			}
			after := strings.Replace(newGo, was, tt.is, 1)
			in.Source = enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": after}
			in.Diff = []byte(enginetest.Unified("shop/shop.go", oldGo, after))
			c := division()
			c.Quote, c.Fix = tt.is, nil
			in.Models = models(&scripted{generate: findings(c), verify: confirmAll})
			res := review(t, in, Deps{})
			if len(res.Findings) != 1 {
				t.Fatalf("%+v", res.Findings)
			}
			f := res.Findings[0]
			if hidden := f.State == domain.FindingSuppressed; hidden != tt.hidden || (f.ID == k.ID) != tt.carried {
				t.Errorf("hidden %v, the earlier one %v, by %q, %s", hidden, f.ID == k.ID, f.SuppressedBy, f.Route)
			}
			if tt.hidden {
				return
			}
			f.ID, f.State, f.Known, f.Names = "fnd_new", domain.FindingOpen, true, []string{f.Fingerprints.Exact}
			in.Known = []domain.Finding{k, f}
			later := review(t, in, Deps{})
			if len(later.Open()) != 1 || later.Open()[0].ID != "fnd_new" {
				t.Errorf("the next review: %+v", later.Findings)
			}
		})
	}
}

// An open finding that a review shows is hidden by the next run after a person has accepted its suppression.
func TestALaterSuppressionHidesAnOpenFinding(t *testing.T) {
	t.Parallel()
	in, k := first(t, domain.FindingOpen)
	in.Suppressions = []domain.Suppression{fingerprintOf(k)}
	in.Models = models(&scripted{generate: findings(), verify: confirmAll})
	res := review(t, in, Deps{})
	if len(res.Findings) != 1 || res.Findings[0].State != domain.FindingSuppressed || res.Findings[0].SuppressedBy != "sup_1" ||
		res.Stats.Suppressed() != 1 || len(res.Open()) != 0 {
		t.Errorf("%+v, counted %d", res.Findings, res.Stats.Suppressed())
	}
}

// A suppressed fingerprint does not follow an open finding onto other code, although the finding had that fingerprint
// before. It covers the same code under a later fingerprint.
func TestASuppressedFingerprintDoesNotFollowAnOpenFinding(t *testing.T) {
	t.Parallel()
	const was, other = "	return Total(items) / len(items)", "	return Total(items) * 100 / len(items)"
	for name, tt := range map[string]struct {
		code   string // at the second head
		silent bool   // the third review does not report it
		hidden bool   // in the third review, after the first fingerprint was suppressed
	}{
		"other code":                  {other, false, false},
		"other code, a silent model":  {other, true, false},
		"the same code":               {was, false, true},
		"the same code, silent model": {was, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.ReviewedHunks = map[string]bool{}
			look := func(function, code string, report bool) domain.Finding {
				after := strings.NewReplacer(was, code, "Average", function).Replace(newGo)
				in.Source = enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": after}
				in.Diff = []byte(enginetest.Unified("shop/shop.go", oldGo, after))
				c := division()
				c.Quote, c.Fix = code, nil
				m := &scripted{generate: findings(), verify: confirmAll}
				if report {
					m.generate = findings(c)
				}
				in.Models = models(m)
				res := review(t, in, Deps{})
				if len(res.Findings) != 1 {
					t.Fatalf("%+v", res.Findings)
				}
				in.publish(res)
				return res.Findings[0]
			}
			k := look("Average", was, true)
			later := look("Mean", tt.code, true) // another symbol, so another fingerprint
			if later.ID != k.ID || later.Fingerprints.Exact == k.Fingerprints.Exact {
				t.Fatalf("the second review has another finding, or the same fingerprint: %+v", later)
			}
			in.Known[0].Names = []string{k.Fingerprints.Exact, later.Fingerprints.Exact} // as they are stored
			in.Suppressions = []domain.Suppression{fingerprintOf(k)}
			if f := look("Mean", tt.code, !tt.silent); f.ID != k.ID || (f.State == domain.FindingSuppressed) != tt.hidden {
				t.Errorf("the same finding %v, %s by %q", f.ID == k.ID, f.State, f.SuppressedBy)
			}
			if res := review(t, in, Deps{}); (len(res.Open()) == 0) != tt.hidden {
				t.Errorf("the next review: %+v", res.Findings)
			}
		})
	}
}

// A decision on a finding about hidden characters covers its line alone: neither another comment nor a further line.
func TestADecisionOnHiddenCharactersLeavesOtherLines(t *testing.T) {
	t.Parallel()
	const harmless, comment, code = "// the name \u202eflow\u202c is Hebrew in the test data", "/* \u202e } \u2066if (isAdmin)\u2069 \u2066 begin admins only */",
		"var mode = \"user\u202e \u2066// admins only\u2069 \u2066\""
	change := func(lines string) Input {
		in := sampleChange(t)
		on := domain.High
		in.ReviewedHunks, in.Models, in.Policy.Deterministic.StaticAnalysis, in.Policy.Check.FailOn = map[string]bool{}, nil, true, &on
		after := strings.Replace(newGo, "package shop\n", "package shop\n\n"+lines+"\n", 1)
		in.Source = enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": after}
		in.Diff = []byte(enginetest.Unified("shop/shop.go", oldGo, after))
		return in
	}
	k := review(t, change(harmless), Deps{}).Findings[0]
	for lines, open := range map[string]int{
		harmless: 0, "\t" + harmless: 0, comment: 1, harmless + "\n\n" + code: 1, code + "\n\n" + harmless: 1,
		harmless + "\n" + harmless: 1, "var x = 1 " + harmless: 1,
	} {
		dismissed := k
		dismissed.State, dismissed.Known = domain.FindingDismissed, true
		known, suppressed := change(lines), change(lines)
		known.Known, suppressed.Suppressions = []domain.Finding{dismissed}, []domain.Suppression{fingerprintOf(k)}
		for how, in := range map[string]Input{"dismissed": known, "suppressed": suppressed} {
			res := review(t, in, Deps{})
			if failed := res.Conclude(res.Open(), in.Policy) == domain.CheckFailure; len(res.Open()) != open || failed != (open > 0) {
				t.Errorf("%s: %q: %d open, failed %v", how, lines, len(res.Open()), failed)
			}
		}
	}
}
