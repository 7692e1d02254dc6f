package verdict_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/review/verdict"
	"github.com/assay-dev/assay/internal/review/verdict/verdicttest"
	"github.com/assay-dev/assay/internal/testkit"
)

func whole() verdict.Verdict {
	v := verdict.Reviewed([]domain.Finding{{Severity: domain.Critical}, {Severity: domain.Medium}, {Severity: domain.Medium}, {Severity: domain.Info}}, true,
		verdict.Left{Dismissed: 1, Suppressed: 2, BelowLimit: 3})
	v.Version, v.Head, v.Run, v.Round = verdict.Version, strings.Repeat("0a", 20), domain.NewID("run"), 3
	return v
}

func TestAVerdictIsReadAsItWasWritten(t *testing.T) {
	want := whole()
	for name, text := range map[string]string{
		"a text on a host":  markdown.Blocks(markdown.Line("A title", 0), want.Text(), markdown.Line("The end", 0)).String(),
		"folded":            markdown.Fold(markdown.Const("For programs"), want.Text()).String(),
		"plain text":        "head: 1\n\n" + want.Block(),
		"other line breaks": strings.ReplaceAll("head: 1\n\n"+want.Block(), "\n", "\r\n"),
	} {
		got, ok := verdicttest.Parse(text)
		testkit.Equal(t, name, ok, true)
		testkit.Equal(t, name, got, want)
	}
}

func TestStatesOfAReview(t *testing.T) {
	open := []domain.Finding{{Severity: domain.Low}}
	testkit.Equal(t, "nothing open", verdict.Reviewed(nil, true, verdict.Left{}).State, verdict.Clean)
	testkit.Equal(t, "a part was not looked at", verdict.Reviewed(nil, false, verdict.Left{}).State, verdict.Incomplete)
	testkit.Equal(t, "open", verdict.Reviewed(open, true, verdict.Left{}).State, verdict.Findings)
	testkit.Equal(t, "open, and a part was not looked at", verdict.Reviewed(open, false, verdict.Left{}).State, verdict.Findings)
}

func TestAVerdictHasNoTextFromOutside(t *testing.T) {
	v := whole()
	v.Head, v.Run = "main`\n```\n", `run_1","state":"clean`
	for _, text := range []string{v.Block(), v.Text().String()} {
		got, ok := verdicttest.Parse(text)
		testkit.Equal(t, "read", ok, true)
		testkit.Equal(t, "head", got.Head, "")
		testkit.Equal(t, "run", got.Run, "")
	}
	v = whole()
	v.Findings.Info = 1 << 62
	v.Left = verdict.Left{1 << 62, 1 << 62, 1 << 62, 1 << 62}
	if n := len(v.Block()); n > 1000 {
		t.Errorf("%d bytes", n)
	}
}

func TestWhatIsNotAVerdict(t *testing.T) {
	v := whole()
	for name, text := range map[string]string{
		"nothing":         "",
		"two blocks":      v.Block() + v.Block(),
		"indented":        " " + v.Block(),
		"without its end": strings.TrimSuffix(v.Block(), "```\n"),
		"another version": strings.Replace(v.Block(), `"version":1`, `"version":2`, 1),
		"another state":   strings.Replace(v.Block(), `"state":"findings"`, `"state":"fine"`, 1),
		"not JSON":        "```assay-verdict\nclean\n```",
		"too long":        strings.Replace(v.Block(), `{`, `{`+strings.Repeat(" ", 1000), 1),
	} {
		if _, ok := verdicttest.Parse(text); ok {
			t.Errorf("%s: was read", name)
		}
	}
}
