package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var peopleIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		v.identity = must2(s.CreateIdentity(bg, store.Identity{UserID: v.user, Issuer: "https://host-" + v.user, Subject: "7", Kind: store.IdentityCodeHost}))(t)
		testkit.OK(t, s.SaveHostToken(bg, store.HostToken{Identity: v.identity.ID, App: v.App.ID, Access: []byte("sealed")}, time.Hour, 0))
		testkit.OK(t, s.GrantMember(bg, v.Tenant, store.Membership{User: v.user, Role: domain.RoleMember, Source: domain.SourceHost, SourceID: v.Installation.ID}))
		second := must2(s.CreateUser(bg, "Second", false))(t).ID // so that the victim is not the last admin
		testkit.OK(t, s.SetMember(bg, v.Tenant, second, domain.RoleAdmin, domain.SourceHand))
		testkit.OK(t, s.SetRepositoryRole(bg, v.Tenant, v.Repository.ID, v.user, "review"))
		v.invited = must2(s.CreateUser(bg, "Invited", false))(t).ID
		v.invitation = invite(t, s, v.Tenant, second, domain.RoleAdmin, "hash of "+v.user)
	},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{
			"WithdrawMember":        {v.user, domain.SourceHand, ""},
			"Memberships":           {v.user},
			"MarkMembersStale":      {},
			"SetRepositoryRole":     {v.Repository.ID, v.user, "manage"},
			"LowerRepositoryRole":   {v.Repository.ID, v.user},
			"RepositoryRole":        {v.Repository.ID, v.user},
			"RepositoryRoles":       {v.user, time.Hour},
			"ForgetRepositoryRoles": {v.Installation.ID, v.user},
			"SignOutMember":         {v.user},
			"Invitations":           {store.Cursor{}, 9},
			"RevokeInvitation":      {v.invitation.ID},
			"AcceptInvitation":      {v.invited, "hash of " + v.user},
		}
	},
	ownRows: map[string]string{
		"CreateInvitation": "people belong to the instance; the invitation is the caller's",
		"DismissMember":    "people belong to the instance; the membership is the caller's",
		"GrantMember":      "people belong to the instance; the membership is the caller's",
		"AssignMember":     "people belong to the instance; the membership is the caller's",
	},
	instance: map[string]string{
		"OpenInvitation": "the token's hash identifies it; the result has the tenant", "DropInvitations": "deletes ended ones of all tenants",
		"MembershipsOf": "one person's own memberships", "CreateIdentity": "people", "Identity": "sign-in", "UseIdentity": "sign-in", "IdentitiesOf": "people",
		"SaveHostToken": "sign-in", "ReplaceHostToken": "the refresh of one person's token", "HostToken": "one person's token", "HostTokensOf": "one person's tokens",
		"RenewHostToken": "one person's token", "ReleaseHostToken": "one person's token", "MarkRolesAsked": "one person's token", "MarkMembersAsked": "one person's token", "PlacedInstallations": "each row carries its tenant", "DropHostToken": "one person's token",
		"MarkPersonStale": "by the host's id of a person", "CreateSignInState": "sign-in", "TakeSignInState": "sign-in", "HasSignInState": "sign-in",
		"OpenSession": "sign-in", "SessionsOf": "one person's own sessions", "SessionByID": "sign-in", "SessionByToken": "sign-in", "EndSession": "one person's own session",
		"EndSessionsOf": "one person's own sessions", "EndSessionsFrom": "a provider's sessions go with it", "LockProvider": "sign-in",
	},
}
