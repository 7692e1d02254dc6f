package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

type defaultsCmd struct {
	Show defaultsShowCmd `cmd:"" help:"Print what a tenant has set."`
	Set  defaultsSetCmd  `cmd:"" help:"Replace what a tenant has set."`
}

type defaultsShowCmd struct {
	Tenant string `required:"" help:"Id or name of the tenant."`
}

// Help implements kong.HelpProvider.
func (defaultsShowCmd) Help() string {
	return `An absent setting has the value of the product; docs/policy/settings.md lists all settings.

Examples:

    assay admin repository-defaults show --tenant acme`
}

// Run implements the command.
func (d *defaultsShowCmd) Run(e *env) error {
	return e.withDefaults(d.Tenant, func(ctx context.Context, t domain.Tenant, s *tenant.Service) error {
		now, err := s.Defaults(ctx, t)
		if err != nil {
			return err
		}
		return writeJSON(e.stdout, now.RepositoryDefaultsUpdate)
	})
}

type defaultsSetCmd struct {
	Tenant string `required:"" help:"Id or name of the tenant."`
	File   string `arg:"" help:"JSON file with the settings, as show prints them; - reads standard input."`
}

// Help implements kong.HelpProvider.
func (defaultsSetCmd) Help() string {
	return `The file is the whole: a setting that it leaves out has the value of the product again. Nothing is changed where a part is refused.

Examples:

    assay admin repository-defaults set --tenant acme defaults.json
    echo '{"profile":"quiet","check":{"failOn":"high"}}' | assay admin repository-defaults set --tenant acme -`
}

// maxDefaults bounds the file with repository defaults, in bytes.
const maxDefaults = 1 << 20

// Run implements the command.
func (d *defaultsSetCmd) Run(e *env) error {
	in, err := d.read(e)
	if err != nil {
		return err
	}
	return e.withDefaults(d.Tenant, func(ctx context.Context, t domain.Tenant, s *tenant.Service) error {
		after, err := s.PutDefaults(ctx, t, 0, in)
		if err != nil {
			return fields(err)
		}
		return writeJSON(e.stdout, after.RepositoryDefaultsUpdate)
	})
}

// read reads the settings from the file or from standard input.
func (d *defaultsSetCmd) read(e *env) (in policy.RepositoryDefaultsUpdate, err error) {
	from := e.stdin
	if d.File != "-" {
		f, err := os.Open(d.File)
		if err != nil {
			return in, fmt.Errorf("read the settings: %w", err)
		}
		defer closing(f.Close, &err)
		from = f
	}
	raw, err := io.ReadAll(io.LimitReader(from, maxDefaults+1))
	if err != nil {
		return in, fmt.Errorf("read the settings: %w", err)
	}
	if len(raw) > maxDefaults {
		return in, errors.New("the settings are larger than 1 MiB")
	}
	in, err = httpapi.Body[policy.RepositoryDefaultsUpdate](raw)
	return in, fields(err)
}

// withDefaults opens the settings of a tenant for a command that acts as the operator.
func (e *env) withDefaults(which string, f func(ctx context.Context, t domain.Tenant, s *tenant.Service) error) error {
	return e.withAudit(func(ctx context.Context, _ config.Config, s *store.Store, l *audit.Log) error {
		t, err := findTenant(ctx, s, which)
		if err != nil {
			return err
		}
		return f(ctx, domain.Tenant{ID: t.ID}, app.Tenants(s, l))
	})
}
