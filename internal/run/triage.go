package run

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Triage creates the triage of a pull request's current head. Its review does not wait for it. cause is the
// event that requests it. A head gets one triage, even after repeated calls. Call it in the transaction
// that holds the pull request's row.
func (r *Runs) Triage(ctx context.Context, t domain.Tenant, row store.PullRequest, cause string) error {
	return r.Store.Atomically(ctx, func(ctx context.Context) error {
		id, made, err := r.Store.CreateTriage(ctx, t, store.TriageRun{Record: store.Record{Repository: row.Repository},
			PullRequest: row.ID, Number: row.Number, HeadSHA: row.HeadSHA, Cause: cause})
		if err != nil || !made {
			return err
		}
		_, err = r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindTriage, FairKey: t.ID, Subject: id, Tenant: t.ID,
			Dedup: string(domain.KindTriage) + ":" + id})
		return err
	})
}
