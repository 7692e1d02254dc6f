package tickets

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// Audience describes who names the issues of a pull request, and who can read the texts about them.
type Audience struct {
	Public bool // everyone, or everyone with an account on its host, reads the repository
	Fork   bool // the change comes from a fork
	Member bool // its author is a member of the tenant, or may write to the repository
}

// KeyOnly reports whether only the key of an issue may be fetched, sent to a model, stored or shown. This
// holds if everyone would read the rest, or if a stranger chose the issue. An administrator can allow both
// for a connection.
func KeyOnly(a Audience, allowed bool) bool {
	return !allowed && (a.Public || a.Fork && !a.Member)
}

// visible returns a repository with the people who can read it now. It counts as open if the host does not
// answer in time.
func (s *Service) visible(ctx context.Context, repository store.Repository) store.Repository {
	if repository.Open() || s.Hosts == nil {
		return repository
	}
	ctx, cancel := context.WithTimeout(ctx, visibleTime)
	defer cancel()
	host, at, err := s.Hosts.Repository(ctx, repository)
	if err == nil {
		var now store.Repository
		if now, err = policy.Visible(ctx, s.Store, host, at, repository); err == nil {
			return now
		}
	}
	s.Logger.WarnContext(ctx, "the host does not say who reads a repository; nothing of issues but their keys is shown",
		"repository", repository.ID, "error", err)
	repository.Private = false
	return repository
}

// visibleTime is how long a page waits for the host's answer (design choice).
const visibleTime = 5 * time.Second

// audience finds out who names and who reads the issues of a pull request. It asks the host about the
// author only for forks of repositories that are not open.
func (s *Service) audience(ctx context.Context, repository store.Repository, host codehost.Reader, repo codehost.Repo,
	pr codehost.PullRequest) (a Audience, err error) {
	if repository, err = policy.Visible(ctx, s.Store, host, repo, repository); err != nil {
		return a, err
	}
	a = Audience{Public: repository.Open(), Fork: pr.FromFork}
	if a.Public || !a.Fork {
		return a, nil
	}
	if a.Member, err = s.member(ctx, repository, pr.AuthorID); err != nil || a.Member {
		return a, err
	}
	a.Member, err = s.Authors.MayWrite(ctx, host, repo, repository, pr.Author, pr.AuthorID)
	return a, err
}

// member reports whether a user of a repository's host is a member of the tenant. It compares the host's
// id, never a name, because names can be taken over.
func (s *Service) member(ctx context.Context, repository store.Repository, author domain.HostID) (bool, error) {
	if author == "" {
		return false, nil
	}
	t := domain.Tenant{ID: repository.Tenant}
	person, err := s.Store.PersonOfHost(ctx, t, repository.Access, author)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	role, err := s.Store.RoleOf(ctx, t, person.ID)
	return role != "", err
}
