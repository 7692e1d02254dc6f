package engine

import "testing"

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
