package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// failedLog is the log of a failed job.
const failedLog = "=== RUN   TestHalf\n    half_test.go:7: half(3) = 1, want 2\n--- FAIL: TestHalf (0.00s)\nFAIL\tshop\t0.01s\n"

// ends ends two jobs of a commit with a conclusion. Gitea and Forgejo report them as statuses of another account, because their
// simulations send no events of jobs and Forgejo has no API of jobs.
func (w *world) ends(head, conclusion string) {
	w.Helper()
	jobs := []string{"unit", "lint"}
	if w.gitea == nil {
		run := shared.RunSpec{Workflow: "ci", Commit: head}
		for _, name := range jobs {
			run.Jobs = append(run.Jobs, shared.JobSpec{Name: name, Conclusion: conclusion, Log: failedLog})
		}
		_, err := w.host.AddRun(w.ctx, w.repo, run)
		must(w.T, err)
		if w.hasOnlyBuilds() {
			w.exec(`UPDATE repositories SET swept_us = 0`) // the search for lost heads asks for builds, because the host sends no event
		}
		return
	}
	token, err := w.gitea.NewToken(w.ctx, "dev", simapi.TokenSpec{Name: domain.NewID("tok"), Scopes: scopes()})
	must(w.T, err)
	for _, name := range jobs {
		w.restAs(token.Text, http.MethodPost, w.gitea.APIURL()+"/repos/"+w.repo+"/statuses/"+head,
			map[string]any{"state": conclusion, "context": "ci/" + name, "description": "the job is over"})
	}
}

// hasOnlyBuilds reports whether the host is Bitbucket Data Center, which has build statuses but neither jobs nor events of builds.
func (w *world) hasOnlyBuilds() bool {
	return w.bitbucket != nil && strings.Contains(w.hooks, domain.BitbucketDataCenter.PathWord())
}

// aboutJobs waits until a pull request has a comment about failed jobs that contains a text, and checks that it has one such comment.
func (w *world) aboutJobs(number int, text string) (body string) {
	w.Helper()
	testkit.Eventually(w.T, 3*patience, func() (bool, string) {
		var found []string
		for _, c := range oursIn(w.written(number)) {
			if strings.Contains(c.Body, "Failed jobs at") || strings.Contains(c.Body, "passes at") {
				found = append(found, c.Body)
			}
		}
		if len(found) > 1 {
			w.Fatalf("#%d has %d comments about failed jobs: %q", number, len(found), found)
		}
		if len(found) == 1 {
			body = found[0]
		}
		return strings.Contains(body, text), fmt.Sprintf("#%d has %q, want %q", number, body, text)
	})
	return body
}

// Two jobs fail at once: one comment names both. The next push is green, and the comment becomes one line.
func TestFailedJobs(t *testing.T) {
	onReplyHosts(t, journeys, sampleOfOne, func(t *testing.T, w *world, _ int) {
		w.policy(`{"ciAnalysis":"all"}`)
		pr := w.open("bug", buggy())
		w.idle()
		w.ends(pr.HeadSHA, "failure")
		w.aboutJobs(pr.Number, "lint")
		w.idle()
		body := w.aboutJobs(pr.Number, "unit")
		testkit.Equal(t, "the log is quoted", strings.Contains(body, "half_test.go"), w.gitea == nil && !w.hasOnlyBuilds())
		w.ends(w.push("bug", fixed()), "success")
		body, _ = markdown.Stored(w.aboutJobs(pr.Number, "passes at")).SplitMark()
		w.idle()
		testkit.Equal(t, "lines", strings.Count(strings.TrimSpace(body), "\n"), 0)
		testkit.Equal(t, "analyses", w.count(`SELECT COUNT(*) FROM ci_analyses WHERE state = 'completed'`), 2)
	})
}

// jobKill is a write of the comment about failed jobs during which the worker is killed.
type jobKill struct {
	edit     bool   // the comment exists and is edited
	decision string // of the host about the held write
	table    string // the write to the store instead; the worker stands before it
}

// jobKills are all writes of the comment. The first ones are the sample.
func jobKills() []jobKill {
	return []jobKill{
		{decision: shared.Apply},
		{edit: true, decision: shared.Drop},
		{decision: shared.Drop},
		{edit: true, decision: shared.Apply},
		{table: "ci_comments"},
		{edit: true, table: "ci_comments"},
		{edit: true, decision: shared.ApplyThenReset},
	}
}

// A worker that is killed at any write of the comment, which the host applies or drops, leaves one comment with the right text.
func TestFailedJobsUnderKills(t *testing.T) {
	onReplyHosts(t, featureKills, sampleOfOne, func(_ *testing.T, w *world, _ int) {
		w.lasts(time.Hour)
		w.policy(`{"ciAnalysis":"all"}`)
		kills := jobKills()
		if !allFaults() {
			kills = kills[:sampleOfKillsOfJobs]
		}
		for i, k := range kills {
			w.killedAboutJobs(k, fmt.Sprint("kill-", i))
		}
	})
}

// sampleOfKillsOfJobs is how many of the kills make test runs.
const sampleOfKillsOfJobs = 2

func (w *world) killedAboutJobs(k jobKill, branch string) {
	w.Helper()
	pr := w.open(branch, buggy())
	w.idle()
	head, conclusion, want := pr.HeadSHA, "failure", "lint"
	if k.edit {
		w.ends(head, "failure")
		w.aboutJobs(pr.Number, "lint")
		w.idle()
		head, conclusion, want = w.push(branch, fixed()), "success", "passes at"
		w.idle()
	}
	hold := shared.Fault{Method: "WRITE", Path: `/comments(/\d+)?$|/notes(/\d+)?$|/threads$`, Body: `Failed jobs at|passes at`, Action: shared.Hold, Times: 1}
	if k.decision == shared.ApplyThenReset { // an ambiguous answer, without a kill
		hold.Action = k.decision
		w.fault(hold)
		w.ends(head, conclusion)
		w.reworked("ci.comment")
		w.aboutJobs(pr.Number, want)
		w.idle()
		w.aboutJobs(pr.Number, want)
		return
	}
	var id string
	after := func() {}
	if k.table != "" {
		after = w.stoppedAt("UPDATE OF digest", k.table, "")
	} else {
		id = w.fault(hold)
	}
	w.ends(head, conclusion)
	if k.table != "" {
		w.inside()
	} else {
		_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
		must(w.T, err)
	}
	w.running.Signal(syscall.SIGKILL)
	w.running.Wait(patience)
	if id != "" {
		must(w.T, w.host.Release(w.ctx, id, k.decision))
	}
	after()
	w.aged() // lists of the host may lag for two minutes after a write
	w.running = w.again()
	w.reworked("ci.comment")
	w.aboutJobs(pr.Number, want)
	w.idle()
	w.aboutJobs(pr.Number, want)
}

// reworked makes the waiting jobs of a kind due again and again until none is left.
func (w *world) reworked(kind string) {
	w.Helper()
	testkit.Eventually(w.T, 3*patience, func() (bool, string) {
		w.exec(`UPDATE jobs SET run_us = 0, dispatched_us = NULL WHERE kind = '` + kind + `' AND state = 'queued' AND last_error <> ''`)
		n := w.count(`SELECT COUNT(*) FROM jobs WHERE state IN ('queued', 'running') AND kind IN ('ci.head', 'ci.analyse', '` + kind + `')`)
		return n == 0, fmt.Sprintf("%d jobs of %s are open", n, kind)
	})
}
