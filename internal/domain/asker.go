package domain

// AskedHow is the way in which a review run was asked for.
type AskedHow string

// The ways in which review runs are asked for. A run of a version that did not
// keep it has none of them.
const (
	AskedByEvent   AskedHow = "event"   // something happened to the pull request
	AskedByCommand AskedHow = "command" // a comment on the code host
	AskedByRerun   AskedHow = "rerun"   // one more review, in the interface or by the check on the code host
	AskedByRequest AskedHow = "request" // a first review, in the interface
	AskedBySweep   AskedHow = "sweep"   // the service found a head without a run
)

// Asker is who asked for a review run, and how. The zero value is what is known
// of a run that was made before this was kept.
type Asker struct {
	How    AskedHow
	UserID string // of a person of ours; "" where there is none
	Name   string // the person's name as it was then, or the login on the code host; "" where nobody is known. Text from outside
}
