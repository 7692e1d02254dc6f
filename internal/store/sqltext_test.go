package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// statement is one SQL text of the package, with the method that holds it.
type statement struct {
	where  string
	text   string
	scoped bool // the method takes a tenant, or a run that carries it
}

var isSQL = regexp.MustCompile(`(?s)\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\b`)

// statements reads the SQL texts out of the package's source: string literals,
// and sums of them, that look like SQL.
func statements(t *testing.T) (out []statement) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	testkit.OK(t, err)
	dialects, err := filepath.Glob("dialect/*.go")
	testkit.OK(t, err)
	for _, name := range append(files, dialects...) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		testkit.OK(t, err)
		for _, d := range src.Decls {
			where, isScoped := name, false
			if f, isFunc := d.(*ast.FuncDecl); isFunc {
				where, isScoped = name+" "+f.Name.Name, takesScope(f)
			}
			ast.Inspect(d, func(n ast.Node) bool {
				e, isExpr := n.(ast.Expr)
				if !isExpr {
					return true
				}
				text, whole := literal(e)
				if whole && isSQL.MatchString(text) {
					out = append(out, statement{where, text, isScoped})
				}
				return !whole
			})
		}
	}
	if len(out) < 100 {
		t.Fatalf("only %d statements were found", len(out))
	}
	return out
}

func takesScope(f *ast.FuncDecl) bool {
	for _, p := range f.Type.Params.List {
		if sel, isSel := p.Type.(*ast.SelectorExpr); isSel && sel.Sel.Name == "Tenant" {
			return true
		}
		if id, isID := p.Type.(*ast.Ident); isID && id.Name == "Run" {
			return true
		}
	}
	return false
}

// literal joins a sum of string literals; names in between become "?".
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, e.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		a, okA := literal(e.X)
		b, okB := literal(e.Y)
		if !okA && !okB {
			return "", false
		}
		if !okA {
			a = "?"
		}
		if !okB {
			b = "?"
		}
		return a + b, e.Op == token.ADD
	}
	return "", false
}

var (
	fragment  = regexp.MustCompile(`\{[^}]*\}`)
	starred   = regexp.MustCompile(`(?i)SELECT\s+(\w+\.)?\*`)
	wallClock = regexp.MustCompile(`(?i)\b(now\(\)|current_timestamp|datetime\(|strftime|unixepoch|extract\(epoch|random\(\))`)
	oneEngine = regexp.MustCompile(`(?i)\b(ILIKE|ANY\s*\(|SKIP LOCKED|json_each|FOR UPDATE|LATERAL|::\w+|GLOB|rowid|ctid|INSERT OR|IFNULL)\b`)
)

func TestSQLTexts(t *testing.T) {
	for _, s := range statements(t) {
		for _, f := range fragment.FindAllString(s.text, -1) {
			if f != "{now}" && f != "{forupdate}" && f != "{forshare}" && f != "{list}" {
				t.Errorf("%s: the fragment %s is not known", s.where, f)
			}
		}
		if starred.MatchString(s.text) {
			t.Errorf("%s: name the columns instead of *", s.where)
		}
		if strings.HasPrefix(s.where, "dialect/") {
			continue
		}
		if m := wallClock.FindString(s.text); m != "" {
			t.Errorf("%s: %s: the clock is {now}", s.where, m)
		}
		if m := oneEngine.FindString(s.text); m != "" {
			t.Errorf("%s: %s is not understood by both engines", s.where, m)
		}
	}
}

// Every statement on a tenant's table, in a method that takes a tenant, names
// the tenant.
func TestSQLTextsNameTheTenant(t *testing.T) {
	s := storetest.SQLite(t)
	owned := slices.DeleteFunc(tables(t, s), func(table string) bool {
		return count(t, s, `SELECT COUNT(*) FROM pragma_table_info($1) WHERE name = 'tenant_id'`, table) == 0
	})
	if len(owned) < 15 {
		t.Fatalf("only %v have a tenant", owned)
	}
	table := regexp.MustCompile(`\b(?:FROM|INTO|UPDATE|JOIN)\s+(` + strings.Join(owned, "|") + `)\b`)
	seen := 0
	for _, st := range statements(t) {
		if !st.scoped || !table.MatchString(st.text) {
			continue
		}
		seen++
		if !strings.Contains(st.text, "tenant_id") {
			t.Errorf("%s: no tenant_id in %s", st.where, st.text)
		}
		// A read or a change must compare the tenant. An insert only has to name it.
		guarded := strings.Contains(st.text, "tenant_id = ")
		if !strings.HasPrefix(strings.TrimSpace(st.text), "INSERT") && !guarded {
			t.Errorf("%s: tenant_id is not compared in %s", st.where, st.text)
		}
		if strings.Contains(st.text, "DO UPDATE") && !strings.Contains(st.text, "ON CONFLICT (tenant_id") && !guarded {
			t.Errorf("%s: the upsert does not guard its row's tenant: %s", st.where, st.text)
		}
	}
	if seen < 40 {
		t.Fatalf("only %d statements were looked at", seen)
	}
}

// Words of only one engine stay in the dialect.
func TestEnginesAreNamedInTheDialectAlone(t *testing.T) {
	files, err := filepath.Glob("*.go")
	testkit.OK(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		src, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		testkit.OK(t, err)
		ast.Inspect(src, func(n ast.Node) bool {
			if id, isID := n.(*ast.Ident); isID && (id.Name == "Postgres" || id.Name == "SQLite") {
				t.Errorf("%s decides by the engine", name)
			}
			return true
		})
	}
}
