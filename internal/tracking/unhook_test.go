package tracking_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// The webhook of an organisation is deleted with its connection: from the organisation for which it was
// created, under its present name, and never from another one that has taken the former name.
func TestWebhookOfARenamedOwnerGoesWithItsConnection(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		called string // "": the host does not answer
		left   []string
	}{
		"renamed":   {"acme-new", []string{"acme"}},
		"not seen":  {"", []string{"acme", "acme-new"}},
		"as it was": {"acme", []string{"acme-new"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, storetest.SQLite(t))
			b.host.Repositories, b.host.Owner = has("api"), owns(ownerHookOn, nil)
			in := b.request("one")
			in.RegisterWebhooks = true
			made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
			testkit.OK(t, err)
			b.synced(t, made.ID)
			at := " https://assay.example.com/webhooks/host-e/" + made.ID
			b.host.Keep("acme-new" + at)
			b.host.OwnerNow = func(id domain.HostID) (codehost.RepoOwner, error) {
				if tc.called == "" {
					return codehost.RepoOwner{}, hostError(codehost.ClassNotFound, 404, "")
				}
				return codehost.RepoOwner{ID: id, Login: tc.called}, nil
			}
			testkit.OK(t, b.Features.Tracking.DeleteProvider(bg, b.Tenant, made.ID))
			b.work(t, 1)
			var want []string
			for _, of := range tc.left {
				want = append(want, of+at)
			}
			testkit.Equal(t, "webhooks", fmt.Sprint(slices.Sorted(maps.Keys(b.host.Hooks()))), fmt.Sprint(want))
		})
	}
}

// A repository that the connection no longer covers loses our webhook with the next sync. If the
// connection does not register webhooks, those that people created stay.
func TestWebhooksOfRepositoriesThatWereLeft(t *testing.T) {
	t.Parallel()
	for name, registers := range map[string]bool{"registered": true, "by hand": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, storetest.SQLite(t))
			b.host.Repositories = has("api", "shop", "tools")
			in := b.request("one")
			in.RegisterWebhooks = registers
			made, err := b.Features.Tracking.CreateProvider(bg, b.Tenant, in)
			testkit.OK(t, err)
			at := " https://assay.example.com/webhooks/host-e/" + made.ID
			if !registers {
				b.host.Keep("acme/shop" + at)
			}
			b.synced(t, made.ID)
			_, err = b.update(made.ID, 0, `{"repositories":["api"]}`)
			testkit.OK(t, err)
			b.synced(t, made.ID)
			want := "[acme/api" + at + "?repository=1]"
			if !registers {
				want = "[acme/shop" + at + "]"
			}
			testkit.Equal(t, "webhooks", fmt.Sprint(slices.Sorted(maps.Keys(b.host.Hooks()))), want)
		})
	}
}

// opened records the connections that were opened.
type opened struct {
	tracking.Hosts
	rows []store.ProviderConnection
}

func (o *opened) Connection(ctx context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Connection, error) {
	o.rows = append(o.rows, c)
	return o.Hosts.Connection(ctx, c, token)
}

// If the host refuses the removal of webhooks of the former owner, the connection shows the refusal, if
// it still exists.
func TestRefusalsOfARemovalStandAtTheConnection(t *testing.T) {
	t.Parallel()
	b := newBench(t, storetest.SQLite(t))
	b.host.Repositories = has("api")
	b.host.Probe = func(_ context.Context, c store.ProviderConnection, _ secret.Secret) (codehost.Probed, error) {
		return codehost.Probed{Login: "bot", Owner: codehost.RepoOwner{ID: domain.HostID("of " + c.Owner), Login: c.Owner}}, nil
	}
	made := b.create("one")
	b.synced(t, made.ID)
	changed, err := b.update(made.ID, 0, `{"owner":"other","token":"`+newToken()+`2"}`)
	testkit.OK(t, err)
	seen := &opened{Hosts: b.Features.Tracking.Hosts}
	b.Features.Tracking.Hosts = seen
	b.work(t, 3) // the removal, which waits, the sync, and the removal
	former := slices.IndexFunc(seen.rows, func(c store.ProviderConnection) bool { return c.Owner == "acme" })
	if former < 0 || seen.rows[former].ID != made.ID || seen.rows[former].Version != changed.Version {
		t.Errorf("opened %+v, want %s of version %d", seen.rows, made.ID, changed.Version)
	}
}
