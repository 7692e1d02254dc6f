package arch

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// moduleOf parses files of a small module, by path.
func moduleOf(t *testing.T, files map[string]string) (out []source) {
	t.Helper()
	for file, text := range files {
		s := source{path: file, dir: path.Dir(file), test: strings.HasSuffix(file, "_test.go"), text: text, fset: token.NewFileSet()}
		var err error
		if s.file, err = parser.ParseFile(s.fset, file, text, parser.ParseComments); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

func ids(found []decl) string {
	var out []string
	for _, d := range found {
		out = append(out, d.name.String())
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

// TestDead shows that functions that no program reaches are found, even if a test, another dead
// function, the function itself or a variable of the same name mentions them.
func TestDead(t *testing.T) {
	t.Parallel()
	files := moduleOf(t, map[string]string{
		"cmd/x/main.go": `package main
			import b "github.com/assay-dev/assay/internal/a"
			func main() { b.Called(); var v b.T; v.Method(); _ = use[int] }
			func use[V any](V) {}`,
		"internal/a/a.go": `package a
			type T struct{ field func() }
			type port interface{ Implemented() }
			var table = T{field: fromTable}
			func Called() { helper(); table.viaField() }
			func helper() { rows := 1; _ = rows; _ = struct{ yes int }{yes: 1} }
			func fromTable() {}
			func (T) Method() {}
			func (*T) viaField() {}
			func (T) Implemented() {}
			func (T) unused() { chain() }
			func chain() {}
			func rows() {}
			func yes() {}
			func itself() { itself() }
			func byProgram() {}
			func Far() {}`,
	})
	others := moduleOf(t, map[string]string{"sim/s.go": `package sim
		import "github.com/assay-dev/assay/internal/a"
		func f(a int) { _ = a }
		func g() { a.Far() }`})
	if got, want := ids(dead(files, others)), "internal/a..unused internal/a.byProgram internal/a.chain internal/a.itself internal/a.rows internal/a.yes"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestExported shows that exported names are found if at most their own package uses them. Names that
// other packages name, see or test are left out.
func TestExported(t *testing.T) {
	t.Parallel()
	files := moduleOf(t, map[string]string{
		"internal/a/a.go": `package a
			type Seen struct{ Field Shown; hidden Hidden }
			type Shown int
			type Hidden int
			const ( One Shown = iota; Two )
			const ( Yes = "yes"; No = "no" )
			const ( Max = 1; Most = 2 )
			func New() *Seen { return nil }
			func (Seen) Get() Got { return Got{} }
			func (Hidden) Get() Never { return Never{} }
			type Got struct{}
			type Never struct{}
			type Schema struct{ In Inner }
			type Inner struct{}
			func Tested() {}
			func Own() { Own2() }
			func Own2() {}
			func small() {}`,
		"internal/a/b_test.go": "package a\nfunc f() { Own() }",
		"internal/a/a_test.go": "package a_test\nimport \"github.com/assay-dev/assay/internal/a\"\nfunc f() { a.Tested() }",
		"internal/b/b.go":      "package b\nimport \"github.com/assay-dev/assay/internal/a\"\nvar _, _, _ = a.New(), a.Yes, a.Max",
	})
	got := ids(exported(service(files), files, func(_, id string) bool { return id == "Schema" }))
	if want := "internal/a.Hidden internal/a.Most internal/a.Never internal/a.Own internal/a.Own2"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestHeld shows that a place that is not listed fails, and that a superfluous line fails.
func TestHeld(t *testing.T) {
	t.Parallel()
	found := []decl{{name: name{"internal/a", "New"}, at: "internal/a/a.go:3"}, {name: name{"internal/a", "Kept"}}}
	got := held(found, map[string]bool{"internal/a.Kept": true, "internal/a.Gone": true}, "is unused")
	want := []string{"internal/a/a.go:3: internal/a.New is unused", "unused.txt: internal/a.Gone is used now, or gone: delete its line"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
