package github

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// A ruleset that requires the check lets a pull request merge after success, neutral and skipped only.
func TestRequiredCheckOnTheSimulatedHost(t *testing.T) {
	t.Parallel()
	s, ctx := newSim(t), t.Context()
	commit, err := s.Commit(ctx, "octo/demo", simapi.CommitSpec{Branch: "topic", From: s.repo.HeadSHA, Files: map[string]string{"half.go": simFile}, Author: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	pull, err := s.OpenPull(ctx, "octo/demo", simapi.PullSpec{Title: "Halve", Head: "topic", Author: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.RequireChecks("octo/demo", "assay"); err != nil {
		t.Fatal(err)
	}
	host, at := s.host(t, &codehosttest.Gate{}), codehost.Repo{Access: domain.NumberID(s.install.ID), Owner: "octo", Name: "demo"}
	checks, known, err := host.RequiredChecks(ctx, at, "main")
	if err != nil || !known || !slices.Equal(checks.Names, []string{"assay"}) {
		t.Errorf("required checks %q, known %v, %v", checks.Names, known, err)
	}
	if _, err := s.UpdatePull(ctx, "octo/demo", pull.Number, simapi.PullUpdate{State: "merged"}); err == nil {
		t.Error("it merged without the required check")
	}
	f := &codehosttest.Fixture{Host: s.host(t, &codehosttest.Gate{}), Number: pull.Number, Head: commit.SHA,
		Repo: codehost.Repo{Access: domain.NumberID(s.install.ID), ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}}
	codehosttest.RequiredCheck(t, f, func() error { return s.Mergeable("octo/demo", pull.Number) })
}
