package review

import (
	"context"
	"errors"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// openPull is the open pull request of a published review, as work that follows the review reads it.
type openPull struct {
	run           store.Run // the last published review
	repositoryRow store.Repository
	policy        domain.Policy
	host          codehost.Host
	repo          codehost.Repo
	pull          codehost.PullRequest
}

// loadSettings reads repository and policy, or returns why no work follows the review.
func (p *openPull) loadSettings(ctx context.Context, s *Service) (why string, err error) {
	if p.repositoryRow, err = s.Store.Repository(ctx, p.run.Owner(), p.run.Repository); err != nil {
		return "", err
	}
	if p.policy, err = s.Policy(ctx, p.run.Owner(), p.run.Repository); err != nil {
		return "", err
	}
	if !p.policy.Enabled {
		return reviewsOff, nil
	}
	return "", nil
}

// loadPull reads the pull request from the host, or returns why no work follows the review.
func (p *openPull) loadPull(ctx context.Context, s *Service) (why string, err error) {
	p.host, p.repo, err = s.repository(ctx, p.run)
	if errors.Is(err, errDisconnected) {
		return unreachable, nil
	}
	if err != nil {
		return "", err
	}
	p.pull, err = p.host.PullRequest(ctx, p.repo, p.run.Number)
	switch {
	case codehost.IsAccessLost(err):
		return unreachable, nil
	case err != nil:
		return "", err
	case !p.pull.Open:
		return notOpenNow, nil
	}
	return "", nil
}
