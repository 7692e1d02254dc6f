package fixrun_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fix/fixrun"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Two tenants with the same repository have fix runs and comments of their own. The commit of one moves the head under the other, whose fix
// run then ends and says so in its own thread. No tenant can ask for a fix of the other's findings.
func TestTwoTenantsOfOneRepository(t *testing.T) {
	each(t, domain.FixCommit, func(t *testing.T, w *world) {
		first, mine := w.World.Tenant, w.Known()[0]
		w.World.Tenant = storetest.Tenant(t, w.Store)
		row, err := w.Store.CreateProviderConnection(bg, w.World.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"),
			Tenant: w.World.Tenant.ID, Kind: string(domain.Gitea), Name: domain.NewID("name"), BaseURL: "https://git.example", Owner: "octo",
			Token: []byte("sealed"), AllRepositories: true, Repositories: "[]", Enabled: true})
		testkit.OK(t, err)
		w.Connection = row
		access, err := w.Store.UpsertConnectionAccess(bg, w.World.Tenant, store.Access{Kind: row.Kind, Connection: row.ID,
			Host: row.BaseURL, AccountID: "5", AccountLogin: "octo"})
		testkit.OK(t, err)
		r := reviewtest.Repository()
		_, _, err = w.Store.SyncAccessRepositories(bg, w.World.Tenant, access.ID, []store.Repository{{
			ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name, Private: true}})
		testkit.OK(t, err)
		w.Policy(`{"fixes":"commit"}`)
		w.Deliver(w.Event("opened", "head"))
		var second store.Run
		for _, run := range w.Runs() {
			if run.Tenant == w.World.Tenant.ID {
				second = run
			}
		}
		theirs, err := w.Store.KnownFindings(bg, w.World.Tenant, second.PullRequest)
		testkit.OK(t, err)
		testkit.Require(t, "findings of the second tenant", len(theirs), 1)
		repository, err := w.Store.Repository(bg, w.World.Tenant, second.Repository)
		testkit.OK(t, err)

		_, err = w.Fixes.Create(bg, w.World.Tenant, repository, second, fixrun.ReviewFixRequest{FindingIDs: []string{mine.ID}})
		testkit.Equal(t, "a finding of the other tenant", errs.Is(err, errs.Invalid), true)
		_, err = w.Fixes.Create(bg, w.World.Tenant, w.Repository, w.Review, fixrun.ReviewFixRequest{FindingIDs: []string{mine.ID}})
		testkit.Equal(t, "a run of the other tenant", err != nil, true)

		var other store.FixRun
		w.Fixer.during = func() {
			w.Fixer.during = nil
			other, err = w.Fixes.Create(bg, first, w.Repository, w.Review, fixrun.ReviewFixRequest{FindingIDs: []string{mine.ID}})
			testkit.OK(t, err)
			w.Until("the first tenant has its commit", func() bool {
				got, err := w.Store.FixRunForWork(bg, other.ID)
				return err == nil && got.CommitSHA != ""
			})
		}
		made, err := w.Fixes.Create(bg, w.World.Tenant, repository, second, fixrun.ReviewFixRequest{FindingIDs: []string{theirs[0].ID}})
		testkit.OK(t, err)
		run, other := w.wait(made.ID), w.wait(other.ID)
		testkit.Equal(t, "the first tenant", other.State, domain.FixCompleted)
		testkit.Equal(t, "the second tenant", run.State, domain.FixCancelled)
		testkit.Equal(t, "commits", len(w.Host.made), 1)
		for k, want := range map[domain.HostID]string{mine.CommentID: other.CommitSHA[:7], theirs[0].CommentID: movedText} {
			said := w.Host.Said(codehost.Spot{Number: 1, Thread: k})
			testkit.Equal(t, "the thread says "+want, len(said) == 1 && strings.Contains(said[0].Body, want), true)
		}
	})
}
