package main

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
)

type signOutCmd struct {
	User string `arg:"" help:"Id or name of the person."`
}

// Help implements kong.HelpProvider.
func (signOutCmd) Help() string {
	return `For a lost laptop, or a person who has to leave. The person can sign in again: to prevent that, close the account at the code host
or the identity provider. Tokens for /mcp stay; admins of a tenant revoke them there.

Examples:

    assay admin sign-out "Ada Admin"
    assay admin sign-out usr_01m7yt79dxa0emkr3tg6tz3qvc`
}

// Run implements the command.
func (c *signOutCmd) Run(e *env) error {
	return e.withAudit(func(ctx context.Context, conf config.Config, s *store.Store, log *audit.Log) error {
		user, err := findUser(ctx, s, c.User)
		if err != nil {
			return err
		}
		idle, _ := instance.New(instance.Config{Store: s, Process: app.Process(conf)}).SessionLife(ctx)
		ended, err := auth.EndSessions(ctx, s, log, user.ID, idle)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(e.stdout, "Sessions of %s that ended: %d\n", printable(user.Name), ended)
		return err
	})
}
