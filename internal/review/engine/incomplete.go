package engine

import (
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/wording"
)

// Lack says what the model's part of a review lacks; the zero value that it lacks
// nothing.
type Lack struct {
	Key     wording.Key
	Count   int      // of reviews, where a limit is the reason
	Clauses []string // what is missing, as [wording.English] says it; of a failure also other words
}

// English is the sentence as it is stored and as the command line has it, "" where
// nothing is lacking.
func (l Lack) English() string {
	if l.Count > 0 {
		return wording.English(l.Key, l.Count)
	}
	return wording.English(l.Key, strings.Join(l.Clauses, clauseEnd))
}

// clauseEnd stands between the clauses of a note.
const clauseEnd = ", "

// Incomplete says what the model's part of a review lacks, by the state and note of
// a [Result].
func Incomplete(state, note string) Lack {
	note = strings.TrimRight(note, ".")
	switch state {
	case ModelPartial:
		if note == "" {
			note = wording.English(wording.SomeParts)
		}
		return Lack{Key: wording.Incomplete, Clauses: strings.Split(note, clauseEnd)}
	case ModelUnavailable:
		if note == "" {
			note = NoteUnavailable
		}
	case ModelNone:
	default:
		return Lack{}
	}
	switch note {
	case "":
		return Lack{}
	case NoteUnavailable:
		return Lack{Key: wording.OnlyChecksUnavailable}
	case NoteNotConfigured:
		return Lack{Key: wording.OnlyChecksNotConfigured}
	case NoteBudget:
		return Lack{Key: wording.OnlyChecksBudget}
	case NoteAuthorLimit:
		return Lack{Key: wording.OnlyChecksAuthor, Count: domain.AuthorReviewsPerHour}
	case NoteOutsideLimit:
		return Lack{Key: wording.OnlyChecksOutside, Count: domain.OutsideReviewsPerHour}
	}
	return Lack{Key: wording.OnlyChecks, Clauses: []string{note}}
}

// withoutChecks maps the sentences about a review without a model to those about a review without checks, too.
var withoutChecks = map[wording.Key]wording.Key{
	wording.OnlyChecks: wording.NothingRan, wording.OnlyChecksUnavailable: wording.NothingRanUnavailable,
	wording.OnlyChecksNotConfigured: wording.NothingRanNotConfigured, wording.OnlyChecksBudget: wording.NothingRanBudget,
	wording.OnlyChecksAuthor: wording.NothingRanAuthor, wording.OnlyChecksOutside: wording.NothingRanOutside,
}

// checkSwitches is the number of settings that switch deterministic checks off.
const checkSwitches = 2

// WithoutChecks returns the lack for a review in which settings have switched checks off, with one line for each setting. It does
// not say that checks ran if all of them are off.
func (l Lack) WithoutChecks(off []string) Lack {
	if key, ok := withoutChecks[l.Key]; ok && len(off) >= checkSwitches {
		l.Key = key
	}
	return l
}

// NothingRan reports whether neither a model nor a built-in check ran, because no model was there and settings switch all checks off.
func (r Result) NothingRan() bool {
	_, ok := withoutChecks[Incomplete(r.ModelState, r.ModelNote).Key]
	return ok && len(r.ChecksOff) >= checkSwitches
}

// Lack says what the model's part of the review lacks.
func (r Result) Lack() Lack { return Incomplete(r.ModelState, r.ModelNote).WithoutChecks(r.ChecksOff) }
