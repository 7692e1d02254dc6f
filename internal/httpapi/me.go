package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Me is the signed-in person.
type Me struct {
	ID            string      `json:"id"`
	Name          string      `json:"name"`
	InstanceAdmin bool        `json:"instanceAdmin"`
	CSRFToken     string      `json:"csrfToken" doc:"For the header X-CSRF-Token of requests that change something"`
	Session       SessionInfo `json:"session"`
}

// SessionInfo is the session that the request came with.
type SessionInfo struct {
	Method    string    `json:"method" doc:"How the person signed in"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt" doc:"The end in any case; without requests it comes earlier"`
}

func (s *server) me(ctx context.Context, _ *NoInput) (*Read[Me], error) {
	c := from(ctx)
	return &Read[Me]{Me{ID: c.user.ID, Name: c.user.Name, InstanceAdmin: c.user.InstanceAdmin, CSRFToken: c.session.CSRF,
		Session: SessionInfo{c.session.Method, store.Time(c.session.CreatedUS), store.Time(c.session.ExpiresUS)}}}, nil
}

// MyTenant is a tenant of the signed-in person.
type MyTenant struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Role      string    `json:"role" enum:"member,admin"`
	CreatedAt time.Time `json:"createdAt"`
}

func (s *server) myTenants(ctx context.Context, _ *NoInput) (*Listed[MyTenant], error) {
	user := from(ctx).user.ID
	rows, err := s.Store.TenantsOf(ctx, user)
	if err != nil {
		return nil, err
	}
	out := &Listed[MyTenant]{Body: List[MyTenant]{Items: []MyTenant{}}}
	for _, t := range rows {
		role, err := s.Store.RoleOf(ctx, domain.Tenant{ID: t.ID}, user)
		if err != nil {
			return nil, err
		}
		if role == "" { // withdrawn meanwhile
			continue
		}
		out.Body.Items = append(out.Body.Items, MyTenant{t.ID, t.Name, string(role), store.Time(t.CreatedUS)})
	}
	return out, nil
}

// repositoryName is how a host names a repository.
func repositoryName(r store.Repository) string { return r.Owner + "/" + r.Name }
