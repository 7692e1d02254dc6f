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

// body is a payload of the size that the design assumes (16 KB).
var body = bytes.Repeat([]byte("x"), 16<<10)

// clients is the number of deliveries that arrive at the same time.
const clients = 50

func inParallel(b *testing.B, f func(n int64) error) {
	b.Helper()
	b.SetParallelism(clients / runtime.GOMAXPROCS(0))
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
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "done/s")
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

// BenchmarkBareInsert is the reference for ingest: only the delivery's row, with one statement and one
// commit each, from as many clients.
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
					if got := must2(s.DueJobs(bg, domain.LaneReview, 128, 0))(b); len(got) != 128 {
						b.Fatal(len(got))
					}
				}
			})
		})
	}
}

// BenchmarkModelCall reserves and settles calls of models, as a review does around each call: all of
// one tenant, whose calls take turns at its month's row, or of fifty tenants.
func BenchmarkModelCall(b *testing.B) {
	for _, tenants := range []int{1, 50} {
		b.Run(fmt.Sprint("tenants=", tenants), func(b *testing.B) {
			durable(b, func(b *testing.B, s *store.Store) {
				var all []storetest.World
				for range tenants {
					all = append(all, storetest.Seed(b, s))
				}
				limit := int64(1) << 60
				inParallel(b, func(n int64) error {
					w := all[int(n)%len(all)]
					id, err := s.BeginCall(bg, w.Tenant, store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID, Stage: "generate", Tier: "fast", Credential: "crd", Model: "m", Reserve: 100, TenantLimit: &limit})
					if err == nil {
						_, err = s.EndCall(bg, w.Tenant, id, store.ModelCall{Input: 1000, Output: 100, CostMicros: new(int64(50)), Outcome: "ok"})
					}
					return err
				})
			})
		})
	}
}

// BenchmarkCosts asks for the costs of one of ten tenants, with 100,000 calls each within a year.
func BenchmarkCosts(b *testing.B) {
	storetest.EachBench(b, func(b *testing.B, s *store.Store) {
		const calls, tenants = 1_000_000, 10
		var all []storetest.World
		for range tenants {
			all = append(all, storetest.Seed(b, s))
		}
		now := must2(s.Now(bg))(b)
		testkit.OK(b, bulk(s, calls, `INSERT INTO llm_calls (id, tenant_id, repository_id, run_id, stage, tier, credential_id, model, effort, period, input_tokens, output_tokens, cost_micros, outcome, started_us, finished_us)
			VALUES ($1, $2, $3, $4, 'generate', 'standard', 'crd', $5, '', '', 1000, 100, 50, 'ok', $6, $6)`, func(i int) []any {
			w := all[i%tenants]
			return []any{domain.NewID("cal"), w.Tenant.ID, w.Repository.ID, w.Run.ID, fmt.Sprint("m", i%7), now - int64(i)*365*store.DayUS/calls}
		}))
		raw(b, s, `ANALYZE`)
		for _, days := range []int64{1, 30, 365} {
			for _, group := range []string{store.CostsByDay, store.CostsByModel} {
				b.Run(fmt.Sprintf("days=%d/by=%s", days, group), func(b *testing.B) {
					for b.Loop() {
						if got := must2(s.Costs(bg, all[0].Tenant, "", group, now-days*store.DayUS, now+1))(b); len(got) == 0 {
							b.Fatal("no costs")
						}
					}
				})
			}
		}
	})
}
