package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/testkit"
)

// The summary and the check open with the sentence and say who wrote it. A review without one opens with the verdict.
func TestSummaryOpensWithTheSynopsis(t *testing.T) {
	t.Parallel()
	in := input()
	in.Result.Synopsis = "Adds `Average`, the mean of the prices."
	const want = "What the change does, according to a model: Adds `Average`, the mean of the prices.\n\nReviewed 4 files"
	out := Render(in)
	for name, text := range map[string]string{"review": out.Body.String(), "check": out.CheckSummary.String()} {
		if !strings.HasPrefix(text, want) {
			t.Errorf("the %s opens otherwise:\n%s", name, text)
		}
	}
	in.Result.Synopsis = ""
	if got := Render(in).Body.String(); !strings.HasPrefix(got, "Reviewed 4 files") {
		t.Errorf("a review without a sentence opens otherwise:\n%s", got)
	}
}

// After a push the edited summary has the sentence of the whole change, and the short new review does not repeat it.
func TestLaterReviewsKeepTheSynopsisInTheSummary(t *testing.T) {
	t.Parallel()
	in := input()
	in.First, in.Run.PreviousHead, in.Result.Synopsis = false, "0123456789", "Adds a sum and an average."
	out := Render(in)
	if !strings.HasPrefix(out.SummaryBody.String(), "What the change does") || strings.Contains(out.Body.String(), "average") {
		t.Errorf("summary:\n%s\n\nreview:\n%s", out.SummaryBody, out.Body)
	}
}

// Whatever a stored result holds, a host shows one line without addresses, mentions, markup and hidden characters.
func TestHostileSynopsisIsHarmless(t *testing.T) {
	t.Parallel()
	key := "AKIA" + "Z7Q3XWPLM2VN5T6R"
	for _, host := range codehost.Profiles() {
		in := input()
		in.Host = host.Capabilities
		in.Redact = func(s string) string { return strings.ReplaceAll(s, key, "[redacted:key]") }
		in.Result.Synopsis = "Adds\n\n# x\n/approve @octocat <img src=x> [y](https://evil.example) \u202e\u200b" + key + strings.Repeat(" more", 500)
		first, _, _ := strings.Cut(Render(in).Body.String(), "\n")
		plain := regexp.MustCompile("`[^`]*`").ReplaceAllString(first, "") // code spans have no effect
		for _, bad := range []string{"evil.example", "@octocat", "<img", "/approve", "\u202e", "\u200b", key, "\n"} {
			if strings.Contains(plain, bad) || bad == key && strings.Contains(first, bad) {
				t.Errorf("%s shows %q:\n%s", host.Kind, bad, first)
			}
		}
		testkit.Equal(t, string(host.Kind)+": begins", strings.HasPrefix(first, "What the change does"), true)
		if n := len(first); n > 500 {
			t.Errorf("%s: the line has %d bytes", host.Kind, n)
		}
	}
}
