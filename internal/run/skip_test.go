package run

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// A pull request that was missed while the host did not show it is due when the host shows it. A run
// that ended with its connection may have left a visible review, so its head is not due.
func TestMissedAfterAnAbsence(t *testing.T) {
	t.Parallel()
	for end, want := range map[domain.EndCause]string{domain.EndGone: "reopened", domain.EndDisconnected: "", domain.EndClosed: "reopened", domain.EndSuperseded: "", domain.EndRejected: ""} {
		action, settled := Missed(store.Run{State: domain.RunCancelled, End: end}, domain.Policy{}, codehost.PullRequest{Open: true})
		if action != want || settled != (want != "") {
			t.Errorf("%s: %q, settled %v", end, action, settled)
		}
	}
}

// Every reason why a policy wants no review has words in every language.
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
