package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// The maximum ages of a host's answers about a person's roles.
const (
	rolesFresh   = 5 * time.Minute  // after that, the next request asks the host in the background
	rolesValid   = time.Hour        // after that, views wait for the host
	decidesFresh = 60 * time.Second // after that, a deciding act asks the host
	membersFresh = time.Hour        // after that, memberships are asked about again; store.Membership defines when a request waits
)

// askTime bounds one round of requests about one person.
const askTime = 2 * time.Minute

// requestWait is how long a request waits for the host.
const requestWait = 5 * time.Second

// fewInstallations is the number of an app's installations up to which all are asked about a membership.
// Above it, only those are asked that show the person a repository, or that the person already belongs to.
const fewInstallations = 50

// refreshPerson asks the hosts about a person in the background, once at a time. The returned channel is closed when
// that is done, with or without success. It is nil while the service closes.
func (s *Service) refreshPerson(user string, members bool) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing {
		return nil
	}
	if done, ok := s.refreshing[user]; ok && !members {
		return done
	}
	done := make(chan struct{})
	before := s.refreshing[user]
	s.refreshing[user] = done
	s.wg.Go(func() {
		defer func() {
			s.mu.Lock()
			if s.refreshing[user] == done {
				delete(s.refreshing, user)
			}
			s.mu.Unlock()
			close(done)
		}()
		if before != nil { // it may have begun too early to see the present state
			<-before
		}
		ctx, cancel := context.WithTimeout(s.base, askTime)
		defer cancel()
		err := s.refreshFromHosts(audit.As(ctx, audit.Actor{Kind: "host"}), user, members)
		if err == nil {
			s.failed.Remove(user)
		} else if s.base.Err() == nil {
			s.failed.Add(user, time.Now())
			s.Logger.WarnContext(ctx, "a code host could not be asked about a person", "user", user, "error", err)
		}
	})
	return done
}

// await waits for a channel for at most most, and reports whether that time ran out.
func (s *Service) await(ctx context.Context, done <-chan struct{}, most time.Duration) (late bool) {
	if done == nil {
		return false
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
		return true
	case <-ctx.Done():
	}
	return false
}

// refreshFromHosts asks every host that a person has given access to.
func (s *Service) refreshFromHosts(ctx context.Context, user string, members bool) error {
	rows, err := s.Store.HostTokensOf(ctx, user)
	if err != nil {
		return err
	}
	ids, err := s.Store.IdentitiesOf(ctx, user)
	if err != nil {
		return err
	}
	var all error
	for _, row := range rows {
		at := slices.IndexFunc(ids, func(id store.Identity) bool { return id.ID == row.Identity })
		if at < 0 {
			continue
		}
		err := s.refreshFromHost(ctx, ids[at], row, members || membersDue(row))
		if errors.Is(err, errNoToken) || errs.Is(err, errs.NotFound) { // the person signs in again, or the app has gone
			err = nil
		}
		all = errors.Join(all, err)
	}
	return all
}

func membersDue(row store.HostToken) bool {
	return row.MembersUS <= row.StaleUS || row.NowUS-row.MembersUS > membersFresh.Microseconds()
}

// refreshFromHost asks one host through one app.
func (s *Service) refreshFromHost(ctx context.Context, id store.Identity, row store.HostToken, members bool) error {
	a, err := s.accessOf(ctx, id, row)
	if err != nil {
		return err
	}
	if err := a.withToken(ctx, func() (err error) { // memberships are asked about by the present login name
		var p codehost.Person
		if p, err = a.host.Person(ctx, a.token); err == nil && p.ID != a.person.ID {
			err = errors.New("auth: the token is another person's")
		} else if err == nil {
			a.person = p
		}
		return err
	}); err != nil {
		return err
	}
	var visible []domain.HostID
	if err := a.withToken(ctx, func() (err error) { visible, err = a.host.Installations(ctx, a.person, a.token); return err }); err != nil {
		return err
	}
	placed, err := s.Store.PlacedInstallations(ctx, row.App)
	if err != nil {
		return err
	}
	memberships, err := s.Store.MembershipsOf(ctx, id.UserID)
	if err != nil {
		return err
	}
	if members {
		if err := s.withdrawGone(ctx, id.UserID, memberships); err != nil {
			return err
		}
	}
	for _, inst := range placed {
		if inst.State != domain.InstallationActive {
			continue // it cannot be asked, and earlier answers stay
		}
		member := slices.ContainsFunc(memberships, func(m store.Membership) bool {
			return m.Source == domain.SourceHost && m.SourceID == inst.ID
		})
		sees := slices.Contains(visible, inst.ExternalID)
		if err := s.refreshInstallation(ctx, a, inst, sees, members && (sees || member || len(placed) <= fewInstallations)); err != nil {
			return err
		}
	}
	if members {
		if err := s.Store.MarkMembersAsked(ctx, id.ID, row.App, row.NowUS); err != nil {
			return err
		}
	}
	return s.Store.MarkRolesAsked(ctx, id.ID, row.App, row.NowUS)
}

