package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var oidcIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		v.idp = must2(s.CreateIdentityProvider(bg, store.IdentityProvider{ID: domain.NewID("idp"), Slug: domain.NewID("slug"), Issuer: "https://id.example.com", ClientSecret: []byte("sealed"),
			Scopes: "[]", Tenants: []string{v.Tenant.ID}, Enabled: true}))(t)
		v.mapping = must2(s.CreateRoleMapping(bg, v.Tenant, store.RoleMapping{Provider: v.idp.ID, Claim: `["groups"]`, Value: "reviewers", Role: domain.RoleMember}))(t)
		must2(s.CreateIdentity(bg, store.Identity{UserID: v.user, Issuer: v.idp.Issuer, Subject: v.user, Kind: store.IdentityOIDC}))(t)
		testkit.OK(t, s.GrantMember(bg, v.Tenant, store.Membership{User: v.user, Role: domain.RoleMember, Source: domain.SourceMapping, SourceID: v.mapping.ID}))
	},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{
			"TenantProviders":   {},
			"CreateRoleMapping": {store.RoleMapping{Provider: v.idp.ID, Claim: `["evil"]`, Value: "x", Role: domain.RoleAdmin}},
			"RoleMapping":       {v.mapping.ID},
			"RoleMappings":      {store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"DeleteRoleMapping": {v.mapping.ID},
			"SessionAccess":     {store.Session{UserID: v.user, Method: store.MethodOIDC + "slug", Provider: v.idp.ID}},
			"SignedInWith":      {v.user, v.idp.ID},
		}
	},
	instance: map[string]string{
		"CreateIdentityProvider": "providers are the instance's", "UpdateIdentityProvider": "providers are the instance's", "DeleteIdentityProvider": "providers are the instance's",
		"IdentityProvider": "providers are the instance's", "IdentityProviders": "providers are the instance's", "ProviderTenants": "providers are the instance's", "ProviderIsShared": "providers are the instance's",
		"EnabledProvider": "sign-in, before there is a tenant", "MappingsOfProvider": "a sign-in evaluates those of every tenant",
		"MappedTo": "a sign-in withdraws what is gone in every tenant", "WithdrawMapped": "a provider goes with what it gave everywhere", "DropLapsed": "housekeeping; each row carries its tenant",
	},
}
