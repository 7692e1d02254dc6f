package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/store"
)

// Me is the signed-in person.
type Me struct {
	ID            string      `json:"id"`
	Name          string      `json:"name"`
	InstanceAdmin bool        `json:"instanceAdmin" doc:"Whether the person manages the instance in this session: not in one of an identity provider that is for some tenants only"`
	CSRFToken     string      `json:"csrfToken" doc:"For the header X-CSRF-Token of requests that change something"`
	Session       SessionInfo `json:"session"`
}

// SessionInfo is the session of the request.
type SessionInfo struct {
	Method    string    `json:"method" doc:"How the person signed in"`
	Provider  string    `json:"providerId" doc:"The app or the identity provider that it came from; empty for a one-time link"`
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt" doc:"The end in any case; without requests it comes earlier"`
}

func (s *server) me(ctx context.Context, _ *NoInput) (*Read[Me], error) {
	c := callerFrom(ctx)
	return &Read[Me]{Me{ID: c.user.ID, Name: c.user.Name, InstanceAdmin: c.InstanceAdmin, CSRFToken: c.session.CSRF,
		Session: SessionInfo{c.session.Method, c.session.Provider, store.Time(c.session.CreatedUS), store.Time(c.session.ExpiresUS)}}}, nil
}

// MyTenant is a tenant of the signed-in person.
type MyTenant struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Role      string    `json:"role" enum:"member,admin"`
	CreatedAt time.Time `json:"createdAt"`
}

func (s *server) myTenants(ctx context.Context, _ *NoInput) (*Listed[MyTenant], error) {
	open, _, err := s.Auth.Places(ctx, callerFrom(ctx).session)
	if err != nil {
		return nil, err
	}
	out := &Listed[MyTenant]{Body: List[MyTenant]{Items: []MyTenant{}}}
	for _, p := range open {
		out.Body.Items = append(out.Body.Items, MyTenant{p.ID, p.Name, string(p.Role), store.Time(p.CreatedUS)})
	}
	return out, nil
}

// repositoryName returns the host's full name of a repository.
func repositoryName(r store.Repository) string { return r.Owner + "/" + r.Name }
