package tracking_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// has returns a list of a host's repositories with the ids 1, 2, ...
func has(names ...string) func(store.ProviderConnection) ([]codehost.RepoInfo, error) {
	return func(c store.ProviderConnection) (out []codehost.RepoInfo, err error) {
		for i, n := range names {
			if n != "" {
				out = append(out, codehost.RepoInfo{ExternalID: domain.HostID(fmt.Sprint(i + 1)), Owner: c.Owner, Name: n, DefaultBranch: "main", Private: true})
			}
		}
		return out, nil
	}
}

// synced runs a sync and returns the connection's report of it.
func (b *bench) synced(t *testing.T, id string) tracking.ProviderSync {
	t.Helper()
	_, err := b.Features.Tracking.SyncProvider(bg, b.Tenant, id)
	testkit.OK(t, err)
	b.work(t, 1)
	all, err := b.Features.Tracking.Providers(bg, b.Tenant, tracking.Page{Before: store.Cursor{}, Limit: 50})
	testkit.OK(t, err)
	at := slices.IndexFunc(all, func(r tracking.ProviderConnection) bool { return r.ID == id })
	if at < 0 || all[at].LastSync == nil {
		t.Fatalf("the connection reports no sync: %+v", all)
	}
	return *all[at].LastSync
}

// repositories returns the names of a connection's repositories with their state.
func (b *bench) repositories(t *testing.T, id string) string {
	t.Helper()
	access, err := b.Store.AccessOfConnection(bg, b.Tenant, id)
	testkit.OK(t, err)
	rows, err := b.Store.AccessRepositories(bg, b.Tenant, access.ID)
	testkit.OK(t, err)
	var out []string
	for _, r := range rows {
		out = append(out, r.Name+" "+r.State)
	}
	return strings.Join(out, ", ")
}

// Listed repositories are connected, others are disconnected, and webhooks are registered with a
// generated secret.
func TestSyncReadsWhatTheHostLists(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.host.Repositories = has("api", "shop")
		in := b.request("one")
		in.RegisterWebhooks = true
		made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
		testkit.OK(t, err)
		got := b.synced(t, made.ID)
		testkit.Equal(t, "counts", fmt.Sprint(got.State, " ", got.Counts), "completed map[added:2 changed:0 disconnected:0 repositories:2 taken:0 webhooks:2]")
		testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active, shop active")
		first := b.host.Hooks()
		at := "https://assay.example.com/webhooks/host-e/" + made.ID
		of := func(repository string) string { return at + "?repository=" + repository }
		testkit.Equal(t, "webhooks", fmt.Sprint(slices.Sorted(maps.Keys(first))), "[acme/api "+of("1")+" acme/shop "+of("2")+"]")
		if key := first["acme/api "+of("1")]; key == "" || key == first["acme/shop "+of("2")] {
			t.Errorf("the webhooks have the secrets %q", first)
		}

		b.host.Repositories = has("service", "", "new") // one is renamed, one is gone
		got = b.synced(t, made.ID)
		testkit.Equal(t, "counts", fmt.Sprint(got.Counts), "map[added:1 changed:1 disconnected:1 repositories:2 taken:0 webhooks:2]")
		testkit.Equal(t, "repositories", b.repositories(t, made.ID), "new active, service active, shop disconnected")

		_, err = b.Features.Tracking.RotateProviderSecret(bg, b.Tenant, made.ID)
		testkit.OK(t, err)
		b.work(t, 1)
		if now := b.host.Hooks()["acme/service "+of("1")]; now == "" || now == first["acme/api "+of("1")] {
			t.Error("the new webhook secret was not registered")
		}
	})
}

