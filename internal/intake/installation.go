package intake

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// installation returns the installation of an event, and creates or changes it according to the event. A
// decision ends the delivery here.
func (s *Service) installation(ctx context.Context, d store.Delivery, ev codehost.Event) (store.Installation, decision, error) {
	if ev.Installation == nil || ev.Installation.ID == "" {
		return store.Installation{}, ignored("no installation"), nil
	}
	inst, err := s.Store.InstallationByExternal(ctx, d.Source, ev.Installation.ID)
	known := err == nil
	if err != nil && !errs.Is(err, errs.NotFound) {
		return inst, decision{}, err
	}
	if ev.Kind == codehost.KindInstallation {
		return s.installationEvent(ctx, d, ev, inst, known)
	}
	if !known { // the event came before the installation's own, or that one was lost: ask the host
		info, repos, err := s.Hosts.Installation(ctx, d.Source, ev.Installation.ID)
		if codehost.ClassOf(err) == codehost.ClassNotFound {
			return inst, ignored("the installation is gone"), nil
		}
		if err == nil {
			inst, err = s.storeInstallation(ctx, d.Source, info)
		}
		if err == nil && inst.Tenant != "" {
			err = policy.UpsertRepositories(ctx, s.Store, inst, repos)
		}
		if err != nil {
			return inst, decision{}, err
		}
	}
	if inst.Tenant == "" { // its tenant may be known now
		if inst, err = s.storeInstallation(ctx, d.Source, codehost.Installation{ID: inst.ExternalID, AccountID: inst.AccountID,
			AccountLogin: inst.AccountLogin, AccountType: inst.AccountType}); err != nil {
			return inst, decision{}, err
		}
	}
	switch {
	case inst.Tenant == "":
		return inst, ignored("the installation waits to be placed in a tenant"), nil
	case inst.State != domain.InstallationActive:
		return inst, ignored("the installation is " + string(inst.State)), nil
	}
	return inst, decision{}, nil
}

// storeInstallation stores an installation and assigns it if its tenant is known, in one transaction, so that it is never
// visible without its tenant. If the tenant cannot be determined yet, the installation is stored for an
// administrator to assign, and the error reports the cause.
func (s *Service) storeInstallation(ctx context.Context, app string, i codehost.Installation) (inst store.Installation, err error) {
	tenant, unplaced := s.Place(ctx, app, i)
	err = s.Store.InTx(ctx, func(ctx context.Context) (err error) {
		inst, err = s.Store.UpsertInstallation(ctx, store.Installation{AppID: app, ExternalID: i.ID, AccountID: i.AccountID,
			AccountLogin: i.AccountLogin, AccountType: i.AccountType})
		if err != nil || inst.Tenant != "" || tenant == "" {
			return err
		}
		if _, err = s.Store.PlaceInstallation(ctx, domain.Tenant{ID: tenant}, inst.ID); err != nil {
			return err
		}
		inst, err = s.Store.Installation(ctx, inst.ID)
		return err
	})
	if err == nil && inst.Tenant == "" {
		err = unplaced
	}
	return inst, err
}

// installationEvent applies an installation event.
func (s *Service) installationEvent(ctx context.Context, d store.Delivery, ev codehost.Event, inst store.Installation,
	known bool) (store.Installation, decision, error) {
	if known && ev.Action == "renamed" { // the account has another name and the same id
		inst, err := s.Store.UpsertInstallation(ctx, store.Installation{AppID: d.Source, ExternalID: inst.ExternalID, AccountID: inst.AccountID,
			AccountLogin: ev.Installation.AccountLogin, AccountType: inst.AccountType})
		return inst, decision{}, err
	}
	state, told := claimedStates[ev.Action]
	if !told {
		return inst, ignored(codehost.ReasonUnusedAction), nil
	}
	if state == domain.InstallationDeleted && !known {
		return inst, ignored("the installation is not known here"), nil
	}
	inst, err := s.storeInstallation(ctx, d.Source, *ev.Installation)
	if err == nil && (inst.State != state || state == domain.InstallationActive) {
		err = s.storeState(ctx, inst, state)
	}
	if err != nil {
		return inst, decision{}, err
	}
	if inst.Tenant == "" {
		return inst, decision{disposition: domain.DispositionApplied, reason: "the installation waits to be placed in a tenant"}, nil
	}
	return inst, decision{}, nil
}

// storeState stores the state of an installation, and informs its tenant if the state ends reviews.
func (s *Service) storeState(ctx context.Context, inst store.Installation, state domain.InstallationState) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		if err := s.Store.SetInstallationState(ctx, inst.ID, state); err != nil || inst.Tenant == "" {
			return err
		}
		t := domain.Tenant{ID: inst.Tenant}
		if state == domain.InstallationActive {
			if err := s.Store.MarkMembersStale(ctx, t); err != nil { // people's roles may have changed meanwhile
				return err
			}
			return fault.Works(ctx, s.Store, t, domain.ConnectionInstallation, inst.ID)
		}
		reason := fault.Gone
		if state == domain.InstallationSuspended {
			reason = fault.Suspended
		}
		return fault.Broke(ctx, s.Store, t, reason, fault.Installation(inst, reason))
	})
}

// repositories applies an event about the repositories of an installation. answered means that the event
// has the host's data.
func (s *Service) repositories(ctx context.Context, inst store.Installation, ev codehost.Event, answered bool) (decision, error) {
	t := domain.Tenant{ID: inst.Tenant}
	dec := decision{disposition: domain.DispositionApplied, tenant: inst.Tenant}
	if ev.Kind == codehost.KindInstallation && (ev.Action == "deleted" || ev.Action == "suspend") {
		return dec, s.Store.DisconnectRepositories(ctx, t, inst.ID)
	}
	seen := ev.Repositories
	if ev.Kind == codehost.KindRepository && ev.Repository != nil {
		if ev.Action == "deleted" || ev.Action == "transferred" {
			return dec, s.Store.DisconnectRepositories(ctx, t, inst.ID, ev.Repository.ExternalID)
		}
		seen = append(seen, *ev.Repository)
	}
	if ev.Kind == codehost.KindInstallation && ev.Action == "unsuspend" {
		_, repos, err := s.Hosts.Installation(ctx, inst.AppID, inst.ExternalID)
		if err != nil {
			return dec, err
		}
		seen, answered = repos, true
	}
	see := func() error { return s.storeRepositories(ctx, inst, seen) }
	if answered {
		see = func() error { return policy.UpsertRepositories(ctx, s.Store, inst, seen) }
	}
	if err := see(); err != nil {
		return dec, err
	}
	var removed []domain.HostID
	for _, r := range ev.RepositoriesRemoved {
		removed = append(removed, r.ExternalID)
	}
	if len(removed) == 0 {
		return dec, nil
	}
	return dec, s.Store.DisconnectRepositories(ctx, t, inst.ID, removed...)
}

// storeRepositories stores the repositories that an event names. It asks the host about those whose event data differ
// from the stored state.
func (s *Service) storeRepositories(ctx context.Context, inst store.Installation, told []codehost.RepoInfo) error {
	from := installationOrigin{s, inst}
	for _, r := range told {
		before, err := from.knownRepository(ctx, r.ExternalID)
		switch {
		case errs.Is(err, errs.NotFound):
			_, err = policy.UpsertRepositoryFromEvent(ctx, s.Store, inst, r)
		case err == nil && sameRepository(before, r):
			_, err = from.storeUnchanged(ctx, before, r)
		case err == nil:
			_, _, err = from.find(ctx, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
