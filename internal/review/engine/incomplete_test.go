package engine

import (
	"testing"

	"github.com/assay-dev/assay/internal/wording"
)

func TestTextsOfIncompleteReviews(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ state, note, want string }{
		{ModelComplete, "", ""},
		{"", "", ""},
		{ModelNone, "", ""},
		{ModelNone, NoteNotConfigured, "Only deterministic checks ran: no model is configured."},
		{ModelUnavailable, "", "Only deterministic checks ran: the model was unavailable."},
		{ModelUnavailable, NoteUnavailable, "Only deterministic checks ran: the model was unavailable."},
		{ModelUnavailable, NoteBudget, "Only deterministic checks ran: the budget for models is used up."},
		{ModelUnavailable, "the model gave no usable answer.", "Only deterministic checks ran: the model gave no usable answer."},
		{ModelPartial, "", "The model's review is incomplete: some parts were not reviewed."},
		{ModelPartial, "1 of 2 parts of the change were reviewed", "The model's review is incomplete: 1 of 2 parts of the change were reviewed."},
	} {
		if got := Incomplete(tc.state, tc.note).English(); got != tc.want {
			t.Errorf("%s, %q: %q, want %q", tc.state, tc.note, got, tc.want)
		}
	}
}

// With all checks switched off, no sentence says that checks ran.
func TestTextsOfReviewsWithoutChecks(t *testing.T) {
	t.Parallel()
	off := []string{"deterministic.secrets is false", "deterministic.staticAnalysis is false"}
	for note, want := range map[string]wording.Key{NoteNotConfigured: wording.NothingRanNotConfigured, NoteUnavailable: wording.NothingRanUnavailable,
		NoteBudget: wording.NothingRanBudget, NoteAuthorLimit: wording.NothingRanAuthor, NoteOutsideLimit: wording.NothingRanOutside,
		"other": wording.NothingRan} {
		r := Result{ModelState: ModelNone, ModelNote: note, ChecksOff: off}
		if got := r.Lack(); got.Key != want {
			t.Errorf("%s: %q", note, got.English())
		}
		r.ChecksOff = off[:1]
		if got := r.Lack(); got.Key == want {
			t.Errorf("%s, one kind of checks ran: %q", note, got.English())
		}
	}
	got := Result{ModelState: ModelNone, ModelNote: NoteNotConfigured, ChecksOff: off}.Lack().English()
	if want := "Neither a model nor a built-in check ran: no model is configured."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
