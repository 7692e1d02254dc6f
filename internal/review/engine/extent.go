package engine

import (
	"cmp"
	"slices"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
)

// How much of a file was looked at; see [FileNote.Extent].
const (
	ExtentRead = "read" // a model saw every change, in this run or an earlier one
	ExtentPart = "part" // a model saw some changes, or not what they stand in
	// deterministic checks alone looked at it, because of its kind, because no lines are left to show, or because no model is used
	ExtentChecked = "checked"
	ExtentUnread  = "unread" // no model saw it; [FileNote.Why] says why
)

// extents fills in how much of each file was looked at.
func (w *work) extents() {
	c := &w.result.Coverage
	for i, n := range c.Reviewed {
		f := w.set.File(n.Path)
		switch {
		case unchanged(f) != "":
			c.Reviewed[i].Extent, c.Reviewed[i].Why = ExtentChecked, unchanged(f)
		case slices.ContainsFunc(w.targetsAt(n.Path), (*change.Target).HasLongLines):
			c.Reviewed[i].Extent = ExtentPart
			if !slices.ContainsFunc(w.targetsAt(n.Path), (*change.Target).CutsCode) {
				c.Reviewed[i].Why = whyLongData
			}
		case w.outputs[n.Path]:
			c.Reviewed[i].Extent, c.Reviewed[i].Why = ExtentPart, whyOutputs
		default:
			c.Reviewed[i].Extent = ExtentRead
		}
	}
	for i, n := range c.Skimmed {
		c.Skimmed[i].Extent = w.extent(n)
	}
	for i, n := range c.Skipped {
		c.Skipped[i].Extent = ExtentUnread
		switch n.Why {
		case whyBinary:
			c.Skipped[i].Extent = ExtentChecked
		case check.WhyBinary:
			c.Skipped[i].Extent = ExtentPart
		default:
			if n.unproven() && w.onlyChecked(n) {
				c.Skipped[i].Extent = ExtentChecked
			}
		}
	}
}

// extent says how much was looked at of a file that is not reviewed whole.
func (w *work) extent(n FileNote) string {
	switch n.Why {
	case change.WhyLargeFile, change.WhyManyFiles, whyUncheckedFile:
		return ExtentPart
	case check.WhyWorkflow, check.WhyUnparsed, check.WhyCut, check.WhyBinary, check.WhyRuleBroken, check.WhyRuleBound:
		if f := w.set.File(n.Path); f != nil && f.Class.Ignored() {
			return ExtentChecked
		}
		return ExtentPart
	}
	if n.ByChoice() || w.onlyChecked(n) {
		return ExtentChecked
	}
	for _, t := range w.plan.model {
		if t.File.Path == n.Path && slices.ContainsFunc(t.Hunks, func(h *diff.Hunk) bool { return slices.Contains(w.gen.hunks, h.ID) }) {
			return ExtentPart
		}
	}
	return ExtentUnread
}

// onlyChecked reports whether the checks could read a file of a review that no model takes part in, where the
// reason not to show the file to one makes no difference.
func (w *work) onlyChecked(n FileNote) bool { return w.in.Models == nil && !n.unreadable() }

// By lists the files of an extent, in the order of the lists. In results of older versions, which have no extents, the
// lists stand for them.
func (c Coverage) By(extent string) (out []FileNote) {
	for _, l := range []struct {
		files []FileNote
		means string
	}{{c.Reviewed, ExtentRead}, {c.Skimmed, ExtentChecked}, {c.Skipped, ExtentUnread}} {
		for _, n := range l.files {
			if cmp.Or(n.Extent, l.means) == extent {
				out = append(out, n)
			}
		}
	}
	return out
}

// Looked counts the files that were looked at, at least in part.
func (c Coverage) Looked() int {
	return len(c.Reviewed) + len(c.Skimmed) + len(c.Skipped) - len(c.By(ExtentUnread))
}

// Incomplete reports whether the review is not what it should have been: the model's part is
// incomplete, a file was not read that no policy and no kind leaves out, or, without a model, there are
// files that not even the deterministic checks could read.
func (r Result) Incomplete() bool {
	missed := FileNote.unreadable
	if r.ModelState == ModelComplete {
		missed = func(n FileNote) bool {
			return n.Why == check.WhyWorkflow || n.Why == check.WhyBinary || n.Extent == ExtentUnread && !n.ByChoice()
		}
	}
	return r.ModelState == ModelPartial || r.ModelState == ModelUnavailable || r.CutsCode() || r.Coverage.count(missed) > 0
}

// CutsCode reports whether a model saw only the beginning of long lines of code. A review of such a file is incomplete.
func (r Result) CutsCode() bool {
	return slices.ContainsFunc(r.Coverage.Reviewed, FileNote.cutsCode)
}

// cutsCode reports whether a model saw only the beginning of long lines of code of a reviewed file.
func (n FileNote) cutsCode() bool {
	return n.Extent == ExtentPart && n.Why != whyOutputs && n.Why != whyLongData
}

// unreadable reports whether nothing could read the change of the file, or, of a workflow and of a binary
// file, whether the checks could not read all of it.
func (n FileNote) unreadable() bool {
	switch n.Why {
	case check.WhyWorkflow, check.WhyBinary, whyUnchecked, diff.OmittedLarge, diff.OmittedByHost, diff.OmittedUnreadable,
		diff.OmittedPath, diff.NoteLFS, diff.NoteWasText, diff.NoteNoText:
		return true
	}
	return false
}

// Binary reports whether the file has no text that a model could be shown.
func (n FileNote) Binary() bool { return n.Why == whyBinary }

// Named reports whether a review names the file: people may want to look at it themselves.
func (n FileNote) Named() bool {
	return n.Why == diff.NoteMarked || n.Why == diff.NoteMinified || n.Why == diff.NoteByMark || n.Why == diff.NoteVendoredEdit ||
		n.Bounded() || n.Extent == ExtentUnread && !n.ByChoice()
}
