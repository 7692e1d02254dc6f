package anchor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// If the quoted lines no longer stand together anywhere, the place is between its remaining neighbours,
// equal or similar, and includes the edited lines.
func TestPlacesOfEditedLines(t *testing.T) {
	t.Parallel()
	lines := []string{"package p", "func f(mode Mode) {", "\topen(mode, name)", "\tif mode.strict() {", "\t\tcheck(mode, strictly)", "\t\tpublish(mode, everybody)", "\t}", "\tshut(mode, name)", "\tleave(mode)", "}"}
	const first, last = 5, 6
	edit := func(by map[int]string) string {
		var out []string
		for i, l := range lines {
			if s, there := by[i+1]; !there {
				out = append(out, l)
			} else if s != "" {
				out = append(out, s)
			}
		}
		return strings.Join(out, "\n") + "\n"
	}
	edited := func(first, last int) Site { return Site{Kind: SiteEdited, First: first, Last: last} }
	double := "\nfunc g(mode Mode) {\n" + strings.Join(lines[2:], "\n") + "\n"
	for name, c := range map[string]struct {
		after string
		want  Site
	}{
		"the first line":                      {edit(map[int]string{5: "\t\tcheck(mode, loosely, now)"}), edited(5, 6)},
		"the last line":                       {edit(map[int]string{6: "\t\tpublish(mode, nobody)"}), edited(5, 6)},
		"the last line, as something else":    {edit(map[int]string{6: "\t\tx++"}), edited(5, 6)},
		"both":                                {edit(map[int]string{5: "\t\tx++", 6: "\t\ty++"}), edited(5, 6)},
		"the first, and the line before":      {edit(map[int]string{4: "\tif mode.loose() {", 5: "\t\tcheck(mode, loosely)"}), edited(5, 6)},
		"the last, and another line behind":   {edit(map[int]string{6: "\t\tx++", 7: "\t} else {"}), edited(5, 6)},
		"a name in all lines":                 {strings.ReplaceAll(edit(nil), "mode", "kind"), edited(5, 6)},
		"one became three":                    {edit(map[int]string{5: "\t\tx++\n\t\ty++\n\t\tz++"}), edited(5, 8)},
		"a line between them":                 {edit(map[int]string{5: lines[4] + "\n\t\tx++"}), edited(5, 7)},
		"a line before them, the last is":     {edit(map[int]string{5: "\t\tx++\n" + lines[4], 6: "\t\tpublish(mode, nobody)"}), edited(6, 7)},
		"the first went before its neighbour": {edit(map[int]string{4: lines[4], 5: lines[3]}), edited(4, 6)},
		"one is deleted":                      {edit(map[int]string{5: ""}), edited(5, 5)},
		"both are deleted":                    {edit(map[int]string{5: "", 6: ""}), Site{Kind: SiteGone}},
		"far more stands there":               {edit(map[int]string{5: strings.Repeat("\t\tx++\n", 8), 6: ""}), Site{}},
		"most neighbours are others":          {edit(map[int]string{3: "\ta()", 4: "\tif b {", 5: "\t\tc()", 7: "\t} else {", 8: "\td()", 9: "\te()"}), Site{}},
		"two functions have the same lines":   {strings.NewReplacer("check(mode, strictly)", "check(mode)", "package p", "package other", "func f(", "func h(").Replace(edit(nil) + double), Site{Kind: SiteGone}},
		"nothing of it is left":               {"package p\n", Site{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, src := shows(t, edit(nil))
			a := domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: first, EndLine: last, Quote: strings.Join(lines[first-1:last], "\n"), Level: domain.AnchorLine}
			around, err := Around(t.Context(), a, set, src)
			if err != nil || len(around.Above) != maxNeighbours || len(around.Below) != maxNeighbours {
				t.Fatalf("%+v, %v", around, err)
			}
			set, src = shows(t, c.after)
			if got, err := Find(t.Context(), a, around, set, src, func(int) bool { return true }); err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

// The number of places that are compared line by line is bounded, however long the file is and however
// many lines resemble the surroundings.
func TestPartsThatAreComparedAreBounded(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "open(mode)\nother%d()\nshut(mode)\n", i)
	}
	text := newText([]byte(b.String()))
	around := domain.Around{Above: []string{"open(mode)"}, Below: []string{"shut(mode)"}}
	a := domain.Anchor{Quote: "check(mode)\npublish(mode)", StartLine: 1, EndLine: 2}
	c := text.code()
	at := c.regions(newWindow(a, around))
	if len(at) != maxRegions {
		t.Errorf("%d parts are compared, want %d", len(at), maxRegions)
	}
	if last := slices.Max(at); last > 3*maxSites {
		t.Errorf("line %d was looked at: the file has too many that are like it", last)
	}
	if got := text.extent(a, around); got != (Site{}) {
		t.Errorf("one of many is chosen as the place: %+v", got)
	}
}

// Copies of a line next to it, between the same neighbours, are all candidates for the place.
func TestCopiesNextToALine(t *testing.T) {
	t.Parallel()
	const before = "package p\nfunc f() {\n\ta()\n\tb()\n\tcheck(x)\n\tc()\n\td()\n}\n"
	for name, c := range map[string]struct {
		after string
		want  Site
	}{
		"one above it": {strings.Replace(before, "\tcheck(x)", "\tcheck(x)\n\tcheck(x)", 1), Site{Kind: SiteStands, First: 5, Last: 5, From: 5, Until: 6}},
		"two, and the second is farther from its neighbours": {strings.Replace(before, "\tcheck(x)", "\tcheck(x)\n\n\tcheck(x)\n\tcheck(x)", 1), Site{Kind: SiteStands, First: 5, Last: 5, From: 5, Until: 7}},
		"one apart": {strings.Replace(before, "\tc()", "\tc()\n\tcheck(x)", 1), Site{Kind: SiteStands, First: 5, Last: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set, src := shows(t, before)
			a := domain.Anchor{Path: "a.go", Side: domain.Right, StartLine: 5, EndLine: 5, Quote: "\tcheck(x)", Level: domain.AnchorLine}
			around, err := Around(t.Context(), a, set, src)
			if err != nil {
				t.Fatal(err)
			}
			set, src = shows(t, c.after)
			if got, err := Find(t.Context(), a, around, set, src, func(int) bool { return true }); err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}
