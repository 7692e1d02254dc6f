package e2e

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// lostCheck opens a pull request whose check run is created although its answer is lost. Lists of check
// runs are empty until show is called.
func (w *world) lostCheck() (pr simapi.Pull, show func()) {
	w.Helper()
	w.up()
	w.fault(simapi.Fault{Method: "POST", Path: `/check-runs$`, Action: simapi.ApplyThenReset, Times: 1})
	lag := w.fault(simapi.Fault{Method: "GET", Path: `/commits/[0-9a-f]+/check-runs$`, Action: simapi.Respond, Status: 200, ReplyBody: `{"total_count": 0, "check_runs": []}`, Times: -1})
	pr = w.open("bug", buggy())
	testkit.Eventually(w.T, patience, func() (bool, string) {
		got := w.query(`SELECT last_error FROM jobs WHERE kind = 'review.reflect' AND state = 'queued'`)
		return len(got) == 1 && strings.Contains(got[0][0], "may not show it yet"), fmt.Sprintf("no job waits for the list: %v, check runs: %v", got, w.checks(pr.HeadSHA))
	})
	return pr, func() { must(w.T, w.host.Release(w.ctx, lag, simapi.Apply)) }
}

// aged makes the writes to the host older than the time for which the service waits for them. Lists of
// a host do not lag for so long, and no request is applied so late.
func (w *world) aged() {
	w.Helper()
	w.exec(`UPDATE write_attempts SET started_us = started_us - 120000000, finished_us = finished_us - 120000000`)
}

// reflect makes waiting jobs due.
func (w *world) reflect() {
	w.Helper()
	w.exec(`UPDATE jobs SET run_us = 0 WHERE kind = 'review.reflect' AND state = 'queued'`)
}

// The answer to a new check run is lost, and lists do not show it for a while: the service waits for it
// and creates no second one.
func TestCheckRunWhileListsLag(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		pr, show := w.lostCheck()
		testkit.Equal(t, "check runs while lists lag", len(w.checks(pr.HeadSHA)), 1)
		show()
		w.reflect()
		w.verify()
		if got := w.checks(pr.HeadSHA); len(got) != 1 {
			t.Errorf("check runs: %v, want one", got)
		}
		updated := w.query(`SELECT verb FROM write_attempts WHERE verb = 'update check run' AND outcome = 'ok'`)
		testkit.Equal(t, "updates of the one that was found", len(updated), 1)
	})
}

// Lists lag for longer than the service waits: a second check run is created, and the twin is closed
// when it becomes visible.
func TestCheckRunTwinIsClosed(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		pr, show := w.lostCheck()
		w.aged()
		w.reflect()
		testkit.Eventually(t, patience, func() (bool, string) {
			got := w.checks(pr.HeadSHA)
			return len(got) == 2, fmt.Sprintf("check runs: %v, want two", got)
		})
		show()
		testkit.Eventually(t, patience, func() (bool, string) { // the check for twins is planned
			return w.count(`SELECT COUNT(*) FROM jobs WHERE kind = 'review.reflect' AND state = 'queued'`) == 1, "no job will look for twins"
		})
		w.reflect()
		w.verify()
		got := w.checks(pr.HeadSHA)
		if len(got) != 2 || got[0] != "neutral: Said twice" || strings.Contains(got[1], "Said twice") {
			t.Errorf("check runs: %v, want the older one closed and the newer one with the outcome", got)
		}
	})
}

// A draft that the host creates after its publication has ended is deleted by the first cleanup.
func TestDraftAfterTheEnd(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		late := w.fault(simapi.Fault{Method: "POST", Path: createPath, Action: simapi.ApplyLate, Times: 1})
		pr := w.open("bug", buggy())
		w.reviewed(pr.Number, 1)
		w.quiet()
		must(t, w.host.Release(w.ctx, late, simapi.Apply))
		pending := func() (n int) {
			reviews, err := w.host.Reviews(w.ctx, w.repo, pr.Number)
			must(t, err)
			for _, r := range reviews {
				if r.State == "PENDING" {
					n++
				}
			}
			return n
		}
		testkit.Eventually(t, patience, func() (bool, string) { return pending() == 1, "the late draft has not appeared" })
		if n := w.count(`SELECT COUNT(*) FROM publications WHERE clean_us IS NOT NULL`); n != 1 {
			t.Fatalf("%d publications are looked at again, want 1", n)
		}
		w.exec(`UPDATE publications SET clean_us = 0 WHERE clean_us IS NOT NULL`)
		testkit.Eventually(t, patience, func() (bool, string) { return pending() == 0, "the late draft is still there" })
		w.verify()
	})
}

// A publication that waits for the gate for longer than a request may take has not failed: the deadline
// counts from the moment when the gate lets the request through.
func TestWaitingForTheGateIsNotAFailure(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		maps.Copy(w.env, map[string]string{"ASSAY_HTTP_WRITE_TIMEOUT": "2500ms", "ASSAY_LANES_REVIEW": "6", "ASSAY_LANES_PUBLISH": "6", "ASSAY_GATE_READ_SLOTS": "0"})
		w.up()
		w.fault(simapi.Fault{Method: "WRITE", Path: `^/repos/`, Action: simapi.Latency, DelayMS: 1200, Times: -1})
		pulls := sized(4, 6)
		var numbers []int
		for i := range pulls {
			numbers = append(numbers, w.open(fmt.Sprintf("ok%d", i), clean()).Number)
		}
		for _, n := range numbers {
			w.reviewed(n, 1)
		}
		w.verify()
		if got := w.query(`SELECT kind, attempts, last_error FROM jobs WHERE attempts > 0`); len(got) > 0 {
			t.Errorf("counted failures: %v", got)
		}
		if n := w.count(`SELECT COUNT(*) FROM write_attempts WHERE outcome = 'ok' AND finished_us - started_us > 4000000`); n == 0 {
			t.Error("no write waited for the gate for longer than its deadline: this shows nothing")
		}
	})
}
