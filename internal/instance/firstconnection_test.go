package instance_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracking"
)

// connect connects a host in the first run, or changes the connection to it.
func (f *fresh) connect(kind, owner string) error {
	return f.Instance.ConnectFirst(f.t.Context(), func(ctx context.Context, t domain.Tenant, id string, note func(context.Context, string) error) error {
		in := tracking.ProviderConnectionCreate{Kind: kind, BaseURL: "https://git.example.com", Owner: owner, Token: strings.Repeat("Tk7", 6), Repositories: tracking.Repositories{All: true}, RegisterWebhooks: true}
		_, err := f.Tracking.PutProvider(ctx, t, id, in, func(ctx context.Context, r tracking.ProviderConnection) error { return note(ctx, r.ID) })
		return err
	})
}

// A first run without GitHub ends with a connection that belongs to the first tenant. It can be continued in
// another browser.
func TestFirstRunWithAConnection(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := t.Context()
		f := newFresh(t, s)
		f.open()
		_, err := f.Instance.NameInstance(ctx, instance.SetupInstance{Name: "Acme reviews"})
		testkit.OK(t, err)

		testkit.OK(t, f.connect("forgejo", "acme"))
		p := f.progress()
		if p.Next != "tenant" || p.App != nil || p.Connection == nil || p.Connection.Host != "Forgejo" || p.Connection.Owner != "acme" || p.Connection.State != "active" {
			t.Fatalf("after the connection: %+v, %+v", p, p.Connection)
		}
		f.open() // the first browser is abandoned
		testkit.OK(t, f.connect("gitea", "acme-labs"))
		if c := f.progress().Connection; c.ID != p.Connection.ID || c.Owner != "acme-labs" || c.Kind != "gitea" {
			t.Errorf("the changed connection is %+v", c)
		}
		end, err := f.Instance.Finish(ctx, instance.SetupFinish{TenantName: "Acme", AdminName: "Ada"}, "")
		testkit.OK(t, err)
		tenants, err := s.Tenants(ctx)
		testkit.OK(t, err)
		rows, err := s.ProviderConnections(ctx, domain.Tenant{ID: end.TenantID}, store.Cursor{}, 10)
		testkit.OK(t, err)
		if len(tenants) != 1 || tenants[0].ID != end.TenantID || tenants[0].Name != "Acme" || len(rows) != 1 || rows[0].ID != p.Connection.ID {
			t.Errorf("tenants %+v, connections %+v", tenants, rows)
		}
		jobs, err := s.JobsOf(ctx, p.Connection.ID)
		testkit.OK(t, err)
		if len(jobs) == 0 || jobs[0].Kind != domain.KindSync || jobs[0].Tenant != end.TenantID {
			t.Errorf("jobs: %+v", jobs)
		}
		if err := f.connect("gitea", "acme"); !errs.Is(err, errs.NotFound) {
			t.Errorf("after the end: %v", err)
		}
		list, err := f.Instance.Checklist(ctx)
		testkit.OK(t, err)
		for _, i := range list.Items {
			if i.Name == "app" || i.Name == "installation" || strings.Contains(i.Message, "GitHub") || i.Name == "connection" && i.State != "done" {
				t.Errorf("the checklist has %+v", i)
			}
		}
	})
}

// Many programs that connect at once create one tenant and one connection.
func TestFirstConnectionsAtOnce(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		f := newFresh(t, s)
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() {
				if err := f.connect("gitea", "acme"); err != nil && !errs.Is(err, errs.Conflict) && !errs.Is(err, errs.Stale) {
					t.Error(err)
				}
			})
		}
		all.Wait()
		tenants, err := s.Tenants(t.Context())
		testkit.OK(t, err)
		testkit.Require(t, "tenants", len(tenants), 1)
		rows, err := s.ProviderConnections(t.Context(), domain.Tenant{ID: tenants[0].ID}, store.Cursor{}, 10)
		testkit.OK(t, err)
		testkit.Equal(t, "connections", len(rows), 1)
	})
}
