package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/user"
	"slices"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/instance/keys"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/tracking"
)

// AuditLog opens the audit log for a command. It needs the instance key, which seals the signing key, and
// returns an error if that key is wrong.
func AuditLog(ctx context.Context, c config.Config, s *store.Store, logger *slog.Logger) (*audit.Log, error) {
	ring, err := keyring(ctx, c, s)
	if err != nil {
		return nil, err
	}
	return audit.New(s, ring, logger), nil
}

// Tenants opens the settings of tenants for a command. Calls that need the instance's keys or the network
// (model keys, tool servers) do not work with it.
func Tenants(s *store.Store, l *audit.Log) *tenant.Service {
	return tenant.New(tenant.Config{Store: s, Audit: l})
}

// keyring opens the instance's keys for a command.
func keyring(ctx context.Context, c config.Config, s *store.Store) (*secret.Keyring, error) {
	if _, err := ensureKey(ctx, &c, s); err != nil {
		return nil, err
	}
	return openKeyring(ctx, c, s)
}

// ensureKey calls [config.Config.EnsureInstanceKey], but returns an error instead of creating a key if the
// database has secrets that another key sealed. The next start would take the new key for the right one.
func ensureKey(ctx context.Context, c *config.Config, s *store.Store) (made bool, err error) {
	_, err = os.Lstat(c.InstanceKeyFile())
	if c.InstanceKey.IsSet() || !errors.Is(err, fs.ErrNotExist) {
		return c.EnsureInstanceKey()
	}
	wrapped, err := s.LoadKeyset(ctx, "")
	if err != nil {
		return false, err
	}
	if len(wrapped) > 0 {
		return false, fmt.Errorf("secrets in this database were %w: needed is key %s, and none is configured; set ASSAY_INSTANCE_KEY, "+
			"or put the file back: %s",
			secret.ErrKeyMissing, secret.WrappedBy(wrapped), c.InstanceKeyFile())
	}
	return c.EnsureInstanceKey()
}

// openKeyring opens the keyring over a database. It returns an error if the database was used with another
// instance key, or if the newest key was retired.
func openKeyring(ctx context.Context, c config.Config, s *store.Store) (*secret.Keyring, error) {
	ring, err := secret.NewKeyring(c.InstanceKey, secret.KeyStoreFuncs{LoadFunc: s.LoadKeyset, CreateFunc: s.CreateKeyset,
		KeptFunc: s.AfterCommit})
	if err != nil {
		return nil, err
	}
	if err := s.CheckInstanceKey(ctx, ring.Keys()[0]); err != nil {
		return nil, err
	}
	return ring, ring.Verify(ctx)
}

// missingKeys returns an error that names the instance keys that wrap tenants' data keys but are not
// configured. It returns nil if all are configured.
func missingKeys(ctx context.Context, s *store.Store, ring *secret.Keyring) error {
	all, err := s.KeysetKeys(ctx)
	if err != nil {
		return err
	}
	var missing []error
	for _, k := range all {
		if !slices.Contains(ring.Keys(), k.Key) {
			missing = append(missing, fmt.Errorf("secrets of %d tenants were %w", k.N, secret.MissingKey(k.Key, ring.Keys())))
		}
	}
	return errors.Join(missing...)
}

// InstanceKeys opens the service of the instance keys for a command.
func InstanceKeys(ctx context.Context, c config.Config, s *store.Store, logger *slog.Logger) (*keys.Service, error) {
	ring, err := keyring(ctx, c, s)
	if err != nil {
		return nil, err
	}
	return &keys.Service{Store: s, Keyring: ring, Audit: audit.New(s, ring, logger)}, nil
}

// Instance opens the first run and the instance's settings for a command. The returned function closes the
// outbound connections.
func Instance(ctx context.Context, o Options, s *store.Store) (*instance.Service, func(), error) {
	i, _, done, err := FirstRun(ctx, o, s)
	return i, done, err
}

// FirstRun opens the services of [Instance] and the connections to code hosts, for the command that does
// the work of the setup page.
func FirstRun(ctx context.Context, o Options, s *store.Store) (*instance.Service, *tracking.Service, func(), error) {
	keys, err := keyring(ctx, o.Config, s)
	if err != nil {
		return nil, nil, func() {}, err
	}
	factory, err := outboundFactory(o)
	if err != nil {
		return nil, nil, func() {}, err
	}
	log := audit.New(s, keys, o.Logger)
	hosts := &connect.Hosts{Store: s, Keyring: keys, Factory: factory, Logger: o.Logger, WriteTime: o.Config.HTTP.WriteTimeout,
		Gate: gate.New(gate.Config{Store: s, Owner: domain.NewID("gat"), Limits: gate.DefaultLimits()})}
	i := instance.New(instance.Config{Store: s, Keyring: keys, Audit: log, Version: o.Version, Hosts: hosts, URL: factory.CheckForm,
		Process: Process(o.Config)})
	t := tracking.New(tracking.Config{Store: s, Keyring: keys, Audit: log, Outbound: factory, Hosts: hosts,
		BaseURL: o.Config.BaseURL(), Base: func() string { return i.BaseURL(context.Background()) }})
	return i, t, factory.Close, nil
}

// Operator returns the actor of a command on the server: the operating system account that runs it.
func Operator() audit.Actor {
	a := audit.Actor{Kind: audit.KindOperator, Method: "command line"}
	if u, err := user.Current(); err == nil {
		a.Name = u.Username
	}
	return a
}
