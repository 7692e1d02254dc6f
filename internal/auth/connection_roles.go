package auth

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// staleSoonAge is the age at which a connection's data about a person are refreshed, so that they do not
// become too old while the person works.
const staleSoonAge = 50 * time.Minute

// syncRequestInterval is the minimum interval of synchronisation requests for a connection.
const syncRequestInterval = time.Minute

// requestStaleSyncs requests synchronisations of connections whose data about a person are about to be too old. A
// failed request is only logged.
func (s *Service) requestStaleSyncs(ctx context.Context, user string) error {
	stale, err := s.Store.StaleAccesses(ctx, user, staleSoonAge)
	for _, a := range stale {
		if last, ok := s.syncRequested.Get(a.Connection); ok && time.Since(last) < syncRequestInterval {
			continue
		}
		s.syncRequested.Add(a.Connection, time.Now())
		if err := s.Store.RequestSync(ctx, domain.Tenant{ID: a.Tenant}, a.Connection); err != nil {
			s.Logger.WarnContext(ctx, "a connection whose answers about people are old could not be synchronised", "connection",
				a.Connection, "error", err)
		}
	}
	return err
}

// lateConnectionReason returns the reason if the roles of a person in a tenant are unknown because a connection's
// data are older than an hour and younger than a day.
func (s *Service) lateConnectionReason(ctx context.Context, t domain.Tenant, user string) (late, err error) {
	stale, err := s.Store.StaleAccesses(ctx, user, rolesValid)
	if err != nil {
		return nil, err
	}
	for _, a := range stale {
		if a.Tenant == t.ID {
			return s.silenceError(ctx, t, a.Connection)
		}
	}
	return nil, nil
}

// connectionSilence returns the reason why a connection has not confirmed a membership for a day.
func (s *Service) connectionSilence(ctx context.Context, a store.Access) (why, err error) {
	t := domain.Tenant{ID: a.Tenant}
	heard, err := s.Store.HasFreshHostMembers(ctx, t, a.ID, rolesValid)
	if err != nil || heard { // the host answers about other people
		return connectionRefusesError(), err
	}
	return s.silenceError(ctx, t, a.Connection)
}

// silenceError returns the error for a connection without recent data.
func (s *Service) silenceError(ctx context.Context, t domain.Tenant, connection string) (why, err error) {
	c, err := s.Store.ProviderConnection(ctx, t, connection)
	switch {
	case errs.Is(err, errs.NotFound), err == nil && !c.Enabled:
		return connectionDisabledError(), nil
	case err != nil:
		return nil, err
	}
	return hostDownError(nil), nil
}

// connectionDisabledError is the error if an admin of the tenant has disabled the connection, or is changing or
// deleting it.
func connectionDisabledError() error {
	return errs.New(errs.Forbidden, "connection_disabled", "The connection to the code host that says what you may do here is "+
		"disabled, or was changed just now. An admin of the tenant can enable it.")
}

// connectionRefusesError is the error if a host answers, but does not show the connection's account other
// people's permissions.
func connectionRefusesError() error {
	return errs.New(errs.Forbidden, "host_does_not_say", "The code host does not say what you may do here: the connection's token "+
		"is refused, or its account is not an administrator of the repository. An admin of the tenant can fix that.")
}

// askConnected asks the host of a connection for a person's present role on a repository, as
// [Service.askRepository] does with the person's own token. The host is not asked about a person whom no
// identity provider links to a host user.
func (s *Service) askConnected(ctx context.Context, t domain.Tenant, repo store.Repository, user string,
	before store.RepositoryRole) (perm.RepoRole, error) {
	a, err := s.Store.Access(ctx, repo.Access)
	if err != nil {
		return perm.RepoNone, err
	}
	ids, err := s.Store.HostUsersOf(ctx, t, a.ID, repo.ID, user)
	if err != nil || len(ids) == 0 || a.State != domain.InstallationActive || s.Hosts == nil {
		return perm.RepoNone, err
	}
	host, err := s.Hosts.Connected(ctx, a)
	if errs.Is(err, errs.NotFound) {
		return perm.RepoNone, connectionDisabledError()
	}
	if err != nil {
		return perm.RepoNone, err
	}
	got, err := permissionOf(ctx, host, repo, ids)
	if err != nil {
		return perm.RepoNone, err
	}
	if got == perm.RepoViewer && repo.Private { // only people with an explicit right can read it
		return got, s.Store.SetRepositoryRole(ctx, t, repo.ID, user, got.String())
	}
	return s.storeHostRole(ctx, t, repo, user, before, got)
}

// permissionOf asks the host of a connection for the role of a person. If the person has several host
// users, the greatest role counts.
func permissionOf(ctx context.Context, host codehost.Connection, repo store.Repository, ids []store.HostUser) (perm.RepoRole, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*requestWait)
	defer cancel()
	got := perm.RepoNone
	at := codehost.Repo{Access: domain.HostID(repo.Access), ExternalID: repo.ExternalID, Owner: repo.Owner, Name: repo.Name}
	for _, id := range ids {
		word, err := host.PermissionOf(ctx, at, id.ID, id.Login)
		switch class := codehost.ClassOf(err); {
		case err == nil:
			got = max(got, perm.HostRole(word))
		case class == codehost.ClassNotFound:
		case class == codehost.ClassForbidden:
			return perm.RepoNone, connectionRefusesError()
		default:
			return perm.RepoNone, hostDownError(err)
		}
	}
	return got, nil
}
