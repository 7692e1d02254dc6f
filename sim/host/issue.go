package host

import "slices"

// Issue is an issue of a simulated repository.
type Issue struct {
	ID           int64
	Number       int
	Title, Body  string
	Confidential bool `json:",omitempty"` // GitLab's: only some members read it
	Created      Micros
}

// IssueNumbered returns the issue with a number, or nil.
func IssueNumbered(list []*Issue, number int) *Issue {
	if i := slices.IndexFunc(list, func(x *Issue) bool { return x.Number == number }); i >= 0 {
		return list[i]
	}
	return nil
}
