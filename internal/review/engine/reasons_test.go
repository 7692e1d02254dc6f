package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// Every reason that the coverage can give for a file has words in every language. Reasons are the
// constants whose names begin with why, except those of route.go, which are counters, and the constants
// of the packages change, check and diff.
func TestReasonsHaveWords(t *testing.T) {
	t.Parallel()
	found := 0
	for _, folder := range []struct{ glob, prefix string }{{"*.go", "why"}, {"../change/*.go", "Why"}, {"../check/*.go", "Why"}, {"../../diff/*.go", "Omitted"}, {"../../diff/*.go", "Note"}} {
		files, err := filepath.Glob(folder.glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || name == "route.go" {
				continue
			}
			for constant, value := range constants(t, name, folder.prefix) {
				found++
				if !wording.Reasons.Knows(value) {
					t.Errorf("%s of %s has no words: %q", constant, name, value)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d reasons were found", found)
	}
	for _, c := range []diff.Class{diff.ClassDocs, diff.ClassGenerated, diff.ClassVendored, diff.ClassLock, diff.ClassMinified, diff.ClassBinary, diff.ClassData,
		diff.ClassSubmodule, diff.ClassSymlink} {
		if !wording.Reasons.Knows(string(c)) {
			t.Errorf("class %s has no words", c)
		}
	}
	if !wording.Reasons.Knows(checksOnly) {
		t.Errorf("%q has no words", checksOnly)
	}
}

// constants returns the string constants of a file whose names begin with a prefix.
func constants(t *testing.T, name, prefix string) map[string]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, prefix) || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			value, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			out[spec.Names[0].Name] = value
		}
		return true
	})
	return out
}

// A list of clauses is split at the separator, so no clause contains it.
func TestClausesAreSplitAgain(t *testing.T) {
	t.Parallel()
	notes := []string{wording.English(wording.PartsReviewed, 2, 3), wording.English(wording.GroupsVerified, 1, 2), wording.English(wording.FilesTooLarge, 2),
		wording.English(wording.FilesUnchecked, 1, 9), wording.English(wording.MoreInChange), wording.English(wording.BudgetUsed)}
	lack := Incomplete(ModelPartial, strings.Join(notes, clauseEnd))
	if len(lack.Clauses) != len(notes) {
		t.Fatalf("got %q", lack.Clauses)
	}
	for _, c := range lack.Clauses {
		if !wording.Clauses.Knows(c) {
			t.Errorf("%q has no words", c)
		}
	}
	if got := Incomplete(ModelNone, NoteAuthorLimit); got.Count != domain.AuthorReviewsPerHour || got.Key != wording.OnlyChecksAuthor {
		t.Errorf("got %+v", got)
	}
}
