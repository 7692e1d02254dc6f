package engine

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// AskForFull says how a pull request gets a review that no limit of its author
// holds for; without its full stop.
const AskForFull = "Somebody who may write to the repository gets the full review by the comment `/assay review`"

// Reduced says what a review of [domain.DepthReduced] leaves out.
const Reduced = "This pull request comes from outside of the repository, so the review is a reduced one: one pass without the strong model, over the riskiest parts. " + AskForFull + "."

// Incomplete says in a sentence what the model's part of a review lacks, by the
// state and note of a [Result]; "" where it lacks nothing.
func Incomplete(state, note string) string {
	note = strings.TrimRight(note, ".")
	switch state {
	case ModelPartial:
		if note == "" {
			note = "some parts were not reviewed"
		}
		return "The model's review is incomplete: " + note + "."
	case ModelUnavailable:
		if note == "" {
			note = NoteUnavailable
		}
	case ModelNone:
	default:
		return ""
	}
	switch note {
	case "":
		return ""
	case NoteUnavailable:
		note = "the model was unavailable"
	case NoteNotConfigured:
		note = "no model is configured"
	case NoteBudget:
		note = "the budget for models is used up"
	case NoteAuthorLimit:
		note = fmt.Sprintf("the author has had %d reviews within an hour. %s", domain.AuthorReviewsPerHour, AskForFull)
	case NoteOutsideLimit:
		note = fmt.Sprintf("contributions from outside have had %d reviews here within an hour. %s", domain.OutsideReviewsPerHour, AskForFull)
	}
	return "Only deterministic checks ran: " + note + "."
}
