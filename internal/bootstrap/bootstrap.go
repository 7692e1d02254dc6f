// Package bootstrap fills an instance from its configuration, without anybody
// at a console: tenant, admin, app of a code host or a connection to one, model key
// and routing, all into the final tables. A value of the configuration is applied when it is new
// or has changed since it was applied; what an administrator enters in between
// stays.
package bootstrap

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// Ids are fixed, so that two processes that start at once make one row each.
const (
	appID        = "app_bootstrap"
	credentialID = "crd_bootstrap"
)

// Bootstrap applies a configuration.
type Bootstrap struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Config  config.Bootstrap
	Audit   *audit.Log // what is filled in is recorded as an operator's act; needed
	// Account asks the host of an app for the number of an account, by the login
	// name that it has now. nil: no host can be asked.
	Account func(ctx context.Context, app, login string) (domain.HostID, error)
	// Connections makes and changes the connection to a code host, as the interface
	// does; needed by [Bootstrap.Connect].
	Connections *tracking.Service
	Logger      *slog.Logger // needed

	mu    sync.Mutex
	asked map[string]silence // by login name: the questions in vain
}

// operator is who acts: whoever wrote the configuration.
func operator(ctx context.Context) context.Context {
	return audit.As(ctx, audit.Actor{Kind: audit.KindOperator, Name: "bootstrap", Method: "configuration"})
}

// Result is what the instance has after a bootstrap.
type Result struct {
	Tenant string // "" where the configuration asks for nothing
	Admin  string // the first admin's user id
	App    string
}

// Apply fills what is missing, and applies what has changed. Processes that start
// at once may call it at once.
func (b *Bootstrap) Apply(ctx context.Context) (Result, error) {
	if b.Config.Tenant == "" {
		return Result{}, nil
	}
	ctx = operator(ctx)
	for tries := 0; ; tries++ {
		r, err := b.apply(ctx)
		if raced(err) && tries < 3 {
			continue
		}
		return r, err
	}
}

// raced reports whether another process, which starts too, was first.
func raced(err error) bool {
	return errs.Is(err, errs.NotFound) || errs.Is(err, errs.Conflict) || errs.Is(err, errs.Stale)
}

// apply is one attempt. [errs.NotFound], [errs.Conflict]: another process made or
// changed a row in between.
func (b *Bootstrap) apply(ctx context.Context) (r Result, err error) {
	known, err := b.recall(ctx)
	if err != nil {
		return r, err
	}
	err = b.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if r.Tenant, err = b.tenant(ctx, known); err != nil {
			return err
		}
		r.Admin, err = b.admin(ctx, r.Tenant)
		return err
	})
	if err != nil {
		return r, err
	}
	if r.App, err = b.app(ctx, known); err != nil {
		return r, err
	}
	if err := b.model(ctx, known, domain.Tenant{ID: r.Tenant}); err != nil {
		return r, err
	}
	if b.forgetOwners(known) {
		return r, known.keep(ctx)
	}
	return r, known.rest(ctx)
}

// tenant finds the tenant that an earlier start made, whatever it is called now,
// or makes it. Writing down which one it is comes first, so that of processes
// that start at once one makes it.
func (b *Bootstrap) tenant(ctx context.Context, known *applied) (string, error) {
	all, err := b.Store.Tenants(ctx)
	if err != nil {
		return "", err
	}
	name, made := b.Config.TenantName, known.before["tenant."+b.Config.Tenant]
	if name == "" {
		name = b.Config.Tenant
	}
	if i := slices.IndexFunc(all, func(t store.Tenant) bool { return t.ID == made }); i >= 0 {
		return made, nil
	}
	i := slices.IndexFunc(all, func(t store.Tenant) bool { return t.Name == name })
	if i < 0 {
		t, err := b.Store.CreateTenant(ctx, name)
		if err != nil {
			return "", err
		}
		if err := b.Audit.Record(ctx, audit.Act{Action: "tenant.create", Target: audit.Target{Kind: "tenant", ID: t.ID, Name: name}}); err != nil {
			return "", err
		}
		all, i = append(all, t), len(all)
	}
	known.now["tenant."+b.Config.Tenant] = all[i].ID
	return all[i].ID, known.keep(ctx)
}

func (b *Bootstrap) admin(ctx context.Context, tenant string) (string, error) {
	users, err := b.Store.Users(ctx)
	if err != nil {
		return "", err
	}
	for _, u := range users {
		if u.InstanceAdmin {
			return u.ID, nil
		}
	}
	name := b.Config.Admin
	if name == "" {
		name = "Admin"
	}
	u, err := b.Store.CreateUser(ctx, name, true)
	if err != nil {
		return "", err
	}
	if err := b.Audit.Record(ctx, audit.Act{Action: "user.create", Target: audit.Target{Kind: "user", ID: u.ID, Name: name}, Note: "instance admin, and admin of the first tenant"}); err != nil {
		return "", err
	}
	return u.ID, b.Store.SetMember(ctx, domain.Tenant{ID: tenant}, u.ID, domain.RoleAdmin, "setup")
}
