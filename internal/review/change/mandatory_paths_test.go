package change_test

import (
	"encoding/json"
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// A mandatory rule with paths keeps its files, as far as the policy has them. The paths of the file hold for all others.
func TestMandatoryRulesKeepTheirFiles(t *testing.T) {
	t.Parallel()
	file := policy.File{Commit: "c0ffee", Present: true, Values: []policy.FileValue{
		{Place: policy.Place{Line: 1, Column: 1}, Name: "paths.include", Value: json.RawMessage(`["lib/**","api/v2/**"]`)},
		{Place: policy.Place{Line: 2, Column: 1}, Name: "paths.exclude", Value: json.RawMessage(`["lib/old/**","api/v1/**"]`)},
	}}
	src := store.PolicySources{Repository: `{"repositoryFile":"full","paths":{"exclude":["out/**"]}}`, MandatoryPaths: `["api/**"],["**/*.sql"]`,
		File: store.JSON(file)}
	held, err := policy.ResolveAll(src)
	testkit.OK(t, err)
	if len(held.Notes) > 0 {
		t.Error(held.Notes)
	}
	for path, want := range map[string]string{"lib/a.go": "", "api/v2/a.go": "", "api/v1/a.go": "", "api/a.go": "", "lib/old/a.sql": "",
		"lib/old/a.go": change.WhyExcluded, "cmd/a.go": change.WhyNotIncluded, "cmd/a.sql": "", "out/a.sql": change.WhyNotIncluded} {
		testkit.Equal(t, path, change.ExcludedPath(path, held.Policy), want)
	}
	src.File = ""
	held, err = policy.ResolveAll(src)
	testkit.OK(t, err)
	if held.Policy.Mandatory != nil {
		t.Error("without the file, the policy's own paths hold")
	}
}
