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

// Thresholds of suggestions (design choices).
const (
	// manyInline is how many line comments people read per pull request on average. More of them suggest a
	// higher minimum severity.
	manyInline = 5
	// leastInData is how many findings in a folder of test data suggest to exclude the folder, if they are
	// also a quarter of all findings.
	leastInData = 3
)

// dataDirs are folders in which tools and tests store data that looks like code.
var dataDirs = []string{"testdata", "fixtures", "__fixtures__", "__snapshots__", "golden", "__mocks__"}

// holds is the part of a repository's policy that suggestions may change.
type holds struct {
	exclude []string // paths.exclude
	locked  []string // settings that the tenant has locked
}

// suggestions returns the settings that the shown findings support, except locked ones. inline is the
// number of line comments among them, on the given number of pull requests.
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

// maxExclude is the maximum number of patterns in paths.exclude.
const maxExclude = 100

// suggestExclude suggests to exclude folders of test data with many findings, in addition to the excluded
// paths. Findings about secrets do not count, because secrets matter in every file.
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
	for _, dir := range slices.SortedFunc(maps.Keys(in), func(a, b string) int {
		return cmp.Or(cmp.Compare(in[b], in[a]),
			cmp.Compare(a, b))
	}) {
		if in[dir] >= leastInData && 4*in[dir] >= len(shown) {
			globs = append(globs, "**/"+dir+"/**")
			parts = append(parts, fmt.Sprintf("%d of the %d findings are in folders named %s", in[dir], len(shown), dir))
		}
	}
	if len(parts) == 0 || len(globs) > maxExclude {
		return SuggestedSetting{}, false
	}
	return SuggestedSetting{"paths.exclude", policy.RepositoryPolicyUpdate{Paths: &policy.PathsUpdate{Exclude: globs}},
		strings.Join(parts, ", ") + ", where data of tests is kept rather than code."}, true
}

// suggestSeverity finds the lowest minimum severity that leaves at least one line comment, but no more per
// pull request than people read.
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
				fmt.Sprintf("Reviews would have made %.1f comments on lines of a pull request on average; with findings from %s upwards "+
					"it is %.1f.", per(inline), name, per(left))}, true
		}
	}
	return SuggestedSetting{}, false
}
