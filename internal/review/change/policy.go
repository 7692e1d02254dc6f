package change

import (
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

// ExcludedPath is [Excluded] for a path.
func ExcludedPath(path string, policy domain.Policy) string {
	if glob.Any(policy.Paths.Exclude, path) {
		return WhyExcluded
	}
	if len(policy.Paths.Include) > 0 && !glob.Any(policy.Paths.Include, path) {
		return WhyNotIncluded
	}
	return ""
}
