package review

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// decision is what becomes of a delivery.
type decision struct {
	disposition domain.Disposition
	reason      string
	run         string
	tenant      string
}

func ignored(reason string) decision {
	return decision{disposition: domain.DispositionIgnored, reason: reason}
}

var applied = decision{disposition: domain.DispositionApplied}

// Deliver processes one stored delivery to its one disposition.
func (s *Service) Deliver(ctx context.Context, c *jobs.Claim) error {
	d, err := s.Store.Delivery(ctx, c.Job.Subject)
	if err != nil {
		return err
	}
	if d.Disposition != "" && d.Disposition != domain.DispositionFailed {
		return nil // an earlier attempt got that far; a failed one was redriven
	}
	ev, err := s.Parse(d)
	if err != nil {
		return s.dispose(ctx, c, d, ignored("unreadable payload"), nil)
	}
	switch ev.Kind {
	case codehost.KindInstallation, codehost.KindInstallationRepositories, codehost.KindRepository, codehost.KindPullRequest, codehost.KindComment, codehost.KindMembership:
	case codehost.KindAuthorization:
		return s.dispose(ctx, c, d, applied, func(ctx context.Context) (decision, error) { return applied, s.unauthorize(ctx, d, ev) })
	case codehost.KindIgnored:
		return s.dispose(ctx, c, d, ignored(ev.Reason), nil)
	default:
		return s.dispose(ctx, c, d, ignored("not used yet: "+string(ev.Kind)), nil)
	}
	inst, dec, err := s.installation(ctx, d, ev)
	if err != nil || dec.disposition != "" {
		return s.disposeOr(ctx, c, d, dec, err)
	}
	switch ev.Kind {
	case codehost.KindPullRequest:
		return s.pullRequest(ctx, c, d, inst, ev)
	case codehost.KindComment:
		return s.comment(ctx, c, d, inst, ev)
	case codehost.KindMembership:
		dec := decision{disposition: domain.DispositionApplied, tenant: inst.Tenant}
		return s.dispose(ctx, c, d, dec, func(ctx context.Context) (decision, error) { return dec, s.peopleChanged(ctx, inst, ev) })
	default:
		dec, err := s.repositories(ctx, inst, ev)
		return s.disposeOr(ctx, c, d, dec, err)
	}
}

func (s *Service) disposeOr(ctx context.Context, c *jobs.Claim, d store.Delivery, dec decision, err error) error {
	if err != nil {
		return waiting(err)
	}
	return s.dispose(ctx, c, d, dec, nil)
}

