package codehosttest

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// Fault is what the fixture's host does to the next write.
type Fault string

// The faults of the suite.
const (
	ApplyThen500   Fault = "apply, then 500"
	ApplyThenReset Fault = "apply, then reset the connection"
	Refuse         Fault = "reset the connection, apply nothing"
	LimitHeader    Fault = "refuse with a limit of 45 s"
	LimitText      Fault = "refuse with a limit that names no time"
	Deny           Fault = "refuse for lack of permission"
)

// Fixture is a host with one repository, whose pull request was made by
// somebody else than the account we publish as. The repository holds nothing
// else; a fixture is used by one test only.
type Fixture struct {
	Host   codehost.Host
	Gate   *Gate
	Repo   codehost.Repo
	Number int    // of the open pull request
	Head   string // its head
	Base   string // the tip of its base, and the merge base
	Author string // its author, who may write to the repository

	Reviewer string // somebody else, who may write
	Stranger string // who must not see the repository

	// Path is a file that the pull request changes, and Text its content at the
	// head; Line and the one before it stand in one hunk, on the right side.
	Path string
	Text string
	Line int

	Fault    func(Fault) // hits the next write
	Foreign  func(n int) // adds n visible reviews by the author
	MorePull func(n int) // opens n more pull requests
	// Ended opens a pull request with a title, merges it or closes it without, and returns
	// its number.
	Ended func(title string, merged bool) int
	// Says writes a comment of the author on the lines first to last of Path, and
	// resolves its thread where resolved is set.
	Says func(first, last int, body string, resolved bool)
	// Checks are the check runs of the head, or the newest commit status of each name:
	// of those only Name, HeadSHA, Title and the host's word for the state, as Status.
	Checks func() []codehost.Check

	// CI makes a run of a workflow for a commit, and returns the ids of its jobs; nil
	// where nothing can.
	CI func(workflow, commit string, jobs ...CIJob) []domain.HostID

	FaultDelete func(Fault) // hits the next deletion

	Branches Branches

	// Shown is the body of a review that people see, nil where it is what is read back.
	Shown func(review domain.HostID) string
	// Lacks says what the host has no way to do, and why: that part is skipped with
	// these words.
	Lacks map[Lack]string
}

// Lack is something that a host may lack and that is no capability: nothing above
// the port asks for it.
type Lack string

// What hosts lack.
const (
	LackThreadReplies Lack = "answers in threads" // they are written into the conversation
	LackSteps         Lack = "steps of jobs"
)

// lacks reports whether the host lacks something, and says so.
func (f *Fixture) lacks(t *testing.T, what Lack) bool {
	t.Helper()
	why, lacks := f.Lacks[what]
	if lacks {
		t.Logf("not tested: %s: %s", what, why)
	}
	return lacks
}

// body is the body of a review that people see.
func (f *Fixture) body(r codehost.Review) string {
	if f.Shown != nil {
		return f.Shown(r.ID)
	}
	return r.Body
}
