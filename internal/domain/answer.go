package domain

// AnswerState is the state of the answer to a command.
type AnswerState string

// The states of an answer; the last two are final.
const (
	AnswerWaiting AnswerState = "waiting" // its job will post it, or check whether it was posted
	AnswerSaid    AnswerState = "said"    // it is on the host
	AnswerDropped AnswerState = "dropped" // it will not be posted; the reason is stored
)
