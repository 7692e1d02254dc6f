package ci_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Two tenants with the same repository have analyses and comments of their own. Each edits its own comment, although the host shows both
// as comments of one account.
func TestTwoTenantsOfOneRepository(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		impatient(f)
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		f.Deliver(ended("a", "failure"))
		first := f.World.Tenant

		f.World.Tenant = storetest.Tenant(t, f.Store)
		row, err := f.Store.CreateProviderConnection(bg, f.World.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"),
			Tenant: f.World.Tenant.ID, Kind: string(domain.Gitea), Name: domain.NewID("name"), BaseURL: "https://git.example", Owner: "octo",
			Token: []byte("sealed"), AllRepositories: true, Repositories: "[]", Enabled: true})
		testkit.OK(t, err)
		f.Connection = row
		access, err := f.Store.UpsertConnectionAccess(bg, f.World.Tenant, store.Access{Kind: row.Kind, Connection: row.ID,
			Host: row.BaseURL, AccountID: "5", AccountLogin: "octo"})
		testkit.OK(t, err)
		r := reviewtest.Repository()
		_, _, err = f.Store.SyncAccessRepositories(bg, f.World.Tenant, access.ID, []store.Repository{{
			ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name, Private: true}})
		testkit.OK(t, err)

		f.Host.Fail("reply", &codehost.Error{Class: codehost.ClassAmbiguous}) // the comment of the other tenant must not be taken for it
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		f.Deliver(ended("a", "failure"))
		testkit.Require(t, "comments", len(comments(f)), 2)

		f.Host.Builds.Jobs[storetest.SHA("b")] = []codehost.Job{job("17", "test", "success")}
		f.Deliver(f.Event("synchronize", "b"))
		f.Deliver(ended("b", "success"))
		testkit.Equal(t, "the first one", strings.Contains(comments(f)[0].Body, "passes"), false)
		testkit.Equal(t, "the second one", strings.Contains(comments(f)[1].Body, "passes"), true)
		for _, tenant := range []domain.Tenant{first, f.World.Tenant} {
			n := 0
			for _, run := range f.Runs() {
				if run.Tenant != tenant.ID {
					continue
				}
				list, err := f.Store.CIAnalysesOfHead(bg, tenant, run.PullRequest, storetest.SHA("a"))
				testkit.OK(t, err)
				n = len(list)
			}
			testkit.Equal(t, "analyses", n, 1)
		}
	})
}
