package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// A trigger of several lines keeps them in each format, and none of them acts on its reader.
func TestTriggersKeepTheirLines(t *testing.T) {
	t.Parallel()
	r := sample()
	r.Result.Findings[1].Trigger = "for n in [0]:\n    half(n)\n```\n@team <b>x</b> \x1b[31mred\u202e"
	for format, want := range map[string]string{
		"terminal": "  When:\n    for n in [0]:\n        half(n)\n    ```\n    @team <b>x</b> \\u{1b}[31mred\\u{202e}\n",
		"markdown": "**When:**\n\n````\nfor n in [0]:\n    half(n)\n```\n@team <b>x</b> [31mred\n````\n",
		"agent":    "when: as follows\n|for n in [0]:\n|    half(n)\n|```\n|@team <b>x</b> \\u{1b}[31mred\\u{202e}\n",
	} {
		var b bytes.Buffer
		testkit.OK(t, Write(&b, r, Options{Format: format}))
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s:\n%s", format, b.String())
		}
	}
	var b bytes.Buffer
	testkit.OK(t, Write(&b, r, Options{Format: "sarif"}))
	var out struct {
		Runs []struct {
			Results []struct{ Message struct{ Text string } }
		}
	}
	testkit.OK(t, json.Unmarshal(b.Bytes(), &out))
	found := false
	for _, res := range out.Runs[0].Results {
		found = found || strings.HasSuffix(res.Message.Text, "\n\nWhen:\nfor n in [0]:\n    half(n)\n```\n@team <b>x</b> [31mred")
	}
	testkit.Equal(t, "in sarif", found, true)
}
