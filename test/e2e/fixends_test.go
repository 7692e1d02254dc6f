package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/model"
)

// endKills are the points at which the worker of a fix run that ends without a delivery is killed: at the end, and before and after the
// host applies the answer. The command stands in the thread of the finding.
func endKills() []replyKill {
	answer := func() *shared.Fault {
		return &shared.Fault{Method: http.MethodPost, Body: `assay:ans=`, Action: shared.Hold, Times: 1}
	}
	out := []replyKill{
		{event: "UPDATE OF state", table: "fix_runs", condition: "NEW.state = 'cancelled'"},
		{event: "INSERT", table: "command_answers"},
		{event: "INSERT", table: "jobs", condition: "NEW.kind = 'comment.answer'"},
		{host: answer(), decision: shared.Apply},
		{host: answer(), decision: shared.Drop, waitsForTheList: true},
		{event: "UPDATE OF state", table: "command_answers"},
	}
	for i := range out {
		out[i].row = "asks for a fix that the policy forbids meanwhile"
	}
	return out
}

// branchKills are the points at which the worker of a fix run is killed that makes a branch whose commit the host refuses.
func (w *world) branchKills() []replyKill {
	gone := func() *shared.Fault {
		f := &shared.Fault{Method: http.MethodDelete, Path: `/(git/refs/heads|branches)/assay|/branches$`, Action: shared.Hold, Times: 1}
		if w.azure != nil { // a deletion is a change of references
			f.Method, f.Path, f.Body = http.MethodPost, `/refs$`, `"newObjectId":"0+"`
		}
		return f
	}
	of := "NEW.subject_kind = 'fix' AND NEW.verb = 'delete_branch'"
	out := []replyKill{
		{event: "UPDATE OF instead", table: "fix_runs"},
		{event: "INSERT", table: "jobs", condition: "NEW.kind = 'fix.clean'"},
		{event: "INSERT", table: "write_attempts", condition: of},
		{host: gone(), decision: shared.Apply},
		{host: gone(), decision: shared.Drop},
		{event: "UPDATE OF outcome", table: "write_attempts", condition: of},
		{event: "UPDATE OF branch", table: "fix_runs", condition: "NEW.branch = ''"},
	}
	for i := range out {
		out[i].row = "asks for a branch whose commit is refused"
	}
	return out
}

// killedOnce kills the worker at a point that act leads to, and starts its successor.
func (w *world) killedOnce(k replyKill, act func()) {
	w.Helper()
	stopped, after := w.stopAt(k)
	act()
	stopped()
	w.running.Signal(syscall.SIGKILL)
	w.running.Wait(patience)
	after()
	if !k.waitsForTheList {
		w.aged()
	}
	w.running = w.again()
	if k.waitsForTheList {
		const waits = `state = 'queued' AND last_error LIKE '%may not show it yet%'`
		testkit.Eventually(w.T, patience, func() (bool, string) {
			return w.count(`SELECT COUNT(*) FROM jobs WHERE `+waits) == 1, "no job waits for the host"
		})
		w.aged()
		w.exec(`UPDATE jobs SET run_us = 0 WHERE ` + waits)
	}
	w.idle()
}

// A worker that is killed at the end of a fix run without a delivery leaves one answer in the thread of the command.
func TestEndsOfFixRunsUnderKills(t *testing.T) {
	if !allFaults() {
		t.Skip("make nightly runs these kills (ASSAY_FAULTS=all)")
	}
	onReplyHosts(t, featureKills, sampleOfOne, func(_ *testing.T, w *world, _ int) {
		at := w.fixable()
		_, err := w.host.CreateUser(w.ctx, shared.UserSpec{Login: "keeper"})
		must(w.T, err)
		w.collaborator("keeper", "admin")
		for i, k := range endKills() {
			w.boss.send(http.MethodPut, at+"/policy", map[string]any{"fixes": "suggestions"})
			pull := w.open(fmt.Sprint("end-", i), buggy())
			w.idle()
			thread := threadOf(oursIn(w.written(pull.Number)))
			w.killedOnce(k, func() {
				asked := w.modelFault(hang("fix"))
				_, err := w.host.Reply(w.ctx, w.repo, pull.Number, shared.ReplySpec{Comment: thread.ID, Author: "keeper", Body: "/assay fix"})
				must(w.T, err)
				_, err = w.model.AwaitFault(w.ctx, asked, 1, 1)
				must(w.T, err)
				w.boss.send(http.MethodPut, at+"/policy", map[string]any{"fixes": "off"})
				must(w.T, w.model.ReleaseFault(w.ctx, asked, model.Answer))
			})
			answers := 0
			for _, c := range oursIn(w.written(pull.Number)) {
				if strings.Contains(c.Body, "No fix is offered. The policy of the repository does not allow this delivery any more.") {
					answers++
				}
			}
			testkit.Equal(w.T, k.String()+": answers", answers, 1)
			testkit.Equal(w.T, "fix runs", w.count(fmt.Sprintf(`SELECT COUNT(*) FROM fix_runs WHERE number = %d AND state = 'cancelled'`, pull.Number)), 1)
		}
	})
}

// threadOf returns the first comment on lines.
func threadOf(list []shared.Comment) shared.Comment {
	for _, c := range list {
		if c.Path != "" {
			return c
		}
	}
	return shared.Comment{}
}

// A worker that is killed between the branch of a fix run and its deletion leaves no branch.
func TestEmptyBranchesUnderKills(t *testing.T) {
	if !allFaults() {
		t.Skip("make nightly runs these kills (ASSAY_FAULTS=all)")
	}
	onReplyHosts(t, featureKills, sampleOfOne, func(_ *testing.T, w *world, _ int) {
		at := w.fixable()
		for i, k := range w.branchKills() {
			pull, ask := w.requestFix(at, domain.FixBranch, fmt.Sprint("empty-", i))
			refused := w.fixRequest(fixCommit)
			refused.Action, refused.Status, refused.ReplyBody = shared.Respond, http.StatusForbidden, `{"message":"403 Forbidden"}`
			refused.Times = 5
			w.fault(*refused)
			before, asked := w.fixDeleted(), ""
			w.killedOnce(k, func() { asked = ask() })
			must(w.T, w.host.ClearFaults(w.ctx))
			run := w.query(`SELECT state, instead, branch FROM fix_runs WHERE id = '` + asked + `'`)[0]
			testkit.Equal(w.T, k.String()+": state, instead, branch", strings.Join(run, "|"), "completed|no_permission|")
			testkit.Equal(w.T, "deletions", w.fixDeleted()-before, 1)
			testkit.Equal(w.T, "head", w.headOf(pull.Number), pull.HeadSHA)
		}
	})
}

func (w *world) headOf(number int) string {
	w.Helper()
	now, err := w.host.GetPull(w.ctx, w.repo, number)
	must(w.T, err)
	return now.HeadSHA
}

// fixDeleted counts the branches that the service has deleted on the host.
func (w *world) fixDeleted() (n int) {
	w.Helper()
	all, err := w.host.Writes(w.ctx, 0)
	must(w.T, err)
	for _, x := range all {
		if x.Verb == "delete" && (x.Kind == "ref" || x.Kind == "branch") {
			n++
		}
	}
	return n
}
