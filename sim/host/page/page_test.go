package page

import (
	"net/http/httptest"
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, in, has, lacks string }{
		{"table", "| a | b |\n|---|---|\n| 1 | 2 |", "<td>1</td>", "|"},
		{"comment", "before <!-- assay:pub=1 --> after", "before  after", "assay"},
		{"details", "<details><summary>More</summary>\n\ntext\n\n</details>", "<summary>More</summary>", "&lt;"},
		{"script", "<script>alert(1)</script>x", "x", "alert"},
		{"handler", `<a href="https://a.test" onclick="x()">a</a>`, `href="https://a.test"`, "onclick"},
		{"address", "[a](javascript:alert(1))", "a", "javascript"},
		{"style", `<p style="position:fixed">a</p>`, "<p>a</p>", "fixed"},
		{"form", `<form action="/x"><input name="y"></form>`, "", "<form"},
		{"task", "- [x] done", `type="checkbox"`, "[x]"},
		{"code", "```go\na < b\n```", `<code class="language-go">a &lt; b`, "```"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(Markdown(tt.in))
			if !strings.Contains(got, tt.has) || strings.Contains(got, tt.lacks) {
				t.Errorf("%s", got)
			}
		})
	}
}

func TestSuggestions(t *testing.T) {
	old := []DiffLine{{Kind: "add", New: 7, Tokens: []Token{{Text: "a"}}}, {Kind: "ctx", New: 8, Tokens: []Token{{Text: "b"}}}}
	parts := Body("Before\n\n```suggestion\nnew 1\n\nnew 2\n```\n\nAfter\n````\n```suggestion\nnot one\n```\n````\n```suggestion\n```", "x.txt", old)
	if len(parts) != 4 {
		t.Fatalf("%d parts: %+v", len(parts), parts)
	}
	s := parts[1].Suggestion
	if s == nil || len(s.Old) != 2 || s.Old[1].Kind != "del" || len(s.New) != 3 || s.New[2].New != 9 || s.New[2].Tokens[0].Text != "new 2" {
		t.Errorf("suggestion: %+v", s)
	}
	if !strings.Contains(string(parts[2].HTML), "not one") {
		t.Errorf("a quoted suggestion was read as a suggestion: %s", parts[2].HTML)
	}
	if last := parts[3].Suggestion; last == nil || len(last.New) != 0 || len(last.Old) != 2 {
		t.Errorf("empty suggestion: %+v", last)
	}
	if parts := Body("```suggestion\nopen end", "x.txt", nil); len(parts) != 1 || parts[0].Suggestion == nil || parts[0].Suggestion.New[0].New != 0 {
		t.Errorf("unfinished: %+v", parts)
	}
}

func TestPageFails(t *testing.T) {
	r, err := New(Brand{Name: "Simulated GitHub", Real: "github.com", PullWord: "pull"})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if err := r.Page(w, 200, "none", nil); err == nil || w.Body.Len() != 0 {
		t.Errorf("an unknown template wrote %q, error %v", w.Body, err)
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{plural(1, "file"): "1 file", plural(2, "file"): "2 files", size(10): "10 B", size(2048): "2.0 KB", where(0, 0): "", where(3, 3): "line 3",
		where(2, 3): "lines 2 to 3", strings.Join(blocks(1, 1), ","): "add,add,add,del,del", strings.Join(blocks(0, 0), ""): "", ink("d73a4a"): "lab lab-d73a4a", ink(`"><x`): "lab"} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add("a\n```suggestion\nb\n```\n<script>x</script>", "a.go")
	f.Add("~~~\n```suggestion\n<!-- x", "b.ts")
	f.Fuzz(func(t *testing.T, text, name string) {
		for _, p := range Body(text, name, nil) {
			html := strings.ToLower(string(p.HTML))
			if strings.Contains(html, "<script") || strings.Contains(html, "<!--") || strings.Contains(html, "<style") || strings.Contains(html, "<iframe") {
				t.Fatalf("%q became %q", text, html)
			}
		}
		var whole strings.Builder
		for _, token := range Colour(name, text) {
			whole.WriteString(token.Text)
		}
		if whole.String() != text {
			t.Fatalf("%q was coloured as %q", text, whole.String())
		}
	})
}
