package check

import (
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
)

// sampleDirs are folders whose values are not used in operation.
var sampleDirs = strings.Fields(`test tests spec specs __tests__ testdata test-data fixtures fixture __fixtures__ mocks __mocks__
	snapshots __snapshots__
	cassettes e2e doc docs example examples sample samples demo demos tutorial tutorials`)

// inSamples reports whether a file is a test, a fixture, documentation or an example, by its class, a
// folder or its name.
func inSamples(f *diff.File) bool {
	if f.Class == diff.ClassTest || f.Class == diff.ClassDocs {
		return true
	}
	lower := strings.ToLower(f.Path)
	dirs := strings.Split(path.Dir(lower), "/")
	if slices.ContainsFunc(dirs, func(d string) bool { return slices.Contains(sampleDirs, d) }) {
		return true
	}
	for part := range strings.FieldsFuncSeq(path.Base(lower), func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		switch part {
		case "example", "sample", "fixture", "fixtures", "test", "spec", "tests", "mock":
			return true
		}
	}
	return strings.HasSuffix(lower, ".dist") || strings.HasSuffix(lower, ".template")
}
