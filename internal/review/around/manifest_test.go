package around

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// A file that imports very many packages looks up each of the first ones once.
func TestAddedPackagesAreBounded(t *testing.T) {
	t.Parallel()
	var lines []string
	for n := range 3 * maxPackages {
		lines = append(lines, "import a from 'same';", fmt.Sprintf("import a from 'p%d/x';", n))
	}
	got := addedPackages(source("src/a.ts", 1, lines...))
	testkit.Equal(t, "packages", len(got), maxPackages)
	testkit.Equal(t, "the first ones", strings.Join(got[:3], " "), "same p0 p1")
}

// A large manifest is split once for all packages.
func TestAManifestListsPackages(t *testing.T) {
	t.Parallel()
	const module = "module example.com/shop\nrequire example.org/a v1.0.0 // example.org/commented\n"
	for list, want := range map[string]bool{
		"example.org/a": true, "example.org/a/b/c": true, "example.com/shop/x example.org/a": true,
		"example.org/ab": false, "example.org": false, "example.org/a example.org/b": false, "require/x": false,
	} {
		testkit.Equal(t, list, listsAll([]byte(module), strings.Fields(list)), want)
	}
}
