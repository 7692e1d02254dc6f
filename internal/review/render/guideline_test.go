package render

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit/mdcheck"
)

// A finding that breaks a sentence of a guideline file quotes it with its file, in a comment and in the
// summary, with a link to the version that applies.
func TestAGuidelineIsQuoted(t *testing.T) {
	t.Parallel()
	breaks := func(route domain.Route, quote string) Input {
		in := input(bug("fnd_1", func(f *domain.Finding) {
			f.RuleID, f.Category, f.Severity, f.Route = "repo/gdl_1", domain.CategoryRule, domain.Low, route
			f.Evidence = append([]domain.Evidence{{Kind: domain.EvidenceRule, Path: "docs/AGENTS.md", Quote: quote}}, f.Evidence...)
		}))
		in.BaseLink = func(p string) string { return "https://host.example/o/r/blob/ba5e/" + p }
		return in
	}
	const said = "[`docs/AGENTS.md`](https://host.example/o/r/blob/ba5e/docs/AGENTS.md): “Never divide by a length.”"
	out := Render(breaks(domain.RouteInline, "Never divide by a length."))
	if body := out.Comments[0].Body.String(); strings.Count(body, said) != 1 || strings.Count(body, "Never divide") != 1 {
		t.Errorf("comment: %s", body)
	}
	if body := Render(breaks(domain.RouteSummary, "Never divide by a length.")).Body.String(); strings.Count(body, said) != 1 {
		t.Errorf("summary: %s", body)
	}
	in := breaks(domain.RouteInline, "Never @octo ![x](https://evil.example/a.png) <b>do</b> https://evil.example fixes #1")
	in.BaseLink, in.Policy.Language = nil, "de"
	in.Result.Findings[0].Evidence = in.Result.Findings[0].Evidence[:1]
	body := Render(in).Comments[0].Body.String()
	if !strings.Contains(body, "`docs/AGENTS.md`: „Never ") {
		t.Errorf("comment in German: %s", body)
	}
	if wrong := mdcheck.Goldmark(body, ours); len(wrong) > 0 {
		t.Errorf("%q: %s", wrong, body)
	}
}
