package review

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
)

// halfway learns the comments of a publication that was given up when some of them were
// visible, where they become so one by one: later reviews say on them what became of their
// findings.
func (r *reflection) halfway(ctx context.Context, pub store.Publication) error {
	if pub.Phase != domain.PhaseAbandoned || pub.Kind != publish.KindReview || !publish.LeavesDrafts(r.host) {
		return nil
	}
	var p publish.Payload
	if err := json.Unmarshal([]byte(pub.Payload), &p); err != nil {
		return &jobs.Fatal{Err: err}
	}
	return r.learn(ctx, pub, p)
}
