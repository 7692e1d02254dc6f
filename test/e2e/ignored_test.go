package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

// TestIgnoredDeliveries sends one delivery that leads to nothing under many ids: each is taken and
// ignored. With -measure it sends 1,500 at 100 a second, and prints the processor time of the one process that
// takes them and works on them:
//
//	go test ./test/e2e -run IgnoredDeliveries -count=1 -v -args -measure
func TestIgnoredDeliveries(t *testing.T) {
	in(t, []storage{embedded}, newWorld, func(t *testing.T, w *world) {
		p := w.up()
		pr := w.open("bug", buggy())
		w.reviewed(pr.Number, 1)
		w.quiet()
		d := w.delivery("pull_request_review", "submitted") // of our own review
		n, pace := 20, time.Millisecond
		if *measure {
			n, pace = 1500, 10*time.Millisecond
		}
		before := processorTime(p.PID())
		tick := time.NewTicker(pace)
		defer tick.Stop()
		for i := range n {
			<-tick.C
			for name := range d.Headers {
				if strings.EqualFold(name, "X-GitHub-Delivery") {
					d.Headers[name] = fmt.Sprintf("00000000-1111-2222-3333-%012d", i)
				}
			}
			testkit.Equal(t, "answer", w.post(w.port, d), 202)
		}
		w.quiet()
		if *measure {
			used := processorTime(p.PID()) - before
			t.Logf("%.2f ms of processor time for each of %d", used.Seconds()*1000/float64(n), n)
		}
		got := w.query(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition = 'ignored' AND delivery_guid LIKE '00000000-1111-%'`)
		testkit.Equal(t, "ignored", strings.TrimSpace(fmt.Sprint(got)), fmt.Sprintf("[[%d]]", n))
	})
}

// processorTime is what a process has used so far, 0 where the system does not say. Linux counts it in hundredths of a second.
func processorTime(pid int) time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(raw), ") ")
	var user, system int64
	if fields := strings.Fields(after); len(fields) > 12 {
		_, _ = fmt.Sscan(fields[11]+" "+fields[12], &user, &system) // zero where they are no numbers
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
