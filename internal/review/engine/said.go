package engine

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
)

// Reasons lists the reasons for which the engine itself did not look at a file, or not at all of it.
func Reasons() []string {
	return []string{whyLargeChange, change.WhyLargeFile, change.WhyManyFiles, whyNotSelected, whyReduced, change.WhyExcluded,
		change.WhyNotIncluded, whyBinary, whyDeleted, whyNoLine, whyUnchecked, whyUncheckedFile,
		whyTooLong, whyTooMuch, whyNoAnswer, whyForm, whyBrokeOff, whyMore, whyBudget, checksOnly,
		diff.NoteMarked, diff.NoteMinified, diff.NoteUnproven, diff.NoteVendored, diff.NoteVendoredEdit, diff.NoteByMark, diff.NoteLFS,
		whyLongData, whyOutputs, diff.NoteWasText, diff.NoteNoText}
}
