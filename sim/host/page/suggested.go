package page

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Block is a fenced block of code of a comment: its info string, and its lines.
type Block struct {
	Info  string
	Lines []string
}

// Suggested returns the suggestion blocks of a comment, found by the rules of Markdown. Each holds the lines
// that replace the comment's own, and is empty for a deletion.
func Suggested(body string) (out [][]string) {
	for _, b := range Fenced(body) {
		if b.Info == "suggestion" {
			out = append(out, b.Lines)
		}
	}
	return out
}

// Fenced returns the fenced blocks of a comment with an info string, found by the rules of Markdown.
func Fenced(body string) (out []Block) {
	source := []byte(strings.ReplaceAll(body, "\r\n", "\n"))
	_ = ast.Walk(markdown().Parser().Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		block, ok := n.(*ast.FencedCodeBlock)
		if !ok || !entering || len(block.Language(source)) == 0 {
			return ast.WalkContinue, nil
		}
		b := Block{Info: string(block.Language(source)), Lines: []string{}}
		for i := range block.Lines().Len() {
			at := block.Lines().At(i)
			b.Lines = append(b.Lines, strings.TrimSuffix(string(at.Value(source)), "\n"))
		}
		out = append(out, b)
		return ast.WalkContinue, nil
	})
	return out
}

// Changed returns the lines that a comment proposes to replace and the new ones, for hosts without suggestions: those of its only
// block of code with the info string "diff". It returns nothing unless the comment shows exactly one.
func Changed(body string) (before, after []string) {
	blocks := slices.DeleteFunc(Fenced(body), func(b Block) bool { return b.Info != "diff" })
	if len(blocks) != 1 {
		return nil, nil
	}
	for _, l := range blocks[0].Lines {
		if text, removed := strings.CutPrefix(l, "-"); removed {
			before = append(before, text)
		} else if text, added := strings.CutPrefix(l, "+"); added {
			after = append(after, text)
		}
	}
	return before, after
}
