package engine

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// LaterRound is the first review of a pull request that comments on less, so that fixes and reviews end: the third.
const LaterRound = 3

// maxPreviousFiles is how many files at the head of the last review are read, at most (design choice). On some hosts
// each is a request.
const maxPreviousFiles = 20

// Waits reports whether a finding waits in the summary because a later round found it.
func Waits(f domain.Finding) bool { return f.Aside == wording.English(wording.AsideLaterRound) }

// waits reports whether a finding of a model that would be shown gets no comment because of the round. High and above,
// confirmed findings on code that the last push has changed, and findings that fail the check do not wait.
func (r routed) waits() bool {
	if !r.LaterRound || r.Mandatory || r.Deterministic() || r.grave() {
		return false
	}
	confirmed := r.Verdict == domain.VerdictConfirmed && !r.preExisting()
	on := r.policy.Check.FailOn
	return !confirmed || !r.FromPush && (on == nil || r.Severity < *on)
}

// markRound records whether a new finding is one of a later round, and whether the last push has changed its code. A person who
// asks for a review gets all findings in the usual places.
func (w *work) markRound(ctx context.Context, it *finding.Item) {
	it.LaterRound = w.in.Round >= LaterRound && !w.in.Asked
	it.FromPush = it.LaterRound && w.fromPush(ctx, it)
}

// endWait ends the wait of an earlier finding for which the later round is no reason any more: a person asks for the review, it is High
// or above now, it fails the check, or its rule is mandatory now. It reports whether the finding gets a place as a new one would. before
// holds the facts of the run that found it, nil if they are not known.
func (w *work) endWait(it *finding.Item, before *domain.Basis) bool {
	if it.State != domain.FindingOpen || !Waits(it.Finding) {
		return false
	}
	w.bindByRule(it)
	it.LaterRound, it.FromPush = !w.in.Asked, false
	if (routed{it, w.in.Policy}).waits() {
		return false
	}
	if before != nil {
		it.Changed, it.Touched, it.Alone, it.Intended = before.Changed, before.Touched, before.Alone, before.Intended
	}
	it.ToldBy, it.Reviewed = 0, w.in.Asked && !w.in.Full
	it.Threshold = w.in.Thresholds[it.Category]
	it.Lineless = lineless(it.Anchor, w.set)
	to, _ := route(it, w.in.Policy) // clears the reason for which it waited
	if to == domain.RouteStored {
		it.Aside = ""
		return false
	}
	it.Known, it.Basis = false, basisOf(it, false)
	return true
}

// fromPush reports whether the last push has written or removed the lines of a finding, or lines of its evidence.
func (w *work) fromPush(ctx context.Context, it *finding.Item) bool {
	if w.in.Previous == nil {
		return false
	}
	if before, known := w.previousLines(ctx, it.Anchor.Path); known && it.Anchor.Quote != "" {
		if has := strings.Contains(before, flushLines(it.Anchor.Quote)); has == (it.Anchor.Side == domain.Left) {
			return true
		}
	}
	for _, e := range it.Proofs() {
		before, known := w.previousLines(ctx, e.Path)
		if known && e.Quote != "" && it.Anchor.Side != domain.Left && !strings.Contains(before, flushLines(e.Quote)) {
			return true
		}
	}
	return false
}

// previousLines returns a file at the head of the last review in the form of [flushLines]. A file that was not there
// is empty. It returns false if the file cannot be known.
func (w *work) previousLines(ctx context.Context, path string) (lines string, known bool) {
	if lines, known = w.previous[path]; known {
		return lines, true
	}
	if path == "" || len(w.previous) >= maxPreviousFiles {
		return "", false
	}
	raw, err := w.in.Previous.Blob(ctx, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false
	}
	if w.previous == nil {
		w.previous = map[string]string{}
	}
	w.previous[path] = flushLines(string(raw))
	return w.previous[path], true
}

// flushLines returns a text with a line break around each line and without space at the ends of lines, so that whole
// lines can be looked for.
func flushLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSpace(l)
	}
	return "\n" + strings.Join(lines, "\n") + "\n"
}
