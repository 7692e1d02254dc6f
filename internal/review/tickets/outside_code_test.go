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
		"a `CODE` b ``CODE ` CODE`` c":           "a b c",
		"a `CODE\nCODE` b":                       "a b",
		"a ` b\n\nc ` d":                         "a ` b c ` d",
		"a `` b ` c":                             "a `` b ` c",
		`a \` + "`b` c":                          `a \` + "`b` c",
		"``` a ``` b":                            "b",
	} {
		testkit.Equal(t, text, strings.Join(strings.Fields(outsideCode(text)), " "), want)
	}
	long := strings.Repeat("` `` ``` ", 10_000) + "\n" + strings.Repeat("```\n~~~\n", 10_000)
	if got := outsideCode(long); len(got) > len(long) {
		t.Errorf("%d bytes of %d", len(got), len(long))
	}
}
