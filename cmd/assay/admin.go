package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

type adminCmd struct {
	BreakGlass        breakGlassCmd        `cmd:"" name:"break-glass" help:"Make a one-time link that signs in without an identity provider."`
	Tenant            tenantCmd            `cmd:"" help:"Tenants."`
	Member            memberCmd            `cmd:"" help:"Who belongs to a tenant."`
	InstanceAdmin     instanceAdminCmd     `cmd:"" name:"instance-admin" help:"Who manages the instance."`
	SignOut           signOutCmd           `cmd:"" name:"sign-out" help:"End all sessions of a person."`
	PlaceInstallation placeInstallationCmd `cmd:"" name:"place-installation" help:"List installations of the app, or give one to a tenant."`
	Defaults          defaultsCmd          `cmd:"" name:"repository-defaults" help:"Review settings of a tenant's repositories."`
}

// findUser returns the person with an id, or with a unique name.
func findUser(ctx context.Context, s *store.Store, who string) (store.User, error) {
	all, err := s.Users(ctx)
	if err != nil {
		return store.User{}, err
	}
	var found []store.User
	for _, u := range all {
		if u.ID == who {
			return u, nil
		}
		if strings.EqualFold(u.Name, who) {
			found = append(found, u)
		}
	}
	var known []string
	for _, u := range all {
		known = append(known, fmt.Sprintf("%s (%s)", printable(u.Name), u.ID))
	}
	switch {
	case len(all) == 0:
		return store.User{}, fmt.Errorf("there are no people yet: set ASSAY_BOOTSTRAP_TENANT and ASSAY_BOOTSTRAP_ADMIN and start the " +
			"service once")
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return store.User{}, fmt.Errorf("several people have this name; give the id: %s", strings.Join(known, ", "))
	}
	return store.User{}, fmt.Errorf("there is no person with this id or name; there are %s", strings.Join(known, ", "))
}

type tenantCmd struct {
	Create tenantCreateCmd `cmd:"" help:"Make a tenant."`
	List   tenantListCmd   `cmd:"" help:"List tenants."`
}

type tenantCreateCmd struct {
	Name  string `arg:"" help:"Name as people see it."`
	Admin string `help:"Id or name of the person who becomes its first admin."`
}

// Help implements kong.HelpProvider.
func (tenantCreateCmd) Help() string {
	return `Examples:

    assay admin tenant create "Payments" --admin "Ada Admin"`
}

// maxName bounds the name of a tenant.
const maxName = 100

// Run implements the command.
func (t *tenantCreateCmd) Run(e *env) error {
	name := strings.TrimSpace(t.Name)
	if name == "" || len(name) > maxName || printable(name) != name {
		return usageError("the name must be 1 to %d printable characters", maxName)
	}
	return e.withAudit(func(ctx context.Context, _ config.Config, s *store.Store, l *audit.Log) error {
		var made store.Tenant
		err := s.InTx(ctx, func(ctx context.Context) error {
			all, err := s.Tenants(ctx)
			if err != nil {
				return err
			}
			for _, old := range all {
				if strings.EqualFold(old.Name, name) {
					return fmt.Errorf("there is a tenant with this name: %s", old.ID)
				}
			}
			if made, err = s.CreateTenant(ctx, name); err != nil {
				return err
			}
			if err := l.Record(ctx, audit.Act{Action: "tenant.create", Target: audit.Target{Kind: "tenant", ID: made.ID,
				Name: made.Name}}); err != nil || t.Admin == "" {
				return err
			}
			user, err := findUser(ctx, s, t.Admin)
			if err != nil {
				return err
			}
			if err := l.Record(ctx, audit.Act{Tenant: domain.Tenant{ID: made.ID}, Action: "member.grant",
				Target: audit.Target{Kind: "member", ID: user.ID, Name: user.Name}, Note: "admin"}); err != nil {
				return err
			}
			return s.SetMember(ctx, domain.Tenant{ID: made.ID}, user.ID, domain.RoleAdmin, "hand")
		})
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(e.stdout, made.ID)
		return err
	})
}

type tenantListCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (tenantListCmd) Help() string {
	return `Examples:

    assay admin tenant list`
}

// tenantInfo is the JSON form of a tenant.
type tenantInfo struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	CreatedAt *time.Time `json:"createdAt"`
}

// Run implements the command.
func (t *tenantListCmd) Run(e *env) error {
	return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
		all, err := s.Tenants(ctx)
		if err != nil {
			return err
		}
		out, rows := []tenantInfo{}, [][]string{}
		for _, v := range all {
			i := tenantInfo{v.ID, v.Name, instant(v.CreatedUS)}
			out, rows = append(out, i), append(rows, []string{i.ID, cell(i.Name, 60), when(i.CreatedAt)})
		}
		if t.JSON {
			return writeJSON(e.stdout, out)
		}
		if len(rows) == 0 {
			e.say("There is no tenant yet.")
			return nil
		}
		return table(e.stdout, []string{"TENANT", "NAME", "MADE"}, rows)
	})
}

func findTenant(ctx context.Context, s *store.Store, which string) (store.Tenant, error) {
	all, err := s.Tenants(ctx)
	if err != nil {
		return store.Tenant{}, err
	}
	var found []store.Tenant
	for _, t := range all {
		if t.ID == which {
			return t, nil
		}
		if strings.EqualFold(t.Name, which) {
			found = append(found, t)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return store.Tenant{}, fmt.Errorf("there is no single tenant with this id or name; `assay admin tenant list` lists them")
}
