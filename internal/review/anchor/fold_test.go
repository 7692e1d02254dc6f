package anchor

import (
	"html"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// A quotation whose signs are written in another way is the code that it quotes; one of other code is not.
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
		line  int // 0: it is not found
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
		"other code":          {strings.Replace(html.EscapeString(line), "3", "4", 1), 0},
		"another operator":    {strings.Replace(line, "!=", "&#61;&#61;", 1), 0},
		"signs alone":         {"&amp;&#61;", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list := []domain.Evidence{{Kind: "code", Path: "a.go", Start: 1, End: 1, Quote: tt.quote}}
			ok, err := Evidence(t.Context(), list, set, files{"RIGHT:a.go": content})
			if err != nil || ok != (tt.line > 0) || ok && (list[0].Start != tt.line || list[0].End != tt.line) {
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
