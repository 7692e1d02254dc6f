package tracking_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// owns makes a host report the state of the owner's webhook.
func owns(state codehost.HookState, err error) func(string, secret.Secret) (codehost.HookState, error) {
	return func(string, secret.Secret) (codehost.HookState, error) { return state, err }
}

var ownerHookOn = codehost.HookState{ID: "9", Active: true}

// One webhook of the owner replaces those of repositories if the account may create it. Otherwise the
// host is polled for its newest repositories.
func TestWebhookOfTheOwner(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.host.Repositories = has("api", "shop")
		looks := 0
		b.host.Newest = func(store.ProviderConnection) (codehost.Newest, error) { looks++; return codehost.Newest{}, nil }
		in := b.request("one")
		in.RegisterWebhooks = true
		made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
		testkit.OK(t, err)
		at := " https://assay.example.com/webhooks/host-e/" + made.ID
		ofRepositories, ofOwner := fmt.Sprint([]string{"acme/api" + at + "?repository=1", "acme/shop" + at + "?repository=2"}), fmt.Sprint([]string{"acme" + at})
		for _, step := range []struct {
			name  string
			owner func(string, secret.Secret) (codehost.HookState, error)
			hooks string
			notes int
			looks int
		}{
			{"the account is not an owner", nil, ofRepositories, 0, 1},
			{"it may register one", owns(ownerHookOn, nil), ofOwner, 0, 0},
			{"its token may not", owns(codehost.HookState{}, hostError(codehost.ClassForbidden, 403, "token does not have the required scope")), "[acme" + at + " " + ofRepositories[1:], 0, 1},
			{"again", owns(ownerHookOn, nil), ofOwner, 0, 0},
			{"it stays off", owns(codehost.HookState{ID: "9"}, nil), "[acme" + at + " " + ofRepositories[1:], 1, 1},
			{"it sends too little", owns(codehost.HookState{ID: "9", Active: true, Missing: []string{"repository"}}, nil), "[acme" + at + " " + ofRepositories[1:], 1, 1},
		} {
			b.host.Owner = step.owner
			got := b.synced(t, made.ID)
			testkit.Equal(t, step.name+": webhooks", fmt.Sprint(slices.Sorted(maps.Keys(b.host.Hooks()))), step.hooks)
			testkit.Equal(t, step.name+": counted", got.Counts["webhooks"], 2)
			testkit.Equal(t, step.name+": notes", len(got.Notes), step.notes)
			looks = 0
			testkit.OK(t, b.Features.Tracking.LookNow(bg))
			testkit.Equal(t, step.name+": looks", looks, step.looks)
		}
		testkit.OK(t, b.Features.Tracking.DeleteProvider(bg, b.Tenant, made.ID))
		b.host.Owner = owns(ownerHookOn, nil)
		b.work(t, 1)
		testkit.Equal(t, "webhooks after the connection", len(b.host.Hooks()), 0)
	})
}

// A connection that names its repositories has no owner's webhook. A webhook that a person created
// counts if the connection registers none.
func TestWhoHasAWebhookOfTheOwner(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.host.Repositories, b.host.Owner = has("api", "shop"), owns(ownerHookOn, nil)
		in := b.request("named")
		in.Repositories, in.RegisterWebhooks = tracking.Repositories{Names: []string{"api"}}, true
		made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
		testkit.OK(t, err)
		b.synced(t, made.ID)
		at := " https://assay.example.com/webhooks/host-e/" + made.ID
		testkit.Equal(t, "webhooks", fmt.Sprint(slices.Collect(maps.Keys(b.host.Hooks()))), "[acme/api"+at+"?repository=1]")
		for _, step := range []struct{ repositories, hooks string }{{`"all"`, "[acme" + at + "]"}, {`["shop"]`, "[acme/shop" + at + "?repository=2]"}} {
			_, err := b.Features.Tracking.UpdateProvider(bg, b.Tenant, made.ID, 0, featuretest.Request[tracking.ProviderConnectionUpdate](t, `{"repositories":`+step.repositories+`}`))
			testkit.OK(t, err)
			b.synced(t, made.ID)
			testkit.Equal(t, step.repositories, fmt.Sprint(slices.Sorted(maps.Keys(b.host.Hooks()))), step.hooks)
		}
		testkit.OK(t, b.Features.Tracking.DeleteProvider(bg, b.Tenant, made.ID))
		b.work(t, 1)
		other := b.create("by hand")
		if got := b.synced(t, other.ID); got.Counts["webhooks"] != 0 || len(got.Notes) != 1 {
			t.Errorf("without a webhook: %+v", got)
		}
		b.host.Keep(other.Owner + " https://assay.example.com/webhooks/host-e/" + other.ID)
		if got := b.synced(t, other.ID); got.Counts["webhooks"] != 2 || len(got.Notes) != 0 {
			t.Errorf("with one of the owner: %+v", got)
		}
	})
}