// dispose writes the disposition, what more belongs to it, and the end of the
// job in one transaction.
func (s *Service) dispose(ctx context.Context, c *jobs.Claim, d store.Delivery, dec decision, more func(ctx context.Context) (decision, error)) error {
	err := s.Store.InTx(ctx, func(ctx context.Context) (err error) {
		if more != nil {
			if dec, err = more(ctx); err != nil {
				return err
			}
		}
		if err := s.Store.Dispose(ctx, d.ID, dec.tenant, dec.disposition, dec.reason, dec.run); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
	if err == nil {
		s.Observer.DeliveryProcessed(d.Event, string(dec.disposition))
		s.Logger.InfoContext(ctx, "delivery processed", "delivery", d.ID, "guid", d.GUID, "event", d.Event, "action", d.Action, "disposition", dec.disposition, "reason", dec.reason, "run", dec.run)
	}
	return err
}

// installation finds the installation of an event, and makes or changes it
// where the event says so. A decision ends the delivery here.
func (s *Service) installation(ctx context.Context, d store.Delivery, ev codehost.Event) (store.Installation, decision, error) {
	if ev.Installation == nil || ev.Installation.ID == 0 {
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
			inst, err = s.see(ctx, d.Source, info)
		}
		if err == nil && inst.Tenant != "" {
			err = s.seeRepositories(ctx, inst, repos)
		}
		if err != nil {
			return inst, decision{}, err
		}
	}
	if inst.Tenant == "" { // what is settled may have been settled since
		if inst, err = s.see(ctx, d.Source, codehost.Installation{ID: inst.ExternalID, AccountID: inst.AccountID, AccountLogin: inst.AccountLogin, AccountType: inst.AccountType}); err != nil {
			return inst, decision{}, err
		}
	}
	switch {
	case inst.Tenant == "":
		return inst, ignored("the installation waits to be placed in a tenant"), nil
	case inst.State != store.InstallationActive:
		return inst, ignored("the installation is " + string(inst.State)), nil
	}
	return inst, decision{}, nil
}

// see stores an installation and places it where that is settled, in one
// transaction: nobody sees one unplaced that has a tenant.
func (s *Service) see(ctx context.Context, app string, i codehost.Installation) (inst store.Installation, err error) {
	tenant, err := s.Place(ctx, app, i)
	if err != nil {
		return inst, err
	}
	err = s.Store.InTx(ctx, func(ctx context.Context) (err error) {
		inst, err = s.Store.SeeInstallation(ctx, store.Installation{AppID: app, ExternalID: i.ID, AccountID: i.AccountID, AccountLogin: i.AccountLogin, AccountType: i.AccountType})
		if err != nil || inst.Tenant != "" || tenant == "" {
			return err
		}
		if _, err = s.Store.PlaceInstallation(ctx, domain.Tenant{ID: tenant}, inst.ID); err != nil {
			return err
		}
		inst, err = s.Store.Installation(ctx, inst.ID)
		return err
	})
	return inst, err
}

// installationEvent applies what an installation event says.
func (s *Service) installationEvent(ctx context.Context, d store.Delivery, ev codehost.Event, inst store.Installation, known bool) (store.Installation, decision, error) {
	state := map[string]store.InstallationState{"deleted": store.InstallationDeleted, "suspend": store.InstallationSuspended,
		"unsuspend": store.InstallationActive, "created": store.InstallationActive, "new_permissions_accepted": store.InstallationActive}[ev.Action]
	if state == "" {
		return inst, ignored(codehost.ReasonUnusedAction), nil
	}
	if state == store.InstallationDeleted && !known {
		return inst, ignored("the installation is not known here"), nil
	}
	inst, err := s.see(ctx, d.Source, *ev.Installation)
	if err == nil && (inst.State != state || state == store.InstallationActive) {
		err = s.Store.SetInstallationState(ctx, inst.ID, state)
	}
	if err != nil {
		return inst, decision{}, err
	}
	if inst.Tenant == "" {
		return inst, decision{disposition: domain.DispositionApplied, reason: "the installation waits to be placed in a tenant"}, nil
	}
	return inst, decision{}, nil
}

// repositories applies what an event says of the repositories of an installation.
func (s *Service) repositories(ctx context.Context, inst store.Installation, ev codehost.Event) (decision, error) {
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
		seen = repos
	}
	if err := s.seeRepositories(ctx, inst, seen); err != nil {
		return dec, err
	}
	var gone []int64
	for _, r := range ev.RepositoriesRemoved {
		gone = append(gone, r.ExternalID)
	}
	if len(gone) == 0 {
		return dec, nil
	}
	return dec, s.Store.DisconnectRepositories(ctx, t, inst.ID, gone...)
}

// seeRepositories stores repositories that the host named at once.
func (s *Service) seeRepositories(ctx context.Context, inst store.Installation, repos []codehost.RepoInfo) error {
	if len(repos) == 0 {
		return nil
	}
	ids := make([]int64, len(repos))
	for i, r := range repos {
		ids[i] = r.ExternalID
	}
	t := domain.Tenant{ID: inst.Tenant}
	intake, err := policy.Intake(ctx, s.Store, t, inst.ID, ids)
	if err != nil {
		return err
	}
	for _, r := range repos {
		if _, err := s.Store.SeeRepository(ctx, t, repositoryRow(inst, r, intake)); err != nil {
			return err
		}
	}
	return nil
}

// seeRepository stores the repository that an event is about.
func (s *Service) seeRepository(ctx context.Context, inst store.Installation, r codehost.RepoInfo) (store.Repository, error) {
	t, intake := domain.Tenant{ID: inst.Tenant}, ""
	if _, err := s.Store.RepositoryByExternal(ctx, t, inst.ID, r.ExternalID); errs.Is(err, errs.NotFound) {
		if intake, err = policy.Intake(ctx, s.Store, t, inst.ID, []int64{r.ExternalID}); err != nil {
			return store.Repository{}, err
		}
	} else if err != nil {
		return store.Repository{}, err
	}
	return s.Store.SeeRepository(ctx, t, repositoryRow(inst, r, intake))
}

func repositoryRow(inst store.Installation, r codehost.RepoInfo, intake string) store.Repository {
	return store.Repository{Installation: inst.ID, ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name, DefaultBranch: r.DefaultBranch, Private: r.Private, Intake: intake}
}

// hasLabel compares as GitHub does, without regard to letter case.
func hasLabel(labels, wanted []string) bool {
	for _, w := range wanted {
		for _, l := range labels {
			if strings.EqualFold(l, w) {
				return true
			}
		}
	}
	return false
}
