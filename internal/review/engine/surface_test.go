package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
)

// The security lens is for parts with something that an attacker can reach.
func TestSurface(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, line string
		op         diff.Op
		class      diff.Class
		want       bool
	}{
		"arithmetic":                {"sum.go", "\treturn a + b", diff.Add, diff.ClassSource, false},
		"a loop":                    {"sum.py", "    for i in range(len(items) - 1):", diff.Add, diff.ClassSource, false},
		"a number of configuration": {"app.yaml", "replicas: 2", diff.Add, diff.ClassConfig, false},
		"input of a request":        {"a.go", `	id := r.FormValue("id")`, diff.Add, diff.ClassSource, true},
		"input of a process":        {"a.py", "    name = sys.argv[1]", diff.Add, diff.ClassSource, true},
		"a path":                    {"a.js", "const at = path.join(base, name)", diff.Add, diff.ClassSource, true},
		"camel case":                {"A.java", "String p = baseDirectory + name;", diff.Add, diff.ClassSource, true},
		"a query in a string":       {"a.rb", `rows = db.all("SELECT id FROM orders WHERE n = #{n}")`, diff.Add, diff.ClassSource, true},
		"a process":                 {"a.py", "subprocess.run(line, shell=True)", diff.Add, diff.ClassSource, true},
		"a hash":                    {"a.py", "    return sha256(text)", diff.Add, diff.ClassSource, true},
		"numbers":                   {"a1.py", "    return 1 + 5 + 256 + 509", diff.Add, diff.ClassSource, false},
		"cryptography":              {"a.ts", "const h = createHash('md5')", diff.Add, diff.ClassSource, true},
		"a session":                 {"a.php", "$_SESSION['n'] = $n;", diff.Add, diff.ClassSource, true},
		"a template":                {"a.tsx", "<p dangerouslySetInnerHTML={{__html: v}} />", diff.Add, diff.ClassSource, true},
		"a removed check":           {"a.go", "\tif !u.IsAdmin() {", diff.Delete, diff.ClassSource, true},
		"an unchanged one":          {"a.go", "\tif !u.IsAdmin() {", diff.Context, diff.ClassSource, false},
		"an address":                {"app.yaml", "at: http://example.org", diff.Add, diff.ClassConfig, true},
		"a name of a file":          {"web/login.go", "\treturn 1", diff.Add, diff.ClassSource, true},
		"a workflow":                {".github/workflows/a.yml", "name: a", diff.Add, diff.ClassCI, true},
		"a migration":               {"db/1.x", "a", diff.Add, diff.ClassMigration, true},
		"a test":                    {"login_test.go", `	r.FormValue("id")`, diff.Add, diff.ClassTest, false},
		"beyond the shown part":     {"a.go", strings.Repeat("x", 5_000) + ` r.FormValue("id")`, diff.Add, diff.ClassSource, false},
	} {
		f := &diff.File{Path: c.path, Class: c.class}
		got := hasSurface(&change.Target{File: f, Hunks: []*diff.Hunk{{Lines: []diff.Line{{Op: c.op, Text: c.line, Old: 1, New: 1}}}}})
		if got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
