package engine

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
)

// What the coverage says of files that are beyond a bound, besides the reasons
// of [diff.File.Omitted].
const (
	whyLargeChange = "change too large for a model"
	whyNotSelected = "not among the riskiest lines of a large change"
	whyReduced     = "reduced review"
	whyOutputs     = "outputs of a notebook not shown"
	whyLongData    = "only the beginning of long lines of data shown"
)

// What the coverage says of files that no model is wanted for, besides the words
// of [diff.Class].
const (
	whyBinary  = "binary"
	whyDeleted = "deleted"
	whyNoLine  = "no line changed"
)

// Bounded reports whether the file was left out, or not looked at whole, because
// of its size or of what the host gives: no policy and no kind of file asks for it.
func (n FileNote) Bounded() bool {
	switch n.Why {
	case whyLargeChange, change.WhyLargeFile, change.WhyManyFiles, whyUnchecked, whyUncheckedFile, diff.OmittedLarge, diff.OmittedByHost, diff.OmittedUnreadable, diff.OmittedPath,
		check.WhyWorkflow, check.WhyGo, check.WhyCut, check.WhySecrets, check.WhyBinary:
		return true
	}
	return n.unproven()
}

// unproven reports whether the file was left out although nothing proves that no person
// wrote it.
func (n FileNote) unproven() bool {
	switch n.Why {
	case diff.NoteUnproven, diff.NoteVendored, diff.NoteLFS, diff.NoteWasText, diff.NoteNoText:
		return true
	}
	return false
}

// unseen reports whether a bound kept the change of the file from every model.
func (n FileNote) unseen() bool {
	switch n.Why {
	case change.WhyLargeFile, change.WhyManyFiles, whyUncheckedFile, check.WhyWorkflow, check.WhyGo, check.WhyCut, check.WhyBinary:
		return false
	}
	return n.Bounded()
}

// ByChoice reports whether nobody wanted a model to look at more of the file: by
// policy, by its kind, or because no part of it is for a model.
func (n FileNote) ByChoice() bool {
	class := diff.Class(n.Why)
	switch n.Why {
	case "", checksOnly, change.WhyExcluded, change.WhyNotIncluded, whyBinary, whyDeleted, whyNoLine, whyOutputs, whyLongData, diff.NoteMarked, diff.NoteMinified, diff.NoteByMark, diff.NoteVendoredEdit:
		return true
	}
	return class.Ignored() || class == diff.ClassSubmodule || class == diff.ClassSymlink
}

// ForModel reports whether only the lack of a model kept one from the file.
func (n FileNote) ForModel() bool { return n.Why == checksOnly }

// Unread lists the files of which no model saw all that one should have seen, in
// the order of the diff and with the reason; a review with one is incomplete.
func (r Result) Unread() (out []FileNote) {
	down := r.ModelState == ModelUnavailable
	for _, l := range [][]FileNote{r.Coverage.Skimmed, r.Coverage.Skipped} {
		for _, f := range l {
			if !f.ByChoice() || down && f.Why == checksOnly {
				out = append(out, f)
			}
		}
	}
	return out
}

// count counts the files that were not reviewed whole and of which something holds.
func (c Coverage) count(holds func(FileNote) bool) (n int) {
	for _, l := range [][]FileNote{c.Skimmed, c.Skipped} {
		for _, f := range l {
			if holds(f) {
				n++
			}
		}
	}
	return n
}
