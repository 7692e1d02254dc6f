package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
)

type placeInstallationCmd struct {
	Installation string `arg:"" optional:"" help:"Id of the installation (ins_…), or its account's name. Without it, all are listed."`
	Tenant       string `help:"Id or name of the tenant."`
}

// Help implements kong.HelpProvider.
func (placeInstallationCmd) Help() string {
	return `An installation on an account that no tenant has placed waits: nothing is reviewed there. A placed one is never moved.

Examples:

    assay admin place-installation
    assay admin place-installation acme --tenant Payments`
}

// Run implements the command.
func (p *placeInstallationCmd) Run(e *env) error {
	if (p.Installation == "") != (p.Tenant == "") {
		return usageError("name an installation and --tenant, or neither to list them")
	}
	if p.Installation == "" {
		return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
			all, err := s.Installations(ctx, "")
			if err != nil {
				return err
			}
			return listInstallations(e, all)
		})
	}
	return e.withInstance(func(ctx context.Context, _ config.Config, s *store.Store, admin *instance.Service) error {
		all, err := s.Installations(ctx, "")
		if err != nil {
			return err
		}
		i, err := findInstallation(all, p.Installation)
		if err != nil {
			return err
		}
		t, err := findTenant(ctx, s, p.Tenant)
		if err != nil {
			return err
		}
		switch {
		case i.Tenant == t.ID:
			_, err = fmt.Fprintf(e.stdout, "the installation on %s belongs to %s already\n", printable(i.AccountLogin), printable(t.Name))
			return err
		case i.Tenant != "":
			return fmt.Errorf("the installation on %s belongs to another tenant (%s) and is not moved", printable(i.AccountLogin), i.Tenant)
		}
		placed, err := admin.PlaceByHand(ctx, i.ID, instance.InstallationPlace{TenantID: t.ID})
		if err != nil {
			return err
		}
		found := "the host did not list its repositories now, they appear with their next event"
		if placed.Repositories != nil {
			found = fmt.Sprintf("%d repositories", *placed.Repositories)
		}
		_, err = fmt.Fprintf(e.stdout, "the installation on %s belongs to %s (%s); pull requests are reviewed from their next event on\n",
			printable(i.AccountLogin), printable(t.Name), found)
		return err
	})
}

func listInstallations(e *env, all []store.Installation) error {
	var rows [][]string
	for _, i := range all {
		rows = append(rows, []string{i.ID, cell(i.AccountLogin, 40), cell(i.AccountType, 20), string(i.ExternalID), string(i.State),
			cell(i.Tenant, 40)})
	}
	if len(rows) == 0 {
		e.say("The app is not installed anywhere yet.")
		return nil
	}
	return table(e.stdout, []string{"INSTALLATION", "ACCOUNT", "TYPE", "NUMBER", "STATE", "TENANT"}, rows)
}

func findInstallation(all []store.Installation, which string) (store.Installation, error) {
	var found []store.Installation
	for _, i := range all {
		if i.ID == which {
			return i, nil
		}
		if strings.EqualFold(i.AccountLogin, which) && i.State != domain.InstallationDeleted {
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return store.Installation{}, fmt.Errorf("there is no installation with this id or account; `assay admin place-installation` lists them")
	case 1:
		return found[0], nil
	}
	return store.Installation{}, fmt.Errorf("several installations are on this account; give the id, which `assay admin " +
		"place-installation` lists")
}
