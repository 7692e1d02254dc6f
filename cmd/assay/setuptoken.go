package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

type setupTokenCmd struct{}

// Help implements kong.HelpProvider.
func (setupTokenCmd) Help() string {
	return `The link works once, for 30 minutes, and replaces an earlier one. It is printed here only. Once the instance
has an admin there is nothing to set up: assay admin break-glass signs an admin in.

Examples:

    assay setup-token`
}

// Run implements the command.
func (setupTokenCmd) Run(e *env) error {
	return e.withSetup(func(ctx context.Context, _ config.Config, s *instance.Service) error {
		token, ok, err := s.NewToken(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return errSetUp
		}
		e.say("This link opens the setup of the instance. It works once, for %d minutes:", int(instance.TokenLife.Minutes()))
		_, err = fmt.Fprintln(e.stdout, instance.TokenURL(s.BaseURL(ctx), token))
		return err
	})
}

// errSetUp is the error if the instance has an admin.
var errSetUp = errors.New("this instance is set up: it has an admin; `assay admin break-glass` makes a link that signs an admin in")

// withSetup is withInstance for the first run: it creates the schema of an empty database.
func (e *env) withSetup(f func(ctx context.Context, c config.Config, s *instance.Service) error) error {
	if err := e.ensureSchema(); err != nil {
		return err
	}
	return e.withInstance(func(ctx context.Context, c config.Config, _ *store.Store, s *instance.Service) error {
		return f(ctx, c, s)
	})
}

// withFirstRun is withSetup with the connections to code hosts.
func (e *env) withFirstRun(f func(ctx context.Context, s *instance.Service, t *tracking.Service) error) error {
	if err := e.ensureSchema(); err != nil {
		return err
	}
	return e.withStore(func(ctx context.Context, c config.Config, s *store.Store) error {
		i, t, done, err := app.FirstRun(ctx, app.Options{Config: c, Version: version, Logger: e.logger(c)}, s)
		if err != nil {
			return err
		}
		defer done()
		return f(audit.As(ctx, app.Operator()), i, t)
	})
}

// ensureSchema creates the schema of an empty database. It does not upgrade an older one, because the operator
// does that by assay migrate or by starting the service.
func (e *env) ensureSchema() (err error) {
	c, err := e.config()
	if err != nil {
		return err
	}
	ctx, stop := e.interrupted()
	defer stop()
	s, err := app.OpenStoreBeside(ctx, c)
	if errors.Is(err, fs.ErrNotExist) {
		if err := c.EnsureDataDir(); err != nil {
			return err
		}
		s, err = app.OpenStore(ctx, c)
	}
	if err != nil {
		return err
	}
	defer closing(s.Close, &err)
	state, err := s.Schema(ctx)
	if err == nil && state.Current == 0 {
		_, err = s.Migrate(ctx)
	}
	return err
}

// withInstance is withAudit for changes of the instance's own settings, apps and installations.
func (e *env) withInstance(f func(ctx context.Context, c config.Config, s *store.Store, i *instance.Service) error) error {
	return e.withStore(func(ctx context.Context, c config.Config, s *store.Store) error {
		svc, done, err := app.Instance(ctx, app.Options{Config: c, Version: version, Logger: e.logger(c)}, s)
		if err != nil {
			return err
		}
		defer done()
		return f(audit.As(ctx, app.Operator()), c, s, svc)
	})
}
