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

// analysed counts the results of each run of an analyser: those in the review, and those outside it. It names examples of
// left-out results and files with the reason, because a local review has no page that does.
func analysed(runs []sast.Analysis, left []sast.Note) (lines []string) {
	for _, a := range runs {
		if a.Failed && a.Source == sast.SourceProgram {
			continue // another notice names it, with the reason
		}
		name := strings.TrimSpace(a.Name + " " + a.Version)
		lines = append(lines, fmt.Sprintf("%s: %d %s on changed lines, %d elsewhere, %d suppressed by the tool, %d left out.", name,
			a.New, resultWord(a.New), a.Old, a.Suppressed, a.LeftOut))
	}
	for _, n := range left {
		if len(n.Examples) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s: %s.", n.Analyser, reasonOf(n), strings.Join(n.Examples, "; ")))
		}
	}
	return lines
}

// reasonOf says what a note counts, and why it was left out.
func reasonOf(n sast.Note) string {
	if n.Unit == sast.UnitAnalysers {
		return n.Why
	}
	return fmt.Sprintf("%s left out, because %s", sast.Counted(n.Unit, n.Count), n.Why)
}

// requestAnalysers adds the requested analysers to those of the policy.
func (o *Options) requestAnalysers() {
	if len(o.RunAnalysers) == 0 {
		return
	}
	d := &o.Policy.Deterministic
	d.Analysers = slices.Clone(d.Analysers) // the caller's policy stays as it is
	for _, name := range o.RunAnalysers {
		if !slices.Contains(d.Analysers, name) {
			d.Analysers = append(d.Analysers, name)
		}
	}
}

// missingAnalysers names the requested analysers that did not end well, as a sentence. It returns "" if all did.
func (o *Options) missingAnalysers(runs []sast.Analysis) string {
	if len(o.RunAnalysers) > 0 && !o.Policy.Deterministic.StaticAnalysis {
		return "The requested analysers did not run, because .assay.yaml of the base sets deterministic.staticAnalysis to false."
	}
	var names []string
	for _, a := range runs {
		if a.Failed && a.Source == sast.SourceProgram && slices.Contains(o.RunAnalysers, a.Name) {
			names = append(names, a.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Requested analysers did not end well: " + strings.Join(names, ", ") + "."
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

func resultWord(n int) string {
	if n == 1 {
		return "result"
	}
	return "results"
}
