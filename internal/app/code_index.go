package app

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/snapshot"
)

// indexForReviews implements [review.CodeIndex].
func (a *App) indexForReviews(ctx context.Context, t domain.Tenant, repository string) (snapshot.WordIndex, string, error) {
	v, err := a.Feature.CodeIndex.View(ctx, t, repository)
	if err != nil {
		return nil, "", err
	}
	return v, v.Commit(), nil
}
