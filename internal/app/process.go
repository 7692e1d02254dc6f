package app

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/bootstrap"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
)

// Process returns the configured values of instance settings, and the settings that the environment or the
// configuration file fixes.
func Process(c config.Config) instance.Process {
	p := instance.Process{BaseURL: c.BaseURL(), Edition: c.Edition, Idle: c.Session.Idle, Absolute: c.Session.Absolute,
		Fixed: map[string]bool{}, TrustProxyTLS: c.TrustProxyTLS,
		AirGap: instance.AirGap{AllowHTTP: c.Outbound.AirGap.AllowHTTP, AllowedHosts: c.Outbound.AirGap.AllowedHosts,
			AllowedCIDRs: c.Outbound.AirGap.AllowedCIDRs},
		Retention: instance.Retention{DeliveryBodiesDays: c.Retention.DeliveryBodiesDays, RunsDays: c.Retention.RunsDays,
			AuditBodiesDays: c.Retention.AuditBodiesDays}}
	for _, s := range c.Effective() {
		if pointer := map[string]string{"publicBaseUrl": "/publicBaseUrl", "session.idle": "/session/idleMinutes",
			"session.absolute":             "/session/absoluteHours",
			"retention.deliveryBodiesDays": "/retention/deliveryBodiesDays", "retention.runsDays": "/retention/runsDays",
			"retention.auditBodiesDays": "/retention/auditBodiesDays"}[s.Name]; pointer != "" && s.Source != config.FromDefault {
			p.Fixed[pointer] = true
		}
	}
	return p
}

// adoptBaseURL reads the public base URL that an administrator stored, unless the configuration sets one.
// Cookies, links and the check of Origin use one value for the life of the process.
func (a *App) adoptBaseURL(ctx context.Context) error {
	if a.Config.PublicBaseURL != "" || a.LocalLinks {
		return nil
	}
	var err error
	a.storedBaseURL, err = storedBaseURL(ctx, a.Store)
	return err
}

// storedBaseURL returns the public base URL in the instance's settings, or "" if it is not set.
func storedBaseURL(ctx context.Context, s *store.Store) (string, error) {
	doc, err := s.InstanceDocument(ctx, store.DocumentSettings)
	if err != nil || doc.Body == "" {
		return "", err
	}
	var stored struct{ PublicBaseURL string }
	if err := json.Unmarshal([]byte(doc.Body), &stored); err != nil {
		return "", nil //nolint:nilerr // the settings say themselves that they cannot be read
	}
	return stored.PublicBaseURL, nil
}

// baseURL returns the public base URL of this process.
func (a *App) baseURL() string {
	if a.storedBaseURL != "" {
		return a.storedBaseURL
	}
	return a.Config.BaseURL()
}

// placeOwners resolves the accounts in the configuration at the host, and assigns the installations that
// waited for it.
func (a *App) placeOwners(ctx context.Context) error {
	owners, err := a.boot.Owners(ctx)
	if err != nil || len(owners) == 0 {
		return err
	}
	return a.Feature.Instance.PlaceWaiting(ctx, a.Boot.Among(owners), "The configuration names the account.")
}

// assignTenant returns a function that assigns an installation to a tenant, by the bootstrap first and then by the
// instance's settings.
func (a *App) assignTenant(boot *bootstrap.Bootstrap) func(ctx context.Context, app string, i codehost.Installation) (string, error) {
	first := boot.Place(a.Boot)
	return func(ctx context.Context, app string, i codehost.Installation) (string, error) {
		if tenant, err := first(ctx, app, i); err != nil || tenant != "" {
			return tenant, err
		}
		return a.Feature.Instance.Place(ctx, app, i)
	}
}
