package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
)

type setupTokenCmd struct{}

// Help implements kong.HelpProvider.
func (setupTokenCmd) Help() string {
	return `The link works once, for 30 minutes, and replaces an earlier one. It is printed here only. Once the instance has an admin there is nothing to set up: assay admin break-glass signs an admin in.

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

// errSetUp is the answer where there is an admin.
var errSetUp = errors.New("this instance is set up: it has an admin; `assay admin break-glass` makes a link that signs an admin in")

// withSetup is withAudit for what the first run does.
func (e *env) withSetup(f func(ctx context.Context, c config.Config, s *instance.Service) error) error {
	return e.withStore(func(ctx context.Context, c config.Config, s *store.Store) error {
		svc, done, err := app.Instance(ctx, app.Options{Config: c, Version: version, Logger: e.logger(c)}, s)
		if err != nil {
			return err
		}
		defer done()
		return f(audit.As(ctx, app.Operator()), c, svc)
	})
}
