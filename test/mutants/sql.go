package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
)

// guard matches a further condition of a statement, such as a state or a generation, and
// after matches what follows a whole condition. The first condition is the tenant almost
// everywhere: a test of the store tries that in every method.
var (
	guard = regexp.MustCompile(`AND ([a-z_.]+ (?:(?:=|<>|<=|>=|<|>) (?:\$\d+|'[^']*'|\{now\})|IN \('[^)]*'\)|IS (?:NOT )?NULL))`)
	after = regexp.MustCompile(`^(\s*$|\s+(AND|OR|RETURNING|ORDER|LIMIT|GROUP|UNION|THEN)\b|\s*[){;,])`)
)

// sql finds the guards of a statement in a text. The mutant keeps the guard's words, so
// that each engine still knows the type of every parameter.
func (f *finder) sql(x *ast.BasicLit) {
	src := f.source(x)
	inner := len(src) - 1
	for _, at := range guard.FindAllStringSubmatchIndex(src, -1) {
		if !after.MatchString(src[at[3]:inner]) {
			continue
		}
		changed := src[:at[2]] + "(" + src[at[2]:at[3]] + " OR TRUE)" + src[at[3]:]
		pos := x.Pos() + token.Pos(at[2])
		f.add(kindSQL, pos, x.Pos(), x.End(), "always true: "+src[at[0]:at[1]], func(n int) string {
			return fmt.Sprintf("assayPick(%d, %s, %s)", n, src, changed)
		})
	}
}
