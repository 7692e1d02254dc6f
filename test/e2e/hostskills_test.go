package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// verifyFrugal checks that a first review is one write, besides the commit statuses for waiting,
// running and ended.
func (w *world) verifyFrugal(pulls int) {
	w.Helper()
	requests, err := w.host.Requests(w.ctx, allRequests)
	must(w.T, err)
	for _, r := range requests {
		asked := strings.HasSuffix(r.Path, "/hooks") || strings.HasSuffix(r.Path, "/0") // requests of the connection
		if r.Actor != account || !r.Write || asked || strings.Contains(r.Path, "/statuses/") {
			continue
		}
		if pulls--; !strings.HasSuffix(r.Path, "/reviews") || pulls < 0 {
			w.Errorf("a write too many: %s %s", r.Method, r.Path)
		}
	}
	if pulls > 0 {
		w.Errorf("%d reviews were not written", pulls)
	}
}

// The host never applies the create of a killed worker: its successor creates the review after a minute
// and a half.
func killedAtCreateDropped(t *testing.T, w *world) {
	pr := w.killedWhile(createPath, shared.Drop)
	w.again()
	testkit.Eventually(t, patience, func() (bool, string) {
		got := w.query(`SELECT last_error FROM jobs WHERE kind = 'review.publish' AND state = 'queued'`)
		return len(got) == 1 && strings.Contains(got[0][0], "the host may apply it late"), fmt.Sprintf("the successor does not wait: %v", got)
	})
	w.aged()
	w.exec(`UPDATE jobs SET run_us = 0 WHERE kind = 'review.publish' AND state = 'queued'`)
	w.reviewed(pr.Number, 1)
	w.verify()
}

// The worker is killed between the answer to its create and the record of it: the review counts.
func killedWhileItCompares(t *testing.T, w *world) {
	p := w.worked()
	id := w.fault(shared.Fault{Method: "GET", Path: `/pulls/\d+/reviews/\d+/comments$`, Action: shared.Hold, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(t, err)
	p.Signal(syscall.SIGKILL)
	p.Wait(patience)
	must(t, w.host.Release(w.ctx, id, shared.Drop))
	w.again()
	w.reviewed(pr.Number, 1)
	w.verify()
}

// The host applies a create long after its sender died and its successor created the review again: the
// janitor deletes the twin.
func reviewAppliedLate(t *testing.T, w *world) {
	p := w.worked()
	id := w.fault(shared.Fault{Method: "POST", Path: createPath, Action: shared.ApplyLate, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 0, patience)
	must(t, err)
	w.aged() // otherwise its successor waits for 90 seconds
	w.kill(p)
	w.exec(`UPDATE jobs SET run_us = 0 WHERE kind = 'review.publish' AND state = 'queued'`)
	first := w.reviewed(pr.Number, 1)[0]
	w.quiet()
	must(t, w.host.Release(w.ctx, id, shared.Apply))
	w.reviewed(pr.Number, 2)
	w.exec(`UPDATE publications SET clean_us = 0 WHERE clean_us IS NOT NULL`)
	testkit.Eventually(t, patience, func() (bool, string) {
		got := w.oursOn(pr.Number)
		return len(got) == 1 && got[0].ID == first.ID, fmt.Sprintf("the visible reviews are %+v, want %d alone", got, first.ID)
	})
	w.verify()
}

// The publish job dies after its create, which was applied: the review is found, and the run is
// completed.
func deadAtCreate(t *testing.T, w *world) {
	p := w.worked()
	id := w.fault(shared.Fault{Method: "POST", Path: createPath, Action: shared.Hold, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(t, err)
	silent := w.fault(shared.Fault{Method: "GET", Path: createPath, Action: shared.Respond, Status: 503, Times: -1})
	p.Signal(syscall.SIGKILL)
	p.Wait(patience)
	must(t, w.host.Release(w.ctx, id, shared.Apply))
	w.again()
	job := func(state string) {
		t.Helper()
		testkit.Eventually(t, patience, func() (bool, string) {
			got := w.query(`SELECT j.state, r.state, j.last_error FROM review_runs r JOIN jobs j ON j.subject = r.id AND j.kind = 'review.publish'`)
			return len(got) == 1 && got[0][0] == state && got[0][1] == "publishing" && strings.Contains(got[0][2], "503"), fmt.Sprintf("job and run are %v, want %s", got, state)
		})
	}
	job("queued")
	w.exec(`UPDATE jobs SET attempts = 100, run_us = 0 WHERE kind = 'review.publish' AND state = 'queued'`) // its last attempt
	job("dead")
	must(t, w.host.Release(w.ctx, silent, shared.Apply))
	w.asked()
	w.state(pr.Number, "completed")
	w.verify()
}
