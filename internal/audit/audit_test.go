package audit_test

import (
	"context"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

func newLog(t testing.TB, s *store.Store) *audit.Log {
	return audit.New(s, storetest.Keyring(t, s), telemetry.Discard())
}

// Writers of two logs at once, in both orders: no gap, no lost entry, no deadlock.
func TestConcurrentWriters(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		l := newLog(t, s)
		tenant := storetest.Tenant(t, s)
		logs := []domain.Tenant{tenant, {}}
		const writers, each = 8, 10
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for range each {
					err := s.InTx(bg, func(ctx context.Context) error {
						for i := range logs {
							if err := l.Record(ctx, audit.Act{Tenant: logs[(i+w)%2], Action: "test.write", Target: audit.Target{Kind: "test", ID: "x"}}); err != nil {
								return err
							}
						}
						return nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		for _, log := range logs {
			rows, err := s.AuditEntriesFrom(bg, log, 0, 1000)
			testkit.OK(t, err)
			testkit.Equal(t, "entries", len(rows), writers*each)
			for i, r := range rows {
				testkit.Equal(t, "place", r.Seq, int64(i))
			}
		}
	})
}
