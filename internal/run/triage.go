package run

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Triage has the current head of a pull request looked at for the first time, beside
// its review, which does not wait for it; cause is the event that asks. A head is
// looked at once, whatever asks again. Call it in the transaction that holds the pull
// request's row.
func (r *Runs) Triage(ctx context.Context, t domain.Tenant, row store.PullRequest, cause string) error {
	return r.Store.Atomically(ctx, func(ctx context.Context) error {
		id, made, err := r.Store.CreateTriage(ctx, t, store.TriageRun{Record: store.Record{Repository: row.Repository}, PullRequest: row.ID, Number: row.Number, HeadSHA: row.HeadSHA, Cause: cause})
		if err != nil || !made {
			return err
		}
		_, err = r.Store.Enqueue(ctx, store.NewJob{Kind: domain.KindTriage, FairKey: t.ID, Subject: id, Tenant: t.ID, Dedup: string(domain.KindTriage) + ":" + id})
		return err
	})
}
