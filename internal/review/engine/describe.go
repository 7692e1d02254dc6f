package engine

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/wording"
)

// describe fills in the facts that need no model: the size of the change, the findings of checks, and notices.
func (w *work) describe() {
	set := w.given
	w.result.Redact, w.result.Diff, w.result.RepositoryFile = w.redact, w.set, w.in.RepositoryFile
	w.result.ChecksOff = w.in.ChecksOff
	w.result.Stats = Stats{Files: len(set.Files), Dropped: map[string]int{}, Deterministic: len(w.checks.Findings),
		StaticUnchanged: w.analysed.Old}
	if w.checks.Cut > 0 {
		w.drop(check.WhyCut, w.checks.Cut)
		w.note(wording.English(wording.NoticeChecksCut, w.checks.Cut, check.MaxFindings))
	}
	for _, f := range set.Files {
		w.result.Stats.Additions += f.Additions
		w.result.Stats.Deletions += f.Deletions
	}
	w.note(w.in.Notice)
	w.result.IndexCommit = w.in.IndexCommit
	if w.in.SilentTrackers > 0 {
		w.note(wording.English(wording.NoticeTrackers, w.in.SilentTrackers))
	}
	if check.Hidden(w.in.PullRequest.Title) || check.Hidden(w.in.PullRequest.Body) {
		w.note(wording.English(wording.NoticeHidden))
	}
	w.note(uncheckedNotice(w.checks.Unchecked))
	w.noteUnmatched(w.checks.Unmatched)
	w.noteAnalyses()
	w.note(set.Lacks)
	w.note(instructionsNotice(set, w.in.steers()))
	for _, sentence := range w.in.FilePreview {
		w.note(sentence)
	}
	w.note(w.switchesNotice())
}

// switchesNotice names new comments that switch findings of analysers off, "" without one.
func (w *work) switchesNotice() string {
	var places []string
	for _, f := range w.set.Files {
		if change.Excluded(f, w.in.Policy) == "" {
			places = append(places, w.checks.Switches[f.Path]...)
		}
	}
	switch more := len(places) - maxNamed; {
	case len(places) == 0:
		return ""
	case more > 0:
		places = append(places[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return wording.English(wording.NoticeSwitches, strings.Join(places, ", "))
}

// instructionsNotice says that files which steer reviewers were changed, "" where
// none was: they count from the base branch only, so the change itself is not
// reviewed by them.
func instructionsNotice(set *diff.Set, steers func(path string) bool) string {
	var names []string
	for _, f := range set.Files {
		if steers(f.Path) || f.OldPath != "" && steers(f.OldPath) {
			names = append(names, change.CleanPath(f.Path))
		}
	}
	switch more := len(names) - maxNamed; {
	case len(names) == 0:
		return ""
	case more > 0:
		names = append(names[:maxNamed], fmt.Sprintf("%d more", more))
	}
	return wording.English(wording.NoticeInstructions, strings.Join(names, ", "))
}
