package auth

import (
	"context"
	"errors"
	"slices"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth/oidc"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// evaluation is the result of all tenants' mappings at one sign-in.
type evaluation struct {
	right  map[string]store.RoleMapping // by id: mappings whose value the claim has
	failed map[string]error             // by tenant: why its mappings could not be evaluated
	order  []string                     // the tenants of failed, in the order of the mappings
}

// evaluate applies claims to the mappings, tenant by tenant. If one of a tenant's claims was left out or is
// too long, none of that tenant's mappings is evaluated; other tenants are unaffected.
func evaluate(claims map[string]any, mappings []store.RoleMapping) evaluation {
	out := evaluation{map[string]store.RoleMapping{}, map[string]error{}, nil}
	names := firstNames(mappings)
	fail := func(tenant string, err error) {
		if out.failed[tenant] == nil {
			out.order = append(out.order, tenant)
			out.failed[tenant] = err
		}
	}
	for _, m := range mappings {
		if err := oidc.CheckOverage(claims, names[m.Tenant]); err != nil {
			fail(m.Tenant, err)
			continue
		}
		values, err := oidc.Values(claims, decodeList(m.Claim))
		if err != nil {
			fail(m.Tenant, err)
			continue
		}
		if slices.Contains(values, m.Value) {
			out.right[m.ID] = m
		}
	}
	return out
}

// firstNames returns the first names of the mapped paths, by tenant.
func firstNames(mappings []store.RoleMapping) map[string][]string {
	out := map[string][]string{}
	for _, m := range mappings {
		if path := decodeList(m.Claim); len(path) > 0 {
			out[m.Tenant] = append(out[m.Tenant], path[0])
		}
	}
	return out
}

// applyMappings grants a person the memberships that the mappings of a provider give now, and withdraws
// earlier ones that they no longer give. Call it in the transaction of the sign-in.
//
// If claims were left out, a sign-in with a provider of one tenant is refused, and nothing changes. A
// provider that several tenants share must not be blocked by the mappings of one tenant: then nothing
// changes in that tenant, whose log records it, and the other tenants continue.
func (s *Service) applyMappings(ctx context.Context, user, provider string, claims map[string]any) error {
	mappings, err := s.Store.MappingsOfProvider(ctx, provider)
	if err != nil {
		return err
	}
	now := evaluate(claims, mappings)
	if err := s.refuseIncomplete(ctx, user, provider, claims, now); err != nil {
		return err
	}
	had, err := s.Store.MappedTo(ctx, user, provider)
	if err != nil {
		return err
	}
	before := map[string]bool{}
	for _, m := range had {
		before[m.SourceID] = true
		if _, still := now.right[m.SourceID]; still || now.failed[m.Tenant] != nil {
			continue
		}
		if _, err := s.Store.WithdrawMember(ctx, domain.Tenant{ID: m.Tenant}, user, m.Source, m.SourceID); err != nil {
			return err
		}
		if err := s.recordWithdrawn(ctx, []store.Membership{m}, "The claim no longer has the value of the role mapping."); err != nil {
			return err
		}
	}
	for _, m := range mappings { // in their order, for the logs
		if _, ok := now.right[m.ID]; !ok || now.failed[m.Tenant] != nil {
			continue
		}
		t := domain.Tenant{ID: m.Tenant}
		g := store.Membership{Tenant: m.Tenant, User: user, Role: m.Role, Source: domain.SourceMapping, SourceID: m.ID}
		if err := s.Store.GrantMember(ctx, t, g); err != nil {
			return err
		}
		if !before[m.ID] {
			if err := s.Audit.Record(ctx, audit.Act{Tenant: t, Action: "member.grant", Target: audit.Target{Kind: "member", ID: user},
				After: membershipFactOf(g), Note: "A claim has the value of a role mapping."}); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseIncomplete refuses a sign-in with a provider of one tenant if the claims are incomplete. For a
// shared provider it records that a tenant's mappings were not evaluated. It records this only in tenants
// that the person belongs to, because otherwise strangers could fill the logs of other tenants.
func (s *Service) refuseIncomplete(ctx context.Context, user, provider string, claims map[string]any, now evaluation) error {
	shared, err := s.Store.ProviderIsShared(ctx, provider)
	if err != nil {
		return err
	}
	if !shared {
		if len(now.order) > 0 {
			return now.failed[now.order[0]]
		}
		return oidc.CheckOverage(claims, []string{"groups"})
	}
	memberships, err := s.Store.MembershipsOf(ctx, user)
	if err != nil {
		return err
	}
	for _, tenant := range now.order {
		why := "The claims could not be read."
		if e, ok := errors.AsType[*errs.Error](now.failed[tenant]); ok {
			why = e.Message
		}
		s.Logger.WarnContext(ctx, "the role mappings of a tenant were not evaluated at a sign-in", "tenant", tenant, "provider", provider,
			"reason", why)
		if !slices.ContainsFunc(memberships, func(m store.Membership) bool { return m.Tenant == tenant }) {
			continue
		}
		act := audit.Act{Tenant: domain.Tenant{ID: tenant}, Action: "oidc-role-mapping.skip",
			Target: audit.Target{Kind: "member", ID: user}, Result: audit.Failed, Note: why + " Nothing was given or taken back here."}
		if err := s.Audit.Record(ctx, act); err != nil {
			return err
		}
	}
	return nil
}
