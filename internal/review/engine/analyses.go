package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/wording"
)

// joinAnalyses adds the findings of static analysers to those of the checks. set is the change without its secrets.
func (w *work) joinAnalyses(ctx context.Context, set *diff.Set, det *check.Result) error {
	if !w.in.Policy.Deterministic.StaticAnalysis {
		return nil
	}
	programs, err := w.runPrograms(ctx, set)
	if err != nil {
		return err
	}
	inputs := append(slices.Clone(w.in.Analyses), programs...)
	if len(inputs) == 0 {
		return nil
	}
	out, err := sast.Join(ctx, set, inputs, sast.Options{Own: det.Findings, Redact: det.Redactor.Text})
	if err != nil {
		return err
	}
	w.analysed = out
	w.noteForeign()
	det.Findings = append(det.Findings, out.New...)
	return nil
}

// noteAnalyses names the analysers whose results are missing from the review, in the summary.
func (w *work) noteAnalyses() {
	out := w.analysed
	w.result.Analyses, w.result.AnalysesLeft = out.Analyses, out.LeftOut
	w.result.UncheckedFiles = slices.Concat(w.checks.Unchecked, slices.Sorted(maps.Keys(w.checks.Unread)))
	w.notePrograms()
	if len(w.in.Analyses) > 0 && !w.in.Policy.Deterministic.StaticAnalysis {
		w.note(wording.English(wording.NoticeAnalysersOff))
	}
	if out.Cut > 0 {
		w.drop(check.WhyCut, out.Cut)
		w.note(wording.English(wording.NoticeAnalysersCut, out.Cut, sast.MaxFindings))
	}
	var failed, left, cut []string
	unused, runs := out.CutLeft, 0
	for _, n := range out.LeftOut {
		switch n.Why {
		case sast.WhyTwin, sast.WhyRepeated: // the review has the other finding
		case sast.WhyFailed:
			failed = appendName(failed, n.Analyser)
		case sast.WhyBrokenRun, sast.WhyTooManyRun:
			cut, runs = appendName(cut, n.Analyser), runs+n.Count
		default:
			left, unused = appendName(left, n.Analyser), unused+n.Count
		}
	}
	if len(failed) > 0 {
		w.note(wording.English(wording.NoticeAnalysersFailed, strings.Join(failed, ", ")))
	}
	if unused > 0 {
		w.note(wording.English(wording.NoticeAnalysersLeft, unused, strings.Join(left, ", ")))
	}
	if runs > 0 {
		w.note(wording.English(wording.NoticeRunsLeft, runs, strings.Join(cut, ", ")))
	}
}

// noteSilent counts the open findings of analysers without a run in this review. They stay open, because no document shows that
// they are repaired.
func (w *work) noteSilent(carried []*finding.Item) {
	open := map[string]int{}
	for _, it := range carried {
		if name, ok := domain.AnalyserOf(it.RuleID); ok && it.State == domain.FindingOpen {
			open[name]++
		}
	}
	for _, a := range w.result.Analyses {
		delete(open, sast.Slug(a.Name))
	}
	for _, name := range slices.Sorted(maps.Keys(open)) {
		w.result.SilentAnalysers = append(w.result.SilentAnalysers, sast.Analysis{Source: sast.SourceNone, Name: name, Stays: open[name]})
	}
}

// appendName adds a name to a list of at most [maxNamed] distinct ones.
func appendName(names []string, name string) []string {
	name = strings.ReplaceAll(name, ",", " ")
	if slices.Contains(names, name) || len(names) == maxNamed {
		return names
	}
	return append(names, name)
}
