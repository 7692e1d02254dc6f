package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/model"
)

// replyKill is a write during which the worker is killed: one to the host, which applies or drops it, one in a transaction of the
// store, or a question to the model.
type replyKill struct {
	row             string        // name of the row
	host            *shared.Fault // the write to the host
	decision        string        // of the host about the held write
	stage           string        // of the model
	event, table    string        // the write to the store
	condition       string        // on its row
	needsThreads    bool          // only hosts whose threads the service closes have it
	waitsForTheList bool          // the successor waits until a list must show a write that was dropped
}

func (k replyKill) String() string {
	switch {
	case k.host != nil:
		return "a write to the host, " + k.decision + ", when a person " + k.row
	case k.stage != "":
		return "the model's stage " + k.stage + ", when a person " + k.row
	}
	return strings.ToLower(k.event) + " " + k.table + ", when a person " + k.row
}

// replyKills are all writes of a reply and its answer. The first ones are the sample.
func (w *world) replyKills() []replyKill {
	const declines, mended, disputes, disproved = "declines it", "calls it mended, and it is", "disputes it, and the code proves it", "disputes it, and the code disproves it"
	answer := &shared.Fault{Method: "POST", Body: `assay:ans=`, Action: shared.Hold, Times: 1}
	thread := w.threadRequest()
	thread.Action, thread.Times = shared.Hold, 1
	return []replyKill{
		{row: disputes, host: answer, decision: shared.Apply},
		{row: declines, host: answer, decision: shared.Drop, waitsForTheList: true},
		{row: disproved, event: "INSERT", table: "audit_entries", condition: "NEW.action = 'finding.dismiss'"},
		{row: disputes, host: answer, decision: shared.Drop, waitsForTheList: true},
		{row: declines, host: answer, decision: shared.Apply},
		{row: mended, host: answer, decision: shared.Apply},
		{row: mended, host: answer, decision: shared.Drop, waitsForTheList: true},
		{row: mended, host: &thread, decision: shared.Apply, needsThreads: true},
		{row: mended, host: &thread, decision: shared.Drop, needsThreads: true},
		{row: declines, stage: "reply"},
		{row: disputes, stage: "verify"},
		{row: declines, event: "INSERT", table: "finding_replies"},
		{row: declines, event: "INSERT", table: "jobs", condition: "NEW.kind = 'comment.reply'"},
		{row: declines, event: "UPDATE OF state", table: "findings"},
		{row: declines, event: "INSERT", table: "finding_decisions"},
		{row: declines, event: "INSERT", table: "suppressions"},
		{row: declines, event: "INSERT", table: "audit_entries", condition: "NEW.action = 'finding.dismiss'"},
		{row: declines, event: "INSERT", table: "command_answers"},
		{row: declines, event: "INSERT", table: "jobs", condition: "NEW.kind = 'comment.answer'"},
		{row: declines, event: "UPDATE OF outcome", table: "finding_replies"},
		{row: declines, event: "UPDATE OF state", table: "command_answers"},
		{row: mended, event: "UPDATE OF state", table: "findings"},
		{row: mended, event: "INSERT", table: "command_answers"},
	}
}

// sampleOfKills is how many of them make test runs.
const sampleOfKills = 3

// allFaults reports whether every kill is tested (ASSAY_FAULTS=all, make nightly).
func allFaults() bool { return os.Getenv("ASSAY_FAULTS") == "all" }

// stopAt makes the worker stop at a point. stopped waits until it has; after lets its successor pass once the worker is dead.
func (w *world) stopAt(k replyKill) (stopped, after func()) {
	w.Helper()
	switch {
	case k.host != nil:
		id := w.fault(*k.host)
		return func() {
				_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
				must(w.T, err)
			}, func() {
				must(w.T, w.host.Release(w.ctx, id, k.decision))
			}
	case k.stage != "":
		id := w.modelFault(hang(k.stage))
		return func() {
				_, err := w.model.AwaitFault(w.ctx, id, 1, 1)
				must(w.T, err)
			}, func() {
				must(w.T, w.model.ReleaseFault(w.ctx, id, model.Reset))
			}
	}
	after = w.stoppedAt(k.event, k.table, k.condition)
	return w.inside, after
}

