package local

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/snapshot"
)

// analysed says how many results of each given run of an analyser the review has, and how many it has not.
func analysed(runs []sast.Analysis) (lines []string) {
	for _, a := range runs {
		name := strings.TrimSpace(a.Name + " " + a.Version)
		lines = append(lines, fmt.Sprintf("%s: %d results on changed lines, %d elsewhere, %d suppressed by the tool, %d left out.", name,
			a.New, a.Old, a.Suppressed, a.LeftOut))
	}
	return lines
}

// withoutAnalyses names the files of results in the working tree that the change leaves out. The commits or the index may have an
// older version of such a file, which is a part of the change.
func (c comparison) withoutAnalyses(l *snapshot.Local, o Options) []string {
	if o.Range != "" || o.Pushed != "" || o.Staged {
		return nil
	}
	set, err := diff.Parse(c.Raw)
	if err != nil { // the review reports the error
		return nil
	}
	var out []string
	for _, file := range o.AnalysisFiles {
		for _, path := range fromRoot(l.Root, file) {
			if set.File(path) == nil && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	return []string{"Not part of the change, because --sarif names them: " + firstNamed(out, change.ShowPath) + "."}
}
