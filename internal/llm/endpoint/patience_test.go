package endpoint_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/endpoint"
)

// A model that reasons long has more time before it is cut off.
func TestPatienceGrowsWithTheEffort(t *testing.T) {
	t.Parallel()
	for effort, want := range map[llm.Effort]time.Duration{
		llm.EffortDefault: 3, llm.EffortNone: 3, llm.EffortMinimal: 3, llm.EffortLow: 3, llm.EffortMedium: 3, llm.EffortHigh: 6, llm.EffortXHigh: 9, llm.EffortMax: 9,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &scripted{answer: func(ctx context.Context, n int) error {
				if n == 1 {
					return hang(ctx)
				}
				return nil
			}}
			began := time.Now()
			set := endpoint.New(endpoint.Options{Rand: func(int64) int64 { return 0 }, Retry: endpoint.Retry{Attempt: 3 * time.Minute}})
			_, err := set.For("k").Wrap(s, time.Time{}, endpoint.Hooks{}).Complete(t.Context(), llm.Request{Model: "m", Effort: effort})
			if got := time.Since(began); err != nil || got != want*time.Minute {
				t.Errorf("%s: cut off after %v, want %v (%v)", effort, got, want*time.Minute, err)
			}
		})
	}
}
