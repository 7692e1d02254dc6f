package intake_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// throughGitea makes the fixture receive its deliveries through a connection to a Gitea whose list has these
// repositories. It returns the number of requests for the list.
func throughGitea(f *reviewtest.Fixture, chosen string, listed ...codehost.RepoInfo) *atomic.Int32 {
	f.T.Helper()
	row, err := f.Store.CreateProviderConnection(bg, f.World.Tenant, store.ProviderConnection{ID: domain.NewID("pcn"), Tenant: f.World.Tenant.ID, Kind: string(domain.Gitea),
		Name: domain.NewID("name"), BaseURL: "https://git.example", Owner: "octo", Token: []byte("sealed"), AllRepositories: chosen == "[]", Repositories: chosen, Enabled: true})
	testkit.OK(f.T, err)
	f.Connection = row
	asked := &atomic.Int32{}
	f.Sync = func(ctx context.Context) error {
		asked.Add(1)
		access, err := f.Store.UpsertConnectionAccess(ctx, f.World.Tenant, store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "5", AccountLogin: "octo"})
		if err != nil {
			return err
		}
		var found []store.Repository
		for _, r := range listed {
			found = append(found, store.Repository{ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name, Private: r.Private})
		}
		_, _, err = f.Store.SyncAccessRepositories(ctx, f.World.Tenant, access.ID, found)
		return err
	}
	return asked
}

// The first event of a connection finds no repository. It waits for the host's list, and is then reviewed.
// Later events do not request the list again.
func TestAnEventBeforeTheHostWasAsked(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		asked := throughGitea(f, "[]", reviewtest.Repository())
		first := f.Processed(f.Event("opened", "a"))
		f.Settle()
		f.Want(first, domain.DispositionRun, "completed")
		f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed completed")
		testkit.Equal(t, "asked", asked.Load(), int32(1))
	})
}

// An event about a repository that the connection does not reach or is not for, or that another connection
// has, is ignored with the reason. It requests the host's list at most once.
func TestEventsOfOtherRepositories(t *testing.T) {
	elsewhere := reviewtest.Repository()
	elsewhere.ExternalID, elsewhere.Name = "7700", "elsewhere"
	for name, c := range map[string]struct {
		chosen string
		listed []codehost.RepoInfo
		before func(f *reviewtest.Fixture)
		reason string
		asked  int32
	}{
		"not reached": {"[]", []codehost.RepoInfo{elsewhere}, nil, "the connection does not reach the repository", 1},
		"not chosen":  {`["elsewhere"]`, []codehost.RepoInfo{elsewhere}, func(f *reviewtest.Fixture) { testkit.OK(f.T, f.Sync(bg)) }, "the connection is not for the repository", 1},
		"taken": {"[]", []codehost.RepoInfo{reviewtest.Repository()}, func(f *reviewtest.Fixture) {
			testkit.OK(f.T, f.Sync(bg))
			sync := f.Sync
			throughGitea(f, "[]")
			row := f.Connection
			_, err := f.Store.UpsertConnectionAccess(bg, f.World.Tenant, store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "6", AccountLogin: "sub"})
			testkit.OK(f.T, err)
			f.Sync = sync
		}, "another connection has the repository", 1},
		"switched off": {"[]", nil, func(f *reviewtest.Fixture) {
			row := f.Connection
			row.Enabled = false
			_, err := f.Store.UpdateProviderConnection(bg, f.World.Tenant, row)
			testkit.OK(f.T, err)
		}, "the connection is switched off", 0},
		"deleted": {"[]", nil, func(f *reviewtest.Fixture) {
			testkit.OK(f.T, f.Store.DeleteProviderConnection(bg, f.World.Tenant, f.Connection.ID))
		}, "the connection was deleted", 0},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				asked := throughGitea(f, c.chosen, c.listed...)
				if c.before != nil {
					c.before(f)
				}
				for _, head := range []string{"a", "b"} {
					d := f.Processed(f.Event("opened", head))
					if d.Disposition != domain.DispositionIgnored || d.Reason != c.reason {
						t.Errorf("%s %q, want ignored %q", d.Disposition, d.Reason, c.reason)
					}
				}
				testkit.Equal(t, "asked", asked.Load(), c.asked)
				testkit.Equal(t, "runs", len(f.Runs()), 0)
			})
		})
	}
}

