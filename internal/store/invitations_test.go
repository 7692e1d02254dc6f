package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// inviter creates a tenant with an admin.
func inviter(t testing.TB, s *store.Store) (domain.Tenant, string) {
	t.Helper()
	in, user := storetest.Tenant(t, s), must2(s.CreateUser(bg, "Ada", false))(t).ID
	testkit.OK(t, s.SetMember(bg, in, user, domain.RoleAdmin, domain.SourceHand))
	return in, user
}

func invite(t testing.TB, s *store.Store, in domain.Tenant, maker string, role domain.Role, hash string) store.Invitation {
	t.Helper()
	return must2(s.CreateInvitation(bg, in, store.Invitation{Role: role, Maker: maker}, hash, time.Hour, 3))(t)
}

// Several people accept one invitation at the same time: one of them gets the role.
func TestOnePersonWinsAnInvitation(t *testing.T) {
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		in, ada := inviter(t, s)
		invite(t, s, in, ada, domain.RoleAdmin, "hash")
		const people = 4
		results := make([]error, people)
		var all sync.WaitGroup
		for i := range people {
			user := must2(s.CreateUser(bg, fmt.Sprint(i), false))(t).ID
			all.Go(func() { _, results[i] = s.AcceptInvitation(bg, in, user, "hash") })
		}
		all.Wait()
		won := 0
		for _, err := range results {
			if err == nil {
				won++
			} else if !errs.Is(err, errs.NotFound) {
				t.Error(err)
			}
		}
		testkit.Equal(t, "people who won", won, 1)
		testkit.Equal(t, "memberships", len(must2(s.Memberships(bg, in, ""))(t)), 2)
	})
}

// One person accepts two invitations at the same time: the higher role stays.
func TestInvitationsLowerNoRole(t *testing.T) {
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		in, ada := inviter(t, s)
		for i := range 10 { // without the lock on the tenant, most of these attempts lower the role on PostgreSQL
			user := must2(s.CreateUser(bg, "Bob", false))(t).ID
			var all sync.WaitGroup
			begin := make(chan struct{})
			for _, role := range []domain.Role{domain.RoleMember, domain.RoleAdmin} {
				hash := fmt.Sprint(role, i)
				must2(s.CreateInvitation(bg, in, store.Invitation{Role: role, Maker: ada}, hash, time.Hour, 30))(t)
				all.Go(func() {
					<-begin
					if _, err := s.AcceptInvitation(bg, in, user, hash); err != nil && !errs.Is(err, errs.Conflict) {
						t.Error(err)
					}
				})
			}
			close(begin)
			all.Wait()
			testkit.Equal(t, "role", must2(s.RoleOf(bg, in, user))(t), domain.RoleAdmin)
		}
	})
}

func TestInvitationsThatGiveNothingStay(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		in, ada := inviter(t, s)
		bob := must2(s.CreateUser(bg, "Bob", false))(t).ID
		testkit.OK(t, s.GrantMember(bg, in, store.Membership{User: bob, Role: domain.RoleMember, Source: domain.SourceMapping, SourceID: "map_1"}))
		invite(t, s, in, ada, domain.RoleMember, "hash")
		for _, user := range []string{ada, bob} {
			if _, err := s.AcceptInvitation(bg, in, user, "hash"); !errs.Is(err, errs.Conflict) {
				t.Errorf("a person with a role: %v", err)
			}
		}
		must2(s.OpenInvitation(bg, "hash"))(t)
		testkit.Equal(t, "role of the admin", must2(s.RoleOf(bg, in, ada))(t), domain.RoleAdmin)
		invite(t, s, in, ada, domain.RoleAdmin, "higher")
		must2(s.AcceptInvitation(bg, in, bob, "higher"))(t)
		testkit.Equal(t, "a higher role", must2(s.RoleOf(bg, in, bob))(t), domain.RoleAdmin)
	})
}

// An invitation is not open after its time, and while its maker is not an admin. Deleting the tenant deletes it.
func TestInvitationsEnd(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		in, ada := inviter(t, s)
		bob := must2(s.CreateUser(bg, "Bob", false))(t).ID
		testkit.OK(t, s.SetMember(bg, in, bob, domain.RoleAdmin, domain.SourceHand))
		one := invite(t, s, in, ada, domain.RoleMember, "of Ada")
		invite(t, s, in, bob, domain.RoleMember, "of Bob")
		invite(t, s, in, bob, domain.RoleMember, "late")
		if _, err := s.CreateInvitation(bg, in, store.Invitation{Role: domain.RoleMember, Maker: ada}, "more", time.Hour, 3); !errs.Is(err, errs.Conflict) {
			t.Errorf("more than there may be: %v", err)
		}
		raw(t, s, `UPDATE invitations SET expires_us = created_us WHERE token_hash = 'late'`)
		testkit.OK(t, s.AssignMember(bg, in, ada, domain.RoleMember))
		for _, hash := range []string{"of Ada", "late"} {
			_, err := s.OpenInvitation(bg, hash)
			_, accepted := s.AcceptInvitation(bg, in, must2(s.CreateUser(bg, "Eve", false))(t).ID, hash)
			if !errs.Is(err, errs.NotFound) || !errs.Is(accepted, errs.NotFound) {
				t.Errorf("%s: %v, %v", hash, err, accepted)
			}
		}
		if _, err := s.RevokeInvitation(bg, in, one.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("revoking one that has ended: %v", err)
		}
		open := must2(s.Invitations(bg, in, store.Cursor{}, 9))(t)
		if len(open) != 1 || open[0].MakerName != "Bob" || open[0].TenantName != "Example" {
			t.Errorf("open: %+v", open)
		}
		testkit.OK(t, s.DropInvitations(bg))
		testkit.Equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM invitations`), 1)
		raw(t, s, `DELETE FROM tenants WHERE id = $1`, in.ID)
		testkit.Equal(t, "rows of a deleted tenant", count(t, s, `SELECT COUNT(*) FROM invitations`), 0)
	})
}
