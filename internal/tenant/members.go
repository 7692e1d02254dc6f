package tenant

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// MemberUpdate assigns a role to a person manually.
type MemberUpdate struct {
	Role string `json:"role" enum:"member,admin"`
}

// Member is a person of a tenant, with the sources of the membership.
type Member struct {
	UserID     string         `json:"userId" audit:"ignore"`
	Name       string         `json:"name" audit:"ignore"`
	Role       string         `json:"role" enum:"member,admin" audit:"track" doc:"What holds: the greatest that any source gives"`
	Sources    []MemberSource `json:"sources" audit:"track"`
	LastUsedAt *time.Time     `json:"lastUsedAt,omitempty" audit:"ignore" doc:"Last request of a session that has not ended"`
}

// MemberSource is one reason why a person belongs to a tenant.
type MemberSource struct {
	Source      string    `json:"source" enum:"host,mapping,hand,setup" doc:"host: the code host says so; mapping: a role mapping of an identity provider; hand: an admin; setup: the first start"`
	SourceID    string    `json:"sourceId,omitempty" doc:"The installation, the access of a connection, or the role mapping"`
	Role        string    `json:"role" enum:"member,admin"`
	ConfirmedAt time.Time `json:"confirmedAt"`
}

// Members lists the people of a tenant, newest first. before is a person's id, after which the page begins;
// "" for the first page.
func (s *Service) Members(ctx context.Context, t domain.Tenant, before string, limit int) ([]Member, error) {
	rows, err := s.Store.MembersPage(ctx, t, before, limit)
	if err != nil {
		return nil, err
	}
	out := make([]Member, 0, len(rows))
	for _, row := range rows {
		m, err := s.member(ctx, t, row.User)
		if err != nil {
			return nil, err
		}
		if m == nil { // withdrawn meanwhile
			continue
		}
		m.LastUsedAt = store.TimeOrNil(row.UsedUS)
		out = append(out, *m)
	}
	return out, nil
}

// member returns a person with the sources of their membership; nil without a source.
func (s *Service) member(ctx context.Context, t domain.Tenant, u store.User) (*Member, error) {
	rows, err := s.Store.Memberships(ctx, t, u.ID)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	m := &Member{UserID: u.ID, Name: u.Name, Role: string(domain.RoleMember)}
	for _, r := range rows {
		if r.Role == domain.RoleAdmin {
			m.Role = string(domain.RoleAdmin)
		}
		m.Sources = append(m.Sources, MemberSource{Source: r.Source, SourceID: r.SourceID, Role: string(r.Role),
			ConfirmedAt: store.Time(r.ConfirmedUS)})
	}
	return m, nil
}

// PutMember assigns a role to a person manually, in place of an earlier manual one. The person must have
// had contact with the tenant, see [store.Store.KnownPerson], because people of other tenants must stay
// hidden. Errors: NotFound (no such person, or a stranger), Conflict (last_admin: no admin would remain).
func (s *Service) PutMember(ctx context.Context, t domain.Tenant, user string, in MemberUpdate) (Member, error) {
	var after *Member
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		u, err := s.Store.KnownPerson(ctx, t, user)
		if err != nil {
			return audit.Act{}, err
		}
		before, err := s.member(ctx, t, u)
		if err != nil {
			return audit.Act{}, err
		}
		if err := s.Store.AssignMember(ctx, t, u.ID, domain.Role(in.Role)); err != nil {
			return audit.Act{}, err
		}
		if after, err = s.member(ctx, t, u); err != nil {
			return audit.Act{}, err
		}
		act := audit.Act{Tenant: t, Action: "member.assign", Target: audit.Target{Kind: "member", ID: u.ID, Name: u.Name}, After: *after}
		if before != nil {
			act.Before = *before
		}
		return act, nil
	})
	if err != nil {
		return Member{}, err
	}
	return *after, nil
}

// SignOutMember ends the access of a member's present sessions to the tenant until the next sign-in. Tokens
// for /mcp stay; they are revoked one by one. It returns [errs.NotFound] if the person is not a member.
func (s *Service) SignOutMember(ctx context.Context, t domain.Tenant, user string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		u, err := s.Store.UserByID(ctx, user)
		if err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "member.sign-out", Target: audit.Target{Kind: "member", ID: u.ID, Name: u.Name}},
			s.Store.SignOutMember(ctx, t, u.ID)
	})
}

// DeleteMember withdraws a role that was assigned manually or at setup. Tokens and subscriptions end if the
// person is then not a member. Roles from a host or a mapping stay. Errors: NotFound (not a member),
// Conflict (last_admin; not_by_hand: there is no manual role).
func (s *Service) DeleteMember(ctx context.Context, t domain.Tenant, user string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		u, err := s.Store.UserByID(ctx, user)
		if err != nil {
			return audit.Act{}, err
		}
		before, err := s.member(ctx, t, u)
		if err != nil {
			return audit.Act{}, err
		}
		if before == nil {
			return audit.Act{}, errs.Absent()
		}
		if err := s.Store.DismissMember(ctx, t, u.ID); errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.New(errs.Conflict, "not_by_hand", "This person was not made a member by hand. The membership ends on "+
				"the code host, or with the role mapping.")
		} else if err != nil {
			return audit.Act{}, err
		}
		act := audit.Act{Tenant: t, Action: "member.dismiss", Target: audit.Target{Kind: "member", ID: u.ID, Name: u.Name}, Before: *before}
		after, err := s.member(ctx, t, u)
		if after != nil {
			act.After = *after
		}
		return act, err
	})
}
