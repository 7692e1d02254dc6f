package approval_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// waiting makes the world's run wait for a decision on an output.
func (p *panel) waiting() (output string) {
	p.t.Helper()
	for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunAwaitingApproval}} {
		_, err := p.Store.MoveRun(bg, p.Tenant, p.Run.ID, m)
		testkit.OK(p.t, err)
	}
	out, err := p.Store.CreateOutput(bg, p.Tenant, p.Run.ID, "", `{"kind":"review","payload":{"body":"Nothing."}}`, strings.Repeat("ab", 32))
	testkit.OK(p.t, err)
	_, err = p.Store.CreateApproval(bg, p.Tenant, store.NewApproval{Output: out.ID, Run: p.Run.ID, Repository: p.Repository.ID, Digest: out.Digest, Draft: "{}", For: time.Hour})
	testkit.OK(p.t, err)
	return out.ID
}

// The author of a pull request cannot decide on its review unless the tenant allows it. A second decision is
// refused, and the answer names the first one.
func TestAuthorsDecideOnTheirReviewsWhereTheyMay(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		p := newPanel(t, s, raw)
		output := p.waiting()
		p.authored(p.mona)
		decide := func(output, person, name string, to domain.ApprovalState) (store.Approval, error) {
			return p.Features.Approvals.Decide(bg, p.Tenant, p.Repository, output, approval.Decision{To: to, Digest: strings.Repeat("ab", 32), How: domain.ByInterface, UserID: person, Name: name})
		}
		whyNot := func(who approval.Viewer) string {
			t.Helper()
			why, err := p.Features.Approvals.WhyNot(bg, p.Tenant, p.Repository, p.Pull.ID, who)
			testkit.OK(t, err)
			return why
		}
		_, err := decide("out_never", p.olga, "olga", domain.ApprovalApproved)
		refused(t, "an unknown one", err, errs.NotFound, "not_found")
		_, err = decide(output, p.mona, "mona", domain.ApprovalApproved)
		refused(t, "the author", err, errs.Forbidden, "own_pull_request")
		testkit.Equal(t, "reason for the author", whyNot(viewer(p.mona, perm.RepoReviewer)), "A person other than the author of the pull request decides on it.")
		testkit.Equal(t, "reason for a viewer", whyNot(viewer(p.olga, perm.RepoViewer)), "A person with review permission in this repository decides on it.")
		testkit.Equal(t, "reason for a reviewer", whyNot(viewer(p.olga, perm.RepoReviewer)), "")
		p.authorsDecide()
		testkit.Equal(t, "reason for the author, once authors may decide", whyNot(viewer(p.mona, perm.RepoReviewer)), "")
		row, err := decide(output, p.mona, "mona", domain.ApprovalRejected)
		testkit.OK(t, err)
		if row.State != domain.ApprovalRejected || !strings.HasPrefix(approval.DecisionSentence(row), "mona rejected this review at ") {
			t.Errorf("%s: %s", row.State, approval.DecisionSentence(row))
		}
		_, err = decide(output, p.olga, "olga", domain.ApprovalApproved)
		refused(t, "a late decision", err, errs.Conflict, "approval_decided")
		if !strings.Contains(err.Error(), "mona rejected this review at ") {
			t.Errorf("the error of a late decision is %v", err)
		}
		testkit.Equal(t, "rejections in the log", p.entries("approval.reject"), 1)
		testkit.Equal(t, "approvals in the log", p.entries("approval.approve"), 0)
	})
}
