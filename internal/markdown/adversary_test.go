package markdown

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit/mdcheck"
)

// Texts that were designed to break out stay text: for goldmark, for GitHub's parser, and for the table of
// hosts. The tests of internal/review/render cover the real ways to a comment.
func TestAdversary(t *testing.T) {
	t.Parallel()
	a := mdcheck.NewAdversary(1)
	var all []string
	for range 1000 {
		s := a.Text(25)
		p, l := Prose(s, 2000), Line(s, 300)
		if again := Line(l.String(), 0); again != l {
			t.Errorf("Line changes its own result:\n%q\n%q", l, again)
		}
		all = append(all, p.String(), l.String(), Span(s).String(), Code(s, "").String(), Format("%s%s: %s", Span(s), Line(s, 100), Span(s)).String())
		if t.Failed() {
			break
		}
	}
	for _, text := range all {
		for _, p := range mdcheck.Goldmark(text, mdcheck.Allowed{}) {
			t.Errorf("%s in %q", p, text)
		}
	}
	harmlessForGitHub(t, all)
}

// FuzzText checks with goldmark that any input stays text.
func FuzzText(f *testing.F) {
	for _, s := range []string{"a `b` c", "```\nx\n``", "[a](b \"c\")", "<a href=x>", "@a/b", "\\`@x`", "- # x", "1. - + x", "    /x", "> q", "a  \nb", "[x]: y\n[x]",
		"~~~\n@x\n~~~", "``` `\n", "<https://x>", "&lt;", "!\\[x](y)", "#\u00a01", "a\n---", "www.x.y", "- `a\n`", "\t/x", "x\r/y", "![a[b]](c)",
		"\"@x``a`![x](https://evil.example/p.png)``\"", "_https://x", "a\n:-:", "x[^1]\n\n[^1]: y", strings.Repeat("`", 90) + "@a" + strings.Repeat("`", 90)} {
		f.Add(s)
	}
	for _, tr := range mdcheck.Triggers {
		for _, e := range tr.Examples {
			f.Add(e)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, text := range []Text{Prose(s, 2000), Line(s, 200), Span(s), Code(s, s), Format("%s%s", Line(s, 0), Span(s))} {
			harmless(t, text.String())
		}
		if l := Line(s, 200); Line(l.String(), 0) != l {
			t.Errorf("Line changes its own result: %q", l)
		}
	})
}
