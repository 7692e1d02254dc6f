package e2e

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// reviewPath matches the read of one review by its id.
const reviewPath = `/pulls/\d+/reviews/\d+$`

// impatient is a world whose jobs are given up after two failures or crashes.
func impatient(t *testing.T, s storage) *world {
	t.Helper()
	w := newWorld(t, s)
	maps.Copy(w.env, map[string]string{"ASSAY_JOBS_MAX_ATTEMPTS": "2", "ASSAY_JOBS_CRASH_LIMIT": "2"})
	return w
}

// deadAtSubmit opens a pull request whose publish job dies: a fault of the host loses the answer to the
// submit, and the host does not answer questions about the review. answer makes it answer again.
func (w *world) deadAtSubmit(action string) (pr simapi.Pull, job string, answer func()) {
	w.Helper()
	w.up()
	w.fault(simapi.Fault{Method: "POST", Path: submitPath, Action: action, Times: 1})
	silent := w.fault(simapi.Fault{Method: "GET", Path: reviewPath, Action: simapi.Respond, Status: 503, Times: -1})
	pr = w.open("bug", buggy())
	job = w.unsettled(pr.Number)
	return pr, job, func() { must(w.T, w.host.Release(w.ctx, silent, simapi.Apply)) }
}

// unsettled waits until the publish job of a pull request is a dead letter and the host has refused to
// answer a later question about the review. It returns the job.
func (w *world) unsettled(number int) (job string) {
	w.Helper()
	var died int64
	testkit.Eventually(w.T, patience, func() (bool, string) {
		got := w.query(fmt.Sprintf(`SELECT j.id, j.state, r.state, COALESCE(j.finished_us, 0) FROM review_runs r JOIN publications p ON p.run_id = r.id JOIN jobs j ON j.subject = r.id AND j.kind = 'review.publish'
			WHERE r.number = %d AND p.settle_us IS NOT NULL AND p.settle_tries > 0`, number))
		if len(got) != 1 || got[0][1] != "dead" || got[0][2] != "publishing" {
			return false, fmt.Sprintf("the publication is not left open: %v; runs: %v", got, w.query(`SELECT state, reason FROM review_runs`))
		}
		job = got[0][0]
		var err error
		died, err = strconv.ParseInt(got[0][3], 10, 64)
		must(w.T, err)
		return true, ""
	})
	asks := regexp.MustCompile(reviewPath)
	testkit.Eventually(w.T, patience, func() (bool, string) { // a later answer belongs to another question
		all, err := w.host.Requests(w.ctx, allRequests)
		must(w.T, err)
		return slices.ContainsFunc(all, func(r simapi.Request) bool {
			return r.Method == "GET" && asks.MatchString(r.Path) && r.ArrivedUS > died && r.Status == 503
		}), "the host was not asked after the job died"
	})
	return job
}

