package change

import (
	"slices"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/glob"
)

// Reasons why the policy leaves a file out, in the words of the coverage.
const (
	WhyExcluded    = "excluded by the policy"
	WhyNotIncluded = "not included by the policy"
)

// Excluded returns why the policy leaves a file out, or "" if it does not.
func Excluded(f *diff.File, policy domain.Policy) string { return ExcludedPath(f.Path, policy) }

// ExcludedPath is [Excluded] for a path. The repository's file cannot take away a file of a mandatory rule.
func ExcludedPath(path string, policy domain.Policy) string {
	why := outside(path, policy.Paths.Include, policy.Paths.Exclude)
	if m := policy.Mandatory; why != "" && m != nil && glob.Any(m.Rules, path) && outside(path, m.Include, m.Exclude) == "" {
		return ""
	}
	return why
}

// Hides reports whether a pattern of the policy excludes a path, so that models do not see the file as context either.
func Hides(policy domain.Policy, path string) bool { return ExcludedPath(path, policy) == WhyExcluded }

// outside returns why patterns leave a path out, or "".
func outside(path string, include, exclude []string) string {
	if glob.Any(exclude, path) {
		return WhyExcluded
	}
	if len(include) > 0 && !glob.Any(include, path) {
		return WhyNotIncluded
	}
	return ""
}

// AnalyserOff reports whether the repository's file switches an analyser off for a path.
func AnalyserOff(name, path string, policy domain.Policy) bool {
	return slices.ContainsFunc(policy.AnalysersOff, func(off domain.AnalysersOff) bool {
		return slices.Contains(off.Names, name) && glob.Any(off.Paths, path)
	})
}
