// Package perm holds the table of permissions: the permissions of the API, the roles of people, and the
// permissions of each role.
//
// It consists of pure functions. Other packages read roles from the database or a host, and refuse
// requests.
package perm

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// Permission is a permission that a route requires, with its name in the API description.
type Permission string

// The permissions. A route with any other permission is refused.
const (
	Public         Permission = "public"
	Authenticated  Permission = "authenticated"
	InstanceManage Permission = "instance:manage"
	TenantView     Permission = "tenant:view"
	TenantManage   Permission = "tenant:manage"
	RepoView       Permission = "repo:view"
	RepoReview     Permission = "repo:review"
	RepoManage     Permission = "repo:manage"
)

// All lists every permission.
func All() []Permission {
	return []Permission{Public, Authenticated, InstanceManage, TenantView, TenantManage, RepoView, RepoReview, RepoManage}
}

// RepoRole is a role on a repository; a higher one includes the lower ones.
type RepoRole uint8

// The roles on a repository.
const (
	RepoNone RepoRole = iota
	RepoViewer
	RepoReviewer
	RepoManager
)

var repoRoleNames = [...]string{"none", "view", "review", "manage"}

// String returns the name in the API.
func (r RepoRole) String() string {
	if int(r) < len(repoRoleNames) {
		return repoRoleNames[r]
	}
	return "none"
}

// HostRole returns the role for a code host's permission: read may view, triage and write may review,
// maintain and admin may manage. Any other word gives [RepoNone].
func HostRole(word string) RepoRole {
	switch word {
	case "read":
		return RepoViewer
	case "triage", "write":
		return RepoReviewer
	case "maintain", "admin":
		return RepoManager
	}
	return RepoNone
}

// RepoRoleOf parses the result of [RepoRole.String]. Any other name gives [RepoNone].
func RepoRoleOf(name string) RepoRole {
	if i := slices.Index(repoRoleNames[:], name); i > 0 {
		return RepoRole(i)
	}
	return RepoNone
}

// Subject is the person who sends a request, with the roles in the tenant and on the repository of the
// request. The zero value is a person who is not signed in.
type Subject struct {
	SignedIn      bool
	InstanceAdmin bool
	Tenant        domain.Role
	Repository    RepoRole
}

// Allows reports whether the subject has the permission. It returns false for an unknown permission. The
// role of an instance admin gives no permissions in a tenant.
func (s Subject) Allows(p Permission) bool {
	if p == Public {
		return true
	}
	if !s.SignedIn {
		return false
	}
	switch p {
	case Authenticated:
		return true
	case InstanceManage:
		return s.InstanceAdmin
	case TenantView:
		return s.Tenant == domain.RoleMember || s.Tenant == domain.RoleAdmin
	case TenantManage:
		return s.Tenant == domain.RoleAdmin
	case RepoView:
		return s.Repository >= RepoViewer
	case RepoReview:
		return s.Repository >= RepoReviewer
	case RepoManage:
		return s.Repository >= RepoManager
	}
	return false
}

// Permissions lists the subject's permissions in the table's order, without those that every signed-in
// person has.
func (s Subject) Permissions() []Permission {
	out := []Permission{}
	for _, p := range All() {
		if p != Public && p != Authenticated && s.Allows(p) {
			out = append(out, p)
		}
	}
	return out
}
