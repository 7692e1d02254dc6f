package auth

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/store"
)

// maxRoleMappings is the maximum number of a tenant's role mappings, because every sign-in evaluates all of
// them (design choice).
const maxRoleMappings = 200

// OidcRoleMappingCreate is a new role mapping.
type OidcRoleMappingCreate struct {
	IdentityProviderID string   `json:"identityProviderId" minLength:"1" maxLength:"60" example:"idp_01m7yt79dxa0emkr3tg6tz3qvc"`
	Claim              []string `json:"claim" minItems:"1" maxItems:"8" doc:"Path into the claims of ID token and userinfo, one name per step; a name may contain dots" example:"[\"groups\"]"`
	Value              string   `json:"value" minLength:"1" maxLength:"500" doc:"What the claim, or one element of it, must be: exactly, with letter case" example:"code-reviewers"`
	Role               string   `json:"role" enum:"member,admin" example:"member"`
}

// OidcRoleMapping is a role mapping in the interface.
type OidcRoleMapping struct {
	ID                 string    `json:"id" audit:"ignore"`
	IdentityProviderID string    `json:"identityProviderId" audit:"track"`
	Claim              []string  `json:"claim" audit:"track"`
	Value              string    `json:"value" audit:"track"`
	Role               string    `json:"role" enum:"member,admin" audit:"track"`
	CreatedAt          time.Time `json:"createdAt" audit:"ignore"`
	UpdatedAt          time.Time `json:"updatedAt" audit:"ignore"`
}

func (in OidcRoleMappingCreate) check() error {
	var c field.Check
	for i, name := range in.Claim {
		c.That(name != "" && len(name) <= 200 && field.Plain(name), field.At("/claim", i),
			"must be the name of a claim: 1 to 200 bytes, without control characters")
	}
	c.That(field.Plain(in.Value), "/value", "must be one line, without control characters and changes of direction")
	return c.Err()
}

// RoleMappings lists the mappings of a tenant, newest first, at most limit.
func (s *Service) RoleMappings(ctx context.Context, t domain.Tenant, before store.Cursor, limit int) ([]OidcRoleMapping, error) {
	rows, err := s.Store.RoleMappings(ctx, t, before, limit)
	out := make([]OidcRoleMapping, len(rows))
	for i, row := range rows {
		out[i] = mappingOf(row)
	}
	return out, err
}

// CreateRoleMapping creates a mapping. It takes effect at the next sign-in of the people whom it covers.
// Errors: Invalid, Conflict (an equal mapping exists, or there are too many).
func (s *Service) CreateRoleMapping(ctx context.Context, t domain.Tenant, in OidcRoleMappingCreate) (OidcRoleMapping, error) {
	if err := in.check(); err != nil {
		return OidcRoleMapping{}, err
	}
	var created OidcRoleMapping
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.RoleMappings(ctx, t, store.Cursor{}, maxRoleMappings)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == maxRoleMappings {
			return audit.Act{}, errs.New(errs.Conflict, "limit_reached",
				"There are already %d role mappings, and more are not possible. Delete some first.", maxRoleMappings)
		}
		row, err := s.Store.CreateRoleMapping(ctx, t, store.RoleMapping{Provider: in.IdentityProviderID,
			Claim: store.JSON(append([]string{}, in.Claim...)), Value: in.Value, Role: domain.Role(in.Role)})
		switch {
		case errs.Is(err, errs.NotFound):
			return audit.Act{}, field.Wrong("/identityProviderId", "must be the id of an identity provider that GET …/identity-providers lists")
		case errs.Is(err, errs.Conflict):
			return audit.Act{}, errs.New(errs.Conflict, "already_exists", "There is already a mapping of this claim and value to this role.")
		case err != nil:
			return audit.Act{}, err
		}
		created = mappingOf(row)
		return audit.Act{Tenant: t, Action: "oidc-role-mapping.create", Target: created.target(), After: created}, nil
	})
	return created, err
}

// DeleteRoleMapping deletes a mapping, and withdraws at once the memberships that only this mapping gave.
func (s *Service) DeleteRoleMapping(ctx context.Context, t domain.Tenant, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.RoleMapping(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		m := mappingOf(row)
		gone, err := s.Store.DeleteRoleMapping(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "oidc-role-mapping.delete", Target: m.target(), Before: m},
			s.recordWithdrawn(ctx, gone, "The role mapping was deleted.")
	})
}

func (m OidcRoleMapping) target() audit.Target {
	return audit.Target{Kind: "oidc-role-mapping", ID: m.ID, Name: m.Value}
}

func mappingOf(row store.RoleMapping) OidcRoleMapping {
	made := store.Time(row.CreatedUS)
	return OidcRoleMapping{ID: row.ID, IdentityProviderID: row.Provider, Claim: decodeList(row.Claim), Value: row.Value,
		Role: string(row.Role), CreatedAt: made, UpdatedAt: made}
}

// membershipFact is the audit log's record of a membership.
type membershipFact struct {
	UserID   string `json:"userId" audit:"track"`
	Role     string `json:"role" audit:"track"`
	Source   string `json:"source" audit:"track"`
	SourceID string `json:"sourceId" audit:"track"`
}

func membershipFactOf(m store.Membership) membershipFact {
	return membershipFact{m.User, string(m.Role), m.Source, m.SourceID}
}

// recordWithdrawn writes an audit entry for each withdrawn membership, into the log of its tenant.
func (s *Service) recordWithdrawn(ctx context.Context, gone []store.Membership, why string) error {
	for _, m := range gone {
		act := audit.Act{Tenant: domain.Tenant{ID: m.Tenant}, Action: "member.withdraw", Target: audit.Target{Kind: "member", ID: m.User},
			Before: membershipFactOf(m), Note: why}
		if err := s.Audit.Record(ctx, act); err != nil {
			return err
		}
	}
	return nil
}

// lapsedAtOnce bounds one transaction of [Service.SweepLapsed].
const lapsedAtOnce = 200

// SweepLapsed deletes ended memberships, with an audit entry for each: those from mappings for people who
// have not signed in for seven days, and those from connections that no longer give them. They stopped
// counting when they lapsed, or when the connection was deleted; this only cleans up and records it. Many
// processes may run it at once.
func (s *Service) SweepLapsed(ctx context.Context) error {
	if err := s.sweep(ctx, s.Store.DropLapsed, "The person did not sign in for seven days."); err != nil {
		return err
	}
	if err := s.sweep(ctx, s.Store.DropEndedHostMemberships, "The connection to the code host was deleted, or gives no right on a "+
		"repository any more."); err != nil {
		return err
	}
	return s.Store.DropHostMembers(ctx)
}

// sweep drops memberships until none are left, and records why.
func (s *Service) sweep(ctx context.Context, drop func(ctx context.Context, limit int) ([]store.Membership, error), why string) error {
	for {
		n := 0
		err := s.Store.InTx(ctx, func(ctx context.Context) error {
			gone, err := drop(ctx, lapsedAtOnce)
			if err != nil {
				return err
			}
			n = len(gone)
			return s.recordWithdrawn(ctx, gone, why)
		})
		if err != nil || n < lapsedAtOnce {
			return err
		}
	}
}
