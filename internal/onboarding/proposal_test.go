package onboarding

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// tried returns comments on lines of a path, n for each severity.
func tried(path string, n int, severities ...string) (out []dryrun.TriedFinding) {
	for _, s := range severities {
		for range n {
			out = append(out, dryrun.TriedFinding{Category: "bug", Severity: s, Route: "inline", Path: path})
		}
	}
	return out
}

// Only settings that the figures support are suggested.
func TestSuggestions(t *testing.T) {
	secrets := tried("testdata/k.go", 9, "high")
	for i := range secrets {
		secrets[i].Category = "secret"
	}
	for name, c := range map[string]struct {
		shown []dryrun.TriedFinding
		pulls int
		now   holds
		want  string
	}{
		"nothing":                    {nil, 2, holds{}, "[]"},
		"few":                        {tried("a.go", 5, "low", "high"), 2, holds{}, "[]"},
		"many, most of them low":     {tried("a.go", 8, "info", "low", "high"), 2, holds{}, `[{"minSeverity":"medium"}]`},
		"many, one level is enough":  {tried("a.go", 5, "info", "low", "high"), 2, holds{}, `[{"minSeverity":"low"}]`},
		"many, all equal":            {tried("a.go", 50, "high"), 2, holds{}, "[]"},
		"many, and it is locked":     {tried("a.go", 8, "info", "high"), 1, holds{locked: []string{"minSeverity"}}, "[]"},
		"data of tests":              {append(tried("x/testdata/a.go", 3, "high"), tried("b.go", 5, "low")...), 4, holds{}, `[{"paths":{"exclude":["**/testdata/**"]}}]`},
		"beside existing exclusions": {tried("fixtures/a.go", 3, "high"), 4, holds{exclude: []string{"gen/**"}}, `[{"paths":{"exclude":["gen/**","**/fixtures/**"]}}]`},
		"too few of them":            {append(tried("testdata/a.go", 3, "high"), tried("b.go", 10, "high")...), 4, holds{}, "[]"},
		"two of them":                {tried("testdata/a.go", 2, "high"), 4, holds{}, "[]"},
		"a file of that name":        {tried("x/testdata", 4, "high"), 4, holds{}, "[]"},
		"secrets stay":               {secrets, 9, holds{}, "[]"},
		"no room for a pattern more": {tried("testdata/a.go", 3, "high"), 4, holds{exclude: make([]string, maxExclude)}, "[]"},
	} {
		var got []string
		for _, s := range suggestions(c.shown, len(c.shown), c.pulls, c.now) {
			got = append(got, store.JSON(s.Policy))
			if !strings.HasSuffix(s.Reason, ".") {
				t.Errorf("%s: the reason is %q", name, s.Reason)
			}
		}
		testkit.Equal(t, name, fmt.Sprint(got), c.want)
	}
}

// The cost of a week is known if all of its parts are.
func TestCostOfAWeek(t *testing.T) {
	week := new(4.0)
	pull := func(cost *int64, model string) dryrun.PullResult {
		return dryrun.PullResult{State: "completed", CostMicros: cost, ModelState: model, LatencyMS: 7}
	}
	for name, c := range map[string]struct {
		pulls []dryrun.PullResult
		week  *float64
		want  string
	}{
		"known":            {[]dryrun.PullResult{pull(new(int64(100)), "complete"), pull(new(int64(300)), "partial")}, week, "200 800"},
		"an unknown price": {[]dryrun.PullResult{pull(new(int64(100)), "complete"), pull(nil, "complete")}, week, "? ?"},
		"no model":         {[]dryrun.PullResult{pull(new(int64(0)), "none")}, week, "? ?"},
		"nothing merged":   {[]dryrun.PullResult{pull(new(int64(100)), "complete")}, nil, "100 ?"},
		"all failed":       {[]dryrun.PullResult{{State: "failed", Reason: "no", CostMicros: new(int64(5))}}, week, "? ?"},
	} {
		p := proposal(basis{PerWeek: c.week}, dryrun.Report{PullRequests: c.pulls}, holds{}, "")
		testkit.Equal(t, name, say(p.CostPerPullMicros)+" "+say(p.CostPerWeekMicros), c.want)
	}
}

func say(v *int64) string {
	if v == nil {
		return "?"
	}
	return fmt.Sprint(*v)
}

// A trial uses the newest pull requests that the policy would review, at most ten. The number per week is
// computed over the time that the host's list covers.
func TestPullRequestsOfATrial(t *testing.T) {
	now := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	var all []codehost.PullRequest
	for i := range lookBack {
		all = append(all, codehost.PullRequest{Number: 100 - i, Merged: true, AuthorIsBot: i%2 == 0, BaseRef: "main", MergedAt: now.Add(-time.Duration(i+1) * 12 * time.Hour)})
	}
	p := domain.DefaultPolicy()
	p.Enabled, p.Triggers.Opened = false, false // the trial ignores these settings
	got := basisOf(all, p, now)
	testkit.Equal(t, "numbers", fmt.Sprint(got.Numbers), "[99 97 95 93 91 89 87 85 83 81]")
	testkit.Equal(t, "merged, would, why", fmt.Sprint(got.Merged, got.Would, got.Why), "20 10the author is a bot")
	testkit.Equal(t, "in a week: ten in ten days", *got.PerWeek, 7.0)
	testkit.Equal(t, "two in a day, the complete list", *basisOf(all[:2], p, now).PerWeek, 1.0)
	testkit.Equal(t, "none", basisOf(nil, p, now).PerWeek == nil, true)
	p.Triggers.IncludeBots = true
	testkit.Equal(t, "bots, too", len(basisOf(all, p, now).Numbers), maxPulls)
	testkit.Equal(t, "all at one moment", perWeek(20, 20, 0) > 0, true)
}
