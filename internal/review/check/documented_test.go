package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every rule id of this package stands in the table of the page about deterministic checks.
func TestEveryRuleIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "deterministic.md"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`^(?:assay/[a-z-]+|lock-[a-z]+)$`)
	ids := map[string]bool{}
	for _, ours := range []string{passwordRule, addressRule, authorizationRule} {
		ids["assay/"+ours] = true
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, is := n.(*ast.BasicLit); is && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && id.MatchString(text) {
					ids["assay/"+strings.TrimPrefix(text, "assay/")] = true
				}
			}
			return true
		})
	}
	if len(ids) < 14 {
		t.Errorf("only %d rules were found in the source", len(ids))
	}
	for rule := range ids {
		if !strings.Contains(string(page), "\n| `"+rule+"` |") {
			t.Errorf("docs/deterministic.md has no row of %s", rule)
		}
	}
}
