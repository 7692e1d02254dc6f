package engine

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
)

// Reasons of the coverage for files beyond a bound, beside those of [diff.File.Omitted].
const (
	whyLargeChange = "change too large for a model"
	whyNotSelected = "not among the riskiest lines of a large change"
	whyReduced     = "reduced review"
	whyOutputs     = "outputs of a notebook not shown"
	whyLongData    = "only the beginning of long lines of data shown"
)

// Reasons of the coverage for files that no model is wanted for, beside the words of [diff.Class].
const (
	whyBinary  = "binary"
	whyDeleted = "deleted"
	whyNoLine  = "no line changed"
)

// Bounded reports whether the file was left out, or not looked at whole, because of its size or of the data of
// the host. Neither the policy nor the kind of the file asks for that.
func (n FileNote) Bounded() bool {
	switch n.Why {
	case whyLargeChange, change.WhyLargeFile, change.WhyManyFiles, whyUnchecked, whyUncheckedFile, diff.OmittedLarge,
		diff.OmittedByHost, diff.OmittedUnreadable, diff.OmittedPath,
		check.WhyWorkflow, check.WhyUnparsed, check.WhyCut, check.WhySecrets, check.WhyBinary, check.WhyRuleBroken, check.WhyRuleBound:
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
	case change.WhyLargeFile, change.WhyManyFiles, whyUncheckedFile, check.WhyWorkflow, check.WhyUnparsed, check.WhyCut, check.WhyBinary,
		check.WhyRuleBroken, check.WhyRuleBound:
		return false
	}
	return n.Bounded()
}

// ByChoice reports whether no model was wanted to look at more of the file: by policy, by its kind, or because
// no part of it is for a model.
func (n FileNote) ByChoice() bool {
	class := diff.Class(n.Why)
	switch n.Why {
	case "", checksOnly, change.WhyExcluded, change.WhyNotIncluded, whyBinary, whyDeleted, whyNoLine, whyOutputs, whyLongData,
		diff.NoteMarked, diff.NoteMinified, diff.NoteByMark, diff.NoteVendoredEdit:
		return true
	}
	return class.Ignored() || class == diff.ClassSubmodule || class == diff.ClassSymlink
}

// ForModel reports whether only the lack of a model kept one from the file.
func (n FileNote) ForModel() bool { return n.Why == checksOnly }

// Unread lists the files that no model saw completely although one should have, in the order of the diff and
// with the reason. A review with such a file is incomplete.
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

// count counts the files that were not reviewed whole and fulfil a condition.
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
