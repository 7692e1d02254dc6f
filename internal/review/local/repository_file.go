package local

import (
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Held returns what holds for a checkout with a repository's file: the defaults of the product with guideline files, and
// the file as far as mode (a value of the setting repositoryFile) lets it. A service has the tenant's settings and locks, too.
func Held(f policy.File, mode string) (policy.Resolved, error) {
	return policy.ResolveAll(store.PolicySources{Tenant: store.JSON(map[string]any{"guidelineFiles": true, "repositoryFile": mode}),
		File: store.JSON(f)})
}
