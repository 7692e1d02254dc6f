package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func mcpToken(t testing.TB, s *store.Store, in domain.Tenant, user, name, hash string) store.MCPToken {
	t.Helper()
	return must2(s.CreateMCPToken(bg, in, store.MCPToken{User: user, Name: name, Prefix: "assay_mcp_abcd", Scopes: "[]", ExpiresUS: time.Now().Add(time.Hour).UnixMicro()},
		hash, 2*time.Hour.Microseconds()))(t)
}

func TestMCPTokensEndWithTheMembership(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		here, there := storetest.Tenant(t, s), storetest.Tenant(t, s)
		user := must2(s.CreateUser(bg, "Mona", false))(t).ID
		for _, in := range []domain.Tenant{here, there} {
			testkit.OK(t, s.SetMember(bg, in, user, domain.RoleMember, domain.SourceHand))
			testkit.OK(t, s.GrantMember(bg, in, store.Membership{User: user, Role: domain.RoleAdmin, Source: domain.SourceHost, SourceID: "ins_1"}))
			mcpToken(t, s, in, user, "laptop", "hash-"+in.ID)
		}
		caller := must2(s.UseMCPToken(bg, "hash-"+here.ID))(t)
		testkit.Equal(t, "role", caller.Role, domain.RoleAdmin)
		testkit.Equal(t, "tenant", caller.Tenant, here.ID)

		must2(s.WithdrawMember(bg, here, user, domain.SourceHost, "ins_1"))(t)
		caller = must2(s.UseMCPToken(bg, "hash-"+here.ID))(t)
		testkit.Equal(t, "role that is left", caller.Role, domain.RoleMember)
		must2(s.WithdrawMember(bg, here, user, domain.SourceHand, ""))(t)
		testkit.OK(t, s.SetMember(bg, here, user, domain.RoleMember, domain.SourceHand))
		if _, err := s.UseMCPToken(bg, "hash-"+here.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("a token lives again with a new membership: %v", err)
		}
		must2(s.UseMCPToken(bg, "hash-"+there.ID))(t)
	})
}

func TestMCPTokensExpire(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		tenant := storetest.Tenant(t, s)
		user := must2(s.CreateUser(bg, "Mona", false))(t).ID
		testkit.OK(t, s.GrantMember(bg, tenant, store.Membership{User: user, Role: domain.RoleMember, Source: domain.SourceMapping, SourceID: "map_1"}))
		k := mcpToken(t, s, tenant, user, "laptop", "hash")
		must2(s.UseMCPToken(bg, "hash"))(t)
		first := must2(s.MCPTokens(bg, tenant, user, store.Cursor{}, 5))(t)[0].UsedUS
		must2(s.UseMCPToken(bg, "hash"))(t)
		testkit.Equal(t, "last use within a minute", must2(s.MCPTokens(bg, tenant, "", store.Cursor{}, 5))(t)[0].UsedUS, first)
		if first == 0 {
			t.Error("the use was not noted")
		}
		for name, expires := range map[string]int64{"past": k.CreatedUS - 1, "too far": k.CreatedUS + 3*time.Hour.Microseconds()} {
			_, err := s.CreateMCPToken(bg, tenant, store.MCPToken{User: user, Name: name, Scopes: "[]", ExpiresUS: expires}, name, 2*time.Hour.Microseconds())
			if !errs.Is(err, errs.NotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		raw(t, s, `UPDATE mcp_tokens SET expires_us = created_us`)
		if _, err := s.UseMCPToken(bg, "hash"); !errs.Is(err, errs.NotFound) {
			t.Errorf("an expired token: %v", err)
		}
		testkit.OK(t, s.DropMCPTokens(bg))
		testkit.Require(t, "shown after it expired", len(must2(s.MCPTokens(bg, tenant, "", store.Cursor{}, 5))(t)), 1)
		raw(t, s, `UPDATE memberships SET confirmed_us = confirmed_us - 700000000000`) // the mapping has lapsed
		testkit.OK(t, s.DropMCPTokens(bg))
		testkit.Require(t, "left", len(must2(s.MCPTokens(bg, tenant, "", store.Cursor{}, 5))(t)), 0)
	})
}
