package toolsettings

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/glob"
)

// A pattern leaves out the files that it leaves out in its tool: gitignore's for Greptile, fnmatch's for PR-Agent.
func TestIgnorePatternsKeepTheirMeaning(t *testing.T) {
	t.Parallel()
	toml := func(glob string) (string, string) { return PRAgent, "[ignore]\nglob = " + glob + "\n" }
	lines := func(text string) (string, string) {
		raw, _ := json.Marshal(text)
		return Greptile, `{"ignorePatterns": ` + string(raw) + `}`
	}
	for name, c := range map[string]struct {
		file    func() (string, string)
		out, in string // files that are left out, and files that are reviewed
	}{
		"a name":             {func() (string, string) { return lines("node_modules") }, "node_modules/a.js web/node_modules/b/c.js node_modules", "node_modules2/a.js"},
		"an ending":          {func() (string, string) { return lines("*.min.js") }, "a.min.js web/b.min.js", "a.js"},
		"a folder":           {func() (string, string) { return lines("dist/") }, "dist/a.js web/dist/b.js", "dist dists/a.js"},
		"from the root":      {func() (string, string) { return lines("/vendor") }, "vendor/a.go", "web/vendor/a.go"},
		"a path":             {func() (string, string) { return lines("docs/api") }, "docs/api/a.md docs/api", "web/docs/api/a.md docs/b.md"},
		"below every folder": {func() (string, string) { return lines("**/gen/") }, "gen/a.go a/b/gen/c.go", "gen.go"},
		"braces":             {func() (string, string) { return lines("{a}.go") }, "{a}.go", "a.go"},
		"several lines":      {func() (string, string) { return lines("# ours\ndist\n\nbuild\n") }, "dist/a.js x/build/b.js", "c.js"},

		"below a folder":       {func() (string, string) { return toml(`["src/*.py"]`) }, "src/a.py src/b/c.py", "a.py src/a.go web/src/a.py"},
		"a whole folder":       {func() (string, string) { return toml(`["vendor/*"]`) }, "vendor/a.go vendor/b/c.go", "web/vendor/a.go"},
		"an ending anywhere":   {func() (string, string) { return toml(`["*.lock"]`) }, "a.lock b/c.lock", "a.lock.go"},
		"two stars at first":   {func() (string, string) { return toml(`["**/gen.go"]`) }, "gen.go a/b/gen.go", "agen.go"},
		"two stars at the end": {func() (string, string) { return toml(`["migrations/**"]`) }, "migrations/a.py migrations/b/c.py", "x/migrations/a.py"},
		"a start":              {func() (string, string) { return toml(`["gen*"]`) }, "gen.go gens/a.go", "a/gen.go"},
		"a folder anywhere":    {func() (string, string) { return toml(`["*/test/*"]`) }, "a/test/b a/b/test/c/d", "test/b a/tests/b"},
		"in the middle":        {func() (string, string) { return toml(`["src/a*b.go"]`) }, "src/ab.go src/a1b.go src/a1/x/2b.go", "src/b.go"},
		"commas":               {func() (string, string) { return toml(`"[*.lock,vendor/*]"`) }, "a.lock vendor/a.go", "a.go"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file, content := c.file()
			got, err := Map(map[string][]byte{file: []byte(content)}, nil)
			if err != nil || len(got.Unmapped) > 0 || got.Policy.Paths == nil {
				t.Fatalf("%v, %+v", err, got)
			}
			exclude := got.Policy.Paths.Exclude
			for path := range strings.FieldsSeq(c.out) {
				if !glob.Any(exclude, path) {
					t.Errorf("%q reviews %s", exclude, path)
				}
			}
			for path := range strings.FieldsSeq(c.in) {
				if glob.Any(exclude, path) {
					t.Errorf("%q leaves out %s", exclude, path)
				}
			}
		})
	}
}

// A pattern that paths.exclude cannot express is named, and the others count.
func TestIgnorePatternsWithoutACounterpart(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ file, content, reason string }{
		"a name in the root":  {PRAgent, "[ignore]\nglob = ['go.sum', 'b/*']\n", reasonRootFile},
		"stars within a name": {PRAgent, "[ignore]\nglob = ['src/a*b*c*d.go', 'b/*']\n", reasonStars},
		"a comma in a line":   {Greptile, `{"ignorePatterns": "dist,build\nb/**"}`, reasonComma},
	} {
		got, err := Map(map[string][]byte{tt.file: []byte(tt.content)}, nil)
		if err != nil || len(got.Unmapped) != 1 || !strings.Contains(got.Unmapped[0].Reason, tt.reason) {
			t.Errorf("%s: %v, %+v, want %s", name, err, got.Unmapped, tt.reason)
			continue
		}
		if list := got.Policy.Paths.Exclude; len(list) != 1 || list[0] != "b/**" {
			t.Errorf("%s: %q", name, list)
		}
	}
}
