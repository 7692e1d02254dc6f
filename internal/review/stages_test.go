package review

import (
	"context"
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The last attempts use no stored answer, because a stored answer may have failed the earlier ones.
func TestTheLastAttemptsUseNoStoredAnswers(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		ctx := context.Background()
		testkit.OK(t, (&stages{store: s, run: w.Run}).Save(ctx, "generate", "hash", []byte("poison")))
		for _, c := range []struct {
			most   int
			failed int64
			stored bool
		}{
			{8, 0, true}, {8, 1, true}, {8, 5, true}, {8, 6, false}, {8, 7, false},
			{2, 0, true}, {2, 1, false}, // the first attempt uses an answer that a killed worker had paid for
			{1, 0, true},
		} {
			t.Run(fmt.Sprintf("%d of %d failed", c.failed, c.most), func(t *testing.T) {
				attempt := &work{Service: New(Config{Attempts: c.most}), claim: &jobs.Claim{Job: store.Job{Attempts: c.failed}}}
				got, there, err := (&stages{store: s, run: w.Run, fresh: attempt.lastAttempts()}).Load(ctx, "generate", "hash")
				testkit.OK(t, err)
				testkit.Equal(t, "a stored answer is used", there, c.stored)
				testkit.Equal(t, "answer", string(got) == "poison", c.stored)
			})
		}
	})
}