// An event with a new name of the repository renames it, and requests the host's list to check its owner. The
// same body with another delivery id changes nothing.
func TestARenamedRepositoryOfAConnection(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		asked := throughGitea(f, "[]", reviewtest.Repository())
		testkit.OK(t, f.Sync(bg))
		f.Sync = func(context.Context) error { asked.Add(1); return nil }
		renamed := f.Event("opened", "a")
		repo := *renamed.Repository
		repo.Name = "renamed"
		renamed.Repository = &repo
		f.Want(f.Deliver(renamed), domain.DispositionRun, "completed")
		name := func() string {
			access, err := f.Store.AccessOfConnection(bg, f.World.Tenant, f.Connection.ID)
			testkit.OK(t, err)
			row, err := f.Store.AccessRepository(bg, f.World.Tenant, access.ID, repo.ExternalID)
			testkit.OK(t, err)
			return row.Name
		}
		testkit.Equal(t, "name", name(), "renamed")
		testkit.Equal(t, "asked", asked.Load(), int32(2))
		f.Deliver(f.Event("synchronize", "b"))
		before := name()
		testkit.Equal(t, "named back", before, reviewtest.Repository().Name)
		d := f.Deliver(renamed)
		if d.Disposition != domain.DispositionIgnored && d.Disposition != domain.DispositionCoalesced || name() != before {
			t.Errorf("the earlier body: %s %q, and the name is %q", d.Disposition, d.Reason, name())
		}
	})
}

// A repository that moved to another owner is no longer reviewed: the event waits for the host's list. If the
// list cannot decide, because the name of the connection's owner belongs to another account, the repository
// is still reviewed.
func TestARepositoryThatWentToAnotherOwner(t *testing.T) {
	for name, c := range map[string]struct {
		lists, run bool
	}{"another account": {lists: true}, "an owner that is not followed": {run: true}} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				asked := throughGitea(f, "[]", reviewtest.Repository())
				testkit.OK(t, f.Sync(bg))
				f.Sync = func(ctx context.Context) error {
					asked.Add(1)
					if !c.lists {
						return nil
					}
					access, err := f.Store.AccessOfConnection(ctx, f.World.Tenant, f.Connection.ID)
					if err == nil {
						_, _, err = f.Store.SyncAccessRepositories(ctx, f.World.Tenant, access.ID, nil)
					}
					return err
				}
				ev := f.Event("opened", "a")
				repo := *ev.Repository
				repo.Owner = "elsewhere"
				ev.Repository = &repo
				d := f.Processed(ev)
				f.Settle()
				testkit.Equal(t, "asked", asked.Load(), int32(2))
				if c.run {
					f.Want(d, domain.DispositionRun, "completed")
					return
				}
				testkit.Equal(t, "runs", len(f.Runs()), 0)
				if d.Disposition != domain.DispositionIgnored || d.Reason != "the connection does not reach the repository" {
					t.Errorf("%s %q", d.Disposition, d.Reason)
				}
			})
		})
	}
}

// Events about new and removed repositories are not trusted: the host's list decides.
func TestRepositoryEventsOfAConnection(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		asked := throughGitea(f, "[]", reviewtest.Repository())
		repo := reviewtest.Repository()
		for i, action := range []string{"created", "deleted"} {
			d := f.Deliver(codehost.Event{Kind: codehost.KindRepository, Action: action, Repository: &repo})
			if d.Disposition != domain.DispositionApplied || d.Tenant != f.World.Tenant.ID || asked.Load() != int32(i+1) {
				t.Errorf("%s: %s, asked %d times", action, d.Disposition, asked.Load())
			}
		}
		d := f.Deliver(f.Event("opened", "a"))
		f.Want(d, domain.DispositionRun, "completed")
	})
}
