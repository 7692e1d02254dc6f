package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/testkit"
)

// olderThanTheChange confirms everything as something that was there before.
func olderThanTheChange(_ int, user string) (llm.Response, error) {
	list := verdicts(user, "confirmed")
	for i := range list {
		list[i].Scope = "pre_existing"
	}
	return say(map[string]any{"verdicts": list})
}

// A defect that existed before the change is mentioned in the summary if the change touches its
// function and no other pull request of the repository mentioned it.
func TestPreExistingIsSaidOnce(t *testing.T) {
	t.Parallel()
	inTotal := division() // the change has no line in Total
	inTotal.Start, inTotal.End, inTotal.Quote, inTotal.Fix = 11, 11, "\t\tsum += it.Price * it.Count", nil
	for name, tt := range map[string]struct {
		c    candidate
		told bool
		want domain.Route
		why  string
	}{
		"in a touched function":           {division(), false, domain.RouteSummary, ""},
		"told in another pull request":    {division(), true, domain.RouteStored, whyTold},
		"in a function that is untouched": {inTotal, false, domain.RouteStored, whyPreExisting},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models = models(&scripted{generate: findings(tt.c), verify: olderThanTheChange})
			var asked []string
			in.Elsewhere = func(_ context.Context, prints []string) (map[string]bool, error) {
				asked = append(asked, prints...)
				return map[string]bool{prints[0]: tt.told}, nil
			}
			res := review(t, in, Deps{})
			testkit.Require(t, "findings", len(res.Findings), 1)
			testkit.Equal(t, "route", res.Findings[0].Route, tt.want)
			testkit.Equal(t, "asked for", len(asked), 1)
			testkit.Equal(t, "print", asked[0], res.Findings[0].Fingerprints.Exact)
			if tt.why != "" {
				testkit.Equal(t, "dropped as "+tt.why, res.Stats.Dropped[tt.why], 1)
			}
		})
	}
	in, broken := sampleChange(t), errors.New("broken")
	in.Models = models(&scripted{generate: findings(division()), verify: olderThanTheChange})
	in.Elsewhere = func(context.Context, []string) (map[string]bool, error) { return nil, broken }
	if _, err := New(Deps{Checks: newChecker(t)}).Review(t.Context(), in); !errors.Is(err, broken) {
		t.Errorf("a question without an answer: %v", err)
	}
}
