package connect_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// A repository whose connection is no longer synchronised is found by its number, so that open work there can
// be ended. Its owner may have a new name by then, and another account may have the former one.
func TestAFormerRepositoryIsFoundByItsNumber(t *testing.T) {
	t.Parallel()
	for _, kind := range []domain.ConnectionKind{domain.Gitea, domain.GitLab} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			r := newRefusing(t, kind)
			ctx := t.Context()
			access, err := r.s.AccessOfConnection(ctx, r.tenant, r.row.ID)
			testkit.OK(t, err)
			changes, _, err := r.s.SyncAccessRepositories(ctx, r.tenant, access.ID,
				[]store.Repository{{ExternalID: domain.NumberID(r.repo.ID), Owner: "acme", Name: "shop"}})
			testkit.OK(t, err)
			r.row.Enabled = false
			_, err = r.s.UpdateProviderConnection(ctx, r.tenant, r.row)
			testkit.OK(t, err)
			former := func(want string) {
				t.Helper()
				host, at, err := r.hosts().Former(ctx, changes.Added[0])
				testkit.OK(t, err)
				testkit.Equal(t, "repository", at.FullName(), want)
				_, err = host.PullRequest(ctx, at, r.pull.Number)
				testkit.OK(t, err)
			}
			former("acme/shop")
			testkit.OK(t, r.ctl.UpdateUser(ctx, "acme", simapi.UserUpdate{Login: "acme-new"}))
			former("acme-new/shop")
			_, err = r.ctl.CreateUser(ctx, simapi.UserSpec{Login: "acme", Type: "Organization", Members: map[string]string{"bot": "admin"}})
			testkit.OK(t, err)
			_, err = r.ctl.CreateRepo(ctx, simapi.RepoSpec{Owner: "acme", Name: "shop", Files: map[string]string{"README.md": "# Theirs\n"}})
			testkit.OK(t, err)
			former("acme-new/shop")
		})
	}
}
