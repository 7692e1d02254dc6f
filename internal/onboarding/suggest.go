package onboarding

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/policy"
)

// What speaks for a setting (design choices).
const (
	// manyInline is how many comments on lines of one pull request people read on
	// average; more suggest a higher least severity.
	manyInline = 5
	// leastInData is how many findings in a folder of test data suggest to leave the
	// folder out, where they are a quarter of all.
	leastInData = 3
)

// dataDirs are folders in which tools and tests keep data that looks like code.
var dataDirs = []string{"testdata", "fixtures", "__fixtures__", "__snapshots__", "golden", "__mocks__"}

// holds is what the policy of a repository says of the settings that may be suggested.
type holds struct {
	exclude []string // paths.exclude
	locked  []string // settings that the tenant has locked
}

// suggestions are the settings that the findings speak for which reviews would have
// shown; inline of them are comments on lines, of so many pull requests. What is
// locked is not suggested.
func suggestions(shown []dryrun.TriedFinding, inline, pulls int, now holds) []SuggestedSetting {
	out := []SuggestedSetting{}
	for _, suggest := range []func() (SuggestedSetting, bool){
		func() (SuggestedSetting, bool) { return suggestExclude(shown, now.exclude) },
		func() (SuggestedSetting, bool) { return suggestSeverity(shown, inline, pulls) },
	} {
		if v, ok := suggest(); ok && !slices.Contains(now.locked, v.Setting) {
			out = append(out, v)
		}
	}
	return out
}

// maxExclude is how many patterns paths.exclude may have.
const maxExclude = 100

// suggestExclude leaves out folders of test data that many findings are about, beside
// what is left out already. Secrets stay a matter of every file.
func suggestExclude(shown []dryrun.TriedFinding, now []string) (SuggestedSetting, bool) {
	in := map[string]int{}
	for _, f := range shown {
		if f.Category == string(domain.CategorySecret) {
			continue
		}
		for _, dir := range strings.Split(path.Dir(f.Path), "/") {
			if slices.Contains(dataDirs, dir) {
				in[dir]++
				break
			}
		}
	}
	globs := slices.Clone(now)
	var parts []string
	for _, dir := range slices.SortedFunc(maps.Keys(in), func(a, b string) int { return cmp.Or(cmp.Compare(in[b], in[a]), cmp.Compare(a, b)) }) {
		if in[dir] >= leastInData && 4*in[dir] >= len(shown) {
			globs = append(globs, "**/"+dir+"/**")
			parts = append(parts, fmt.Sprintf("%d of the %d findings are in folders named %s", in[dir], len(shown), dir))
		}
	}
	if len(parts) == 0 || len(globs) > maxExclude {
		return SuggestedSetting{}, false
	}
	return SuggestedSetting{"paths.exclude", policy.RepositoryPolicyUpdate{Paths: &policy.PathsUpdate{Exclude: globs}}, strings.Join(parts, ", ") + ", where data of tests is kept rather than code."}, true
}

// suggestSeverity finds the least severity from which a pull request has no more
// comments on lines than people read, and some are left.
func suggestSeverity(shown []dryrun.TriedFinding, inline, pulls int) (SuggestedSetting, bool) {
	if inline <= manyInline*pulls {
		return SuggestedSetting{}, false
	}
	for _, least := range []domain.Severity{domain.Low, domain.Medium, domain.High} {
		left := 0
		for _, f := range shown {
			if s, ok := domain.ParseSeverity(f.Severity); ok && s >= least && f.Route == string(domain.RouteInline) {
				left++
			}
		}
		if left == 0 || left == inline {
			continue
		}
		if left <= manyInline*pulls {
			per := func(n int) float64 { return float64(n) / float64(pulls) }
			name := least.String()
			return SuggestedSetting{"minSeverity", policy.RepositoryPolicyUpdate{MinSeverity: &name},
				fmt.Sprintf("Reviews would have made %.1f comments on lines of a pull request on average; with findings from %s upwards it is %.1f.", per(inline), name, per(left))}, true
		}
	}
	return SuggestedSetting{}, false
}
