package render

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// The summary gives, for each finding that it lists, the reason why it has no comment on a line, in the
// language of the policy.
func TestTheSummarySaysWhyAFindingHasNoComment(t *testing.T) {
	t.Parallel()
	inSummary := func(aside string) domain.Finding {
		return bug("fnd_1", func(f *domain.Finding) { f.Route, f.Aside = domain.RouteSummary, aside })
	}
	for name, c := range map[string]struct {
		finding domain.Finding
		most    int
		german  string
	}{
		"size":           {inSummary(wording.English(wording.AsideSize, 3)), 10, "über die 3 Kommentare hinaus, die eine Änderung dieser Größe bekommt"},
		"file":           {inSummary(wording.English(wording.AsideFile, 3)), 10, "über die 3 Kommentare hinaus, die eine Datei bekommt"},
		"binary":         {inSummary(wording.English(wording.AsideBinary)), 10, "eine Binärdatei hat keine Zeilen"},
		"without a line": {bug("fnd_1", func(f *domain.Finding) { f.Anchor.Level = domain.AnchorFile }), 10, "betrifft keine einzelne Zeile"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(c.finding)
			in.MaxComments, in.Policy.Language = c.most, "de"
			if body := Render(in).Body.String(); !strings.Contains(body, "("+c.german+")") {
				t.Errorf("no %q in\n%s", c.german, body)
			}
		})
	}
	t.Run("bound of the host", func(t *testing.T) {
		t.Parallel()
		in := input(bug("fnd_1", nil), bug("fnd_2", nil))
		in.Host.MaxComments = 1
		in.Host.MaxBody, in.Host.MaxComment = 65_536, 65_536
		if body := Render(in).Body.String(); strings.Count(body, "(beyond the 1 comment that a review may have)") != 1 {
			t.Errorf("the text does not name the bound exactly once:\n%s", body)
		}
	})
	t.Run("the policy wants none", func(t *testing.T) {
		t.Parallel()
		in := input(inSummary(wording.English(wording.AsideSize, 3)), bug("fnd_2", nil))
		in.Mode = domain.PublishSummaryOnly
		if body := Render(in).Body.String(); strings.Contains(body, "beyond") {
			t.Errorf("a reason that does not hold:\n%s", body)
		}
	})
	t.Run("text from outside", func(t *testing.T) {
		t.Parallel()
		in := input(inSummary(strings.Repeat("[x](https://evil.example) ", 50)))
		if body := Render(in).Body.String(); strings.Contains(body, "](https://evil.example") || strings.Count(body, "x") > 60 {
			t.Errorf("a reason that is not ours is shown as it came:\n%s", body)
		}
	})
}
