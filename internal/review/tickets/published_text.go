package tickets

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
)

// AllowsOnPublic is the stored form of the mapping's setting that lets everyone see a connection's issues.
const AllowsOnPublic = `"allowOnPublic":true`

// See asks the host who can read the repository, before a text about issues is sent there. It does not ask
// if the host answered within the last minute. Errors are those of the database, and of a host that does
// not answer.
func (s *Service) See(ctx context.Context, t domain.Tenant, repository string, host codehost.Reader, at codehost.Repo,
	p publish.Payload) error {
	if p.Issues == nil || len(p.Issues.Of) == 0 {
		return nil
	}
	row, err := s.Store.Repository(ctx, t, repository)
	if err != nil {
		return err
	}
	_, err = policy.Visible(ctx, s.Store, host, at, row)
	return err
}

// Fit returns the frozen text of a run as it may be sent now. It leaves out texts about issues whose key
// alone may be known, judged by the present state of the repository, the connection and the link. It does
// not ask the host; see [Service.See].
func (s *Service) Fit(ctx context.Context, t domain.Tenant, run string, p publish.Payload) (publish.Payload, error) {
	return s.fit(ctx, t, run, p, s.hiddenNow)
}

// Shown is [Service.Fit] for a page. It asks the host who can read the repository, unless the host answered
// within the last minute. If the host does not answer, the repository counts as open to everyone.
func (s *Service) Shown(ctx context.Context, t domain.Tenant, run string, p publish.Payload) (publish.Payload, error) {
	return s.fit(ctx, t, run, p, s.hidden)
}

func (s *Service) fit(ctx context.Context, t domain.Tenant, run string, p publish.Payload, hide hiddenFunc) (publish.Payload, error) {
	if p.Issues == nil {
		return p, nil
	}
	row, err := s.Store.Run(ctx, t, run)
	if err != nil {
		return p, err
	}
	repository, err := s.Store.Repository(ctx, t, row.Repository)
	if err != nil {
		return p, err
	}
	hidden, err := hide(ctx, t, repository)
	if err != nil {
		return p, err
	}
	links, err := s.Store.TrackerLinksOf(ctx, t, row.PullRequest)
	if err != nil {
		return p, err
	}
	return p.Saying(slices.DeleteFunc(slices.Clone(p.Issues.Of), func(i publish.Issue) bool {
		return hidden(i.Connection, i.Stranger) || slices.ContainsFunc(links,
			func(l store.TrackerLink) bool { return l.ID == i.Link && l.KeyOnly })
	})), nil
}
