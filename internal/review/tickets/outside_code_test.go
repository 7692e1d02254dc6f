package tickets

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// Closing keywords in Markdown's code do not count, and those behind it do.
func TestOutsideCode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"```\nCODE\n```\ntext":                   "text",
		"````\n```\nCODE\n```\nCODE\n````\ntext": "text",
		"```go\nCODE\n``` no\nCODE\n```\ntext":   "text",
		"~~~\nCODE\n```\nCODE\n~~~\ntext":        "text",
		"~~~ a`b\nCODE\n~~~~\ntext":              "text",
		"```\nCODE\n\nCODE":                      "",
		"> ```\n> CODE\n> ```\ntext":             "text",
		"- ```\n  CODE\n  ```\n- text":           "- text",
		"> ```\n> CODE\ntext":                    "text",
		"> > ```\n> > CODE\n> text":              "> text",
		"- ```\n  CODE\n\n  CODE\ntext":          "text",
		"1. a\n\n   ```\n   CODE\ntext":          "1. a text",
		"- a\n  > ```\n  > CODE\n  b":            "- a b",
		"a\n\n    CODE\n\tCODE\n\nb":             "a b",
		"    CODE\na":                            "a",
		"a\n    b":                               "a b",
		"> a\n    b":                             "> a b",
		"# a\n    CODE":                          "# a",
		"- a\n\n    b\n\n      CODE\n\n  c":      "- a b c",
		"10. a\n\n    b\n\n        CODE\nc":      "10. a b c",
		"-     CODE\n- b":                        "- b",
		"a `CODE` b ``CODE ` CODE`` c":           "a b c",
		"a `CODE\nCODE` b":                       "a b",
		"a ` b\n\nc ` d":                         "a ` b c ` d",
		"a `` b ` c":                             "a `` b ` c",
		`a \` + "`b` c":                          `a \` + "`b` c",
		"``` a ``` b":                            "b",
	} {
		testkit.Equal(t, text, strings.Join(strings.Fields(outsideCode(text)), " "), want)
	}
	deep := strings.Repeat(strings.Repeat("> - ", 2_000)+"a\n\n", 20)
	if got := outsideCode(deep); len(got) > len(deep) {
		t.Errorf("%d bytes of %d", len(got), len(deep))
	}
	long := strings.Repeat("` `` ``` ", 10_000) + "\n" + strings.Repeat("```\n~~~\n", 10_000)
	if got := outsideCode(long); len(got) > len(long) {
		t.Errorf("%d bytes of %d", len(got), len(long))
	}
}
