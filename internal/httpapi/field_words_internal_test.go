package httpapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

func TestFieldErrorsSayWhatIsRight(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"expected length >= 1":                             "must not be empty",
		"expected length >= 12":                            "must have at least 12 characters",
		"expected length <= 100":                           "must have at most 100 characters",
		"expected number >= 0.5":                           "must be 0.5 or more",
		"expected array length >= 1":                       "must have at least one entry",
		"expected object with at most 3 properties":        "must have at most 3 entries",
		`expected value to be one of "a, b"`:               "must be one of a, b",
		"expected string to be a name of letters":          "must be a name of letters",
		"expected integer":                                 "must be a whole number",
		"expected array or null":                           "must be a list or null",
		"expected property b to be present when a is here": "expected property b to be present when a is here",
		"is taken": "is taken",
	} {
		testkit.Equal(t, message, mustOf(message), want)
	}
}

// Every message of the validator has its words, so that none of an upgrade reaches a form as it is.
func TestEveryMessageOfTheValidatorHasItsWords(t *testing.T) {
	t.Parallel()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/danielgtaylor/huma/v2/validation").Output()
	testkit.OK(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), strings.TrimSpace(string(dir))+"/messages.go", nil, 0)
	testkit.OK(t, err)
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		literal, is := node.(*ast.BasicLit)
		if !is || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		testkit.OK(t, err)
		if !strings.HasPrefix(text, "expected ") {
			return true
		}
		n++
		text, _, _ = strings.Cut(strings.NewReplacer("%d", "7", "%v", "7", "%s", "seven").Replace(text), ": ")
		if got := mustOf(text); !strings.HasPrefix(got, "must ") || strings.Contains(got, "$") {
			t.Errorf("%q becomes %q", text, got)
		}
		return true
	})
	testkit.Equal(t, "messages are read", n > 30, true)
}
