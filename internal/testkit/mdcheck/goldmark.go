package mdcheck

import (
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// gitea is a parser with Gitea's extensions: modules/markup/markdown/markdown.go of go-gitea/gitea.
var gitea = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM, extension.DefinitionList, extension.Footnote),
		goldmark.WithParserOptions(parser.WithAttribute(), parser.WithAutoHeadingID())).Parser()
})

// Goldmark parses one text as Gitea does and returns the forbidden things in it. It is safe for concurrent
// use.
func Goldmark(md string, a Allowed) []string {
	p := &page{Allowed: a}
	src := []byte(md)
	doc := gitea().Parse(text.NewReader(src))
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			return p.goldmark(n, src), nil
		}
		if n.Type() == ast.TypeBlock {
			p.words.WriteByte('\n')
		}
		return ast.WalkContinue, nil
	})
	return append(p.end(), Raw(md)...)
}

func (p *page) goldmark(n ast.Node, src []byte) ast.WalkStatus {
	switch n := n.(type) {
	case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.List, *ast.ListItem:
	case *ast.CodeSpan, *ast.FencedCodeBlock:
		p.words.WriteByte(0)
		return ast.WalkSkipChildren
	case *ast.Text:
		p.words.Write(n.Segment.Value(src))
		if n.SoftLineBreak() || n.HardLineBreak() {
			p.words.WriteByte('\n')
		}
	case *ast.String:
		p.words.Write(n.Value)
	case *ast.Emphasis:
		if n.Level != 2 {
			p.problem("emphasis")
		}
		p.framed("strong text")
	case *extast.Strikethrough:
		p.framed("strike-through")
	case *ast.ThematicBreak:
		p.framed("rule")
	case *extast.Table, *extast.TableHeader, *extast.TableRow, *extast.TableCell:
		p.table(strings.ToLower(n.Kind().String()))
	case *ast.Link:
		p.address("link", string(n.Destination))
	case *ast.LinkReferenceDefinition:
		if label := string(n.Label); !p.Frame || !mark.MatchString(label) {
			p.problem("definition of %q", label)
		}
		return ast.WalkSkipChildren
	case *ast.AutoLink:
		p.problem("automatic link to %s", n.URL(src))
	case *ast.RawHTML:
		p.html(string(n.Segments.Value(src)))
		return ast.WalkSkipChildren
	case *ast.HTMLBlock:
		p.html(string(n.Lines().Value(src)) + closure(n, src))
		return ast.WalkSkipChildren
	default:
		p.problem("%s", strings.ToLower(n.Kind().String()))
	}
	return ast.WalkContinue
}

func closure(n *ast.HTMLBlock, src []byte) string {
	if !n.HasClosure() {
		return ""
	}
	return string(n.ClosureLine.Value(src))
}
