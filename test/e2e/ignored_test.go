package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// TestIgnoredDeliveries sends deliveries that have no effect: each is accepted and ignored. A person's
// review and an edit of a description are ignored because of members of their bodies. An edit of a
// title is read, and the title is stored. With -measure it sends 1,500 of each at 100 a second, and
// prints the processor time of the one process that accepts and processes them:
//
//	go test ./test/e2e -run IgnoredDeliveries -count=1 -v -args -measure
func TestIgnoredDeliveries(t *testing.T) {
	in(t, []storage{embedded}, newWorld, func(t *testing.T, w *world) {
		p := w.up()
		pr := w.open("bug", buggy())
		w.reviewed(pr.Number, 1)
		w.quiet()
		edited := func(changes string) simapi.Delivery {
			d := w.delivery("pull_request", "opened")
			d.Payload = strings.Replace(d.Payload, `"action":"opened"`, `"action":"edited","changes":`+changes, 1)
			return d
		}
		for kind, d := range map[string]simapi.Delivery{"review": w.delivery("pull_request_review", "submitted"),
			"description": edited(`{"body":{"from":"a"}}`), "title": edited(`{"title":{"from":"a"}}`)} {
			n := 20
			used := w.deluge(p, kind, d, &n)
			t.Logf("%s: %.2f ms of processor time for each of %d", kind, used.Seconds()*1000/float64(n), n)
			got := w.count(fmt.Sprintf(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition = 'ignored' AND delivery_guid LIKE '%s-%%'`, kind))
			testkit.Equal(t, kind+" ignored", got, n)
			worked := w.count(fmt.Sprintf(`SELECT COUNT(*) FROM jobs WHERE subject IN (SELECT id FROM webhook_deliveries WHERE delivery_guid LIKE '%s-%%')`, kind))
			testkit.Equal(t, kind+" has jobs", worked > 0, kind == "title")
		}
	})
}

// deluge sends a delivery n times, each with a new id and title, and returns the processor time that
// the process used for them.
func (w *world) deluge(p *testkit.Process, kind string, d simapi.Delivery, n *int) time.Duration {
	w.Helper()
	pace := time.Millisecond
	if *measure {
		*n, pace = 1500, 10*time.Millisecond
	}
	before, body := processorTime(p.PID()), d.Payload
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for i := range *n {
		<-tick.C
		d.Payload = strings.Replace(body, `"title":"`, fmt.Sprintf(`"title":"%d `, i), 1)
		mac := hmac.New(sha256.New, []byte(w.secret))
		mac.Write([]byte(d.Payload))
		for name := range d.Headers {
			switch strings.ToLower(name) {
			case "x-github-delivery":
				d.Headers[name] = fmt.Sprintf("%s-%012d", kind, i)
			case "x-hub-signature-256":
				d.Headers[name] = "sha256=" + hex.EncodeToString(mac.Sum(nil))
			}
		}
		testkit.Equal(w.T, "answer", w.post(w.port, d), 202)
	}
	w.quiet()
	return processorTime(p.PID()) - before
}

// processorTime returns the time that a process has used so far, 0 if the system does not report it.
// Linux counts it in hundredths of a second.
func processorTime(pid int) time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(raw), ") ")
	var user, system int64
	if fields := strings.Fields(after); len(fields) > 12 {
		_, _ = fmt.Sscan(fields[11]+" "+fields[12], &user, &system) // zero if they are not numbers
	}
	return time.Duration(user+system) * 10 * time.Millisecond
}
