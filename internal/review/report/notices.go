package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/engine"
)

// pageSentences refer readers to a page that a local review does not have.
var pageSentences = strings.NewReplacer(" The page of the run names the reasons.", "", " The page of the run names the reason.", "")

// notices returns the sentences about the review. In place of a reference to the page of the run, they name what was left out of the
// results of analysers.
func (r Report) notices() (out []string) {
	for _, n := range r.Result.Notices {
		out = append(out, pageSentences.Replace(n))
	}
	for _, n := range r.Result.AnalysesLeft {
		line := fmt.Sprintf("%s: %s (%d)", n.Analyser, n.Why, n.Count)
		if len(n.Examples) > 0 {
			line += ", such as " + strings.Join(n.Examples, ", ")
		}
		out = append(out, line+".")
	}
	return out
}

// coverage returns the files of the change. If nothing ran, each counts as unread.
func (r Report) coverage() engine.Coverage {
	c := r.Result.Coverage
	if !r.Result.NothingRan() {
		return c
	}
	for _, l := range []*[]engine.FileNote{&c.Reviewed, &c.Skimmed, &c.Skipped} {
		*l = slices.Clone(*l)
		for i := range *l {
			(*l)[i].Extent = engine.ExtentUnread
		}
	}
	return c
}
