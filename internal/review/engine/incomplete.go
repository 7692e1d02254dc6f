package engine

import "strings"

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
	}
	return "Only deterministic checks ran: " + note + "."
}
