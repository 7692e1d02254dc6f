package tenant

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// MemberUpdate gives a person a role by hand.
type MemberUpdate struct {
	Role string `json:"role" enum:"member,admin"`
}

// Member is a person of a tenant, and why.
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

// Members lists the people of a tenant, the newest person first: those before a
// person's id, "" from the start.
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

// member reads why a person belongs to a tenant; nil where no source says so.
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
		m.Sources = append(m.Sources, MemberSource{Source: r.Source, SourceID: r.SourceID, Role: string(r.Role), ConfirmedAt: store.Time(r.ConfirmedUS)})
	}
	return m, nil
}

// PutMember gives a person a role by hand, in place of the one given by hand
// before. It must be somebody with whom the tenant has had to do, see
// [store.Store.Acquainted]: the people of other tenants are not its business.
// Errors: NotFound (nobody, or somebody else), Conflict (last_admin: nobody would
// be left who is one).
func (s *Service) PutMember(ctx context.Context, t domain.Tenant, user string, in MemberUpdate) (Member, error) {
	var after *Member
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		u, err := s.Store.Acquainted(ctx, t, user)
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

// SignOutMember makes the sessions that a member has now give nothing in the
// tenant, until the next sign-in. Tokens for /mcp stay; they are revoked one by
// one. [errs.NotFound]: no member.
func (s *Service) SignOutMember(ctx context.Context, t domain.Tenant, user string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		u, err := s.Store.UserByID(ctx, user)
		if err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "member.sign-out", Target: audit.Target{Kind: "member", ID: u.ID, Name: u.Name}}, s.Store.SignOutMember(ctx, t, u.ID)
	})
}

// DeleteMember takes back what was given by hand or at setup; tokens and
// subscriptions of a person who is no member then end with it. What a host or a
// mapping gives stays. Errors: NotFound (no member), Conflict (last_admin;
// not_by_hand: nothing was given by hand).
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
			return audit.Act{}, errs.New(errs.Conflict, "not_by_hand", "This person was not made a member by hand. The membership ends on the code host, or with the role mapping.")
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
