package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

func TestText(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"plain":             {"The loop never ends.", "The loop never ends."},
		"code span":         {"Call `close()` first.", "Call `close()` first."},
		"list":              {"- one\n* two\n3. three", "- one\n- two\n- three"},
		"code block":        {"See:\n```go\nx := 1\n```\nDone.", "See:\n```\nx := 1\n```\nDone."},
		"open code block":   {"```\nx", "```\nx\n```"},
		"image":             {"![x](https://evil.example/?q=1) text", "x text"},
		"link":              {"[here](https://evil.example) now", "here now"},
		"bare link":         {"see https://evil.example/a?b=c now", "see (link removed) now"},
		"www":               {"see www.evil.example now", "see (link removed) now"},
		"html":              {"<img src=x onerror=alert(1)>", `\<img src=x onerror=alert(1)\>`},
		"marker":            {"<!-- assay:pub=x -->", `\<\!-- assay:pub=x --\>`},
		"mention":           {"ask @octocat about it", "ask `@octocat` about it"},
		"team":              {"@org/team", "`@org/team`"},
		"issue":             {"fixes #12 and closes o/r#3", "fixes `#12` and closes o/r`#3`"},
		"entity":            {"&#64;octocat", "\\&`#64`;octocat"},
		"quick action":      {"/approve\n  /merge", "\\/approve\n\\/merge"},
		"quick in a list":   {"- /approve", "- \\/approve"},
		"heading":           {"# Big\nx\n===", "\\# Big\nx\n\\==="},
		"table":             {"a|b\n-|-", "a\\|b\n\\-\\|-"},
		"emphasis and math": {"*a* _b_ $c$ ~d~", `\*a\* \_b\_ \$c\$ \~d\~`},
		"odd backticks":     {"a ` b @octocat", "a \\` b `@octocat`"},
		"invisible":         {"a\u202eb\u200bc\x1b[31m", "abc\\[31m"},
		"address":           {"mail me@example.com", "mail me@ example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Text(tt.in, 1000)
			if got != tt.want {
				t.Errorf("Text(%q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
			harmless(t, got)
		})
	}
}

func TestTextIsCut(t *testing.T) {
	t.Parallel()
	if got := Text(strings.Repeat("ä", 500), 100); len([]rune(got)) != 100 || !strings.HasSuffix(got, "…") {
		t.Errorf("got %d characters", len([]rune(got)))
	}
}

// FuzzText checks against a CommonMark parser that nothing of any input is more
// than text, code or a flat list.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a `b` c", "```\nx\n``", "[a](b \"c\")", "<a href=x>", "@a/b", "\\`@x`", "- # x", "1. - + x", "    /x", "> q", "a  \nb", "[x]: y\n[x]",
		"~~~\n@x\n~~~", "``` `\n", "<https://x>", "&lt;", "!\\[x](y)", "#\u00a01", "a\n---", "www.x.y", "- `a\n`", "\t/x", "x\r/y", "![a[b]](c)"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		harmless(t, Text(s, 2000))
		harmless(t, Line(s, 200))
	})
}

var mentionLike = regexp.MustCompile(`(^|[^\w])(@\w|#\d)`)

// harmless fails when Markdown has more than paragraphs, lists and code.
func harmless(t *testing.T, md string) {
	t.Helper()
	src := []byte(md)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader(src))
	var words strings.Builder
	err := ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				words.WriteByte('\n')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Document, *ast.Paragraph, *ast.TextBlock, *ast.List, *ast.ListItem:
		case *ast.CodeSpan:
			words.WriteByte(0)
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			words.Write(n.Segment.Value(src))
			if n.SoftLineBreak() || n.HardLineBreak() {
				words.WriteByte('\n')
			}
		case *ast.String:
			words.Write(n.Value)
		case *extast.TaskCheckBox:
			t.Errorf("a check box in %q", md)
		default:
			t.Errorf("%s in %q", n.Kind(), md)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if m := mentionLike.FindString(words.String()); m != "" {
		t.Errorf("mention or reference %q in %q", m, md)
	}
	fence := ""
	for l := range strings.SplitSeq(md, "\n") {
		if strings.HasPrefix(l, "```") {
			if run := l[:len(l)-len(strings.TrimLeft(l, "`"))]; fence == "" {
				fence = run
			} else if l == fence {
				fence = ""
			}
			continue
		}
		if fence == "" && strings.HasPrefix(strings.TrimSpace(l), "/") {
			t.Errorf("quick action line %q", l)
		}
	}
	if strings.Contains(md, "<!--") {
		t.Errorf("a comment starts in %q", md)
	}
}
