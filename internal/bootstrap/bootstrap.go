// Package bootstrap fills an instance from its configuration, without a person at a console: tenant, admin,
// app of a code host or a connection to one, model key and routing. It applies a configured value when the
// value is new or has changed, and keeps an administrator's later edits.
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

// The ids are fixed, so that two processes that start at the same time create one row each.
const (
	appID        = "app_bootstrap"
	credentialID = "crd_bootstrap"
)

// Bootstrap applies a configuration.
type Bootstrap struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Config  config.Bootstrap
	Audit   *audit.Log // required; records each change as an operator's act
	// Account asks the host of an app for the id of the account that has the login name now. It is nil if
	// no host can be asked.
	Account func(ctx context.Context, app, login string) (domain.HostID, error)
	// Connections creates and changes the connection to a code host, as the API does. [Bootstrap.Connect]
	// requires it.
	Connections *tracking.Service
	Logger      *slog.Logger // required

	mu    sync.Mutex
	asked map[string]failedLookup // failed lookups of accounts, by login name
}

// operator returns a context whose actor is the author of the configuration.
func operator(ctx context.Context) context.Context {
	return audit.As(ctx, audit.Actor{Kind: audit.KindOperator, Name: "bootstrap", Method: "configuration"})
}

// Result identifies the rows of a bootstrap.
type Result struct {
	Tenant string // "" if the configuration has no bootstrap
	Admin  string // the first admin's user id
	App    string
}

// Apply creates missing rows and applies changed values. Several starting processes may call it at the same
// time.
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

// raced reports whether another starting process stored its changes first.
func raced(err error) bool {
	return errs.Is(err, errs.NotFound) || errs.Is(err, errs.Conflict) || errs.Is(err, errs.Stale)
}

// apply is one attempt. It returns [errs.NotFound] or [errs.Conflict] if another process created or changed
// a row meanwhile.
func (b *Bootstrap) apply(ctx context.Context) (r Result, err error) {
	known, err := b.loadApplied(ctx)
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
	return r, known.storeSeen(ctx)
}

// tenant finds the tenant that an earlier start created, even under another name, or creates it. It records
// the tenant's id first, so that only one of several starting processes creates a tenant.
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
		if err := b.Audit.Record(ctx, audit.Act{Action: "tenant.create",
			Target: audit.Target{Kind: "tenant", ID: t.ID, Name: name}}); err != nil {
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
	if err := b.Audit.Record(ctx, audit.Act{Action: "user.create", Target: audit.Target{Kind: "user", ID: u.ID, Name: name},
		Note: "instance admin, and admin of the first tenant"}); err != nil {
		return "", err
	}
	return u.ID, b.Store.SetMember(ctx, domain.Tenant{ID: tenant}, u.ID, domain.RoleAdmin, "setup")
}