// killedDuringReply kills the worker at a point of a reply, and checks what its successor makes of the reply.
func (w *world) killedDuringReply(k replyKill, logins map[string]string, botMarked bool, n int) {
	w.Helper()
	rows := replyRows()
	i := slices.IndexFunc(rows, func(r replyRow) bool { return r.name == k.row })
	c := &replyCell{row: rows[i], role: "writer", fate: fmt.Sprintf("killed %d", n)}
	w.opened([]*replyCell{c})
	w.exec(`DELETE FROM suppressions`) // otherwise the finding is proposed already
	stopped, after := w.stopAt(k)
	w.reply(c, logins)
	stopped()
	w.running.Signal(syscall.SIGKILL)
	w.running.Wait(patience)
	after()
	w.running = w.again()
	if k.waitsForTheList {
		testkit.Eventually(w.T, patience, func() (bool, string) {
			n := w.count(`SELECT COUNT(*) FROM jobs WHERE kind = 'comment.answer' AND state = 'queued' AND last_error LIKE '%may not show it yet%'`)
			return n == 1, "no job waits for the list"
		})
		w.aged()
		w.exec(`UPDATE jobs SET run_us = 0 WHERE kind = 'comment.answer' AND state = 'queued'`)
	}
	w.idle()
	failed := w.Failed()
	w.checkReply(c, botMarked)
	if w.resolves() && c.row.mended && !slices.ContainsFunc(w.written(c.number), func(x shared.Comment) bool { return x.ID == c.finding.ID && x.Resolved }) {
		w.Errorf("%s: the thread is not closed", c)
	}
	if w.Failed() && !failed {
		w.Errorf("the worker was killed at %s", k)
	}
}

// A worker that is killed at any write of a reply and its answer, to the host or in the store, leads to one answer and one decision.
func TestRepliesUnderKills(t *testing.T) {
	onReplyHosts(t, featureKills, sampleOfOne, func(_ *testing.T, w *world, _ int) {
		kills := w.replyKills()
		if !allFaults() {
			kills = kills[:sampleOfKills]
		}
		w.lasts(time.Hour)
		logins, marked := w.repliers()
		for i, k := range kills {
			if !k.needsThreads || w.resolves() {
				w.killedDuringReply(k, logins, marked, i)
			}
		}
		w.checkReplies()
	})
}

// Two programs with accounts of people answer every comment of the service and each other. They get three answers in a thread, and five
// on a day.
func TestRepliesOfProgramsToEachOther(t *testing.T) {
	onReplyHosts(t, journeys, sampleOfOne, func(_ *testing.T, w *world, _ int) {
		files := buggy()
		for path, text := range leaky() {
			files[path] = text
		}
		number := w.open("both", files).Number
		w.idle()
		var threads []shared.Comment
		before := oursIn(w.written(number))
		for _, c := range before {
			if c.Path != "" {
				threads = append(threads, c)
			}
		}
		testkit.Equal(w.T, "threads", len(threads), 2)
		for round := range 6 {
			for i, thread := range threads {
				author := []string{"writer", "helper"}[(round+i)%2]
				_, err := w.host.Reply(w.ctx, w.repo, number, shared.ReplySpec{Comment: thread.ID, Author: author, Body: fmt.Sprintf("That cannot happen, for reason %d.", round)})
				must(w.T, err)
				w.idle()
			}
		}
		after := oursIn(w.written(number))
		testkit.Equal(w.T, "answers", len(after)-len(before), 5)
		for _, n := range w.query(`SELECT COUNT(*) FROM command_answers GROUP BY thread_id`) {
			if n[0] > "3" {
				w.Errorf("a thread has %s answers", n[0])
			}
		}
		w.checkReplies()
	})
}
