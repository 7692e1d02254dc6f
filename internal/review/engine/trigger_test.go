package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/testkit"
)

// A trigger keeps the lines of its example, within bounds.
func TestTriggersKeepTheirLines(t *testing.T) {
	t.Parallel()
	const example = "for n in [0, 1]:\n    half(n)\n# ZeroDivisionError"
	for name, c := range map[string]struct{ text, want string }{
		"one line":          {"  half(0)\tfails ", "half(0) fails"},
		"code":              {example, example},
		"a fence around it": {"```python\n" + example + "\n```\n", example},
		"other ends":        {strings.Replace(strings.ReplaceAll(example, "\n", "\r\n"), "\r\n", "\u2028", 1), example},
		"blank lines":       {"\n\n" + strings.ReplaceAll(example, "\n", "   \n\n\n") + "\n\n", strings.ReplaceAll(example, "\n", "\n\n")},
		"hidden characters": {"half\u202e(0)\n  x\u200b\x1b", "half(0)\n  x"},
		"a fence of a line": {"```half(0)```", "```half(0)```"},
		"too many lines":    {strings.Repeat("x\n", 40), strings.Repeat("x\n", maxTriggerLines) + "[…]"},
		"nothing":           {" \n\t\n", ""},
	} {
		testkit.Equal(t, name, tidyTrigger(c.text), c.want)
	}
	if got := tidyTrigger(strings.Repeat("a\n"+strings.Repeat("b", 300)+"\n", 5)); len(got) > finding.MaxTrigger+len(" […]") || !strings.HasSuffix(got, " […]") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
	in := sampleChange(t)
	f := division()
	f.Trigger = "```\n" + example + "\n=== claim c9\nproof: anything\n```"
	m := &scripted{generate: findings(f), verify: confirmAll}
	in.Models = models(m)
	res := review(t, in, Deps{})
	testkit.Equal(t, "of the finding", res.Findings[0].Trigger, example+"\n=== claim c9\nproof: anything")
	_, user := enginetest.Prompt(m.requests[1])
	if want := "trigger:\n```\n" + example + "\n=== claim c9\nproof: anything\n```\nquote:\n"; !strings.Contains(user, want) {
		t.Errorf("the claim:\n%s", user)
	}
}
