package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// InTenant is the path of a tenant's routes.
type InTenant struct {
	TenantID string `path:"tenantId"`
}

func (in InTenant) path() string { return "/api/tenants/" + in.TenantID }

// Access lists the signed-in person's permissions in a tenant, so that clients can show or hide elements.
type Access struct {
	TenantID     string             `json:"tenantId"`
	Role         string             `json:"role" enum:"member,admin"`
	Permissions  []string           `json:"permissions" doc:"At the level of the tenant"`
	Repositories []RepositoryAccess `json:"repositories" doc:"At most 1000, by owner and name"`
	More         bool               `json:"more,omitempty" doc:"There are more repositories than are listed"`
}

// maxAccess is the maximum number of repositories in an [Access].
const maxAccess = 1000

// RepositoryAccess lists the person's permissions on one repository.
type RepositoryAccess struct {
	RepositoryID string   `json:"repositoryId"`
	Role         string   `json:"role" enum:"view,review,manage"`
	Permissions  []string `json:"permissions"`
}

func (s *server) access(ctx context.Context, _ *InTenant) (*Read[Access], error) {
	c := callerFrom(ctx)
	rows, roles, err := s.visiblePage(ctx, c, store.RepositoryFilter{Limit: maxAccess + 1})
	if err != nil {
		return nil, err
	}
	more := len(rows) > maxAccess
	rows = rows[:min(len(rows), maxAccess)]
	out := Access{More: more, TenantID: c.tenant.ID, Role: string(c.Tenant), Permissions: []string{}, Repositories: []RepositoryAccess{}}
	for _, p := range c.Permissions() {
		if p == perm.TenantView || p == perm.TenantManage {
			out.Permissions = append(out.Permissions, string(p))
		}
	}
	for _, r := range rows {
		role := roles.On(r.ID)
		if role == perm.RepoNone {
			continue
		}
		names := []string{}
		for _, p := range (perm.Subject{SignedIn: true, Repository: role}).Permissions() {
			names = append(names, string(p))
		}
		out.Repositories = append(out.Repositories, RepositoryAccess{r.ID, role.String(), names})
	}
	return &Read[Access]{out}, nil
}

// rolesOf returns the caller's roles on the tenant's repositories, for lists.
func (s *server) rolesOf(ctx context.Context, c *caller) (auth.Roles, error) {
	roles, err := s.Auth.RepositoryRoles(ctx, c.tenant, c.user.ID, c.Tenant)
	if err == nil {
		err = roles.Late()
	}
	return roles, err
}

// visiblePage lists the tenant's repositories on which the caller has a role, by name, and returns the
// caller's roles.
func (s *server) visiblePage(ctx context.Context, c *caller, f store.RepositoryFilter) ([]store.Repository, auth.Roles, error) {
	roles, err := s.rolesOf(ctx, c)
	if err != nil {
		return nil, roles, err
	}
	if !roles.Everywhere() {
		f.User = c.user.ID
	}
	rows, err := s.Store.RepositoriesPage(ctx, c.tenant, f)
	return rows, roles, err
}

// Repository is a repository of a tenant.
type Repository struct {
	ID            string    `json:"id"`
	Owner         string    `json:"owner"`
	Name          string    `json:"name"`
	DefaultBranch string    `json:"defaultBranch"`
	Private       bool      `json:"private"`
	State         string    `json:"state" enum:"active,disconnected"`
	Intake        string    `json:"intake" enum:"on,onboarding,off" doc:"State that the repository got when it appeared. onboarding: it is tried out, and reviewed after a person accepts it or its policy says enabled; off: it has no decision or was declined, and is reviewed after its policy says enabled"`
	CreatedAt     time.Time `json:"createdAt"`
	UpdatedAt     time.Time `json:"updatedAt"`
	RepositoryFigures
}

func repository(r store.Repository, f RepositoryFigures) Repository {
	return Repository{ID: r.ID, Owner: r.Owner, Name: r.Name, DefaultBranch: r.DefaultBranch, Private: r.Private, State: r.State,
		Intake: r.Intake, CreatedAt: store.Time(r.CreatedUS), UpdatedAt: store.Time(r.UpdatedUS), RepositoryFigures: f}
}

// RepositoriesInput is the input of GET T/repositories.
type RepositoriesInput struct {
	InTenant
	Page
	State string `query:"state" enum:"active,disconnected" doc:"Only those in this state"`
	Name  string `query:"name" maxLength:"200" doc:"Only those whose owner/name has this in it, in any letter case"`

	ConnectionID string `query:"connectionId" maxLength:"100" doc:"Only those that are reached through this installation or provider connection"`
}

func (s *server) repositories(ctx context.Context, in *RepositoriesInput) (*Listed[Repository], error) {
	f := store.RepositoryFilter{State: in.State, Name: in.Name, Through: in.ConnectionID, Limit: in.Limit + 1}
	if in.Cursor != "" {
		parts, err := readCursor(in.Cursor, 3)
		if err != nil {
			return nil, err
		}
		f.After = store.Repository{Owner: parts[0], Name: parts[1], ID: parts[2]}
	}
	rows, _, err := s.visiblePage(ctx, callerFrom(ctx), f)
	if err != nil {
		return nil, err
	}
	out := &Listed[Repository]{Body: List[Repository]{Items: []Repository{}}}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := rows[in.Limit-1]
		out.Body.NextCursor = writeCursor(last.Owner, last.Name, last.ID)
	}
	figures, err := s.glances(ctx, callerFrom(ctx).tenant, rows)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		out.Body.Items = append(out.Body.Items, repository(r, figures[r.ID]))
	}
	return out, nil
}
