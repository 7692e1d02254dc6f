package e2e

import (
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"
)

var measure = flag.Bool("measure", false, "run TestPipelineFigures, which takes minutes and asserts no time")

// TestPipelineFigures opens pull requests at a steady rate and prints how long
// their reviews waited and took, for docs/performance.md:
//
//	go test ./test/e2e -run PipelineFigures -count=1 -v -args -measure
func TestPipelineFigures(t *testing.T) {
	if !*measure {
		t.Skip("a measurement; run it with -args -measure")
	}
	const pulls, every = 30, 5 * time.Second
	on(t, both, func(t *testing.T, w *world) {
		w.up()
		tick := time.NewTicker(every)
		defer tick.Stop()
		for i := range pulls {
			w.open(fmt.Sprintf("bug-%d", i), buggy())
			<-tick.C
		}
		w.verify()
		waited := w.millis(`SELECT (r.started_us - d.received_us) / 1000 FROM review_runs r JOIN webhook_deliveries d ON d.id = r.delivery_id`)
		whole := w.millis(`SELECT (r.finished_us - d.received_us) / 1000 FROM review_runs r JOIN webhook_deliveries d ON d.id = r.delivery_id`)
		if len(waited) != pulls {
			t.Fatalf("%d runs, want %d", len(waited), pulls)
		}
		t.Logf("| %s | %d | start p50 %d p95 %d max %d ms | published p50 %d p95 %d max %d ms |", w.storage.name, pulls,
			waited[pulls/2], waited[pulls*95/100], waited[pulls-1], whole[pulls/2], whole[pulls*95/100], whole[pulls-1])
	})
}

// millis reads one sorted column of numbers.
func (w *world) millis(query string) (out []int) {
	w.Helper()
	for _, r := range w.query(query) {
		n := 0
		_, err := fmt.Sscan(r[0], &n)
		must(w.T, err)
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}
