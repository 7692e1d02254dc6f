package instance

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/store"
)

// maxTenants is the maximum number of tenants of an instance (design choice).
const maxTenants = 10_000

// Tenant is a tenant for instance admins, without its content.
type Tenant struct {
	ID        string    `json:"id" audit:"ignore"`
	Name      string    `json:"name" audit:"track"`
	CreatedAt time.Time `json:"createdAt" audit:"ignore"`
}

// TenantCreate creates a tenant.
type TenantCreate struct {
	Name  string `json:"name" minLength:"1" maxLength:"100" example:"Payments"`
	Admin bool   `json:"admin,omitempty" doc:"The caller becomes its first admin"`
}

// Tenants lists the tenants, newest first.
func (s *Service) Tenants(ctx context.Context, p Page) ([]Tenant, error) {
	rows, err := s.Store.Tenants(ctx)
	out := []Tenant{}
	for _, t := range pageOf(rows, p, func(t store.Tenant) store.Cursor { return store.Cursor{US: t.CreatedUS, ID: t.ID} }) {
		out = append(out, Tenant{t.ID, t.Name, store.Time(t.CreatedUS)})
	}
	return out, err
}

// CreateTenant creates a tenant. user becomes its first admin if the request asks for it.
func (s *Service) CreateTenant(ctx context.Context, user string, in TenantCreate) (Tenant, error) {
	var c field.Check
	c.Name("/name", in.Name)
	if err := c.Err(); err != nil {
		return Tenant{}, err
	}
	var out Tenant
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		all, err := s.Store.Tenants(ctx)
		if err != nil {
			return audit.Act{}, err
		}
		if len(all) >= maxTenants {
			return audit.Act{}, errs.New(errs.Conflict, "limit_reached", "There are already %d tenants, and more are not possible.", maxTenants)
		}
		row, err := s.Store.CreateTenant(ctx, in.Name)
		if err != nil {
			return audit.Act{}, err
		}
		out = Tenant{row.ID, row.Name, store.Time(row.CreatedUS)}
		if in.Admin {
			if err := s.admit(ctx, domain.Tenant{ID: row.ID}, user, domain.RoleAdmin, "The first admin, who made the tenant."); err != nil {
				return audit.Act{}, err
			}
		}
		return audit.Act{Action: "tenant.create", Target: audit.Target{Kind: "tenant", ID: out.ID, Name: out.Name}, After: out}, nil
	})
	return out, err
}

// TenantJoin makes the caller a member of a tenant.
type TenantJoin struct {
	Role   string `json:"role" enum:"member,admin"`
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why; the tenant's admins read it in their log" example:"Support case 4711"`
}

// Joined is the membership.
type Joined struct {
	TenantID string `json:"tenantId" audit:"ignore"`
	Role     string `json:"role" enum:"member,admin" audit:"track"`
}

// Join makes an instance admin a member of a tenant, because instance admins have no view into tenants. The
// act is in both audit logs, and an event informs the tenant's admins.
func (s *Service) Join(ctx context.Context, tenant, user string, in TenantJoin) (Joined, error) {
	var c field.Check
	c.Name("/reason", in.Reason)
	if err := c.Err(); err != nil {
		return Joined{}, err
	}
	out := Joined{tenant, in.Role}
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		names, err := s.tenantNames(ctx)
		if err != nil {
			return audit.Act{}, err
		}
		name, ok := names[tenant]
		if !ok {
			return audit.Act{}, errs.Absent()
		}
		t := domain.Tenant{ID: tenant}
		if err := s.admit(ctx, t, user, domain.Role(in.Role), "An instance admin joined. Reason given: "+in.Reason); err != nil {
			return audit.Act{}, err
		}
		body := store.JSON(domain.AdminJoined{UserID: user, Name: audit.By(ctx).Name, Role: in.Role, Reason: in.Reason})
		if err := s.Store.AddEvent(ctx, t, domain.EventAdminJoined, user, body); err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Action: "tenant.join", Target: audit.Target{Kind: "tenant", ID: tenant, Name: name}, After: out,
			Note: "Reason given: " + in.Reason}, nil
	})
	return out, err
}

// admit assigns a role and records it in the tenant's audit log.
func (s *Service) admit(ctx context.Context, t domain.Tenant, user string, role domain.Role, why string) error {
	if err := s.Store.AssignMember(ctx, t, user, role); err != nil {
		return err
	}
	return s.Audit.Record(ctx, audit.Act{Tenant: t, Action: "member.grant", Target: audit.Target{Kind: "user", ID: user},
		After: Joined{t.ID, string(role)}, Note: why})
}
