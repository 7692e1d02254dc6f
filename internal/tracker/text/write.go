package text

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/assay-dev/assay/internal/tracker/wire"
)

// obj is a node of the Atlassian Document Format to write.
type obj = map[string]any

func markdown() goldmark.Markdown {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough))
}

// ToHTML converts Markdown to HTML. It omits HTML in the Markdown.
func ToHTML(md string) (string, error) {
	var b bytes.Buffer
	if err := markdown().Convert([]byte(md), &b); err != nil {
		return "", fmt.Errorf("text: write HTML: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// ToADF converts Markdown to a document of the Atlassian Document Format. If foot is not empty, it adds a
// paragraph with foot as code.
func ToADF(md, foot string) (json.RawMessage, error) {
	src := []byte(md)
	content := adfBlocks(markdown().Parser().Parse(text.NewReader(src)), src)
	if foot != "" {
		content = append(content, obj{"type": "paragraph", "content": []obj{{"type": "text", "text": foot, "marks": []obj{{"type": "code"}}}}})
	}
	raw, err := json.Marshal(obj{"type": "doc", "version": 1, "content": content})
	if err != nil {
		return nil, fmt.Errorf("text: write a document: %w", err)
	}
	return raw, nil
}

func children(n ast.Node) (out []ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, c)
	}
	return out
}

func adfBlocks(n ast.Node, src []byte) []obj {
	out := []obj{}
	for _, c := range children(n) {
		if b := adfBlock(c, src); b != nil {
			out = append(out, b)
		}
	}
	return out
}

func adfBlock(n ast.Node, src []byte) obj {
	switch x := n.(type) {
	case *ast.Heading:
		return obj{"type": "heading", "attrs": obj{"level": x.Level}, "content": adfInline(n, src, nil)}
	case *ast.Paragraph, *ast.TextBlock:
		return obj{"type": "paragraph", "content": adfInline(n, src, nil)}
	case *ast.List:
		kind := "bulletList"
		if x.IsOrdered() {
			kind = "orderedList"
		}
		return obj{"type": kind, "content": adfBlocks(n, src)}
	case *ast.ListItem:
		inside := adfBlocks(n, src)
		if len(inside) == 0 { // an item must contain a paragraph
			inside = []obj{{"type": "paragraph", "content": []obj{}}}
		}
		return obj{"type": "listItem", "content": inside}
	case *ast.Blockquote:
		return obj{"type": "blockquote", "content": adfBlocks(n, src)}
	case *ast.FencedCodeBlock:
		return adfCode(codeOf(n, src), string(x.Language(src)))
	case *ast.CodeBlock:
		return adfCode(codeOf(n, src), "")
	case *ast.ThematicBreak:
		return obj{"type": "rule"}
	case *east.Table:
		return obj{"type": "table", "content": adfBlocks(n, src)}
	case *east.TableHeader, *east.TableRow:
		var cells []obj
		_, head := n.(*east.TableHeader)
		for _, c := range children(n) {
			cells = append(cells, obj{"type": map[bool]string{true: "tableHeader", false: "tableCell"}[head], "attrs": obj{},
				"content": []obj{{"type": "paragraph", "content": adfInline(c, src, nil)}}})
		}
		return obj{"type": "tableRow", "content": cells}
	}
	return nil // HTML, which is omitted
}

func adfCode(s, lang string) obj {
	out := obj{"type": "codeBlock", "content": []obj{}}
	if s != "" {
		out["content"] = []obj{{"type": "text", "text": s}}
	}
	if lang != "" {
		out["attrs"] = obj{"language": lang}
	}
	return out
}

func codeOf(n ast.Node, src []byte) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		l := n.Lines().At(i)
		b.Write(l.Value(src))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func adfInline(n ast.Node, src []byte, marks []obj) []obj {
	out := []obj{}
	for _, c := range children(n) {
		out = append(out, adfSpan(c, src, marks)...)
	}
	return out
}

func adfSpan(n ast.Node, src []byte, marks []obj) []obj {
	words := func(s string, marks []obj) []obj {
		if s == "" {
			return nil
		}
		o := obj{"type": "text", "text": s}
		if len(marks) > 0 {
			o["marks"] = marks
		}
		return []obj{o}
	}
	with := func(m obj) []obj { return append(marks[:len(marks):len(marks)], m) }
	switch x := n.(type) {
	case *ast.Text:
		s := unescaped(x.Segment.Value(src))
		if x.SoftLineBreak() {
			s += " "
		}
		out := words(s, marks)
		if x.HardLineBreak() {
			out = append(out, obj{"type": "hardBreak"})
		}
		return out
	case *ast.String:
		return words(string(x.Value), marks)
	case *ast.CodeSpan: // code allows no other marks except links
		return words(plainText(n, src), []obj{{"type": "code"}})
	case *ast.Emphasis:
		return adfInline(n, src, with(obj{"type": map[bool]string{true: "strong", false: "em"}[x.Level == 2]}))
	case *east.Strikethrough:
		return adfInline(n, src, with(obj{"type": "strike"}))
	case *ast.Link:
		if address := wire.Address(string(x.Destination)); address != "" {
			return adfInline(n, src, with(obj{"type": "link", "attrs": obj{"href": address}}))
		}
	case *ast.AutoLink:
		if address := wire.Address(string(x.URL(src))); address != "" {
			return words(address, with(obj{"type": "link", "attrs": obj{"href": address}}))
		}
		return words(string(x.Label(src)), marks)
	case *ast.RawHTML:
		return nil
	}
	return adfInline(n, src, marks)
}

// plainText returns the words of a node.
func plainText(n ast.Node, src []byte) string {
	var b strings.Builder
	for _, c := range children(n) {
		switch x := c.(type) {
		case *ast.Text:
			b.Write(x.Segment.Value(src))
		case *ast.String:
			b.Write(x.Value)
		default:
			b.WriteString(plainText(c, src))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// unescaped resolves the backslashes of Markdown and the entities of HTML in a text.
func unescaped(raw []byte) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", raw[i+1]) >= 0 {
			i++
		}
		b.WriteByte(raw[i])
	}
	return html.UnescapeString(b.String())
}

// ToWiki converts Markdown to Jira's wiki text.
func ToWiki(md string) string {
	src := []byte(md)
	w := &wikiWriter{src: src}
	w.blocks(markdown().Parser().Parse(text.NewReader(src)), "")
	return strings.TrimSpace(w.b.String())
}

type wikiWriter struct {
	b   strings.Builder
	src []byte
}

func (w *wikiWriter) blocks(n ast.Node, marks string) {
	for _, c := range children(n) {
		w.block(c, marks)
	}
}

func (w *wikiWriter) block(n ast.Node, marks string) {
	switch x := n.(type) {
	case *ast.Heading:
		w.b.WriteString("h" + strconv.Itoa(x.Level) + ". " + w.inline(n) + "\n\n")
	case *ast.Paragraph:
		w.b.WriteString(w.inline(n) + "\n\n")
	case *ast.TextBlock:
		w.b.WriteString(w.inline(n) + "\n")
	case *ast.List:
		mark := "*"
		if x.IsOrdered() {
			mark = "#"
		}
		for _, it := range children(n) {
			w.b.WriteString(marks + mark + " ")
			w.blocks(it, marks+mark)
		}
		if marks == "" {
			w.b.WriteString("\n")
		}
	case *ast.Blockquote:
		w.b.WriteString("{quote}\n")
		w.blocks(n, "")
		w.b.WriteString("{quote}\n\n")
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		tag := "{code}"
		s := codeOf(n, w.src)
		if strings.Contains(s, tag) {
			tag = "{noformat}"
		}
		w.b.WriteString(tag + "\n" + strings.ReplaceAll(s, tag, "") + "\n" + tag + "\n\n")
	case *ast.ThematicBreak:
		w.b.WriteString("----\n\n")
	case *east.Table:
		w.blocks(n, "")
		w.b.WriteString("\n")
	case *east.TableHeader, *east.TableRow:
		bar := "|"
		if _, head := n.(*east.TableHeader); head {
			bar = "||"
		}
		for _, c := range children(n) {
			w.b.WriteString(bar + " " + w.inline(c) + " ")
		}
		w.b.WriteString(bar + "\n")
	}
}

// wikiEscapes escapes the characters that wiki text reads as marks at any position.
var wikiEscapes = strings.NewReplacer(`\`, `\\`, "{", `\{`, "}", `\}`, "[", `\[`, "]", `\]`, "|", `\|`, "*", `\*`, "_", `\_`, "!",
	`\!`, "^", `\^`, "~", `\~`, "+", `\+`)

func (w *wikiWriter) inline(n ast.Node) string {
	var b strings.Builder
	for _, c := range children(n) {
		switch x := c.(type) {
		case *ast.Text:
			b.WriteString(wikiEscapes.Replace(unescaped(x.Segment.Value(w.src))))
			if x.SoftLineBreak() {
				b.WriteString(" ")
			}
			if x.HardLineBreak() {
				b.WriteString("\n")
			}
		case *ast.String:
			b.WriteString(wikiEscapes.Replace(string(x.Value)))
		case *ast.CodeSpan:
			b.WriteString("{{" + wikiEscapes.Replace(plainText(c, w.src)) + "}}")
		case *ast.Emphasis:
			b.WriteString(markSpan(map[bool]string{true: "*", false: "_"}[x.Level == 2], w.inline(c)))
		case *east.Strikethrough:
			b.WriteString(markSpan("-", w.inline(c)))
		case *ast.Link:
			if address := wire.Address(string(x.Destination)); address != "" {
				b.WriteString("[" + w.inline(c) + "|" + strings.NewReplacer("|", "%7C", "]", "%5D").Replace(address) + "]")
			} else {
				b.WriteString(w.inline(c))
			}
		case *ast.AutoLink:
			b.WriteString("[" + string(x.URL(w.src)) + "]")
		case *ast.RawHTML:
		default:
			b.WriteString(w.inline(c))
		}
	}
	return b.String()
}
