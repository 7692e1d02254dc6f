// Package approval decides on finished reviews that wait for a person: it checks who may decide, prepares
// the approved text for publishing, and records the decision.
//
// A decision names the digest of an output, so that a person approves only text that they have seen. It
// changes the run, the output and the audit log in one transaction; if two people decide at once, one
// succeeds. Package run changes the run; [Config.Render], from package review, makes its text.
package approval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// Config holds the parts of the service.
type Config struct {
	Store *store.Store
	Runs  *run.Runs
	Audit *audit.Log
	// Render makes the output of a review again from its stored draft, with changes.
	Render func(kept string, c domain.ApprovalChanges) (domain.Rendered, error)
	// Scan replaces secrets in the reasons and notes that people write; nil: nothing is replaced.
	Scan func(text string) string
	// Proposals hears of dismissals; nil if none are proposed as suppressions.
	Proposals Proposals
}

// Proposals proposes to keep dismissed findings out of later reviews, in the caller's transaction.
type Proposals interface {
	Propose(ctx context.Context, t domain.Tenant, repository store.Repository, r domain.SuppressionRequest) error
	// Reopened withdraws the undecided proposals that no dismissal supports any more, after a finding is open again.
	Reopened(ctx context.Context, t domain.Tenant, repository store.Repository, r domain.SuppressionRequest) error
}

// Service decides on reviews. It is safe for concurrent use.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service {
	if c.Scan == nil {
		c.Scan = func(text string) string { return text }
	}
	return &Service{c}
}

// Decision is a person's decision on a waiting output.
type Decision struct {
	To      domain.ApprovalState // approved or rejected
	Digest  string               // of the output that the person saw
	Note    string               // reason; at most 2,000 characters
	Changes domain.ApprovalChanges
	How     string // [domain.ByInterface] or a similar constant
	UserID  string // our id of the person; the caller has checked their role on the repository
	Name    string // the person's name
}

// Decide approves or rejects a waiting output of a repository and returns its new state. output is the id
// of the output that the person saw. Errors: [errs.NotFound] if the repository has no such output;
// [errs.Conflict] if it no longer waits (the message names who decided) or has another digest (the message
// names it); [errs.Forbidden] for the author of the pull request, if the tenant does not let authors
// decide; [errs.Invalid] for changes that do not fit.
func (s *Service) Decide(ctx context.Context, t domain.Tenant, repository store.Repository, output string,
	d Decision) (store.Approval, error) {
	a, err := s.Store.Approval(ctx, t, output)
	if err == nil && a.Repository != repository.ID {
		err = errs.Absent()
	}
	if err != nil {
		return store.Approval{}, err
	}
	row, err := s.Store.Run(ctx, t, a.Run)
	if err != nil {
		return a, err
	}
	own, err := s.IsBarredAuthor(ctx, t, repository, row.PullRequest, d.UserID)
	if err != nil {
		return a, err
	}
	if own {
		return a, errs.New(errs.Forbidden, "own_pull_request", "The author of a pull request cannot decide on its review here. Ask "+
			"another person with review permission.")
	}
	if err := d.check(); err != nil {
		return a, err
	}
	return s.decide(ctx, t, a, d, decider{By: d.UserID, Name: d.Name})
}

// check returns the errors that the schema cannot express.
func (d Decision) check() error {
	var c field.Check
	c.Text("/note", d.Note)
	c.That(d.To == domain.ApprovalApproved || len(d.Changes.Drop) == 0, "/drop",
		"must be absent where the review is rejected: nothing of it is published")
	c.That(d.To == domain.ApprovalApproved || len(d.Changes.Edit) == 0, "/edit",
		"must be absent where the review is rejected: nothing of it is published")
	return c.Err()
}

// IsBarredAuthor reports whether a person is the author of a pull request and must not decide on its review. It
// compares the host's ids, and login names only if the host gave no id.
func (s *Service) IsBarredAuthor(ctx context.Context, t domain.Tenant, repository store.Repository, pull, person string) (bool, error) {
	settings, err := policy.Settings(ctx, s.Store, t)
	if err != nil || settings.AuthorMayApprove {
		return false, err
	}
	row, err := s.Store.PullRequest(ctx, t, pull)
	if err != nil {
		return false, err
	}
	return s.Store.IsHostUser(ctx, t, repository.Access, person, row.AuthorID, row.Author)
}

// Viewer is a person who looks at a waiting review.
type Viewer struct {
	ID     string
	Allows func(perm.Permission) bool // in the repository
}

// WhyNot returns a sentence that explains why a viewer must not decide on the review of a pull request; ""
// if they may.
func (s *Service) WhyNot(ctx context.Context, t domain.Tenant, repository store.Repository, pull string, who Viewer) (string, error) {
	if !who.Allows(perm.RepoReview) {
		return "A person with review permission in this repository decides on it.", nil
	}
	own, err := s.IsBarredAuthor(ctx, t, repository, pull, who.ID)
	if err != nil || !own {
		return "", err
	}
	return "A person other than the author of the pull request decides on it.", nil
}

