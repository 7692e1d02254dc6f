package edits

import (
	"math/rand/v2"
	"strings"
)

// manner is how a model reports the same defect from one review to the next.
type manner string

// The manners.
const (
	sameWords  manner = "same words"
	otherWords manner = "other words"
	jitter     manner = "jitter"
)

var manners = []manner{sameWords, otherWords, jitter}

// kind is a kind of defect: the rule under which models report it, another rule of its family that they
// confuse it with, and their texts.
type kind struct {
	key, neighbour string
	says           [3]string // {V} is a name on its line
	because        [3]string
}

var kinds = []kind{
	{"nil-deref", "missing-case", [3]string{"{V} may be nil here", "Following {V} panics when nothing was found", "An absent {V} crashes the caller"},
		[3]string{"No branch handles a lookup without a result.", "The pointer is followed before anybody has looked at it.", "Callers pass what they have, which is nothing for a first request."}},
	{"off-by-one", "wrong-operator", [3]string{"The last element next to {V} is left out", "{V} stops one short", "One entry too few is visited with {V}"},
		[3]string{"The bound is exclusive, while the count includes the end.", "The loop ends before it has seen everything.", "Of ten rows only nine are handled."}},
	{"error-ignored", "error-swallowed", [3]string{"A failure of {V} goes unnoticed", "What {V} returns as its error is dropped", "{V} can fail and nobody is told"},
		[3]string{"The work goes on as if it had succeeded.", "Readers take a broken result for a good one.", "Disk and network errors disappear at this point."}},
	{"data-race", "check-then-act", [3]string{"{V} is shared between goroutines without a lock", "Two workers write {V} at once", "Concurrent access to {V}"},
		[3]string{"The mutex is only taken by readers.", "Parallel requests overwrite each other's value.", "The race detector reports unsynchronised writes."}},
	{"resource-leak", "missing-cleanup", [3]string{"{V} is never closed", "Handles pile up behind {V}", "The descriptor of {V} leaks"},
		[3]string{"There is no deferred release on the early return.", "After some thousand calls the process has no files left.", "Every path but the last forgets to give it back."}},
	{"sql-injection", "input-not-validated", [3]string{"{V} becomes part of a statement", "Strangers choose what the database runs through {V}", "Unescaped input reaches a query by {V}"},
		[3]string{"Text of a request is concatenated into SQL.", "A quote in the name ends the literal.", "Bound parameters would be safe."}},
	{"division-by-zero", "panic-reachable", [3]string{"{V} divides by an empty count", "A quotient with {V} has no guard", "Zero items end the process at {V}"},
		[3]string{"The denominator is the length of a list that may be empty.", "Integer division panics for it.", "New accounts have no entries yet."}},
	{"quadratic-work", "unbounded-growth", [3]string{"The time for {V} grows with the square", "Each call with {V} scans everything", "{V} is slow for large repositories"},
		[3]string{"An inner search walks the whole slice for every element.", "A map would make it linear.", "Ten thousand files take minutes."}},
	{"missing-timeout", "context-not-propagated", [3]string{"Waiting for {V} has no end", "{V} ignores cancellation", "A silent peer blocks {V} for ever"},
		[3]string{"No deadline is set on the connection.", "The background context is used in place of the caller's.", "Shutdown hangs until the other side answers."}},
	{"wrong-argument", "wrong-variable", [3]string{"{V} gets its arguments in the wrong order", "Source and destination are swapped at {V}", "The two strings given to {V} are mixed up"},
		[3]string{"Both have one type, so the compiler is content.", "What should be copied is overwritten.", "The signature names the target first."}},
}

// defect is a defect planted on a line.
type defect struct {
	kind int
	v    string
}

// said returns the title and explanation of a defect in one of its wordings.
func (d defect) said(words int) (title, explanation string) {
	k := kinds[d.kind]
	return strings.ReplaceAll(k.says[words], "{V}", d.v), k.because[words]
}

// voice is how a model reports a defect in one review.
type voice struct {
	words                   int
	neighbour, wide, margin bool
	silent                  bool
	off                     int // error of its line numbers
	severity                string
	doubt                   float64
}

// next returns the voice of the next review. A model with jitter may rate a known defect lower, or not
// report it.
func (m manner) next(v voice, rng *rand.Rand, known bool) voice {
	switch m {
	case sameWords:
		return voice{severity: "high"}
	case otherWords:
		return voice{words: (v.words + 1 + rng.IntN(2)) % 3, severity: "high"}
	}
	out := voice{words: v.words, neighbour: rng.IntN(3) == 0, wide: rng.IntN(3) == 0, margin: rng.IntN(3) == 0, off: rng.IntN(11) - 5,
		severity: []string{"high", "critical"}[rng.IntN(2)], doubt: 0.2 * rng.Float64()}
	if known {
		out.silent = rng.IntN(4) == 0
		out.severity, out.doubt = []string{"low", "medium", "high", "critical"}[rng.IntN(4)], 0.9*rng.Float64()
	}
	return out
}
