package report

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/review/engine"
)

// serviceWords refer readers to the page of a run and to the operator of a service. A local review has neither.
var serviceWords = strings.NewReplacer(" The page of the run names the reasons.", "", " The page of the run names the reason.", "",
	"because the operator has not set them up:", "because they are not set up here:",
	"The operator can run assay doctor.", "Run assay doctor.")

// notices returns the sentences about the review, without references to the page of the run: other sentences name what was left out.
func (r Report) notices() (out []string) {
	for _, n := range r.Result.Notices {
		out = append(out, serviceWords.Replace(n))
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
