package domain

// AnswerState is what became of the answer to a command.
type AnswerState string

// The states of an answer; the last two are final.
const (
	AnswerWaiting AnswerState = "waiting" // its job will say it, or look whether it was said
	AnswerSaid    AnswerState = "said"    // it stands on the host
	AnswerDropped AnswerState = "dropped" // it will not be said; the reason says why
)
