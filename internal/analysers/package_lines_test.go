package analysers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/sarif"
)

// The line of a package is that of its version, in the lock files of every ecosystem of the profile.
func TestLinesOfPackages(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text, pkg, version string
		want               int
	}{
		"npm":             {"{\n \"node_modules/bad\": {\n  \"version\": \"1.0.0\",\n", "bad", "1.0.0", 3},
		"npm, a scope":    {"\"node_modules/@a/bad\": {\n\"version\": \"1.0.0\"\n},\n\"node_modules/bad\": {\n\"version\": \"1.0.0\"", "bad", "1.0.0", 5},
		"npm, scoped":     {"\"node_modules/bad\": {\n\"version\": \"1.0.0\"\n},\n\"node_modules/@a/bad\": {\n\"version\": \"1.0.0\"", "@a/bad", "1.0.0", 5},
		"a longer name":   {"bad-one==1.0\nbad==1.0\n", "bad", "1.0", 2},
		"another version": {"bad==1.0.1\n", "bad", "1.0", 0},
		"Go":              {"module m\n\nrequire github.com/a/b v1.2.3\n", "github.com/a/b", "1.2.3", 3},
		"yarn":            {"\"bad@^1.0.0\":\n  version \"1.0.4\"\n", "bad", "1.0.4", 2},
		"pnpm":            {"packages:\n  bad@1.0.0:\n", "bad", "1.0.0", 2},
		"Cargo":           {"[[package]]\nname = \"bad\"\nversion = \"0.1.0\"\n", "bad", "0.1.0", 3},
		"Python":          {"[[package]]\nname = \"Bad_One\"\nversion = \"0.1.0\"\n", "bad-one", "0.1.0", 3},
		"Maven":           {"<groupId>g</groupId>\n<artifactId>bad</artifactId>\n<version>2.0</version>\n", "g:bad", "2.0", 3},
		"Gradle":          {"g:other:2.0=x\ng:bad:2.0=x\n", "g:bad", "2.0", 2},
		"Ruby":            {"GEM\n    bad (5.0)\n", "bad", "5.0", 2},
		"far away":        {"bad\n\n\n\n\n\n1.0\n", "bad", "1.0", 0},
		"nothing":         {"", "bad", "1.0", 0},
	} {
		if got := packageLine(strings.ToLower(tc.text), tc.pkg, tc.version); got != tc.want {
			t.Errorf("%s: line %d, want %d", name, got, tc.want)
		}
	}
}

// Results beyond the bound keep no line.
func TestManyPackages(t *testing.T) {
	t.Parallel()
	f, text := files{}, ""
	var run sarif.Run
	for i := range maxPackages + 5 {
		text += fmt.Sprintf("p%d==1.0\n", i)
		run.Results = append(run.Results, sarif.Result{Path: "requirements.txt", Message: fmt.Sprintf("Package 'p%d@1.0' is vulnerable to 'X'.", i)})
	}
	f["requirements.txt"] = text
	q := f.request()
	w, err := newWorkspace(t.Context(), Analyser{}, q.Files, q)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	doc := sarif.Document{Runs: []sarif.Run{run}}
	placePackages(&doc, w)
	for i, r := range doc.Runs[0].Results {
		want := i + 1
		if i >= maxPackages {
			want = 0
		}
		if r.StartLine != want || r.EndLine != want {
			t.Fatalf("result %d: lines %d to %d", i, r.StartLine, r.EndLine)
		}
	}
}
