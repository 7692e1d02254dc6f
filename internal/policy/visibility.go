package policy

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// visibleFor is how long the host's answer about a repository's readers counts.
const visibleFor = time.Minute

// Visible returns a repository with its present visibility, for work that shows more to a smaller audience.
// It asks the host if the last answer is older than a minute. An open repository is returned unchanged,
// because no answer could be more careful. On an error of the database, or of a host that does not answer,
// treat the repository as open.
func Visible(ctx context.Context, s *store.Store, host codehost.Reader, at codehost.Repo, r store.Repository) (store.Repository, error) {
	if r.Open() {
		return r, nil
	}
	t := domain.Tenant{ID: r.Tenant}
	known, err := s.VisibilityKnown(ctx, t, r.ID, visibleFor)
	if err != nil {
		return r, err
	}
	if known {
		return s.Repository(ctx, t, r.ID)
	}
	at.ExternalID = r.ExternalID
	now, err := host.Resolve(ctx, at)
	if err != nil {
		return r, err
	}
	return s.SetVisibility(ctx, t, r.ID, now.Private, now.Internal)
}
