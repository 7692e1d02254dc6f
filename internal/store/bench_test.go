package store_test

import (
	"bytes"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// body is a payload of the size that the design speaks of (16 KB).
var body = bytes.Repeat([]byte("x"), 16<<10)

// clients is how many deliveries arrive at once.
const clients = 50

func inParallel(b *testing.B, f func(n int64) error) {
	b.Helper()
	b.SetParallelism(clients / runtime.GOMAXPROCS(0))
	b.SetBytes(int64(len(body)))
	var n atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if err := f(n.Add(1)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
}

// durable runs the body on engines that wait for the disk, as in production.
func durable(b *testing.B, body func(b *testing.B, s *store.Store)) {
	b.Helper()
	b.Run("sqlite", func(b *testing.B) { body(b, storetest.SQLite(b)) })
	server := testkit.PostgresServer(b, testkit.PostgresOptions{Fsync: true})
	b.Run("postgres", func(b *testing.B) {
		s := storetest.Open(b, server.Database(b))
		must2(s.Migrate(bg))(b)
		body(b, s)
	})
}

// BenchmarkIngest stores deliveries with their jobs, as the webhook does.
func BenchmarkIngest(b *testing.B) {
	durable(b, func(b *testing.B, s *store.Store) {
		inParallel(b, func(n int64) error {
			d := delivery("app_1", fmt.Sprint("g-", n))
			d.Payload = body
			_, err := s.Ingest(bg, d)
			return err
		})
	})
}

// BenchmarkBareInsert is what ingest is compared with (design, section 7): the
// delivery's row alone, one statement and one commit each, on as many clients.
func BenchmarkBareInsert(b *testing.B) {
	durable(b, func(b *testing.B, s *store.Store) {
		text := s.DB().SQL(`INSERT INTO webhook_deliveries (id, source_id, delivery_guid, event, action, raw_sha256, payload, received_us) VALUES ($1, 'app_1', $2, 'pull_request', 'opened', '', $3, {now})`)
		inParallel(b, func(n int64) error {
			_, err := s.DB().Write.ExecContext(bg, text, domain.NewID("dlv"), fmt.Sprint("g-", n), body)
			return err
		})
	})
}

// BenchmarkDueJobs asks for a window of due jobs with 200,000 of one tenant queued.
func BenchmarkDueJobs(b *testing.B) {
	for _, keys := range []int{1, 20, 2000} {
		b.Run(fmt.Sprint("keys=", keys), func(b *testing.B) {
			storetest.EachBench(b, func(b *testing.B, s *store.Store) {
				testkit.OK(b, bulk(s, 200_000, `INSERT INTO jobs (id, kind, lane, fair_key, subject, state, run_us, created_us) VALUES ($1, 'review.run', 'review', $2, $1, 'queued', {now} - 1000, {now})`, func(i int) []any {
					key := 0
					if i%10 == 0 {
						key = i / 10 % keys
					}
					return []any{domain.NewID("job"), fmt.Sprint("k", key)}
				}))
				raw(b, s, `ANALYZE`)
				for b.Loop() {
					if got := must2(s.DueJobs(bg, domain.LaneReview, 128))(b); len(got) != 128 {
						b.Fatal(len(got))
					}
				}
			})
		})
	}
}
