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
	in.Result.Synopsis.Text = "Adds `Average`, the mean of the prices."
	const want = "A model describes the change: Adds `Average`, the mean of the prices.\n\nReviewed 4 files"
	out := Render(in)
	for name, text := range map[string]string{"review": out.Body.String(), "check": out.CheckSummary.String()} {
		if !strings.HasPrefix(text, want) {
			t.Errorf("the %s opens otherwise:\n%s", name, text)
		}
	}
	in.Result.Synopsis.Text = ""
	if got := Render(in).Body.String(); !strings.HasPrefix(got, "Reviewed 4 files") {
		t.Errorf("a review without a sentence opens otherwise:\n%s", got)
	}
}

// After a push the edited summary has the sentence of the whole change, and the short new review does not repeat it.
func TestLaterReviewsKeepTheSynopsisInTheSummary(t *testing.T) {
	t.Parallel()
	in := input()
	in.First, in.Run.PreviousHead, in.Result.Synopsis.Text = false, "0123456789", "Adds a sum and an average."
	out := Render(in)
	if !strings.HasPrefix(out.SummaryBody.String(), "A model describes the change") || strings.Contains(out.Body.String(), "average") {
		t.Errorf("summary:\n%s\n\nreview:\n%s", out.SummaryBody, out.Body)
	}
}

// A sentence of an earlier review names its commit. A sentence for the head does not.
func TestEarlierSynopsisNamesItsCommit(t *testing.T) {
	t.Parallel()
	in := input()
	in.Result.Synopsis.Text, in.Result.Synopsis.Head = "Adds a sum.", "0123456789"
	const want = "A model described the change at `0123456`: Adds a sum.\n\n"
	if got := Render(in).Body.String(); !strings.HasPrefix(got, want) {
		t.Errorf("the review opens otherwise:\n%s", got)
	}
	in.Result.Synopsis.Head = in.Run.HeadSHA
	if got := Render(in).Body.String(); !strings.HasPrefix(got, "A model describes the change: Adds a sum.\n\n") {
		t.Errorf("the review of the head opens otherwise:\n%s", got)
	}
}

// Whatever a stored result holds, a host shows one line without addresses, mentions, markup and hidden characters. The verdict
// follows it.
func TestHostileSynopsisIsHarmless(t *testing.T) {
	t.Parallel()
	key := "AKIA" + "Z7Q3XWPLM2VN5T6R"
	const text = "Adds\n\n# x\n/approve @octocat <img src=x> [y](https://evil.example) \u202e\u200b"
	for _, host := range codehost.Profiles() {
		in := input()
		in.Host = host.Capabilities
		in.Redact = func(s string) string { return strings.ReplaceAll(s, key, "[redacted:key]") }
		in.Result.Synopsis.Text = text + key + strings.Repeat(" more", 500)
		body := Render(in).Body.String()
		before, _, found := strings.Cut(body, "\n\nReviewed 4 files")
		plain := regexp.MustCompile("`[^`]*`").ReplaceAllString(before, "") // code spans have no effect
		for _, bad := range []string{"evil.example", "@octocat", "<img", "/approve", "\u202e", "\u200b", key, "\n"} {
			if strings.Contains(plain, bad) || bad == key && strings.Contains(before, bad) {
				t.Errorf("%s shows %q:\n%s", host.Kind, bad, before)
			}
		}
		testkit.Equal(t, string(host.Kind)+": is before the verdict", found && strings.HasPrefix(before, "A model describes the change"), true)
		if n := len(before); n > 500 {
			t.Errorf("%s: the line has %d bytes", host.Kind, n)
		}
	}
}