// A look starts a sync if the host shows an unknown repository or change, once for each change, and
// never if all is known.
func TestLooksForNewRepositories(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.host.Repositories = has("api")
		made := b.create("one")
		b.synced(t, made.ID)
		list := func(total int, names ...string) {
			got, _ := has(names...)(store.ProviderConnection{Owner: made.Owner})
			b.host.Newest = func(store.ProviderConnection) (codehost.Newest, error) {
				return codehost.Newest{Repositories: got, Total: total}, nil
			}
		}
		look := func(name string, want int) {
			t.Helper()
			before := b.jobs(t, made.ID)
			testkit.OK(t, b.Features.Tracking.LookNow(bg))
			got := b.jobs(t, made.ID) - before
			testkit.Equal(t, name, got, want)
			for range got {
				b.work(t, 1)
			}
		}
		list(1, "api")
		look("all is known", 0)
		list(2, "api", "shop")
		b.host.Repositories = has("api", "shop")
		look("a new one", 1)
		testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active, shop active")
		look("the same list", 0)
		list(2, "api", "store")
		b.host.Repositories = has("api", "store")
		look("a new name", 1)
		testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active, store active")
		list(3, "api", "store", "unreachable")
		look("one that the connection never gets", 1)
		look("and not again", 0)
		list(1, "api")
		b.host.Repositories = has("api")
		look("one is gone", 1)
		testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active, store disconnected")
		b.host.Newest = func(store.ProviderConnection) (codehost.Newest, error) {
			return codehost.Newest{}, errors.New("no route")
		}
		look("a host that does not answer", 0)
		b.host.Newest = func(store.ProviderConnection) (codehost.Newest, error) {
			return codehost.Newest{}, hostError(codehost.ClassLimited, 429, "")
		}
		look("a budget that is used up", 0)
		b.host.Newest = func(store.ProviderConnection) (codehost.Newest, error) {
			return codehost.Newest{}, hostError(codehost.ClassForbidden, 401, "")
		}
		look("a token that was taken back", 1)
		list(2, "api", "store")
		b.host.Repositories = has("api", "store")
		_, err := s.EnqueueAwaited(bg, b.Tenant, domain.KindSync, made.ID)
		testkit.OK(t, err)
		look("a synchronisation is to come", 0)
		b.work(t, 1)
		testkit.Equal(t, "repositories", b.repositories(t, made.ID), "api active, store active")
		look("which has found it", 0)
	})
}

// A connection that names its repositories ignores others.
func TestLooksForNamedRepositories(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		b.host.Repositories = has("api")
		in := b.request("named")
		in.Repositories = tracking.Repositories{Names: []string{"api", "SHOP"}}
		made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
		testkit.OK(t, err)
		b.synced(t, made.ID)
		for _, step := range []struct {
			name string
			jobs int
		}{{"other", 0}, {"shop", 1}} {
			b.host.Newest = func(c store.ProviderConnection) (codehost.Newest, error) {
				list, err := has("api", step.name)(c)
				return codehost.Newest{Repositories: list, Total: 5 + step.jobs}, err
			}
			before := b.jobs(t, made.ID)
			testkit.OK(t, b.Features.Tracking.LookNow(bg))
			testkit.Equal(t, step.name, b.jobs(t, made.ID)-before, step.jobs)
		}
	})
}

// Pull requests of a new repository are reviewed from its creation on the host, if the connection
// existed then. The time is a whole second, because the host reports opening times in seconds.
func TestReviewedPullRequestsOfANewRepository(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		b := newBench(t, s)
		later := time.Now().Add(time.Hour)
		b.host.Repositories = func(c store.ProviderConnection) ([]codehost.RepoInfo, error) {
			list, err := has("untold", "old", "new", "shared")(c)
			list[1].CreatedAt, list[2].CreatedAt = time.Unix(1, 0), later
			list[3].CreatedAt, list[3].Shared = later, true
			return list, err
		}
		made := b.create("one")
		b.synced(t, made.ID)
		row, err := s.ProviderConnection(bg, b.Tenant, made.ID)
		testkit.OK(t, err)
		access, err := s.AccessOfConnection(bg, b.Tenant, made.ID)
		testkit.OK(t, err)
		for external, want := range map[domain.HostID]int64{"1": 0, "2": max(row.CreatedUS, access.CreatedUS), "3": later.UnixMicro(), "4": 0} {
			want = time.UnixMicro(want).Truncate(time.Second).UnixMicro()
			got, err := s.AccessRepository(bg, b.Tenant, access.ID, external)
			testkit.OK(t, err)
			testkit.Equal(t, got.Name, got.ReviewFromUS, want)
		}
	})
}

// jobs counts the sync jobs of a connection.
func (b *bench) jobs(t *testing.T, id string) (n int) {
	t.Helper()
	all, err := b.Store.JobsOf(context.Background(), id)
	testkit.OK(t, err)
	for _, j := range all {
		if j.Kind == domain.KindSync {
			n++
		}
	}
	return n
}
