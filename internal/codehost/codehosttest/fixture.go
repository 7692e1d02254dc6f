package codehosttest

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// Fault is the reaction of a fixture's host to the next write.
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

// Fixture is a host with one repository, whose only pull request is by another account than the one that we
// publish as. Each test gets its own fixture.
type Fixture struct {
	Host   codehost.Host
	Gate   *Gate
	Repo   codehost.Repo
	Number int    // number of the open pull request
	Head   string // head of the pull request
	Base   string // tip of the base branch, and the merge base
	Author string // author of the pull request, with write access

	Reviewer string // another person with write access
	Stranger string // a person who cannot see the repository

	// Path is a file that the pull request changes, and Text its content at the head. Line and the line
	// before it are in one hunk, on the right side.
	Path string
	Text string
	Line int

	Fault    func(Fault) // affects the next write
	Foreign  func(n int) // adds n visible reviews by the author
	MorePull func(n int) // opens n more pull requests
	// Ended opens a pull request, merges it or closes it unmerged, and returns its number.
	Ended func(title string, merged bool) int
	// OpenIssue opens an issue and returns its number. nil if the fixture cannot open issues.
	OpenIssue func(title, body string) int
	// Says writes a comment of the author on the lines first to last of Path, and resolves its thread if
	// resolved is set.
	Says func(first, last int, body string, resolved bool)
	// Close closes the thread of an inline comment as a person with write access.
	Close func(actor string, comment domain.HostID)
	// React reacts to an inline comment as a person, who is made if there is no such account.
	React func(Thumb)
	// Checks returns the check runs of the head, or the newest commit status of each name. A status has
	// only Name, HeadSHA, Title, and the host's word for the state as Status.
	Checks func() []codehost.Check

	// CI creates a run of a workflow for a commit, and returns the ids of its jobs. nil if the host cannot.
	CI func(workflow, commit string, jobs ...CIJob) []domain.HostID

	// SetStatus makes a commit status by another account: success, failure, or pending with the conclusion "". nil if the test cannot.
	SetStatus func(name, conclusion, description, url, commit string)

	FaultDelete func(Fault) // affects the next deletion

	Branches Branches

	// Shown returns the body of a review as people see it. nil if reading the review returns the same.
	Shown func(review domain.HostID) string
	// Lacks maps an ability that the host lacks to the reason. The suite skips that part and logs the
	// reason.
	Lacks map[Lack]string
}

// Lack is an ability that a host may lack without a capability for it, because no code above the port needs
// it.
type Lack string

// The abilities that hosts may lack.
const (
	LackThreadReplies Lack = "answers in threads" // they appear in the conversation
	LackSteps         Lack = "steps of jobs"
	LackPatches       Lack = "texts in lists of changed files" // the diff has them
	LackPlainLogins   Lack = "logins that are not addresses"
)

// lacks reports whether the host lacks an ability, and logs it.
func (f *Fixture) lacks(t *testing.T, what Lack) bool {
	t.Helper()
	why, lacks := f.Lacks[what]
	if lacks {
		t.Logf("not tested: %s: %s", what, why)
	}
	return lacks
}

// body returns the body of a review as people see it.
func (f *Fixture) body(r codehost.Review) string {
	if f.Shown != nil {
		return f.Shown(r.ID)
	}
	return r.Body
}
