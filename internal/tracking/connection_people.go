package tracking

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// ConnectionPeople counts the members of a tenant by the source of their roles on the repositories of a connection. Each
// member is in one of Admins, ByHost, ByLink and Without.
type ConnectionPeople struct {
	Admins          int    `json:"admins" doc:"Admins of the tenant, who have every right on every repository"`
	ByHost          int    `json:"byHost" doc:"Members with a role on a repository, whose account a sign-in or an identity provider proves"`
	ByLink          int    `json:"byLink" doc:"Members with a role on a repository, whose account an admin linked and who confirmed it"`
	Without         int    `json:"without" doc:"Members without a role from the host"`
	Unconfirmed     int    `json:"unconfirmed" doc:"Those without a role who have not answered whether a linked account is theirs"`
	WithoutHostRole string `json:"withoutHostRole" enum:"none,view" doc:"Rights of those without a role: the setting membersWithoutHostRole"`
}

// ConnectionPeople counts the members by the source of their roles. It asks nothing of the host. Before the first
// synchronisation, no member has a role. It returns [errs.NotFound] if there is no such connection.
func (s *Service) ConnectionPeople(ctx context.Context, t domain.Tenant, connection string) (ConnectionPeople, error) {
	out := ConnectionPeople{}
	if _, err := s.Store.ProviderConnection(ctx, t, connection); err != nil {
		return out, err
	}
	settings, err := policy.Settings(ctx, s.Store, t)
	if err != nil {
		return out, err
	}
	out.WithoutHostRole = settings.MembersWithoutHostRole
	a, err := s.Store.AccessOfConnection(ctx, t, connection)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return out, err
	}
	rows, err := s.Store.ConnectionMembers(ctx, t, a.ID)
	for _, m := range rows {
		out.add(m)
	}
	return out, err
}

func (p *ConnectionPeople) add(m store.ConnectionMember) {
	switch {
	case m.Admin:
		p.Admins++
	case m.Listed && m.Proven:
		p.ByHost++
	case m.Listed && m.Linked:
		p.ByLink++
	default:
		p.Without++
		if m.Waits {
			p.Unconfirmed++
		}
	}
}

// sentence describes the counts for the test of a connection.
func (p ConnectionPeople) sentence() string {
	may := "they may do nothing on its repositories"
	if p.WithoutHostRole == policy.WithoutHostRoleView {
		may = "they may look at its repositories and decide nothing"
	}
	return fmt.Sprintf("The tenant has %d admins, who may do everything. %d members have a role by their proven account on the host, "+
		"and %d by an account that an admin linked. %d members have no role from the host: %s (setting membersWithoutHostRole).",
		p.Admins, p.ByHost, p.ByLink, p.Without, may)
}
