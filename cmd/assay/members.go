package main

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

type memberCmd struct {
	Set    memberSetCmd    `cmd:"" help:"Give a person a role in a tenant by hand."`
	Remove memberRemoveCmd `cmd:"" help:"Take back the role that was given by hand."`
}

type memberSetCmd struct {
	User   string `arg:"" help:"Id or name of the person."`
	Tenant string `required:"" help:"Id or name of the tenant."`
	Role   string `default:"member" enum:"member,admin" help:"member or admin."`
}

// Help implements kong.HelpProvider.
func (memberSetCmd) Help() string {
	return `It repairs a tenant whose code host or identity provider has withdrawn its last admin.

Examples:

    assay admin member set "Ada Admin" --tenant Payments --role admin`
}

// Run implements the command.
func (m *memberSetCmd) Run(e *env) error {
	return e.member(m.User, m.Tenant, "member.grant", m.Role, func(ctx context.Context, s *store.Store, t domain.Tenant, user string) error {
		return s.AssignMember(ctx, t, user, domain.Role(m.Role))
	})
}

type memberRemoveCmd struct {
	User   string `arg:"" help:"Id or name of the person."`
	Tenant string `required:"" help:"Id or name of the tenant."`
}

// Help implements kong.HelpProvider.
func (memberRemoveCmd) Help() string {
	return `Roles from the code host or an identity provider stay. The last admin of a tenant is not removed.

Examples:

    assay admin member remove "Ada Admin" --tenant Payments`
}

// Run implements the command.
func (m *memberRemoveCmd) Run(e *env) error {
	return e.member(m.User, m.Tenant, "member.revoke", "", func(ctx context.Context, s *store.Store, t domain.Tenant, user string) error {
		return s.DismissMember(ctx, t, user)
	})
}

// member changes a person's membership in a tenant and records it in the tenant's log.
func (e *env) member(who, tenant, action, note string, change func(ctx context.Context, s *store.Store, t domain.Tenant,
	user string) error) error {
	return e.withAudit(func(ctx context.Context, _ config.Config, s *store.Store, l *audit.Log) error {
		user, err := findUser(ctx, s, who)
		if err != nil {
			return err
		}
		row, err := findTenant(ctx, s, tenant)
		if err != nil {
			return err
		}
		t := domain.Tenant{ID: row.ID}
		err = l.Do(ctx, func(ctx context.Context) (audit.Act, error) {
			return audit.Act{Tenant: t, Action: action, Target: audit.Target{Kind: "user", ID: user.ID, Name: user.Name}, Note: note},
				change(ctx, s, t, user.ID)
		})
		if err != nil {
			return err
		}
		role, err := s.RoleOf(ctx, t, user.ID)
		if err == nil && role == "" {
			role = "nothing"
		}
		if err == nil {
			_, err = fmt.Fprintf(e.stdout, "%s is %s in %s\n", printable(user.Name), role, printable(row.Name))
		}
		return err
	})
}

type instanceAdminCmd struct {
	List   instanceAdminListCmd   `cmd:"" help:"List who manages the instance."`
	Grant  instanceAdminGrantCmd  `cmd:"" help:"Let a person manage the instance."`
	Revoke instanceAdminRevokeCmd `cmd:"" help:"Take that back; the last one stays."`
}

type instanceAdminListCmd struct{}

// Help implements kong.HelpProvider.
func (instanceAdminListCmd) Help() string {
	return `Examples:

    assay admin instance-admin list`
}

// Run implements the command.
func (instanceAdminListCmd) Run(e *env) error {
	return e.withStore(func(ctx context.Context, _ config.Config, s *store.Store) error {
		all, err := s.InstanceAdmins(ctx)
		if err != nil {
			return err
		}
		var rows [][]string
		for _, u := range all {
			rows = append(rows, []string{u.ID, cell(u.Name, 60)})
		}
		if len(rows) == 0 {
			e.say("This instance has no manager yet; `assay setup-token` makes a link to set it up.")
			return nil
		}
		return table(e.stdout, []string{"PERSON", "NAME"}, rows)
	})
}

type instanceAdminGrantCmd struct {
	User string `arg:"" help:"Id or name of the person."`
}

// Help implements kong.HelpProvider.
func (instanceAdminGrantCmd) Help() string {
	return `An instance admin manages apps, tenants and settings, and sees nothing inside a tenant without being its member.

Examples:

    assay admin instance-admin grant "Ada Admin"`
}

// Run implements the command.
func (g *instanceAdminGrantCmd) Run(e *env) error { return e.instanceAdmin(g.User, true) }

type instanceAdminRevokeCmd struct {
	User string `arg:"" help:"Id or name of the person."`
}

// Help implements kong.HelpProvider.
func (instanceAdminRevokeCmd) Help() string {
	return `Examples:

    assay admin instance-admin revoke "Ada Admin"`
}

// Run implements the command.
func (r *instanceAdminRevokeCmd) Run(e *env) error { return e.instanceAdmin(r.User, false) }

func (e *env) instanceAdmin(who string, admin bool) error {
	return e.withAudit(func(ctx context.Context, _ config.Config, s *store.Store, l *audit.Log) error {
		user, err := findUser(ctx, s, who)
		if err != nil {
			return err
		}
		action, outcome := "instance-admin.grant", "manages the instance"
		if !admin {
			action, outcome = "instance-admin.revoke", "does not manage the instance any more"
		}
		err = l.Do(ctx, func(ctx context.Context) (audit.Act, error) {
			ok, err := s.SetInstanceAdmin(ctx, user.ID, admin)
			if err == nil && !ok {
				err = errs.New(errs.Conflict, "last_admin", "This is the last instance admin. Make another person an instance admin first.")
			}
			return audit.Act{Action: action, Target: audit.Target{Kind: "user", ID: user.ID, Name: user.Name}}, err
		})
		if err == nil {
			_, err = fmt.Fprintf(e.stdout, "%s %s\n", printable(user.Name), outcome)
		}
		return err
	})
}