// A webhook of a repository that still has the address and the secret of its connection gets its own
// with the next sync, and is deleted with the connection.
func TestWebhooksMoveToTheirRepositories(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.host.Repositories = has("api")
		in := b.request("one")
		in.RegisterWebhooks = true
		made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
		testkit.OK(t, err)
		at := "acme/api https://assay.example.com/webhooks/host-e/" + made.ID
		b.host.Keep(at)
		got := b.synced(t, made.ID)
		testkit.Equal(t, "counts", got.Counts["webhooks"], 1)
		testkit.Equal(t, "webhooks", fmt.Sprint(slices.Sorted(maps.Keys(b.host.Hooks()))), "["+at+"?repository=1]")
		keys, err := s.WebhookSecrets(bg, b.Tenant, made.ID)
		testkit.OK(t, err)
		key, err := b.Features.Keyring.OpenSecret(bg, secret.Scope{Tenant: b.Tenant.ID, Table: "webhook_secrets", Row: keys[0].ID, Column: "sealed"}, keys[0].Sealed)
		testkit.OK(t, err)
		testkit.Equal(t, "secret", b.host.Hooks()[at+"?repository=1"], codehost.HookSecret(key, "1").Reveal())
		testkit.OK(t, b.Features.Tracking.DeleteProvider(bg, b.Tenant, made.ID))
		b.work(t, 1)
		testkit.Equal(t, "webhooks after the connection", len(b.host.Hooks()), 0)
	})
}

// A connection covers the repositories that it names. Those of another connection are marked as taken,
// and the report says in sentences what a person has to do.
func TestSyncSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.host.Repositories = has("api", "shop", "tools", "old")
		b.host.Probe = func(_ context.Context, c store.ProviderConnection, _ secret.Secret) (codehost.Probed, error) {
			return codehost.Probed{Login: "bot", Owner: codehost.RepoOwner{ID: domain.HostID("of " + c.Owner), Login: c.Owner}}, nil
		}
		in := b.request("some")
		in.Repositories = tracking.Repositories{Names: []string{"API", "shop", "absent"}}
		made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
		testkit.OK(t, err)
		got := b.synced(t, made.ID)
		testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active, shop active")
		want := []string{"absent is not there", "No webhook was found in acme/"} // repositories of one moment come in any order
		if len(got.Notes) != 2 || !strings.HasPrefix(got.Notes[0], want[0]) || !strings.HasPrefix(got.Notes[1], want[1]) || !strings.Contains(got.Notes[1], "/webhooks/host-e/"+made.ID) {
			t.Errorf("notes %q", got.Notes)
		}

		in = b.request("all")
		in.Owner, in.RegisterWebhooks = "acme-sub", true
		other, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
		testkit.OK(t, err)
		b.host.Ensure = func(codehost.Repo, string, secret.Secret) (codehost.HookState, error) {
			return codehost.HookState{}, hostError(codehost.ClassForbidden, 403, "only administrators of a repository, "+newToken())
		}
		got = b.synced(t, other.ID)
		testkit.Equal(t, "repositories", b.repositories(t, other.ID), "old active, tools active")
		notes := strings.Join(got.Notes, "\n")
		for _, want := range []string{"acme-sub/api is taken", "acme-sub/shop is taken", "The webhook of acme-sub/tools could not be registered", "only administrators"} {
			if !strings.Contains(notes, want) {
				t.Errorf("the notes lack %q: %s", want, notes)
			}
		}
		if strings.Contains(notes, newToken()) {
			t.Error("the notes have the token")
		}
		testkit.Equal(t, "counts", fmt.Sprint(got.Counts), "map[added:2 changed:0 disconnected:0 repositories:2 taken:2 webhooks:0]")
	})
}

// If two connections have the same owner, the second one says so and takes no repositories.
func TestTwoConnectionsToOneOwner(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.SQLite(t))
	b.host.Repositories = has("api")
	one := b.create("one")
	b.synced(t, one.ID)
	two := b.create("two")
	got := b.synced(t, two.ID)
	if got.State != "failed" || !strings.HasPrefix(got.Error, "Another connection") {
		t.Errorf("the sync says %+v", got)
	}
	row, err := b.Store.ProviderConnection(bg, b.Tenant, two.ID)
	testkit.OK(t, err)
	testkit.Equal(t, "state", row.State, domain.ConnectionBroken)
	testkit.Equal(t, "repositories", b.repositories(t, one.ID), "api active")
}

