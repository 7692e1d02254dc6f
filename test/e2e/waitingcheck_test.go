package e2e

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// newChecks is the path at which check runs are created.
const newChecks = `/check-runs$`

// saysWaiting waits until the newest check run of a head says that its review waits, and how to decide.
func (w *world) saysWaiting(head string, v held) {
	w.Helper()
	testkit.Eventually(w.T, patience, func() (bool, string) {
		all, err := w.gh.CheckRuns(w.ctx, w.repo)
		all = slices.DeleteFunc(all, func(c simapi.CheckRun) bool { return c.HeadSHA != head })
		if err != nil || len(all) == 0 {
			return false, fmt.Sprintf("there is no check run (%v)", err)
		}
		c := all[len(all)-1]
		return c.Title == "Waits for approval" && strings.Contains(c.Summary, "/assay approve "+v.Digest[:12]) && c.Status == "in_progress",
			fmt.Sprintf("the check is %s: %s: %s", c.Status, c.Title, c.Summary)
	})
}

// The check run of a review that waits is created so slowly that the review waits before the answer arrives.
func TestAWaitingReviewIsShownByASlowHost(t *testing.T) {
	on(t, journeys, func(_ *testing.T, w *world) {
		w.worked()
		boss, path := w.approvals()
		w.fault(simapi.Fault{Method: "POST", Path: newChecks, Action: simapi.Latency, DelayMS: 2000, Times: -1})
		pr, v := w.waits(boss, path)
		w.saysWaiting(pr.HeadSHA, v)
		testkit.Equal(w.T, "check runs", len(w.checks(pr.HeadSHA)), 1)
	})
}

// The worker is killed while it creates the check run of a review that waits by then. Its successor shows the state.
func TestAWaitingReviewIsShownAfterAKill(t *testing.T) {
	for _, decision := range []string{simapi.Apply, simapi.Drop} {
		t.Run(decision, func(t *testing.T) {
			on(t, featureKills, func(_ *testing.T, w *world) {
				p := w.worked()
				boss, path := w.approvals()
				id := w.fault(simapi.Fault{Method: "POST", Path: newChecks, Action: simapi.Hold, Times: 1})
				pr, v := w.waits(boss, path)
				_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
				must(w.T, err)
				p.Signal(syscall.SIGKILL)
				p.Wait(patience)
				must(w.T, w.host.Release(w.ctx, id, decision))
				w.aged()
				w.again()
				w.saysWaiting(pr.HeadSHA, v)
				testkit.Equal(w.T, "check runs", len(w.checks(pr.HeadSHA)), 1)
				boss.send("POST", path+"/"+v.ID+"/approve", map[string]any{"digest": v.Digest})
				w.reviewed(pr.Number, 1)
				w.verify()
				if c, _ := w.conclusion(pr.HeadSHA); c != "failure" {
					w.Errorf("the check of the approved review is %s", c)
				}
			})
		})
	}
}
