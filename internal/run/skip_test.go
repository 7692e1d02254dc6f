package run

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/wording"
)

// Whatever is said of why a policy wants no review has words in every language.
func TestReasonsHaveWords(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "skip.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	ast.Inspect(file, func(n ast.Node) bool {
		var said []ast.Expr
		switch n := n.(type) {
		case *ast.ReturnStmt:
			said = n.Results
		case *ast.ValueSpec:
			said = n.Values
		}
		for _, r := range said {
			lit, ok := r.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				continue
			}
			why, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(why, " ") {
				continue
			}
			found++
			if !wording.Causes.Knows(why) {
				t.Errorf("%q has no words", why)
			}
		}
		return true
	})
	if found < 10 {
		t.Errorf("only %d reasons were found", found)
	}
}
