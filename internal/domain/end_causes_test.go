package domain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// declared returns the values of a type's constants in a file.
func declared(t *testing.T, file, typ string) (values []string) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tree.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, s := range group.Specs {
			v := s.(*ast.ValueSpec)
			if name, ok := v.Type.(*ast.Ident); !ok || name.Name != typ {
				continue
			}
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, text)
		}
	}
	return values
}

var sentence = regexp.MustCompile(`^[A-Z][^.]* [^.]*\.$`)

// Every cause of a run's end has a sentence for people, who never see its code.
func TestEveryEndCauseHasASentence(t *testing.T) {
	t.Parallel()
	causes := declared(t, "end_causes.go", "EndCause")
	if len(causes) < 14 {
		t.Errorf("only %d causes were found: %v", len(causes), causes)
	}
	seen := map[string]string{}
	for _, c := range causes {
		t.Run(c, func(t *testing.T) {
			words := EndCause(c).Words()
			if !sentence.MatchString(words) || strings.Contains(words, "_") {
				t.Errorf("%q is not a sentence", words)
			}
			if seen[words] != "" {
				t.Errorf("%s says the same", seen[words])
			}
			seen[words] = c
		})
	}
}
