// Package perm holds the one table of who may do what: permissions of the
// interface, roles of people, and which role has which permission.
//
// It is pure: it asks nobody. Reading roles from the database or a host, and
// refusing a request, do not live here.
package perm

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
)

// Permission is what a route asks for, in the words of the interface's
// description.
type Permission string

// The permissions. There is no other: a route with an unknown one is refused.
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

// String returns the name that the interface uses.
func (r RepoRole) String() string {
	if int(r) < len(repoRoleNames) {
		return repoRoleNames[r]
	}
	return "none"
}

// HostRole returns the role that follows from a code host's word: read sees,
// triage and write review, maintain and admin manage. An unknown word is none.
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

// RepoRoleOf reads the name that [RepoRole.String] writes; any other is none.
func RepoRoleOf(name string) RepoRole {
	if i := slices.Index(repoRoleNames[:], name); i > 0 {
		return RepoRole(i)
	}
	return RepoNone
}

// Subject is who asks, with the roles in the tenant and on the repository that
// the request names. The zero value is nobody.
type Subject struct {
	SignedIn      bool
	InstanceAdmin bool
	Tenant        domain.Role
	Repository    RepoRole
}

// Allows reports whether the subject has the permission. An unknown permission
// is nobody's. Being an instance admin gives nothing in a tenant.
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

// Permissions lists what the subject may do, in the table's order, without
// those that everybody has.
func (s Subject) Permissions() []Permission {
	out := []Permission{}
	for _, p := range All() {
		if p != Public && p != Authenticated && s.Allows(p) {
			out = append(out, p)
		}
	}
	return out
}
