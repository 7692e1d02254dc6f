package anchor

import (
	"html"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// A quotation with other spellings of signs matches the code that it quotes, and no other code.
func TestQuotationsWithOtherSigns(t *testing.T) {
	t.Parallel()
	const content = "package p\n\nfunc f(a *A, s []string) bool {\n\treturn a != nil && len(s) <= 3 && s[0] == \"it's \\\"x\\\"\" // a - b\n}\n\nvar note = \"a “word” &lt;b&gt;（１）…\"\n"
	line := strings.TrimSpace(strings.Split(content, "\n")[3])
	full := strings.Map(func(r rune) rune {
		if r > ' ' && r < 0x7f {
			return r - '!' + '！'
		}
		return r
	}, line)
	other := strings.Split(content, "\n")[6]
	set, err := diff.FromPatches([]diff.Patch{{Path: "a.go", Status: diff.Added, Text: "@@ -0,0 +1,7 @@\n+" + strings.ReplaceAll(strings.TrimSuffix(content, "\n"), "\n", "\n+") + "\n"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		quote string
		line  int // one of the lines where it stands, 0 if it is not found
	}{
		"entities":            {html.EscapeString(line), 4},
		"escaped twice":       {html.EscapeString(html.EscapeString(line)), 4},
		"numbers of entities": {strings.NewReplacer("=", "&#61;", "<", "&#x3C;", "(", "&lpar;", ")", "&rpar;").Replace(line), 4},
		"full width":          {full, 4},
		"full-width brackets": {strings.NewReplacer("(", "（", ")", "）", "[", "［", "]", "］").Replace(line), 4},
		"typographic marks":   {strings.NewReplacer(`"`, "”", "'", "’", "-", "–").Replace(line), 4},
		"relations":           {strings.NewReplacer("!=", "≠", "<=", "≤").Replace(line), 4},
		"escapes of Markdown": {strings.NewReplacer("*", `\*`, "[", `\[`, "]", `\]`, "<", `\<`).Replace(line), 4},
		"invisible":           {strings.NewReplacer("(", "\u200b(", " ", "\u00a0").Replace(line), 4},
		"the file has them":   {`var note = "a "word" <b>(1)..."`, 7},
		"the file has other":  {html.EscapeString(other), 7},
		"as it stands":        {other, 7},
		"hunk and code":       {"@@ -1,3 +1,7 @@\n+" + line, 4},
		"head of the section": {"@@ -1,3 +1,7 @@ " + line, 4},
		"a label":             {"Line 4: " + line, 4},
		"a label in brackets": {"[4] " + line, 4},
		"a label in a clause": {"(line 4) " + line, 4},
		"a number":            {"4) " + line, 4},
		"a path":              {"a.go:4: " + line, 4},
		"a path and a column": {"src/a.go:4:2 | " + line, 4},
		"labels of lines":     {"Line 3: func f(a *A, s []string) bool {\nLine 4: " + line, 4},
		"columns":             {"4 | + | " + line, 4},
		"a tag":               {"<code>" + line + "</code>", 4},
		"tags in tags":        {"<pre><code class=\"go\">" + html.EscapeString(line) + "</code></pre>", 4},
		"an inserted line":    {"<ins>" + line + "</ins>", 4},
		"breaks of HTML":      {"func f(a *A, s []string) bool {<br/>" + line, 4},
		"guillemets":          {"« " + line + " »", 4},
		"bold":                {"**" + line + "**", 4},
		"a quotation":         {"> " + line, 4},
		"a fence in words":    {"Here:\n```go\nreturn a != nil && len(s) <= 3\n```", 0},
		"a remark":            {"return a != nil && len(s) <= 3  // <-- bug: it panics", 4},
		"a remark of Python":  {"return a != nil && len(s) <= 3  # <-- here", 4},
		"an arrow":            {"return a != nil && len(s) <= 3 <-- here", 4},
		"a sentence":          {"The line `return a != nil && len(s) <= 3` panics", 4},
		"code in marks":       {"`a != nil` && `len(s) <= 3`", 4},
		"spaces":              {"return a != nil && len ( s ) <= 3 && s [ 0 ]", 4},
		"no spaces":           {"return a!=nil&&len(s)<=3&&s[0]", 4},
		"codes of signs":      {`return a != nil && len\u0028s\u0029 \x3c= 3`, 4},
		"breaks as letters":   {`func f(a *A, s []string) bool {\n\treturn a != nil`, 4},
		"of an address":       {"return%20a%20!=%20nil%20&&%20len(s)", 4},
		"a semicolon":         {"return a != nil && len(s) <= 3;", 4},
		"ends in an ellipsis": {"return a != nil && len(s) <= 3 && ...", 4},
		"breaks off a word":   {"return a != nil && le...", 4},
		"a sign":              {"return a != nil && …", 4},
		"begins with one":     {"... && len(s) <= 3 && s[0] ==", 4},
		"one in brackets":     {"func f(a *A, s []string) bool {\n[...]\n}", 3},
		"one in the line":     {"return a != nil && [...] s[0] ==", 4},
		"one for lines":       {"func f(a *A, s []string) bool {\n\t// ... rest of the function ...\n}", 3},
		"pieces of other":     {"return a != nil && ... && panics(s)", 0},
		"pieces backwards":    {"&& s[0] == ... func f(a *A, s []string) bool {", 0},
		"an ellipsis alone":   {"...", 7},
		"a label of other":    {"Line 4: return b != nil", 0},
		"a short rest":        {"Line 9: s[1]  // <-- here", 0},
		"a span of other":     {"The call `panics(s, now)` fails", 0},
		"other code":          {strings.Replace(html.EscapeString(line), "3", "4", 1), 0},
		"another operator":    {strings.Replace(line, "!=", "&#61;&#61;", 1), 0},
		"signs alone":         {"&amp;&#61;", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := []domain.Evidence{{Kind: "code", Path: "a.go", Start: 1, End: 1, Quote: tt.quote}}
			ok, err := Evidence(t.Context(), list, set, files{"RIGHT:a.go": content})
			if err != nil || ok != (tt.line > 0) || ok && (list[0].Start > tt.line || list[0].End < tt.line) {
				t.Errorf("%q: %v, lines %d to %d, %v", tt.quote, ok, list[0].Start, list[0].End, err)
			}
			a := domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: 4, EndLine: 4, Quote: tt.quote}
			res, err := Validate(t.Context(), &a, set, files{"RIGHT:a.go": content})
			if err != nil || tt.line > 0 && (a.StartLine != tt.line || res.Fuzzy) {
				t.Errorf("%q: %+v, line %d, %v", tt.quote, res, a.StartLine, err)
			}
		})
	}
}
