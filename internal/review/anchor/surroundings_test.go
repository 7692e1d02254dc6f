package anchor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Among equal lines, the place is the one between the same neighbours. If other lines stand between
// them, the place was edited; if no lines do, it is gone.
func TestFind(t *testing.T) {
	t.Parallel()
	const before = "package p\nfunc f() {\n\ta()\n\tif x {\n\t\tv = old\n\t} else {\n\t\tv = old\n\t}\n\tb()\n}\n"
	nth := func(n int, by string) string {
		parts := strings.Split(before, "v = old")
		return strings.Join(parts[:n+1], "v = old") + by + strings.Join(parts[n+1:], "v = old")
	}
	for name, c := range map[string]struct {
		line  int
		after string
		fresh int // the new line, 0 for none
		want  Site
	}{
		"as it was":                      {5, before, 0, Site{Kind: SiteStands, First: 5, Last: 5}},
		"lines before it":                {7, strings.Replace(before, "\ta()", "\tone()\n\ttwo()\n\ta()", 1), 0, Site{Kind: SiteStands, First: 9, Last: 9}},
		"the first is edited":            {5, nth(0, "w = new"), 0, Site{Kind: SiteEdited, First: 5, Last: 5}},
		"a name at the end of the first": {5, nth(0, "v = older"), 0, Site{Kind: SiteEdited, First: 5, Last: 5}},
		"the second is edited":           {7, nth(1, "w = new"), 0, Site{Kind: SiteEdited, First: 7, Last: 7}},
		"the other one is edited":        {7, nth(0, "w = new"), 0, Site{Kind: SiteStands, First: 7, Last: 7}},
		"it became three lines":          {7, nth(1, "w = new\n\t\tw++\n\t\tuse(w)"), 0, Site{Kind: SiteEdited, First: 7, Last: 9}},
		"it is deleted":                  {5, nth(0, ""), 0, Site{Kind: SiteGone}},
		"it is moved":                    {5, strings.Replace(nth(0, ""), "\tb()", "\tb()\n\tv = old", 1), 10, Site{Kind: SiteStands, First: 10, Last: 10}},
		"either of them may have moved":  {5, strings.Replace(nth(0, ""), "\tb()", "\tb()\n\tv = old", 1), 0, Site{Kind: SiteGone}},
		"both are gone":                  {5, "package p\nfunc f() {\n\tc()\n}\n", 0, Site{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, src := shows(t, before)
			a := domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: c.line, EndLine: c.line, Quote: "\t\tv = old", Level: domain.AnchorLine}
			around, err := Around(t.Context(), a, set, src)
			if err != nil || len(around.Above) != maxNeighbours || len(around.Below) == 0 || around.Twins != 1 {
				t.Fatalf("%+v, %v", around, err)
			}
			set, src = shows(t, c.after)
			if got, err := Find(t.Context(), a, around, set, src, func(line int) bool { return line == c.fresh }); err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
			if got, err := Find(t.Context(), a, domain.Around{}, set, src, nil); err != nil || got != (Site{}) {
				t.Errorf("without neighbours: %+v, %v", got, err)
			}
		})
	}
}

// shows is a change that adds a file.
func shows(t *testing.T, text string) (*diff.Set, files) {
	t.Helper()
	set, err := diff.FromPatches([]diff.Patch{{Path: "a.go", Status: diff.Added, Text: fmt.Sprintf("@@ -0,0 +1,%d @@\n+", strings.Count(text, "\n")) + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n+") + "\n"}})
	if err != nil {
		t.Fatal(err)
	}
	return set, files{"RIGHT:a.go": text}
}
