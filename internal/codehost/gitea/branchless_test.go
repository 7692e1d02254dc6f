package gitea

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A change that was pushed to refs/for/… has a head and no branch, whether it is read on its own or in the
// list.
func TestPushedWithoutABranch(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := newSim(t, kind)
			h := s.host(&codehosttest.Gate{}, neededScopes...)
			must(s.ctl.Commit(t.Context(), "octo/demo", shared.CommitSpec{Branch: "topic", From: "main", Files: map[string]string{"a.go": simFile}, Message: "Add half"}))(t)
			made := must(s.ctl.OpenPull(t.Context(), "octo/demo", shared.PullSpec{Title: "Half", Head: "topic", Author: "ann", Branchless: true}))(t)
			repo := codehost.Repo{Owner: "octo", Name: "demo"}
			one, err := h.PullRequest(t.Context(), repo, made.Number)
			testkit.OK(t, err)
			list, err := h.OpenPullRequests(t.Context(), repo)
			testkit.OK(t, err)
			testkit.Equal(t, "listed", len(list), 1)
			for _, p := range append(list, one) {
				if !p.Branchless || !p.FromFork || p.HeadSHA != made.HeadSHA || p.HeadRef != "refs/pull/1/head" {
					t.Errorf("%+v", p)
				}
			}
			diff, err := h.Diff(t.Context(), repo, made.Number)
			testkit.OK(t, err)
			if len(diff) == 0 {
				t.Error("it has no diff")
			}
		})
	}
}
