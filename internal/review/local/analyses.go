package local

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/review/sast"
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
