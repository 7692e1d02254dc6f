package tickets

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/cache"
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

// visible returns a repository with the people who can read it now. It counts as open if the host does not answer in time. Pages ask
// about a repository one at a time, and not again within [silentTime] after a host that did not answer. A question continues if its
// page is left, so that its answer counts for the next page.
func (s *Service) visible(ctx context.Context, repository store.Repository) store.Repository {
	if repository.Open() || s.Hosts == nil {
		return repository
	}
	answer := s.asking.DoChan(repository.ID, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), visibleTime)
		defer cancel()
		return s.askVisible(ctx, repository), nil
	})
	select {
	case now := <-answer:
		return now.Val.(store.Repository)
	case <-ctx.Done():
		return opened(repository)
	}
}

// askVisible is [Service.visible] for one question.
func (s *Service) askVisible(ctx context.Context, repository store.Repository) store.Repository {
	key := cache.Key{Tenant: repository.Tenant, Kind: "silent-visibility", ID: repository.ID}
	if _, silent, err := s.Cache.Get(ctx, key); err == nil && silent { // a cache that is down is a miss
		return opened(repository)
	}
	host, at, err := s.Hosts.Repository(ctx, repository)
	if err == nil {
		var now store.Repository
		if now, err = policy.Visible(ctx, s.Store, host, at, repository); err == nil {
			return now
		}
	}
	s.Logger.WarnContext(ctx, "the host does not say who reads a repository; nothing of issues but their keys is shown",
		"repository", repository.ID, "error", err)
	_ = s.Cache.Set(context.WithoutCancel(ctx), key, nil, silentTime) // without it the next page asks again
	return opened(repository)
}

// opened returns a repository as one that everyone reads.
func opened(repository store.Repository) store.Repository {
	repository.Private = false
	return repository
}

const (
	visibleTime = 5 * time.Second  // how long a page waits for the host's answer (design choice)
	silentTime  = 30 * time.Second // how long the host is not asked again after it did not answer (design choice)
)

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
