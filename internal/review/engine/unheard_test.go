package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// A verifier that fails loses no claim: the caller is told and can wait. After that the claims are
// named as not verified, whatever their severity, and the review is incomplete.
func TestAVerifierThatFailsForGood(t *testing.T) {
	t.Parallel()
	for name, down := range map[string]*llm.Error{
		"500":         {Class: llm.ClassRetryable, Status: 500, ProviderMessage: "internal"},
		"429":         {Class: llm.ClassRetryable, Status: 429, ProviderMessage: "too many"},
		"quota":       {Class: llm.ClassQuota, Status: 429, ProviderMessage: "used up"},
		"key":         {Class: llm.ClassCredential, Status: 401, ProviderMessage: "no"},
		"bad request": {Class: llm.ClassFinal, Status: 400, ProviderMessage: "bad"},
	} {
		for _, severity := range []string{"critical", "medium", "low"} {
			t.Run(name+" "+severity, func(t *testing.T) {
				t.Parallel()
				c := division()
				c.Severity, c.SelfDoubt = severity, 0.9
				in := sampleChange(t)
				in.Models = models(&scripted{generate: findings(c), verify: func(int, string) (llm.Response, error) { return llm.Response{}, down }})
				if down.Class != llm.ClassFinal {
					if _, err := New(Deps{Checks: newChecker(t)}).Review(t.Context(), in); !errors.Is(err, ErrVerifier) || !errors.Is(err, error(down)) {
						t.Fatalf("error %v", err)
					}
				}
				in.WithoutVerifier = true
				res := review(t, in, Deps{})
				if res.ModelState != ModelPartial || res.VerifierFailure != down || !strings.Contains(res.ModelNote, "0 of 1 groups of findings were verified") {
					t.Errorf("%s: %s; %v", res.ModelState, res.ModelNote, res.VerifierFailure)
				}
				if len(res.Findings) != 1 || res.Stats.Verified != 0 {
					t.Fatalf("%+v, dropped %v", res.Findings, res.Stats.Dropped)
				}
				if f := res.Findings[0]; f.Verdict != domain.VerdictUnproven || f.Route != domain.RouteSummary {
					t.Errorf("%+v, dropped %v", res.Findings, res.Stats.Dropped)
				}
			})
		}
	}
}

// A verifier that fails midway keeps the verdicts that it has given.
func TestAVerifierThatFailsOnItsWay(t *testing.T) {
	t.Parallel()
	var list []candidate
	var source strings.Builder
	source.WriteString("package shop\n")
	for i := range 6 {
		line := fmt.Sprintf("\treturn total(%d) / count(%d)", i, i)
		fmt.Fprintf(&source, "\nfunc mean%d() int {\n%s\n}\n", i, line)
		list = append(list, candidate{Path: "shop.go", Side: "RIGHT", Start: 4 + 4*i, End: 4 + 4*i, Quote: line, Category: "bug",
			RuleKey: "division-by-zero", Severity: "medium",
			Title: fmt.Sprintf("mean%d divides by zero", i), Trigger: "none", Explanation: "count may be 0.", Evidence: []citation{}})
	}
	in := sampleChange(t)
	in.Diff, in.Source = []byte(enginetest.Unified("shop.go", "", source.String())), enginetest.Files{"RIGHT:shop.go": source.String()}
	in.WithoutVerifier = true
	in.Models = models(&scripted{generate: findings(list...), verify: func(n int, user string) (llm.Response, error) {
		if n > 0 {
			return llm.Response{}, &llm.Error{Class: llm.ClassRetryable, Status: 500}
		}
		return confirmAll(n, user)
	}})
	res := review(t, in, Deps{})
	verified, asked := 0, 0
	for _, f := range res.Findings {
		switch {
		case f.Verdict == domain.VerdictConfirmed:
			verified++
		case f.Verdict == domain.VerdictUnproven && f.Route == domain.RouteSummary:
			asked++
		}
	}
	if res.ModelState != ModelPartial || verified != 1 || asked != len(list)-1 {
		t.Errorf("%s (%s): %d verified, asked about %d of %d; dropped %v", res.ModelState, res.ModelNote, verified, asked, len(list), res.Stats.Dropped)
	}
}