// refreshInstallation asks about one installation, and stores the answers.
func (s *Service) refreshInstallation(ctx context.Context, a *access, inst store.Installation, sees, members bool) error {
	t := domain.Tenant{ID: inst.Tenant}
	var repos []codehost.RepoPermission
	if sees {
		var err error
		if repos, err = a.permissions(ctx, inst.ExternalID); err != nil {
			return err
		}
	}
	given, known := domain.Role(""), false
	if members {
		var err error
		if given, known, err = s.hostRole(ctx, a, inst, len(repos) > 0); err != nil {
			return err
		}
	}
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		if known {
			if err := s.setSource(ctx, t, store.Membership{User: a.id.UserID, Role: given, Source: domain.SourceHost,
				SourceID: inst.ID}); err != nil {
				return err
			}
		}
		return s.storeRoles(ctx, t, inst, a.id.UserID, repos)
	})
}

// hostRole returns the tenant role that follows from a person's role in the host's account. known is false
// if the host does not let the installation ask.
func (s *Service) hostRole(ctx context.Context, a *access, inst store.Installation,
	collaborates bool) (role domain.Role, known bool, err error) {
	settings, err := policy.Settings(ctx, s.Store, domain.Tenant{ID: inst.Tenant})
	if err != nil {
		return "", false, err
	}
	is, err := a.host.AccountRole(ctx, codehost.Installation{ID: inst.ExternalID, AccountID: inst.AccountID,
		AccountLogin: inst.AccountLogin, AccountType: inst.AccountType}, a.person)
	if isRefusal(err) {
		s.Logger.WarnContext(ctx, "the app cannot read the members of an account: give it the permission members: read", "installation",
			inst.ID, "error", err)
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	switch {
	case is == codehost.AccountOwner && settings.HostOwnersAreAdmins:
		return domain.RoleAdmin, true, nil
	case is != "", collaborates && settings.Collaborators == policy.CollaboratorsMember:
		return domain.RoleMember, true, nil
	}
	return "", true, nil
}

// storeRoles replaces the stored roles of a person on the repositories of an installation.
func (s *Service) storeRoles(ctx context.Context, t domain.Tenant, inst store.Installation, user string,
	repos []codehost.RepoPermission) error {
	if err := s.Store.ForgetRepositoryRoles(ctx, t, inst.ID, user); err != nil {
		return err
	}
	for _, r := range repos {
		role := perm.HostRole(r.Permission)
		if role == perm.RepoNone {
			continue
		}
		row, err := s.Store.RepositoryByExternal(ctx, t, inst.ID, r.ExternalID)
		if errs.Is(err, errs.NotFound) {
			continue // not stored yet; the next round has it
		}
		if err == nil {
			err = s.Store.SetRepositoryRole(ctx, t, row.ID, user, role.String())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withdrawGone withdraws memberships from installations and connections that no longer exist.
func (s *Service) withdrawGone(ctx context.Context, user string, mine []store.Membership) error {
	for _, m := range mine {
		if m.Source != domain.SourceHost {
			continue
		}
		a, err := s.Store.Access(ctx, m.SourceID)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return err
		}
		if err == nil && a.State != domain.InstallationDeleted && a.Tenant == m.Tenant {
			continue
		}
		m.Role = ""
		if err := s.Store.InTx(ctx, func(ctx context.Context) error { return s.setSource(ctx, domain.Tenant{ID: m.Tenant}, m) }); err != nil {
			return err
		}
	}
	return nil
}

// isRefusal reports whether an answer means "no" and is not a failure.
func isRefusal(err error) bool {
	class := codehost.ClassOf(err)
	return class == codehost.ClassNotFound || class == codehost.ClassForbidden && !refusesToken(err)
}