// reopen closes a pull request and opens it again, and returns the disposition
// of the event and its reason.
func (w *world) reopen(number int) (disposition, reason string) {
	w.Helper()
	before := w.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE action = 'reopened' AND disposition IS NOT NULL`)
	for _, state := range []string{"closed", "open"} {
		_, err := w.host.UpdatePull(w.ctx, w.repo, number, simapi.PullUpdate{State: state})
		must(w.T, err)
		must(w.T, w.host.WaitDeliveries(w.ctx, patience))
	}
	var got [][]string
	testkit.Eventually(w.T, patience, func() (bool, string) {
		got = w.query(`SELECT disposition, reason FROM webhook_deliveries WHERE action = 'reopened' AND disposition IS NOT NULL ORDER BY received_us DESC`)
		return len(got) == before+1, fmt.Sprintf("%d events of reopening are disposed, want %d", len(got), before+1)
	})
	return got[0][0], got[0][1]
}

// asked makes the next question about a review due.
func (w *world) asked() {
	w.Helper()
	w.exec(`UPDATE publications SET settle_us = 0 WHERE settle_us IS NOT NULL`)
}

// seen checks the states of a pull request's runs, oldest first, and the number of its visible reviews.
func (w *world) seen(number int, states string, visible int) {
	w.Helper()
	w.verify()
	var got []string
	for _, r := range w.query(fmt.Sprintf(`SELECT state FROM review_runs WHERE number = %d ORDER BY created_us, id`, number)) {
		got = append(got, r[0])
	}
	testkit.Equal(w.T, "runs", strings.Join(got, " "), states)
	reviews, err := w.host.VisibleReviews(w.ctx, w.repo, number)
	must(w.T, err)
	testkit.Equal(w.T, "visible reviews", len(reviews), visible)
}

// checks lists the check runs of a head as "conclusion: title", oldest first.
func (w *world) checks(head string) (out []string) {
	w.Helper()
	all, err := w.gh.CheckRuns(w.ctx, w.repo)
	must(w.T, err)
	for _, c := range all {
		if c.HeadSHA == head {
			out = append(out, c.Conclusion+": "+c.Title)
		}
	}
	return out
}

// The submit is applied, its answer is lost, and the host does not answer about it until the attempts
// are used up. No event starts a second review, and the visible review counts as soon as the host
// answers.
func TestDeadAtSubmitApplied(t *testing.T) {
	in(t, journeys, impatient, func(t *testing.T, w *world) {
		pr, _, answer := w.deadAtSubmit(simapi.ApplyThenReset)
		disposition, _ := w.reopen(pr.Number)
		testkit.Equal(t, "an event while it is not known", disposition, "coalesced")
		testkit.Equal(t, "check runs before the end", fmt.Sprint(w.checks(pr.HeadSHA)), "[: Review under way]")
		answer() // the next question follows automatically
		w.seen(pr.Number, "completed", 1)
		disposition, _ = w.reopen(pr.Number)
		testkit.Equal(t, "an event afterwards", disposition, "coalesced")
		w.seen(pr.Number, "completed", 1)
		if got := w.checks(pr.HeadSHA); len(got) != 1 || strings.Contains(got[0], "failed") {
			t.Errorf("check runs: %v, want one of a review", got)
		}
	})
}

// The submit was dropped: the draft is deleted, the run has failed, and the next event starts the one
// review.
func TestDeadAtSubmitDropped(t *testing.T) {
	in(t, journeys, impatient, func(t *testing.T, w *world) {
		pr, _, answer := w.deadAtSubmit(simapi.Refuse)
		disposition, _ := w.reopen(pr.Number)
		testkit.Equal(t, "an event while it is not known", disposition, "coalesced")
		answer()
		w.asked()
		w.seen(pr.Number, "failed", 0)
		disposition, _ = w.reopen(pr.Number)
		testkit.Equal(t, "an event afterwards", disposition, "run")
		w.seen(pr.Number, "failed completed", 1)
	})
}

// crashedAtSubmit opens a pull request, and kills the worker while it submits and its successor while
// it asks. The submit is applied or dropped.
func (w *world) crashedAtSubmit(decision string) simapi.Pull {
	w.Helper()
	p := w.up()
	submit := w.fault(simapi.Fault{Method: "POST", Path: submitPath, Action: simapi.Hold, Times: 1})
	ask := w.fault(simapi.Fault{Method: "GET", Path: reviewPath, Action: simapi.Hold, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, submit, 1, 1, patience)
	must(w.T, err)
	p.Signal(syscall.SIGKILL)
	must(w.T, w.host.Release(w.ctx, submit, decision))
	p = w.again()
	_, err = w.host.AwaitFault(w.ctx, ask, 1, 1, patience)
	must(w.T, err)
	p.Signal(syscall.SIGKILL)
	must(w.T, w.host.Release(w.ctx, ask, simapi.Drop))
	w.again()
	return pr
}

// A visible review counts, however often its workers crashed.
func TestCrashedAtSubmitApplied(t *testing.T) {
	in(t, kills, impatient, func(t *testing.T, w *world) {
		pr := w.crashedAtSubmit(simapi.Apply)
		w.seen(pr.Number, "completed", 1)
		disposition, _ := w.reopen(pr.Number)
		testkit.Equal(t, "an event afterwards", disposition, "coalesced")
		w.seen(pr.Number, "completed", 1)
		testkit.Equal(t, "dead letters", w.count(`SELECT COUNT(*) FROM jobs WHERE state = 'dead' AND kind = 'review.publish'`), 1)
	})
}

// If no review is visible, the head is in quarantine: only a new head is reviewed.
func TestCrashedAtSubmitDropped(t *testing.T) {
	in(t, kills, impatient, func(t *testing.T, w *world) {
		pr := w.crashedAtSubmit(simapi.Drop)
		w.seen(pr.Number, "failed", 0)
		disposition, reason := w.reopen(pr.Number)
		testkit.Equal(t, "an event of the head", disposition, "ignored")
		if !strings.Contains(reason, "quarantined") {
			t.Errorf("reason: %q", reason)
		}
		w.seen(pr.Number, "failed", 0)
		w.push("bug", clean())
		w.reviewed(pr.Number, 1)
		w.seen(pr.Number, "failed completed", 1)
	})
}

// redrive starts a dead letter again, like an operator.
func (w *world) redrive(job string) {
	w.Helper()
	p := w.start("redrive", nil, "jobs", "redrive", job)
	if code := p.Wait(patience); code != 0 {
		w.Fatalf("assay jobs redrive ended with %d: %s", code, strings.Join(p.Lines(), "\n"))
	}
}

// A redriven dead letter continues its publication, whether its submit was applied or not.
func TestRedriveWhileTheOutcomeIsUnknown(t *testing.T) {
	for _, action := range []string{simapi.ApplyThenReset, simapi.Refuse} {
		t.Run(action, func(t *testing.T) {
			in(t, journeys, impatient, func(t *testing.T, w *world) {
				pr, job, answer := w.deadAtSubmit(action)
				before := w.query(`SELECT id, ext_review_id FROM publications`)
				answer()
				w.redrive(job)
				w.seen(pr.Number, "completed", 1)
				testkit.Equal(t, "publications", fmt.Sprint(w.query(`SELECT id, ext_review_id FROM publications`)), fmt.Sprint(before))
			})
		})
	}
}

// A dead letter of a failed run starts no second review if its head has one.
func TestRedriveAfterAnotherReview(t *testing.T) {
	in(t, journeys, impatient, func(t *testing.T, w *world) {
		pr, job, answer := w.deadAtSubmit(simapi.Refuse)
		answer()
		w.asked()
		w.state(pr.Number, "failed")
		w.reopen(pr.Number)
		w.seen(pr.Number, "failed completed", 1)
		w.redrive(job)
		testkit.Eventually(t, patience, func() (bool, string) {
			return w.count(`SELECT COUNT(*) FROM jobs WHERE state = 'done' AND id = '`+job+`'`) == 1, "the redriven job is not done"
		})
		w.seen(pr.Number, "failed completed", 1)
	})
}

// A newer head waits until the outcome of the old one's review is known, and asks for it itself.
func TestNewerHeadWhileTheOutcomeIsUnknown(t *testing.T) {
	for action, want := range map[string]struct {
		states  string
		visible int
	}{simapi.Refuse: {"failed completed", 1}, simapi.ApplyThenReset: {"completed completed", 2}} {
		t.Run(action, func(t *testing.T) {
			in(t, journeys, impatient, func(t *testing.T, w *world) {
				pr, _, answer := w.deadAtSubmit(action)
				head := w.push("bug", leaky())
				testkit.Eventually(t, patience, func() (bool, string) {
					got := w.query(`SELECT last_error FROM jobs WHERE kind = 'review.run' AND state = 'queued'`)
					return len(got) == 1 && strings.Contains(got[0][0], "not known yet"), fmt.Sprintf("the newer run does not wait: %v", got)
				})
				answer()
				w.reviewed(pr.Number, want.visible)
				w.seen(pr.Number, want.states, want.visible)
				of := map[string]int{}
				for _, r := range w.reviewed(pr.Number, want.visible) {
					of[r.CommitID]++
				}
				testkit.Equal(t, "reviews of the newer head", of[head], 1)
				testkit.Equal(t, "reviews of the older head", of[pr.HeadSHA], want.visible-1)
			})
		})
	}
}
