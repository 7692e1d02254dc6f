package app

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// Inspect returns the parts of an installation for package doctor. Each part opens on its first use;
// nothing is created or migrated. The returned function closes the outbound connections.
func Inspect(o Options) (doctor.Parts, func(), error) {
	factory, err := outboundFactory(o)
	if err != nil {
		return doctor.Parts{}, func() {}, err
	}
	keys := func(s *store.Store) (*secret.Keyring, error) {
		c := o.Config
		if _, err := c.EnsureInstanceKey(); err != nil {
			return nil, err
		}
		return secret.NewKeyring(c.InstanceKey, secret.KeyStoreFuncs{LoadFunc: s.LoadKeyset,
			CreateFunc: func(context.Context, string, []byte) ([]byte, error) { return nil, doctor.ErrNoKeyset }})
	}
	p := doctor.Parts{
		Children: o.Children,
		Store:    func(ctx context.Context) (*store.Store, error) { return OpenStoreBeside(ctx, o.Config) },
		Keys: func(ctx context.Context, s *store.Store) error {
			if kept, err := s.LoadKeyset(ctx, ""); err != nil || len(kept) == 0 {
				if err != nil {
					return err
				}
				return doctor.ErrNoKeyset
			}
			k, err := keys(s)
			if err != nil {
				return err
			}
			if err := s.CheckInstanceKey(ctx, k.Keys()[0]); err != nil {
				return err
			}
			if err := k.Verify(ctx); err != nil {
				return err
			}
			return missingKeys(ctx, s, k)
		},
		App: func(ctx context.Context, s *store.Store, id string) (doctor.AppClient, error) {
			k, err := keys(s)
			if err != nil {
				return nil, err
			}
			hosts := &connect.Hosts{Store: s, Keyring: k, Factory: factory, Logger: o.Logger,
				Gate: gate.New(gate.Config{Store: s, Owner: domain.NewID("gat"), Limits: gate.DefaultLimits()})}
			return hosts.App(ctx, id)
		},
		Connection: func(ctx context.Context, s *store.Store, row store.ProviderConnection) (tracking.ConnectionChecks, error) {
			k, err := keys(s)
			if err != nil {
				return tracking.ConnectionChecks{}, err
			}
			hosts := &connect.Hosts{Store: s, Keyring: k, Factory: factory, Logger: o.Logger, WriteTime: o.Config.HTTP.WriteTimeout,
				Gate: gate.New(gate.Config{Store: s, Owner: domain.NewID("gat"), Limits: gate.DefaultLimits()})}
			return tracking.New(tracking.Config{Store: s, Keyring: k, Outbound: factory, Hosts: hosts}).Ask(ctx,
				domain.Tenant{ID: row.Tenant}, row.ID)
		},
		Tracker: func(ctx context.Context, s *store.Store, row store.TrackerConnection) (tracking.TrackerChecks, error) {
			k, err := keys(s)
			if err != nil {
				return tracking.TrackerChecks{}, err
			}
			issues := &connect.Trackers{Store: s, Keyring: k, Factory: factory, Adapters: trackerAdapters(), Logger: o.Logger}
			return tracking.New(tracking.Config{Store: s, Keyring: k, Outbound: factory, Issues: issues}).AskTracker(ctx,
				domain.Tenant{ID: row.Tenant}, row.ID)
		},
		Models: func(ctx context.Context, s *store.Store, tenant string) (*ask.Models, error) {
			k, err := keys(s)
			if err != nil {
				return nil, err
			}
			m, _, err := (&connect.Models{Store: s, Keyring: k, Factory: factory, Enterprise: o.Config.Edition == config.Enterprise,
				Attempt: 8 * time.Second,
				Idle:    8 * time.Second, MaxResponse: int64(o.Config.Model.MaxResponse), Concurrency: 1, Logger: o.Logger}).Open(ctx,
				store.Run{Tenant: tenant}, nil)
			return m, err
		},
		BaseURL: storedBaseURL,
		Reach:   func(ctx context.Context, url string) error { return reach(ctx, factory, url) },
	}
	if kv, err := o.Config.KV(); err == nil && kv.Mode != config.KVNone {
		p.KV = func() redis.UniversalClient { return keyValueClient(kv) }
	}
	return p, factory.Close, nil
}

// examinePatience bounds each check of an examination, because a person waits for the result.
const examinePatience = 3 * time.Second

// examine checks the installation while the service runs.
func (a *App) examine(ctx context.Context) doctor.Report {
	parts, done, err := Inspect(a.Options)
	defer done()
	if err != nil {
		a.Logger.ErrorContext(ctx, "the installation could not be examined", "error", err)
		return doctor.Report{Checks: []doctor.Check{{Code: "D001", Name: "configuration", Status: doctor.Fail,
			Message: "the settings of outgoing connections cannot be used",
			Fix:     "run assay doctor on the machine of the service: it says which setting, and why"}}}
	}
	return doctor.Examine(ctx, doctor.Options{Config: a.Config, Version: a.Version, Parts: parts, LocalHosts: a.LocalLinks,
		Patience: examinePatience})
}

func reach(ctx context.Context, f *outbound.Factory, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := outbound.Do(f.Client(outbound.Purpose{Name: "doctor", Timeout: 5 * time.Second, MaxResponseBytes: 64 << 10}), req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", res.StatusCode)
	}
	return nil
}
