package gitlab

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A project where pipelines must succeed lets a merge request merge after each status but a failure and an open one.
func TestRequiredCheckOnTheSimulatedHost(t *testing.T) {
	t.Parallel()
	s := newSim(t)
	pull := s.open("topic", "half.go", simFile)
	if err := s.srv.RequireChecks(full, "assay"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ctl.UpdatePull(t.Context(), named, pull.Number, shared.PullUpdate{State: "merged"}); err == nil {
		t.Error("it merged without the required status")
	}
	f := &codehosttest.Fixture{Host: s.host(&codehosttest.Gate{}, "api"), Number: pull.Number, Head: pull.HeadSHA,
		Repo: codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo/team", Name: "demo"}}
	for _, names := range [][]string{nil, {"assay"}} {
		if err := s.srv.RequireChecks(full, names...); err != nil {
			t.Fatal(err)
		}
		checks, known, err := f.Host.(codehost.RequiredChecker).RequiredChecks(t.Context(), f.Repo, "main")
		if err != nil || known != (names != nil) || checks.All != known {
			t.Errorf("pipelines must succeed %t: %+v, %t, %v", names != nil, checks, known, err)
		}
	}
	codehosttest.RequiredCheck(t, f, func() error { return s.srv.Mergeable(full, pull.Number) })
}
