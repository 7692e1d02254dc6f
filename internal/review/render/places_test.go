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