// decider is the person who decides, and the comment in which they did.
type decider struct {
	By, Name string
	Comment  domain.HostID
}

// errLost means that another person decided first; the transaction must not commit.
var errLost = errors.New("approval: it was decided meanwhile")

// outputRecord is the audit log's record of a waiting output.
type outputRecord struct {
	State       string                 `json:"state" audit:"track"`
	RunID       string                 `json:"runId" audit:"track"`
	Digest      string                 `json:"digest" audit:"track"`
	Published   string                 `json:"publishedDigest" audit:"track"`
	How         string                 `json:"how" audit:"track"`
	Changes     domain.ApprovalChanges `json:"changes" audit:"track"`
	DecidedNote string                 `json:"note" audit:"track"`
}

func (s *Service) decide(ctx context.Context, t domain.Tenant, a store.Approval, d Decision, person decider) (store.Approval, error) {
	d.Note = s.Scan(d.Note)
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		now, err := s.Store.Approval(ctx, t, a.Output)
		switch {
		case err != nil:
			return audit.Act{}, err
		case now.State != domain.ApprovalPending:
			return audit.Act{}, errLost
		case d.Digest != now.Digest:
			return audit.Act{}, errs.New(errs.Conflict, "approval_digest",
				"Another review waits than the one that was looked at: its digest is %s.", now.Digest)
		}
		row, err := s.Store.Run(ctx, t, now.Run)
		if err != nil {
			return audit.Act{}, err
		}
		m := store.ApprovalMove{By: person.By, Name: person.Name, Comment: person.Comment, How: d.How, Note: d.Note,
			CauseWords: string(d.To) + " by " + person.Name}
		after := outputRecord{State: string(d.To), RunID: now.Run, Digest: now.Digest, How: d.How, DecidedNote: d.Note}
		done := false
		if d.To == domain.ApprovalApproved {
			if after.Published, err = s.storeChangedOutput(ctx, t, now, d.Changes, &m); err != nil {
				return audit.Act{}, err
			}
			after.Changes = store.FromJSON[domain.ApprovalChanges](m.Changes)
			done, err = s.Runs.Approve(ctx, row, m)
		} else {
			done, err = s.Runs.Reject(ctx, row, m)
		}
		if err == nil && !done {
			err = errLost
		}
		// The run and both digests are part of the record too.
		return audit.Act{Tenant: t, Action: "approval." + verb(d.To), Target: audit.Target{Kind: "approval", ID: now.Output},
			Before: outputRecord{State: string(now.State)}, After: after}, err
	})
	if errors.Is(err, errLost) {
		err = s.lostError(ctx, t, a.Output)
	}
	if err != nil {
		return a, err
	}
	return s.Store.Approval(ctx, t, a.Output)
}

// storeChangedOutput stores the changed output, which is published in place of the shown one, and returns the digest of
// the published output. Without changes it returns the shown digest.
func (s *Service) storeChangedOutput(ctx context.Context, t domain.Tenant, a store.Approval, c domain.ApprovalChanges,
	m *store.ApprovalMove) (digest string, err error) {
	if c.None() {
		return a.Digest, nil
	}
	made, err := s.Render(a.Draft, c)
	if err != nil {
		return "", err
	}
	row, err := s.Store.CreateOutput(ctx, t, a.Run, a.Output, made.Body, made.Digest)
	m.Child, m.Changes = row.ID, store.JSON(made.Changes)
	return row.Digest, err
}

// lostError returns the error that names who decided first.
func (s *Service) lostError(ctx context.Context, t domain.Tenant, output string) error {
	a, err := s.Store.Approval(ctx, t, output)
	if err != nil {
		return err
	}
	if a.State == domain.ApprovalPending { // its run ended meanwhile, and the output is about to follow
		return errs.New(errs.Conflict, "approval_decided", "This review waits no more.")
	}
	return errs.New(errs.Conflict, "approval_decided", "%s", DecisionSentence(a))
}

// DecisionSentence returns a sentence with the person and time of a decision; "" if the output still waits.
func DecisionSentence(a store.Approval) string {
	at := store.Time(a.DecidedUS).UTC().Format("2006-01-02 15:04:05 UTC")
	switch a.State {
	case domain.ApprovalApproved, domain.ApprovalPublished:
		return fmt.Sprintf("%s approved this review at %s.", a.DecidedName, at)
	case domain.ApprovalRejected:
		return fmt.Sprintf("%s rejected this review at %s.", a.DecidedName, at)
	case domain.ApprovalExpired:
		return fmt.Sprintf("This review expired at %s: %s.", at, strings.TrimRight(a.Note, "."))
	}
	return ""
}

func verb(to domain.ApprovalState) string {
	if to == domain.ApprovalApproved {
		return "approve"
	}
	return "reject"
}
