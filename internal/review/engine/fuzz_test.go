package engine

import (
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// FuzzAnswers feeds arbitrary answers of models: each remaining finding is in the diff, the finding of
// a check survives, and no verdict counts without a quote from the code.
func FuzzAnswers(f *testing.F) {
	whole, _ := json.Marshal(map[string]any{"findings": []candidate{division()}})
	f.Add(string(whole), `{"verdicts":[{"claim":"c1","verdict":"refuted","refutation_quote":"return"}]}`)
	f.Add(`{"findings":[{"path":"shop/shop.go","start":-5,"end":99999999,"quote":"}","severity":"low","title":"x","explanation":"y"}]}`, `{}`)
	f.Add(`{"findings":[{"path":"../../etc/passwd","side":"LEFT","quote":"package shop","severity":"critical","title":"x","explanation":"y","fix":{"old":"","new":""}}]}`, "nope")
	src := anchor.NewFiles(enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": newGo})
	set, err := diff.Parse([]byte(enginetest.Unified("shop/shop.go", oldGo, newGo)))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, generate, verify string) {
		w := &work{deps: New(Deps{}).deps, in: Input{Policy: domain.DefaultPolicy()},
			prepared: prepared{set: set, src: src, redact: func(s string) string { return s }}, result: Result{Stats: Stats{Dropped: map[string]int{}}},
			reconciler: &reconcile.Reconciler{Set: set, Source: src, Prints: anchor.NewFingerprinter("rep_1", set, src), Logger: slog.New(slog.DiscardHandler)}}
		list, _ := ask.ReadList[candidate](ask.Answer{Text: generate}, "findings")
		items, err := w.deterministic(t.Context(), []domain.Finding{{ID: "det", Origin: domain.OriginSecret, RuleID: "gitleaks/x", Category: domain.CategorySecret, Severity: domain.Critical,
			Anchor: domain.Anchor{Path: "shop/shop.go", Side: domain.Right, StartLine: 17, EndLine: 17, Level: domain.AnchorLine}}})
		found, err2 := w.anchorCandidates(t.Context(), list.Items)
		items, _, err3 := reconcile.Cluster(t.Context(), append(items, found...))
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		verdicts, _ := ask.ReadList[verdict](ask.Answer{Text: verify}, "verdicts")
		secrets := 0
		for _, it := range items {
			if it.Deterministic() {
				secrets++
			} else {
				c := scene{set: set, src: src}.claim(t.Context(), it, view{margin: verifyMargin})
				for _, v := range verdicts.Items {
					it.Verdict = domain.VerdictUnproven
					apply(c, c.weigh(v))
					proof := append([]string{v.RefutationQuote}, v.ConfirmingQuotes...)
					ok := it.Verdict == domain.VerdictUnproven
					for _, q := range proof {
						ok = ok || len(change.StripSpace(q)) >= change.MinProof && strings.Contains(change.StripSpace(oldGo+newGo), change.StripSpace(q))
					}
					if !ok {
						t.Errorf("%s without a quote from the code", it.Verdict)
					}
				}
			}
			w.rateFinding(it)
			it.Route, _ = route(it, w.in.Policy)
			a := it.Anchor
			if it.Route != domain.RouteInline {
				continue
			}
			for _, line := range []int{a.StartLine, a.EndLine} {
				if file := set.File(a.Path); file == nil {
					t.Errorf("inline in a file that is not in the diff: %+v", a)
				} else if _, ok := file.Commentable(a.Side, line); !ok {
					t.Errorf("inline outside the diff: %+v", a)
				}
			}
			if len([]rune(it.Title)) > finding.MaxTitle || it.Confidence < 0 || it.Confidence > 1 {
				t.Errorf("title %q, confidence %v", it.Title, it.Confidence)
			}
		}
		if secrets != 1 {
			t.Errorf("%d findings of checks are left", secrets)
		}
	})
}
