package app

import (
	"context"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/notify"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// keepEvents is how long events and the messages about them are kept, so that admins can look up what a
// channel received.
const keepEvents = 30 * 24 * time.Hour

// notifications returns the dependencies of package notify.
func (a *App) notifications(first *instance.Service, people *auth.Service) notify.Config {
	return notify.Config{Store: a.Store, Keyring: a.Keyring, Audit: a.Audit, Outbound: a.factory, SMTP: notify.SMTP(a.Config.SMTP),
		PushContact: notify.PushContact(a.Config.BaseURL(), "assay.invalid"), MorePushHosts: pushHosts(first),
		Base: a.linkBase, Scan: a.scan, Standing: standing(a.Store, people), Pushed: a.Metrics.Push,
		PushClient: func(tenant string) *http.Client {
			return a.factory.Client(outbound.Purpose{Name: "push", Tenant: tenant, Timeout: 10 * time.Second, MaxResponseBytes: 64 << 10})
		}}
}

// standing returns a function that reads a person's roles in a tenant and on one of its repositories. It
// asks the code host again if the stored answer is too old.
func standing(s *store.Store, people *auth.Service) func(context.Context, domain.Tenant, string,
	string) (domain.Role, perm.RepoRole, error) {
	return func(ctx context.Context, t domain.Tenant, user, repository string) (domain.Role, perm.RepoRole, error) {
		role, err := people.TenantRole(ctx, t, user)
		if err != nil || role == "" || repository == "" {
			return role, perm.RepoNone, err
		}
		row, err := s.Repository(ctx, t, repository)
		if errs.Is(err, errs.NotFound) {
			return role, perm.RepoNone, nil
		}
		if err != nil {
			return role, perm.RepoNone, err
		}
		on, err := people.RepositoryRole(ctx, t, row, user, role, false)
		return role, on, err
	}
}
