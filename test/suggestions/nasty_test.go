package suggestions

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// nasty is a file whose second half is added by a change. The suggestion is in that half.
type nasty struct {
	name, path string
	base, head string
	start, end int
	new        string
	shown      bool // as a block that a click applies
}

const goBase = "package demo\n\n// Half halves.\nfunc Half(n int) int { return n / 2 }\n"

func nasties() []nasty {
	const added = "\n// Mean is the mean.\nfunc Mean(sum, count int) int {\n\tmean := sum / count\n\treturn mean\n}\n"
	const js = "export const first = firstOf(listOfAll);\nexport const second = secondOf(listOfAll);\nexport const third = thirdOf(listOfAll);\n"
	crlf := strings.NewReplacer("\n", "\r\n")
	many := ""
	for i := range 7 {
		many += fmt.Sprintf("\tmean += sum / %d\n", i+1)
	}
	return []nasty{
		{"several lines", "a.go", goBase, goBase + added, 8, 9, "\tif count == 0 {\n\t\treturn 0\n\t}\n\treturn sum / count", true},
		{"fewer lines", "a.go", goBase, goBase + added, 8, 9, "\treturn sum / count", true},
		{"an empty line inside", "a.go", goBase, goBase + added, 8, 8, "\tmean := 0\n\n\tmean = sum / count", true},
		{"deletion", "a.js", "", js, 2, 2, "", true},
		{"deletion of several", "a.js", "", js, 1, 2, "", true},
		{"deletion of all", "a.js", "old();\n", js, 1, 3, "", true},
		{"the first line", "a.js", "", js, 1, 1, "export const first = secondOf(listOfAll);", true},
		{"last line without newline", "a.js", "", strings.TrimSuffix(js, "\n"), 3, 3, "export const third = fourthOf(listOfAll);\nexport const last = 4;", true},
		{"deletion of a last line without newline", "a.js", "", strings.TrimSuffix(js, "\n"), 3, 3, "", false},
		{"CRLF", "a.js", "", crlf.Replace(js), 2, 2, "export const second = thirdOf(listOfAll);", false},
		{"mixed line ends", "a.js", "", "start();\r\n" + js, 3, 3, "export const second = thirdOf(listOfAll);", false},
		{"tabs", "Makefile", "all:\n", "all:\n\tgo build ./cmd/assay -o\tbin/assay\n", 2, 2, "\tgo build -o bin/assay\t./cmd/assay", true},
		{"a fence of three", "a.md.py", "", "text = '''\n```go\nfirst line of code here\n```\n'''\n", 3, 3, "first line of other code\n```\n\n```go", true},
		{"a fence of four", "a.py", "", "text = '''\n````go\nfirst line of code here\n````\n'''\n", 3, 3, "second line of code\n````\n~~~", true},
		{"a suggestion inside", "a.py", "", "text = first_line_of_code(here)\n", 1, 1, "text = '''\n```suggestion\nnothing\n```\n'''", true},
		{"a comment of HTML", "a.html", "", "<p>first paragraph of the page</p>\n", 1, 1, "<!-- first paragraph of the page -->\n<p>second</p>", true},
		{"a mark of ours", "a.html", "", "<p>first paragraph of the page</p>\n", 1, 1, "<!-- assay:fp=1 -->", false},
		{"plus and minus", "a.diff.py", "", "text = '''\n+first line of a change\n'''\n", 2, 2, "+first_value\n-second_value\n--- a/x\n+++ b/x\n@@ -1 +1 @@", true},
		{"a command", "a.py", "", "first_value = second_value + third_value\n", 1, 1, "/approve", false},
		{"mentions and links", "a.py", "", "first_value = second_value + third_value\n", 1, 1, "# @ann see #1 and https://example.org/x <b>&amp;</b>\nvalue = 'a|b' # \\* _x_", true},
		{"trailing spaces", "a.txt.py", "", "first_value = second_value + third_value\n", 1, 1, "first_value = 1  \nsecond_value = 2 \t", true},
		{"leading spaces", "a.py", "", "if first_value_is_set:\n    second_value = third_value\n", 2, 2, "    second_value = 1\n        # deep", true},
		{"not UTF-8", "a.py", "", "name = 'caf\xe9'\nfirst_value = second_value + third_value\n", 2, 2, "first_value = 1", false},
		{"a byte order mark", "a.js", "", "\ufeff" + js, 1, 1, "export const first = secondOf(listOfAll);", false},
		{"below a byte order mark", "a.js", "", "\ufeff" + js, 2, 2, "export const second = thirdOf(listOfAll);", true},
		{"wide characters", "a.js", "", js, 2, 2, "export const second = '日本語 🎉 naïve';", true},
		{"an odd name", "dir with space/[x] *a*.go", goBase, goBase + added, 8, 8, "\tmean := sum", true},
		{"a form feed", "a.py", "", "first_value = second_value + third_value\n", 1, 1, "first_value = 1\f", false},
		{"a separator of lines", "a.js", "", js, 2, 2, "export const second = 'a\u2028b';", false},
		{"an invisible character", "a.js", "", js, 2, 2, "export const second = 'a\u200bb';", false},
		{"only space", "a.js", "", js, 2, 2, "   ", false},
		{"seven lines", "a.go", goBase, goBase + added, 8, 8, many, false},
		{"a text that does not parse", "a.go", goBase, goBase + added, 8, 8, "\tmean := sum / (count", false},
	}
}

// A suggestion that is hard to apply is applied as intended, or left to people.
func TestNasty(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	for i, n := range nasties() {
		t.Run(n.name, func(t *testing.T) {
			base, head := cases.Files{"README": "demo\n"}, cases.Files{"README": "demo\n", n.path: n.head}
			if n.base != "" {
				base[n.path] = n.base
			}
			heads, done, err := cases.OpenFiles(t.Context(), base, head)
			testkit.OK(t, err)
			defer done()
			c := eval.Case{ID: n.name, Kind: eval.Defect, Golden: []eval.Golden{{Path: n.path, Side: domain.Right, StartLine: n.start, EndLine: n.end, Defect: "it", Severity: "high", Text: "This is wrong"}}}
			fixed := false
			findings, comments := review(t, c, heads[0], func(f prompt.Found) *prompt.Change {
				fixed = true
				return &prompt.Change{New: n.new}
			})
			if !fixed || len(comments) != 1 {
				t.Fatalf("%d comments of %+v", len(comments), findings)
			}
			want := 0
			if n.shown {
				want = 1
			}
			testkit.Equal(t, "suggestions of\n"+comments[0].Body.String()+"\n", h.check(t, fmt.Sprint("case-", i), base, head, findings, comments), want)
		})
	}
}
