package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
)

// told is a review with n findings in comments.
func told(n int) Input {
	var findings []domain.Finding
	for i := range n {
		findings = append(findings, bug(fmt.Sprintf("fnd_%d", i+1), func(f *domain.Finding) {
			f.Title, f.Anchor.StartLine, f.Anchor.EndLine, f.Suggestion = fmt.Sprintf("Fault %d", i+1), i+1, i+1, nil
		}))
	}
	in := input(findings...)
	in.LinkFor, in.MaxComments = linkFor(true), 30
	return in
}

// From four findings in comments on, the summary lists them with links, within its bounds.
func TestManyFindingsInCommentsAreListed(t *testing.T) {
	t.Parallel()
	if body := Render(told(3)).SummaryBody.String(); strings.Contains(body, "Fault 1") {
		t.Errorf("three are listed:\n%s", body)
	}
	body := Render(told(4)).SummaryBody.String()
	for _, want := range []string{"<summary>4 findings in comments</summary>", "- **High** · [`shop/shop.go:4`](https://host.example/"} {
		if !strings.Contains(body, want) {
			t.Errorf("without %q:\n%s", want, body)
		}
	}
	body = Render(told(25)).SummaryBody.String()
	if !strings.Contains(body, "Fault 20") || strings.Contains(body, "Fault 21") || !strings.Contains(body, "and 5 more") {
		t.Errorf("25 findings:\n%s", body)
	}
	plain := told(4)
	plain.Host = codehost.CapabilitiesOf(domain.BitbucketCloud)
	if body := Render(plain).SummaryBody.String(); strings.Contains(body, "in comments</summary>") || strings.Contains(body, "Fault 1") {
		t.Errorf("a host that cannot fold:\n%s", body)
	}
}

// A later review lists the findings of earlier comments, too: the summary is about the pull request.
func TestFindingsOfEarlierCommentsAreListed(t *testing.T) {
	t.Parallel()
	in := told(4)
	in.First = false
	for i := range 3 {
		in.Result.Findings[i].Known = true
	}
	out := Render(in)
	testkit.Equal(t, "comments", len(out.Comments), 1)
	if body := out.SummaryBody.String(); !strings.Contains(body, "4 findings in comments") {
		t.Error(body)
	}
	if body := out.Body.String(); strings.Contains(body, "in comments</summary>") {
		t.Errorf("the review of the push lists them, too:\n%s", body)
	}
}

// The line below a comment leads to the page of its finding, and names a confidence only if it is low.
func TestLineBelowAComment(t *testing.T) {
	t.Parallel()
	in := told(2)
	in.FindingsURL = "https://assay.example/t/ten_1/repositories/repo_1/findings/"
	in.Result.Findings[1].Confidence = 0.6
	out := Render(in)
	first, second := out.Comments[0].Body.String(), out.Comments[1].Body.String()
	if !strings.HasPrefix(first, "**High: Fault 1**\n") {
		t.Errorf("first line:\n%s", first)
	}
	if !strings.Contains(first, "[details](https://assay.example/t/ten_1/repositories/repo_1/findings/fnd_1)") || strings.Contains(first, "confidence") {
		t.Error(first)
	}
	if !strings.Contains(second, "bug · `llm/correctness/division-by-zero` · confidence 0.60 · [details]") {
		t.Error(second)
	}
	in.FindingsURL = ""
	if first = Render(in).Comments[0].Body.String(); !strings.Contains(first, "[details](https://assay.example/r/run_1)") {
		t.Errorf("without a page of the finding:\n%s", first)
	}
}
