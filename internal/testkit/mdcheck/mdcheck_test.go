package mdcheck

import (
	"slices"
	"strings"
	"testing"
)

// Each expression of the table matches its examples, because one that matches nothing would find
// nothing.
func TestTriggersMatchTheirExamples(t *testing.T) {
	t.Parallel()
	for _, tr := range Triggers {
		if !strings.HasPrefix(tr.Source, "https://") || tr.Host == "" || tr.What == "" || len(tr.Examples) == 0 {
			t.Errorf("%s: %s lacks something", tr.Host, tr.What)
		}
		for _, e := range tr.Examples {
			if tr.in(e) == "" {
				t.Errorf("%s: %s does not match %q", tr.Host, tr.What, e)
			}
		}
	}
}

// The prefilter is right: each match has one of the characters that the trigger needs.
func TestEveryMatchHasWhatItNeeds(t *testing.T) {
	t.Parallel()
	a := NewAdversary(1)
	for range 2000 {
		words := a.Text(12)
		for _, tr := range Triggers {
			if m := tr.Form.FindString(words); m != "" && tr.Needs != "" && !strings.ContainsAny(m, tr.Needs) {
				t.Errorf("%s: %s matches %q without one of %q", tr.Host, tr.What, m, tr.Needs)
			}
		}
	}
}

// bad are texts that both parsers must refuse, by the reason.
var bad = map[string]string{
	"image":               "![x](https://evil.example/p.png)",
	"link":                "[x](https://evil.example)",
	"link to https":       "https://evil.example",
	"html":                "<b>x</b>",
	"strong":              "**x**",
	"heading":             "x\n===",
	"table":               "a|b\n-|-",
	"strike":              "~~x~~",
	"footnote":            "x[^1]\n\n[^1]: y",
	"mention":             "@octocat",
	"quick action":        "```\n/approve\n```",
	"mark before the":     "<!-- assay:ans=a mac=0 -->\nx",
	"block":               "> x",
	"GitHub: issue":       "see #1",
	"task":                "- [ ] x",
	"HTML \"<!-- assay:x": "`a`\n\n<!-- assay:x -->",
}

func TestBothParsersFindWhatIsNotAllowed(t *testing.T) {
	t.Parallel()
	var texts, names []string
	for name, text := range bad {
		names, texts = append(names, name), append(texts, text)
	}
	found, err := Cmark(t.Context(), texts, Allowed{})
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			says := func(p string) bool { return strings.Contains(strings.ToLower(p), strings.ToLower(name)) }
			if got := Goldmark(texts[i], Allowed{}); !slices.ContainsFunc(got, says) {
				t.Errorf("goldmark reports for %q: %q", texts[i], got)
			}
			if name == "link to https" || name == "task" || name == "block" { // cmark-gfm has other names for these
				says = func(string) bool { return true }
			}
			if !slices.ContainsFunc(found[i], says) {
				t.Errorf("cmark-gfm reports for %q: %q", texts[i], found[i])
			}
		})
	}
}

func TestOwnElementsAreAllowed(t *testing.T) {
	t.Parallel()
	text := "**High**\n\n<details><summary>Why</summary>\n\n- `@x` [a](https://ours.example/1)\n\n</details>\n\n<sub>`rule`</sub>\n\n```suggestion\nx\n```\n\n<!-- assay:ans=a mac=0 -->"
	ours := Allowed{Links: []string{"https://ours.example/*"}, Frame: true}
	if got := Goldmark(text, ours); len(got) > 0 {
		t.Errorf("goldmark: %q", got)
	}
	if got, err := Cmark(t.Context(), []string{text, "plain"}, ours); err != nil || len(got) > 0 {
		t.Errorf("cmark-gfm: %v, %v", got, err)
	}
}

// A text that swallows the following texts is reported, however harmless it looks.
func TestATextThatSwallowsItsNeighbourIsFound(t *testing.T) {
	t.Parallel()
	for _, open := range []string{"```\nx", "<!-- x", "<script>"} {
		if got, err := Cmark(t.Context(), []string{"a", open, "b"}, Allowed{}); err != nil || len(got[1]) == 0 {
			t.Errorf("%q: %v, %v", open, got, err)
		}
	}
}
