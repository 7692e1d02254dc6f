package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/finding"
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
		c     candidate
		told  bool
		asked int // fingerprints that are looked up
		want  domain.Route
		why   string
	}{
		"in a touched function":           {division(), false, 1, domain.RouteSummary, ""},
		"told in another pull request":    {division(), true, 1, domain.RouteStored, whyTold},
		"in a function that is untouched": {inTotal, false, 0, domain.RouteStored, whyPreExisting},
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
			testkit.Require(t, "asked for", len(asked), tt.asked)
			if tt.asked > 0 {
				testkit.Equal(t, "print", asked[0], res.Findings[0].Fingerprints.Exact)
			}
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

// A fingerprint that several findings can share does not say that another pull request was told of this one.
func TestOnlyAFingerprintOfItsOwnIsReportedElsewhere(t *testing.T) {
	t.Parallel()
	at := func(level domain.AnchorLevel, quote string) *finding.Item {
		return &finding.Item{Finding: domain.Finding{Origin: domain.OriginModel, Scope: "pre_existing", Severity: domain.High,
			Fingerprints: domain.Fingerprints{Exact: "print"}, Anchor: domain.Anchor{Path: "a.go", Level: level, Quote: quote}}}
	}
	for name, c := range map[string]struct {
		it   *finding.Item
		want finding.Teller
	}{
		"on a line":               {at(domain.AnchorLine, "x := 1"), finding.InOtherReview},
		"code outside the diff":   {at(domain.AnchorFile, "x := 1"), finding.Untold},
		"without code":            {at(domain.AnchorFile, ""), finding.Untold},
		"about the whole request": {at(domain.AnchorPR, ""), finding.Untold},
	} {
		w := &work{in: Input{Elsewhere: func(context.Context, []string) (map[string]bool, error) { return map[string]bool{"print": true}, nil }}}
		// A finding with the same fingerprint on a line must not answer for the others.
		items := []*finding.Item{c.it, at(domain.AnchorLine, "x := 1")}
		testkit.OK(t, w.markReportedElsewhere(t.Context(), items))
		testkit.Equal(t, name, c.it.ToldBy, c.want)
	}
}