// Too many repositories are refused with advice, and a host that fails midway is asked again.
func TestSyncThatEndsEarly(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.SQLite(t))
	made := b.create("one")
	b.host.Repositories = func(store.ProviderConnection) ([]codehost.RepoInfo, error) {
		return nil, hostError(codehost.ClassTooLarge, 0, "")
	}
	if got := b.synced(t, made.ID); got.State != "failed" || !strings.Contains(got.Error, "Name the repositories of the connection") {
		t.Errorf("too many: %+v", got)
	}
	calls := 0
	b.host.Repositories = func(c store.ProviderConnection) ([]codehost.RepoInfo, error) {
		if calls++; calls == 1 {
			return nil, hostError(codehost.ClassUnavailable, 502, "bad gateway")
		}
		return has("api")(c)
	}
	_, err := b.Features.Tracking.SyncProvider(bg, b.Tenant, made.ID)
	testkit.OK(t, err)
	testkit.Equal(t, "ends", strings.Join(b.work(t, 2), " "), "failed done")
	testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active")
}

// Deleting a connection stops the runs of its repositories. When their ends are shown on the host, our
// webhooks are removed with a copy of the token, which is then deleted.
func TestDeletedConnection(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		b := newBench(t, s)
		b.host.Repositories = has("api", "shop")
		in := b.request("one")
		in.RegisterWebhooks = true
		made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
		testkit.OK(t, err)
		b.synced(t, made.ID)
		run := b.runOn(t, made.ID)
		testkit.OK(t, b.Features.Tracking.DeleteProvider(bg, b.Tenant, made.ID))
		got, err := s.Run(bg, b.Tenant, run.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "the run", fmt.Sprint(got.State, got.Reason), "cancelledthe connection to the code host was deleted")
		testkit.Equal(t, "kept tokens", len(storetest.Dump(t, url)["hook_removals"]), 1)
		storetest.Sealed(t, s, b.Features.Keyring, "hook_removals.token")
		used := ""
		b.host.Probe = nil
		b.host.Token = func(token secret.Secret) { used = token.Reveal() }
		b.work(t, 1)
		testkit.Equal(t, "removed while an end is to be shown", fmt.Sprint(b.host.Removed()), "[]")
		storetest.Beside(t, url)(`UPDATE jobs SET state = 'done', finished_us = 1 WHERE kind = 'review.reflect'`)
		b.work(t, 1)
		testkit.Equal(t, "removed", fmt.Sprint(slices.Sorted(slices.Values(b.host.Removed()))), "[acme/api acme/shop]")
		testkit.Equal(t, "token", used, newToken())
		testkit.Equal(t, "kept tokens", len(storetest.Dump(t, url)["hook_removals"]), 0)
	})
}

