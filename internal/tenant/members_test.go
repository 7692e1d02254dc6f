package tenant_test

import (
	"errors"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// refusal returns the stable code of a refusal, "" for no error.
func refusal(err error) string {
	e, _ := errors.AsType[*errs.Error](err)
	if e == nil {
		return ""
	}
	return e.StableCode()
}

func TestMembers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		people := w.Features.Tenant
		mona, _ := w.Person("Mona", domain.RoleMember), w.Person("Ada", domain.RoleAdmin)
		testkit.OK(t, s.GrantMember(bg, w.Tenant, store.Membership{User: mona, Role: domain.RoleMember, Source: domain.SourceHost, SourceID: w.Installation.ID}))
		seen := map[string]tenant.Member{}
		for before := ""; ; {
			page, err := people.Members(bg, w.Tenant, before, 1)
			testkit.OK(t, err)
			if len(page) == 0 {
				break
			}
			before = page[0].UserID
			seen[before] = page[0]
		}
		testkit.Require(t, "people", len(seen), 2)
		if m := seen[mona]; m.Role != "member" || len(m.Sources) != 2 || m.Sources[0].ConfirmedAt.IsZero() {
			t.Errorf("the member is %+v", m)
		}

		// Other tenants' people are answered like unknown ids, until the host gives them a role here.
		eve, err := s.CreateUser(bg, "Eve", false)
		testkit.OK(t, err)
		testkit.OK(t, s.SetMember(bg, w.Other.Tenant, eve.ID, domain.RoleAdmin, domain.SourceHand))
		testkit.Equal(t, "dismissing another tenant's admin", refusal(people.DeleteMember(bg, w.Tenant, eve.ID)), "not_found")
		_, absent := people.PutMember(bg, w.Tenant, "usr_none", tenant.MemberUpdate{Role: "admin"})
		_, foreign := people.PutMember(bg, w.Tenant, eve.ID, tenant.MemberUpdate{Role: "admin"})
		testkit.Equal(t, "absent", refusal(absent), "not_found")
		if foreign == nil || foreign.Error() != absent.Error() {
			t.Errorf("another tenant's admin: %v, want %v", foreign, absent)
		}
		testkit.OK(t, s.SetRepositoryRole(bg, w.Tenant, w.Repository.ID, eve.ID, "view"))
		put, err := people.PutMember(bg, w.Tenant, eve.ID, tenant.MemberUpdate{Role: "admin"})
		testkit.OK(t, err)
		testkit.Equal(t, "once the code host gave a role, taken in as", put.Role, "admin")
		testkit.OK(t, people.DeleteMember(bg, w.Tenant, eve.ID))
		testkit.OK(t, people.DeleteMember(bg, w.Tenant, mona)) // a role that was granted by hand
		testkit.Equal(t, "a member by the host", refusal(people.DeleteMember(bg, w.Tenant, mona)), "not_by_hand")
	})
}

func TestLastAdminStays(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	people := w.Features.Tenant
	ada, bob := w.Person("Ada", domain.RoleAdmin), w.Person("Bob", domain.RoleAdmin)
	testkit.OK(t, people.DeleteMember(bg, w.Tenant, bob)) // one of two
	testkit.Equal(t, "dismissed", refusal(people.DeleteMember(bg, w.Tenant, ada)), "last_admin")
	_, err := people.PutMember(bg, w.Tenant, ada, tenant.MemberUpdate{Role: "member"})
	testkit.Equal(t, "made a member", refusal(err), "last_admin")
	role, err := w.Store.RoleOf(bg, w.Tenant, ada)
	testkit.OK(t, err)
	testkit.Equal(t, "still", role, domain.RoleAdmin)
}
