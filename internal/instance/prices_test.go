package instance_test

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The instance's prices are listed beside the embedded ones and replaced by version, and their changes are
// recorded.
func TestPricesLive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		ctx := context.Background()
		w := featuretest.NewWorld(t, s)
		p, err := w.Features.Instance.Prices(ctx)
		testkit.OK(t, err)
		if p.Version != 0 || len(p.Items) != 0 || p.Embedded.Source != "models.dev" || p.Embedded.Currency != "USD" || len(p.Embedded.Date) != 10 || p.Embedded.Models < 100 || p.UpdatedAt != nil {
			t.Errorf("before anything is stored: %+v", p)
		}
		p, err = w.Features.Instance.UpdatePrices(ctx, 0, featuretest.Request[budget.LlmPrices](t, `{"items":[{"model":"house","inputMicros":0,"outputMicros":0},
			{"kind":"azure","model":"house","from":"2026-11-01T00:00:00Z","inputMicros":5,"outputMicros":6,"cacheReadMicros":0,"cacheWriteMicros":7}]}`))
		testkit.OK(t, err)
		if p.Version != 1 || len(p.Items) != 2 || *p.Items[1].CacheReadMicros != 0 || *p.Items[1].CacheWriteMicros != 7 || p.Items[0].CacheReadMicros != nil || p.Items[1].From.Month() != 11 {
			t.Errorf("stored: %+v", p)
		}
		if _, err = w.Features.Instance.UpdatePrices(ctx, 7, budget.LlmPrices{}); !errs.Is(err, errs.Stale) {
			t.Errorf("stored over a version that never existed: %v", err)
		}
		_, err = w.Features.Instance.UpdatePrices(ctx, 1, featuretest.Request[budget.LlmPrices](t, `{"items":[{"model":"m","inputMicros":1,"outputMicros":1},{"model":"m","inputMicros":1,"outputMicros":1}]}`))
		testkit.Equal(t, "the same model twice", featuretest.Pointers(t, err), "/items/1")
		p, err = w.Features.Instance.UpdatePrices(ctx, 1, budget.LlmPrices{})
		testkit.OK(t, err)
		if p.Version != 2 || p.Items == nil || len(p.Items) != 0 {
			t.Errorf("emptied: %+v", p)
		}
	})
}
