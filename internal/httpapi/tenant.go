package httpapi

import (
	"context"
	"slices"
	"strings"
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

// Access is what the signed-in person may do in a tenant, for clients to show
// or hide things.
type Access struct {
	TenantID     string             `json:"tenantId"`
	Role         string             `json:"role" enum:"member,admin"`
	Permissions  []string           `json:"permissions" doc:"At the level of the tenant"`
	Repositories []RepositoryAccess `json:"repositories"`
}

// RepositoryAccess is what the person may do on one repository.
type RepositoryAccess struct {
	RepositoryID string   `json:"repositoryId"`
	Role         string   `json:"role" enum:"view,review,manage"`
	Permissions  []string `json:"permissions"`
}

// AccessOutput wraps [Access].
type AccessOutput struct{ Body Access }

func (s *server) access(ctx context.Context, _ *InTenant) (*AccessOutput, error) {
	c := from(ctx)
	rows, err := s.Store.Repositories(ctx, c.tenant)
	if err != nil {
		return nil, err
	}
	out := Access{TenantID: c.tenant.ID, Role: string(c.Tenant), Permissions: []string{}, Repositories: []RepositoryAccess{}}
	for _, p := range c.Permissions() {
		if p == perm.TenantView || p == perm.TenantManage {
			out.Permissions = append(out.Permissions, string(p))
		}
	}
	roles, err := s.rolesOf(ctx, c)
	if err != nil {
		return nil, err
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
	return &AccessOutput{out}, nil
}

// rolesOf are the caller's roles on the tenant's repositories, for lists.
func (s *server) rolesOf(ctx context.Context, c *caller) (auth.Roles, error) {
	roles, err := s.Auth.RepositoryRoles(ctx, c.tenant, c.user.ID, c.Tenant)
	if err == nil {
		err = roles.Late()
	}
	return roles, err
}

// visible lists the tenant's repositories on which the caller has a role, by name.
func (s *server) visible(ctx context.Context, c *caller) ([]store.Repository, error) {
	rows, err := s.Store.Repositories(ctx, c.tenant)
	if err != nil {
		return nil, err
	}
	roles, err := s.rolesOf(ctx, c)
	return slices.DeleteFunc(rows, func(r store.Repository) bool { return roles.On(r.ID) == perm.RepoNone }), err
}

// Repository is a repository of a tenant.
type Repository struct {
	ID            string    `json:"id"`
	Owner         string    `json:"owner"`
	Name          string    `json:"name"`
	DefaultBranch string    `json:"defaultBranch"`
	Private       bool      `json:"private"`
	State         string    `json:"state" enum:"active,disconnected"`
	CreatedAt     time.Time `json:"createdAt"`
	UpdatedAt     time.Time `json:"updatedAt"`
}

// RepositoriesInput is the input of GET T/repositories.
type RepositoriesInput struct {
	InTenant
	Page
}

// RepositoriesOutput wraps the list, ordered by owner and name.
type RepositoriesOutput struct{ Body List[Repository] }

func (s *server) repositories(ctx context.Context, in *RepositoriesInput) (*RepositoriesOutput, error) {
	rows, err := s.visible(ctx, from(ctx))
	if err != nil {
		return nil, err
	}
	if in.Cursor != "" {
		parts, err := readCursor(in.Cursor, 3)
		if err != nil {
			return nil, err
		}
		after := store.Repository{Owner: parts[0], Name: parts[1], ID: parts[2]}
		// In the order of the engine, which need not be ours: the place of the
		// last one sent, or of where it would stand if it is gone.
		from := slices.IndexFunc(rows, func(r store.Repository) bool { return r.ID == after.ID })
		if from < 0 {
			from = slices.IndexFunc(rows, func(r store.Repository) bool { return byName(r, after) > 0 }) - 1
			if from < -1 {
				from = len(rows) - 1
			}
		}
		rows = rows[from+1:]
	}
	out := &RepositoriesOutput{Body: List[Repository]{Items: []Repository{}}}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := rows[in.Limit-1]
		out.Body.NextCursor = writeCursor(last.Owner, last.Name, last.ID)
	}
	for _, r := range rows {
		out.Body.Items = append(out.Body.Items, Repository{r.ID, r.Owner, r.Name, r.DefaultBranch, r.Private, r.State, at(r.CreatedUS), at(r.UpdatedUS)})
	}
	return out, nil
}

func byName(a, b store.Repository) int {
	if c := strings.Compare(a.Owner, b.Owner); c != 0 {
		return c
	}
	if c := strings.Compare(a.Name, b.Name); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}
