package domain

// AskedHow is the way in which a review run was requested.
type AskedHow string

// The ways in which review runs are requested. It is empty for runs of versions that did not store it.
const (
	AskedByEvent   AskedHow = "event"   // an event of the pull request
	AskedByCommand AskedHow = "command" // a comment on the code host
	AskedByRerun   AskedHow = "rerun"   // another review, in the interface or by the check on the code host
	AskedByRequest AskedHow = "request" // a first review, in the interface
	AskedBySweep   AskedHow = "sweep"   // the service found a head without a run
)

// Asker is the person or event that requested a review run. The zero value stands for runs of versions that
// did not store it.
type Asker struct {
	How    AskedHow
	UserID string // of a person with an account here; "" otherwise
	Name   string // the person's name at that time, or the login on the code host; "" if unknown. Text from outside
}
