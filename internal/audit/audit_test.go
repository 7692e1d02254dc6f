package audit_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var bg = context.Background()

func newLog(t testing.TB, s *store.Store) *audit.Log {
	return audit.New(s, storetest.Keyring(t, s), telemetry.Discard())
}

// Concurrent writers of two logs, in both orders, leave no gap, lose no entry and do not deadlock.
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
			testkit.Require(t, "entries", len(rows), writers*each)
			for i, r := range rows {
				testkit.Equal(t, "place", r.Seq, int64(i))
			}
			r, err := l.Verify(bg, log, "")
			testkit.OK(t, err)
			if !r.OK || r.Size != int64(len(rows)) {
				t.Errorf("%+v", r)
			}
			// The signed root covers the leaves as they are stored.
			leaves := map[int64]tlog.Hash{}
			var tree tlog.HashReaderFunc = func(at []int64) ([]tlog.Hash, error) {
				out := make([]tlog.Hash, len(at))
				for i, x := range at {
					out[i] = leaves[x]
				}
				return out, nil
			}
			for i, row := range rows {
				hashes, err := tlog.StoredHashesForRecordHash(int64(i), tlog.Hash(row.Leaf), tree)
				testkit.OK(t, err)
				for j, h := range hashes {
					leaves[tlog.StoredHashIndex(0, int64(i))+int64(j)] = h
				}
			}
			root, err := tlog.TreeHash(int64(len(rows)), tree)
			testkit.OK(t, err)
			if lines := strings.Split(r.Checkpoint, "\n"); len(lines) < 3 || lines[1] != fmt.Sprint(len(rows)) || lines[2] != base64.StdEncoding.EncodeToString(root[:]) {
				t.Errorf("the root over the leaves is %s, the checkpoint\n%s", root, r.Checkpoint)
			}
		}
	})
}
