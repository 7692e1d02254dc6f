package tickets

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
)

// AllowsOnPublic is what the mapping of a connection contains whose issues may be known
// everywhere, as it is stored.
const AllowsOnPublic = `"allowOnPublic":true`

// Fit is the frozen text of a run as it may be shown and sent now: without what it says of
// issues of which nothing but the key may be known, by what the repository, the connection
// and the link are at this moment.
func (s *Service) Fit(ctx context.Context, t domain.Tenant, run string, p publish.Payload) (publish.Payload, error) {
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
	hidden, err := s.hidden(ctx, t, repository)
	if err != nil {
		return p, err
	}
	links, err := s.Store.TrackerLinksOf(ctx, t, row.PullRequest)
	if err != nil {
		return p, err
	}
	return p.Saying(slices.DeleteFunc(slices.Clone(p.Issues.Of), func(i publish.Issue) bool {
		return hidden(i.Connection, i.Stranger) || slices.ContainsFunc(links, func(l store.TrackerLink) bool { return l.ID == i.Link && l.KeyOnly })
	})), nil
}
