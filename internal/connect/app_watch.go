package connect

import (
	"context"
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/store"
)

// watch sees from a host's answers whether an app and its installations work, and informs their tenants
// when one stops. Only requests made as the app itself count, because a refused request of an installation
// may be refused for its content.
type watch struct {
	hosts *Hosts
	app   string // id of the row
	name  string
}

// watchTime bounds the work after one request.
const watchTime = 5 * time.Second

// ObserveExchange implements [codehost.Observer].
func (w *watch) ObserveExchange(ctx context.Context, a codehost.Exchange) {
	if w.hosts.Observer != nil {
		w.hosts.Observer.ObserveExchange(ctx, a)
	}
	if !a.AsApp {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchTime)
	defer cancel()
	if err := w.note(ctx, a); err != nil {
		w.hosts.Logger.WarnContext(ctx, "the state of an app could not be stored; the next request stores it", "app", w.app, "error", err)
	}
}

// note records what an answer shows about the app, or about the installation whose token was requested.
func (w *watch) note(ctx context.Context, a codehost.Exchange) error {
	switch {
	case a.Class == "":
		if err := w.eachTenant(ctx, func(t domain.Tenant) error {
			return fault.Works(ctx, w.hosts.Store, t, domain.ConnectionApp, w.app)
		}); err != nil || a.Installation == "" {
			return err
		}
		return w.installation(ctx, a.Installation, func(t domain.Tenant, i store.Installation) error {
			return fault.Works(ctx, w.hosts.Store, t, domain.ConnectionInstallation, i.ID)
		})
	case a.Status == http.StatusUnauthorized:
		return w.broken(ctx, fault.KeyRefused, "The code host refuses the private key of the app. An administrator of the instance "+
			"enters a new one; nothing is reviewed until then.")
	case a.Installation == "" && a.Status == http.StatusNotFound && a.Op == opOfApp:
		return w.broken(ctx, fault.Gone, "The code host knows the app no more. An administrator of the instance registers it again; "+
			"nothing is reviewed until then.")
	case a.Installation != "" && a.Status == http.StatusNotFound:
		return w.brokenInstallation(ctx, a.Installation, fault.Gone)
	case a.Installation != "" && a.Status == http.StatusForbidden && a.Class == codehost.ClassForbidden:
		return w.brokenInstallation(ctx, a.Installation, fault.Suspended)
	}
	return nil
}

// opOfApp is the call that every worker makes as the app every few minutes. It concerns only the app, so
// that a 404 means that the app is gone.
const opOfApp = "list hook deliveries"

func (w *watch) broken(ctx context.Context, reason, message string) error {
	return w.eachTenant(ctx, func(t domain.Tenant) error {
		return fault.Broke(ctx, w.hosts.Store, t, reason, domain.ConnectionError{ConnectionKind: domain.ConnectionApp,
			ConnectionID: w.app, Name: w.name, Message: message})
	})
}

func (w *watch) brokenInstallation(ctx context.Context, external domain.HostID, reason string) error {
	return w.installation(ctx, external, func(t domain.Tenant, i store.Installation) error {
		return fault.Broke(ctx, w.hosts.Store, t, reason, fault.Installation(i, reason))
	})
}

// eachTenant calls f for the tenants that have an installation of the app.
func (w *watch) eachTenant(ctx context.Context, f func(domain.Tenant) error) error {
	rows, err := w.hosts.Store.PlacedInstallations(ctx, w.app)
	seen := map[string]bool{}
	for _, i := range rows {
		if seen[i.Tenant] {
			continue
		}
		seen[i.Tenant] = true
		if err := f(domain.Tenant{ID: i.Tenant}); err != nil {
			return err
		}
	}
	return err
}

// installation calls f for an installation that belongs to a tenant.
func (w *watch) installation(ctx context.Context, external domain.HostID, f func(domain.Tenant, store.Installation) error) error {
	row, err := w.hosts.Store.InstallationByExternal(ctx, w.app, external)
	if errs.Is(err, errs.NotFound) || err == nil && row.Tenant == "" {
		return nil
	}
	if err != nil {
		return err
	}
	return f(domain.Tenant{ID: row.Tenant}, row)
}
