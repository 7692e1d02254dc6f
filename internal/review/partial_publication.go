package review

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
)

// learnPartial learns the comments of an abandoned publication on hosts where comments become visible one by
// one, so that later reviews can update them.
func (r *reflection) learnPartial(ctx context.Context, pub store.Publication) error {
	if pub.Phase != domain.PhaseAbandoned || pub.Kind != publish.KindReview || !publish.CommentByComment(r.host) {
		return nil
	}
	var p publish.Payload
	if err := json.Unmarshal([]byte(pub.Payload), &p); err != nil {
		return &jobs.Fatal{Err: err}
	}
	return r.learnComments(ctx, pub, p)
}
