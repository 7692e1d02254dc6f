package report

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/engine"
)

// pageSentences refer readers to a page that a local review does not have.
var pageSentences = strings.NewReplacer(" The page of the run names the reasons.", "", " The page of the run names the reason.", "")

// notices returns the sentences about the review, without references to the page of the run: other sentences name what was left out.
func (r Report) notices() (out []string) {
	for _, n := range r.Result.Notices {
		out = append(out, pageSentences.Replace(n))
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
