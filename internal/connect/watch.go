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

// watch sees from the answers of a host whether an app and its installations
// work, and tells the tenants that they belong to when one stops. Only requests
// that are made as the app itself say something of it: those of an installation
// are refused for what they ask.
type watch struct {
	hosts *Hosts
	app   string // id of the row
	name  string
}

// watchTime bounds the work after one request.
const watchTime = 5 * time.Second

// HostAnswered implements [codehost.Observer].
func (w *watch) HostAnswered(ctx context.Context, a codehost.Answered) {
	if w.hosts.Observer != nil {
		w.hosts.Observer.HostAnswered(ctx, a)
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

// note records what an answer says of the app, or of the installation that it
// asked a token for.
func (w *watch) note(ctx context.Context, a codehost.Answered) error {
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
		return w.broken(ctx, fault.KeyRefused, "The code host refuses the private key of the app. An administrator of the instance enters a new one; nothing is reviewed until then.")
	case a.Installation == "" && a.Status == http.StatusNotFound && a.Op == opOfApp:
		return w.broken(ctx, fault.Gone, "The code host knows the app no more. An administrator of the instance registers it again; nothing is reviewed until then.")
	case a.Installation != "" && a.Status == http.StatusNotFound:
		return w.brokenInstallation(ctx, a.Installation, fault.Gone)
	case a.Installation != "" && a.Status == http.StatusForbidden && a.Class == codehost.ClassForbidden:
		return w.brokenInstallation(ctx, a.Installation, fault.Suspended)
	}
	return nil
}

// opOfApp is the call that every worker makes as the app every few minutes; it
// is about nothing but the app, so that a 404 is the app's.
const opOfApp = "list hook deliveries"

func (w *watch) broken(ctx context.Context, reason, message string) error {
	return w.eachTenant(ctx, func(t domain.Tenant) error {
		return fault.Broke(ctx, w.hosts.Store, t, reason, domain.ConnectionError{ConnectionKind: domain.ConnectionApp, ConnectionID: w.app, Name: w.name, Message: message})
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
