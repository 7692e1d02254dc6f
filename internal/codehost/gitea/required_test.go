package gitea

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// A branch protection that requires the status lets a pull request merge after each status but a failure and an open one.
func TestRequiredCheckOnTheSimulatedHost(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.Forgejo} {
		t.Run(string(kind), func(t *testing.T) {
			s := newSim(t, kind)
			pull := s.open("topic", "half.go", simFile)
			if err := s.srv.RequireChecks("octo/demo", "assay"); err != nil {
				t.Fatal(err)
			}
			host, at := s.host(&codehosttest.Gate{}, neededScopes...), codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}
			for want, contexts := range map[string][]string{"[ci / unit (push) assay] true": {"ci / unit (push)", "assay"}, "[] false": {"ci/*"}} {
				if err := s.srv.RequireChecks("octo/demo", contexts...); err != nil {
					t.Fatal(err)
				}
				checks, known, err := host.RequiredChecks(t.Context(), at, "main")
				if got := fmt.Sprint(checks.Names, known); err != nil || got != want {
					t.Errorf("required checks %s, %v; want %s", got, err, want)
				}
			}
			if err := s.srv.RequireChecks("octo/demo", "assay"); err != nil {
				t.Fatal(err)
			}
			if _, err := s.ctl.UpdatePull(t.Context(), "octo/demo", pull.Number, shared.PullUpdate{State: "merged"}); err == nil {
				t.Error("it merged without the required status")
			}
			f := &codehosttest.Fixture{Host: s.host(&codehosttest.Gate{}, neededScopes...), Number: pull.Number, Head: pull.HeadSHA,
				Repo: codehost.Repo{Access: "c1", ExternalID: domain.NumberID(s.repo.ID), Owner: "octo", Name: "demo"}}
			codehosttest.RequiredCheck(t, f, func() error { return s.srv.Mergeable("octo/demo", pull.Number) })
		})
	}
}
