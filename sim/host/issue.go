package host

import (
	"errors"
	"slices"

	"github.com/assay-dev/assay/sim/host/simapi"
)

// Issue is an issue of a simulated repository.
type Issue struct {
	ID           int64
	Number       int
	Title, Body  string
	Confidential bool `json:",omitempty"` // GitLab's: only some members read it
	Created      Micros
}

// AddIssue checks and adds a new issue to the list of a repository. next returns its id and its number; it is called with Mu held.
func (s *Server) AddIssue(list *[]*Issue, in simapi.IssueSpec, next func() (id int64, number int)) (*Issue, error) {
	if in.Title == "" {
		return nil, errors.New("title: must not be empty")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	i := &Issue{Title: in.Title, Body: in.Body, Confidential: in.Confidential, Created: s.NowMicros()}
	i.ID, i.Number = next()
	*list = append(*list, i)
	s.Touch()
	return i, nil
}

// IssueNumbered returns the issue with a number, or nil.
func IssueNumbered(list []*Issue, number int) *Issue {
	if i := slices.IndexFunc(list, func(x *Issue) bool { return x.Number == number }); i >= 0 {
		return list[i]
	}
	return nil
}
