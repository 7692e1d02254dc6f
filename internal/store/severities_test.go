package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Runs count what they found and is open, published or not; repositories count what published reviews of open pull requests show.
func TestSeveritiesOfLists(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := newWorklist(t, s)
		waits := storetest.Run(t, s, w.Pull, "cmd:waits")
		secret, stored := finding("secret", "secret"), finding("noise", "noise")
		secret.Severity, secret.Route = domain.Critical, domain.RouteInline
		stored.Severity, stored.Route = domain.High, domain.RouteStored
		must2(s.SaveRunFindings(bg, waits, []domain.Finding{secret, stored}))(t)
		testkit.OK(t, s.SetFindingState(bg, w.Tenant, w.Pull.ID, "", []string{w.ids["f"]}, domain.FindingDismissed))
		runs := must2(s.RunSeverities(bg, w.Tenant, []string{w.Run.ID, waits.ID, "run_x"}))(t)
		testkit.Equal(t, "a published run", runs[w.Run.ID], domain.SeverityCounts{Critical: 1, Medium: 1, Low: 1})
		testkit.Equal(t, "a run that waits", runs[waits.ID], domain.SeverityCounts{Critical: 1})
		both := []string{w.Repository.ID, w.second.ID}
		repositories := must2(s.RepositorySeverities(bg, w.Tenant, both))(t)
		testkit.Equal(t, "the first", repositories[w.Repository.ID], domain.SeverityCounts{Critical: 1, Medium: 1, Low: 1})
		testkit.Equal(t, "the second", repositories[w.second.ID], domain.SeverityCounts{Critical: 1, Medium: 1})
		pulls := must2(s.PullSeverities(bg, w.Tenant, []string{w.Pull.ID, w.pull.ID}))(t)
		testkit.Equal(t, "a pull request", pulls[w.Pull.ID], domain.SeverityCounts{Critical: 1, Medium: 1, Low: 1})
		testkit.Equal(t, "another one", pulls[w.pull.ID], domain.SeverityCounts{Critical: 1, Medium: 1})
		w.pull.State, w.pull.HostUpdatedUS = "closed", 2000
		must2(s.UpsertPullRequest(bg, w.Tenant, w.pull))(t)
		testkit.Equal(t, "after its pull request was closed", must2(s.RepositorySeverities(bg, w.Tenant, both))(t)[w.second.ID], domain.SeverityCounts{})
		testkit.Equal(t, "of another tenant", len(must2(s.RunSeverities(bg, storetest.Seed(t, s).Tenant, []string{w.Run.ID}))(t)), 0)
	})
}
