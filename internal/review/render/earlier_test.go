package render

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// A finding that has returned says so, in a comment and in a list, with a link if the link is safe in
// Markdown.
func TestAFindingThatIsBackSaysSo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ url, want string }{
		"with a link":     {"https://host.example/pull/1#discussion_r7", "it is back ([earlier comment](https://host.example/pull/1#discussion_r7))."},
		"without":         {"", "it is back."},
		"a broken one":    {"https://host.example/) <b>", "it is back."},
		"another scheme":  {"javascript:alert", "it is back."},
		"with a newline":  {"https://host.example/\n", "it is back."},
		"plain http host": {"http://host.example/7", "it is back ([earlier comment](http://host.example/7))."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, route := range []domain.Route{domain.RouteInline, domain.RouteSummary} {
				in := input(bug("f1", func(f *domain.Finding) { f.Route, f.Earlier = route, &domain.Earlier{Comment: "7", URL: c.url} }))
				in.First = false
				out := Render(in)
				text := out.Body
				if route == domain.RouteInline {
					text = out.Comments[0].Body
				}
				if !strings.Contains(text.String(), "Reported before and resolved; "+c.want) {
					t.Errorf("%s: %s", route, text)
				}
				if !strings.Contains(out.Body.String(), ": 0 new, 1 back.") || out.CheckConclusion == domain.CheckSuccess || !out.New {
					t.Errorf("%s, %s: %s", route, out.CheckConclusion, out.Body)
				}
			}
		})
	}
}
