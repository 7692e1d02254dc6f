package page

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Suggested returns the suggestion blocks of a comment, found by the rules of Markdown. Each holds the lines
// that replace the comment's own, and is empty for a deletion.
func Suggested(body string) [][]string {
	source := []byte(strings.ReplaceAll(body, "\r\n", "\n"))
	var out [][]string
	_ = ast.Walk(markdown().Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering || string(block.Language(source)) != "suggestion" {
			return ast.WalkContinue, nil
		}
		lines := []string{}
		for i := range block.Lines().Len() {
			at := block.Lines().At(i)
			lines = append(lines, strings.TrimSuffix(string(at.Value(source)), "\n"))
		}
		out = append(out, lines)
		return ast.WalkContinue, nil
	})
	return out
}
