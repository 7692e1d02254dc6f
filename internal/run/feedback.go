package run

import (
	"context"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// feedbackEvery is the least time between two readings of a pull request's feedback (design choice).
const feedbackEvery = time.Hour

// ScheduleFeedback enqueues the reading of the feedback on a pull request that had activity: once an hour at most, and once
// after the merge, and again if a review is published after that. It does nothing if no finding has a comment. Call it in the
// transaction that records the activity.
func (r *Runs) ScheduleFeedback(ctx context.Context, t domain.Tenant, row store.PullRequest) error {
	if row.State == "merged" && row.FeedbackIsRead() {
		return nil
	}
	has, err := r.Store.HasCommentedFindings(ctx, t, row.ID)
	if err != nil || !has {
		return err
	}
	j := store.NewJob{Kind: domain.KindMergeFeedback, FairKey: t.ID, Subject: row.ID, Tenant: t.ID,
		Dedup: fmt.Sprint(domain.KindMergeFeedback, ":", row.ID, ":", row.ReviewedHead)}
	if row.State != "merged" {
		now, err := r.Store.Now(ctx)
		if err != nil {
			return err
		}
		j.Kind = domain.KindFeedback
		var hour int64
		hour, j.Delay = feedbackHour(row.ID, now)
		j.Dedup = fmt.Sprint(j.Kind, ":", row.ID, ":", hour)
	}
	_, err = r.Store.Enqueue(ctx, j)
	return err
}

// feedbackHour returns the number of a pull request's hour at a time in microseconds, and the time until it ends. The hours of
// pull requests begin at different minutes, so that their readings are spread.
func feedbackHour(pull string, nowUS int64) (hour int64, left time.Duration) {
	every := feedbackEvery.Microseconds()
	at := nowUS + int64(crc32.ChecksumIEEE([]byte(pull)))%feedbackEvery.Milliseconds()*1000
	return at / every, time.Duration(every-at%every) * time.Microsecond
}
