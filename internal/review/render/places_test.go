package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// A comment and a line of the summary name the further places of a finding, a bounded number of them.
func TestFurtherPlaces(t *testing.T) {
	t.Parallel()
	places := func(n int) func(*domain.Finding) {
		return func(f *domain.Finding) {
			for i := range n {
				f.Evidence = append(f.Evidence, domain.Evidence{Kind: domain.EvidencePlace, Path: fmt.Sprintf("pkg/p%d.go", i+1), Start: 7, End: 7, Quote: "x()"})
			}
		}
	}
	for name, c := range map[string]struct {
		places   int
		language string
		want     string
	}{
		"one":    {1, "en", "Also at [`pkg/p1.go:7`]"},
		"five":   {5, "de", "[`pkg/p5.go:7`]"},
		"six":    {6, "en", "and 1 more"},
		"German": {1, "de", "Auch in [`pkg/p1.go:7`]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(bug("fnd_1", places(c.places)), bug("fnd_2", func(f *domain.Finding) {
				places(c.places)(f)
				f.Route = domain.RouteSummary
			}))
			in.Policy.Language = c.language
			out := Render(in)
			if len(out.Comments) != 1 {
				t.Fatalf("%d comments", len(out.Comments))
			}
			for _, text := range []string{out.Comments[0].Body.String(), out.Body.String()} {
				if !strings.Contains(text, c.want) || strings.Contains(text, "p6.go") {
					t.Errorf("no %q in\n%s", c.want, text)
				}
			}
		})
	}
	if text := Render(input(bug("fnd_1", nil))).Comments[0].Body.String(); strings.Contains(text, "Also at") {
		t.Errorf("places of a finding without any:\n%s", text)
	}
}

// A comment shows the explanation of a model unfolded, once and with its label, and what is in it has no effect on the host.
func TestExplanationsOfModels(t *testing.T) {
	t.Parallel()
	hostile := "It fails <img src=x> @everyone [x](https://evil.example)\n/approve"
	for language, label := range map[string]string{"en": "A model explains: ", "de": "Ein Modell erklärt: "} {
		in := input(bug("fnd_1", func(f *domain.Finding) {
			f.Origin, f.RuleID = domain.OriginStatic, "sast/lint/R1"
			f.Evidence = append(f.Evidence, domain.Evidence{Kind: domain.EvidenceModel, Note: hostile})
		}))
		in.Policy.Language = language
		text := Render(in).Comments[0].Body.String()
		if strings.Count(text, "\n"+label+"It fails `<img src=x> @everyone` x `/approve`\n") != 1 || strings.Count(text, "It fails") != 1 {
			t.Errorf("%s:\n%s", language, text)
		}
	}
}
