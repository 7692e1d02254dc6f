package auth

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// shownMember is the audit log's record of a membership.
type shownMember struct {
	Role   string `json:"role" audit:"track"`
	Source string `json:"source" audit:"track"`
}

// setSource grants or withdraws the membership of one source, in the transaction of ctx. m.Role ""
// withdraws it. Changes are recorded in the tenant's log; a mere confirmation is not.
func (s *Service) setSource(ctx context.Context, t domain.Tenant, m store.Membership) error {
	all, err := s.Store.Memberships(ctx, t, m.User)
	if err != nil {
		return err
	}
	var before *shownMember
	for _, b := range all {
		if b.Source == m.Source && b.SourceID == m.SourceID {
			before = &shownMember{string(b.Role), b.Source}
		}
	}
	act := audit.Act{Tenant: t, Target: audit.Target{Kind: "member", ID: m.User}}
	if before != nil {
		act.Before = before
	}
	if m.Role == "" {
		was, err := s.Store.WithdrawMember(ctx, t, m.User, m.Source, m.SourceID)
		if err != nil || !was || before == nil {
			return err
		}
		act.Action = "member.withdraw"
		return s.Audit.Record(ctx, act)
	}
	if err := s.Store.GrantMember(ctx, t, m); err != nil {
		return err
	}
	act.After = &shownMember{string(m.Role), m.Source}
	switch {
	case before == nil:
		act.Action = "member.grant"
	case before.Role != string(m.Role):
		act.Action = "member.change"
	default:
		return nil
	}
	return s.Audit.Record(ctx, act)
}
