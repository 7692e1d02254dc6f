package perm

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// TestTable writes out the whole table: one word per permission, in the order of All.
func TestTable(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		who  Subject
		want [8]bool
	}{
		"no user":                         {Subject{}, [8]bool{true}},
		"no user, but roles":              {Subject{InstanceAdmin: true, Tenant: domain.RoleAdmin, Repository: RepoManager}, [8]bool{true}},
		"signed in, without a tenant":     {Subject{SignedIn: true}, [8]bool{true, true}},
		"instance admin without a tenant": {Subject{SignedIn: true, InstanceAdmin: true}, [8]bool{true, true, true}},
		"member": {Subject{SignedIn: true, Tenant: domain.RoleMember, Repository: RepoViewer},
			[8]bool{true, true, false, true, false, true}},
		"member who reviews": {Subject{SignedIn: true, Tenant: domain.RoleMember, Repository: RepoReviewer},
			[8]bool{true, true, false, true, false, true, true}},
		"member without a repository role": {Subject{SignedIn: true, Tenant: domain.RoleMember}, [8]bool{true, true, false, true}},
		"tenant admin": {Subject{SignedIn: true, Tenant: domain.RoleAdmin, Repository: RepoManager},
			[8]bool{true, true, false, true, true, true, true, true}},
		"unknown tenant role": {Subject{SignedIn: true, Tenant: "owner", Repository: RepoNone}, [8]bool{true, true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for i, p := range All() {
				if got := tc.who.Allows(p); got != tc.want[i] {
					t.Errorf("%s: %t, want %t", p, got, tc.want[i])
				}
			}
			if tc.who.Allows("tenant:delete") {
				t.Error("an unknown permission was granted")
			}
		})
	}
}
