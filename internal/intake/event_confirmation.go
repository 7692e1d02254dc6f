package intake

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
)

// claimedStates maps actions of installation events to the claimed states.
var claimedStates = map[string]domain.InstallationState{"deleted": domain.InstallationDeleted, "suspend": domain.InstallationSuspended,
	"unsuspend": domain.InstallationActive, "created": domain.InstallationActive, "new_permissions_accepted": domain.InstallationActive}

// confirm asks the host to confirm an event that removes an installation or repositories, or whose body is
// repeated. It returns the event with the host's data; a decision ends the delivery here. If the host
// cannot be asked, the error has the job tried again.
func (s *Service) confirm(ctx context.Context, d store.Delivery, h history, ev codehost.Event) (codehost.Event, decision, error) {
	if ev.Installation == nil || ev.Installation.ID == "" || !h.before && !removesAccess(ev) || !ofInstallation(ev.Kind) {
		return ev, decision{}, nil
	}
	now, repos, err := s.Hosts.Installation(ctx, d.Source, ev.Installation.ID)
	state := domain.InstallationActive
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		state = domain.InstallationDeleted
	case err != nil:
		return ev, decision{}, err
	case now.Suspended:
		state = domain.InstallationSuspended
	}
	if ev.Kind == codehost.KindInstallation {
		if ev.Action == "renamed" && err == nil { // it was renamed again since
			ev.Installation = &now
		}
		return s.confirmState(h.age, ev, state, repos)
	}
	if state != domain.InstallationActive {
		return ev, ignored("the installation is " + string(state) + " on the host"), nil
	}
	if ev.Kind == codehost.KindRepository {
		return s.confirmRepository(h.age, ev, repos)
	}
	return s.confirmRepositories(h.age, ev, repos)
}

func ofInstallation(k codehost.EventKind) bool {
	return k == codehost.KindInstallation || k == codehost.KindInstallationRepositories || k == codehost.KindRepository
}

// removesAccess reports whether an event ends reviews of repositories.
func removesAccess(ev codehost.Event) bool {
	switch ev.Kind {
	case codehost.KindInstallation:
		return ev.Action == "deleted" || ev.Action == "suspend"
	case codehost.KindRepository:
		return ev.Action == "deleted" || ev.Action == "transferred"
	}
	return len(ev.RepositoriesRemoved) > 0
}

func (s *Service) confirmState(age time.Duration, ev codehost.Event, state domain.InstallationState,
	repos []codehost.RepoInfo) (codehost.Event, decision, error) {
	claimed, told := claimedStates[ev.Action]
	if told && claimed != state {
		dec, err := s.contradicted(age, "the installation is "+string(state)+" on the host")
		return ev, dec, err
	}
	if state == domain.InstallationActive {
		ev.Repositories = repos
	}
	return ev, decision{}, nil
}

func (s *Service) confirmRepository(age time.Duration, ev codehost.Event, repos []codehost.RepoInfo) (codehost.Event, decision, error) {
	if ev.Repository == nil {
		return ev, ignored("no repository"), nil
	}
	at := slices.IndexFunc(repos, func(r codehost.RepoInfo) bool { return r.ExternalID == ev.Repository.ExternalID })
	switch {
	case removesAccess(ev) && at >= 0:
		dec, err := s.contradicted(age, "the installation still reaches the repository")
		return ev, dec, err
	case removesAccess(ev):
		return ev, decision{}, nil
	case at < 0:
		return ev, ignored(repositoryGone), nil
	}
	ev.Repository = &repos[at]
	return ev, decision{}, nil
}

func (s *Service) confirmRepositories(age time.Duration, ev codehost.Event, repos []codehost.RepoInfo) (codehost.Event, decision, error) {
	named := func(list []codehost.RepoInfo) func(codehost.RepoInfo) bool {
		return func(r codehost.RepoInfo) bool {
			return slices.ContainsFunc(list, func(n codehost.RepoInfo) bool { return n.ExternalID == r.ExternalID })
		}
	}
	claimed := len(ev.RepositoriesRemoved)
	ev.RepositoriesRemoved = slices.DeleteFunc(slices.Clone(ev.RepositoriesRemoved), named(repos))
	if kept := claimed - len(ev.RepositoriesRemoved); kept > 0 {
		dec, err := s.contradicted(age, fmt.Sprintf("the installation still reaches %d of the repositories", kept))
		if err != nil || len(ev.RepositoriesRemoved) == 0 && len(ev.Repositories) == 0 {
			return ev, dec, err
		}
	}
	var reached []codehost.RepoInfo
	for _, r := range repos {
		if named(ev.Repositories)(r) {
			reached = append(reached, r)
		}
	}
	ev.Repositories = reached
	return ev, decision{}, nil
}

// contradicted ends a delivery that the host contradicts. A recent delivery waits first, because the host's
// data may be older than its events.
func (s *Service) contradicted(age time.Duration, why string) (decision, error) {
	if age < s.Lag {
		return decision{}, &jobs.Snooze{For: s.Lag - age, Why: why + ", and what it shows may be older than its event"}
	}
	return ignored("not confirmed: " + why), nil
}