// A connection that moves to another owner leaves the old one in the same way, and the repositories
// there are not accessed with the new token.
func TestConnectionThatMoves(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.SQLite(t))
	b.host.Repositories = has("api")
	b.host.Probe = func(_ context.Context, c store.ProviderConnection, _ secret.Secret) (codehost.Probed, error) {
		return codehost.Probed{Login: "bot", Owner: codehost.RepoOwner{ID: domain.HostID("of " + c.Owner), Login: c.Owner}}, nil
	}
	made := b.create("one")
	b.synced(t, made.ID)
	b.host.Repositories = has("", "api") // another repository with that name
	old, err := b.Store.AccessOfConnection(bg, b.Tenant, made.ID)
	testkit.OK(t, err)
	_, err = b.Features.Tracking.UpdateProvider(bg, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"owner":"other","token":"`+newToken()+`2"}`))
	testkit.OK(t, err)
	rows, err := b.Store.AccessRepositories(bg, b.Tenant, old.ID)
	testkit.OK(t, err)
	testkit.Equal(t, "the old one", fmt.Sprint(len(rows), rows[0].State), "1disconnected")
	b.work(t, 3) // the removal at the old owner, which waits, the sync of the new one, and the removal
	testkit.Equal(t, "removed", fmt.Sprint(b.host.Removed()), "[acme/api]")
	testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active")
}

// The webhooks of an owner that was only renamed belong to the connection, which registers them again
// before the removal for the ended access runs, so they stay. The webhooks of a repository that was
// transferred with it stay, too. The others are removed.
func TestAConnectionWhoseOwnerWasRenamed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		account domain.HostID
		repos   []string // under the new name; the id of a repository is its place
		removed string
	}{
		"renamed":                        {account: "7", repos: []string{"api", "shop"}, removed: "[]"},
		"renamed, and one gone":          {account: "7", repos: []string{"api", ""}, removed: "[acme/shop]"},
		"another, with one transferred":  {account: "8", repos: []string{"", "shop"}, removed: "[acme/api]"},
		"another, with others like them": {account: "8", repos: []string{"", "", "api", "shop"}, removed: "[acme/api acme/shop]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, storetest.SQLite(t))
			b.host.Repositories = has("api", "shop")
			account := domain.HostID("7")
			b.host.Probe = func(_ context.Context, c store.ProviderConnection, _ secret.Secret) (codehost.Probed, error) {
				return codehost.Probed{Login: "bot", Owner: codehost.RepoOwner{ID: account, Login: c.Owner}}, nil
			}
			in := b.request("one")
			in.RegisterWebhooks = true
			made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
			testkit.OK(t, err)
			b.synced(t, made.ID)
			account, b.host.Repositories = tc.account, has(tc.repos...)
			_, err = b.Features.Tracking.UpdateProvider(bg, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"owner":"new","token":"`+newToken()+`2"}`))
			testkit.OK(t, err)
			b.work(t, 3) // the removal, which waits, the sync, and the removal
			removed := b.host.Removed()
			slices.Sort(removed)
			testkit.Equal(t, "removed", fmt.Sprint(removed), tc.removed)
			for i, n := range tc.repos {
				if hook, there := "new/"+n+" ", false; n != "" {
					for k := range b.host.Hooks() {
						there = there || strings.HasPrefix(k, hook)
					}
					testkit.Equal(t, fmt.Sprint("the webhook of repository ", i+1), there, true)
				}
			}
		})
	}
}

// If a host cannot be reached, the copy of the token is deleted after its time.
func TestRemovalThatNeverSucceeds(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		b := newBench(t, s)
		b.host.Repositories = has("api")
		made := b.create("one")
		b.synced(t, made.ID)
		b.host.Remove = func(codehost.Repo) error { return errors.New("no route") }
		testkit.OK(t, b.Features.Tracking.DeleteProvider(bg, b.Tenant, made.ID))
		for range 20 {
			if len(storetest.Dump(t, url)["hook_removals"]) == 0 {
				return
			}
			b.work(t, 1)
		}
		t.Error("the copy of the token is kept")
	})
}

// runOn creates a run of a pull request of the first repository of a connection.
func (b *bench) runOn(t *testing.T, id string) store.Run {
	t.Helper()
	access, err := b.Store.AccessOfConnection(bg, b.Tenant, id)
	testkit.OK(t, err)
	repos, err := b.Store.AccessRepositories(bg, b.Tenant, access.ID)
	testkit.OK(t, err)
	pull, err := b.Store.UpsertPullRequest(bg, b.Tenant, store.PullRequest{Repository: repos[0].ID, Number: 1, HeadSHA: strings.Repeat("a", 40), State: "open", Title: "T", Author: "dev"})
	testkit.OK(t, err)
	var run store.Run
	testkit.OK(t, b.Store.InTx(bg, func(ctx context.Context) (err error) {
		run, _, err = b.Store.CreateRun(ctx, b.Tenant, store.Run{PullRequest: pull.ID, Repository: repos[0].ID, Number: 1, HeadSHA: pull.HeadSHA, TriggerKey: "auto", State: domain.RunQueued})
		return err
	}))
	return run
}
