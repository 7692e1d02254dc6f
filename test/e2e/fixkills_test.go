package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/sim/model"
)

// The writes of fix runs to a host.
const (
	fixBranch  = "branch"
	fixCommit  = "commit"
	fixPull    = "pull"
	fixComment = "comment"
)

// fixWrites has the writes of each delivery. The first one is the sample. It is not a comment that follows a push, because a review of
// that push could be killed, too, and would wait for its check run.
var fixWrites = map[domain.FixDelivery][]string{
	domain.FixSuggestions: {fixComment},
	domain.FixCommit:      {fixCommit, fixComment},
	domain.FixBranch:      {fixPull, fixBranch, fixCommit, fixComment},
}

// fixRequest returns the request of a write.
func (w *world) fixRequest(write string) *shared.Fault {
	f := &shared.Fault{Method: http.MethodPost, Action: shared.Hold, Times: 1}
	switch {
	case write == fixComment:
		f.Body = `assay:ans=`
	case write == fixPull:
		f.Path = `/(pulls|merge_requests|pullrequests|pull-requests)$`
	case write == fixBranch:
		f.Path = `/(git/refs|branches|refs)$`
	case w.gh != nil:
		f.Method, f.Path = http.MethodPatch, `/git/refs/heads/`
	default:
		f.Path = `/(repository/commits|contents|src|pushes|git-receive-pack)$`
	}
	return f
}

// fixKills returns the points at which the worker of a fix run is killed: before and after the host applies each write, before the intent
// and after the answer of each, and while the model is asked. The first one is the sample.
func (w *world) fixKills(d domain.FixDelivery) (out []replyKill) {
	verbs := map[string]string{fixBranch: "create_branch", fixCommit: "commit", fixPull: "open_pull", fixComment: "reply"}
	for _, write := range fixWrites[d] {
		out = append(out,
			replyKill{host: w.fixRequest(write), decision: shared.Apply},
			replyKill{host: w.fixRequest(write), decision: shared.Drop, waitsForTheList: true})
		of := "NEW.subject_kind = 'fix' AND NEW.verb = '" + verbs[write] + "'"
		out = append(out, replyKill{event: "INSERT", table: "write_attempts", condition: of},
			replyKill{event: "UPDATE OF outcome", table: "write_attempts", condition: of})
	}
	for _, column := range []string{"result", "state"} {
		out = append(out, replyKill{event: "UPDATE OF " + column, table: "fix_runs"})
	}
	for _, stage := range []string{"fix", "fix-verify", "fix-look"} {
		out = append(out, replyKill{stage: stage})
	}
	for i := range out {
		out[i].row = fmt.Sprintf("requests fixes as %s (%d)", d, i)
	}
	return out
}

// fixRules are the answers of a model that mends the planted bug.
func fixRules() []model.Rule {
	const mended = "return Sum(prices) / max(len(prices), 1)"
	rule := func(stage string, answer any) model.Rule {
		raw, err := json.Marshal(answer)
		if err != nil {
			panic(err)
		}
		return model.Rule{Name: stage, Match: model.Match{Stage: stage}, Reply: model.Reply{JSON: raw}}
	}
	return append([]model.Rule{
		rule("fix", map[string]any{"summary": "Divides by 1 at least. Closes #1, @dev [skip ci]", "edits": []any{
			map[string]string{"path": "price/mean.go", "search": "return Sum(prices) / len(prices)", "replace": mended}}}),
		rule("fix-verify", map[string]string{"verdict": "refuted", "quote": mended, "why": "The divisor is never 0."}),
		rule("fix-look", map[string]any{"problems": []any{}}),
	}, plantedRules()...)
}

// fixable prepares the world for fix runs and returns the path of its repository.
func (w *world) fixable() string {
	w.Helper()
	w.lasts(time.Hour)
	must(w.T, w.model.SetRules(w.ctx, fixRules()))
	if w.boss == nil {
		w.boss = w.admin()
	}
	at := "/api/tenants/" + w.boss.tenant() + "/repositories/" + w.repository()
	if w.gh != nil { // the permission is optional
		id, err := strconv.ParseInt(w.query(`SELECT external_id FROM installations`)[0][0], 10, 64)
		must(w.T, err)
		granted := simapi.DefaultPermissions()
		granted["contents"] = "write"
		must(w.T, w.gh.UpdateApp(w.ctx, w.app.ID, simapi.AppUpdate{Permissions: granted}))
		must(w.T, w.gh.UpdateInstallation(w.ctx, id, simapi.InstallationUpdate{Permissions: granted}))
	}
	w.boss.send(http.MethodPut, at+"/policy", map[string]any{"fixes": "commit"})
	return at
}

// requestFix opens a pull request with one finding, and requests its fix when nothing else is under way.
func (w *world) requestFix(at string, d domain.FixDelivery, branch string) (pull shared.Pull, ask func() string) {
	w.Helper()
	pull = w.open(branch, buggy())
	w.idle()
	rows := w.query(fmt.Sprintf(`SELECT r.id, f.id FROM review_runs r JOIN findings f ON f.pull_request_id = r.pull_request_id WHERE r.number = %d`, pull.Number))
	testkit.Require(w.T, "findings", len(rows), 1)
	return pull, func() string {
		w.Helper()
		var made struct{ ID string }
		w.boss.as.Send(http.MethodPost, at+"/review-runs/"+rows[0][0]+"/fixes", map[string]any{"findingIds": []string{rows[0][1]}, "delivery": d}, http.StatusAccepted, &made)
		return made.ID
	}
}

// fixWritten counts the branches, commits and pull requests that the service has made on the host.
func (w *world) fixWritten() map[string]int {
	w.Helper()
	all, err := w.host.Writes(w.ctx, 0)
	must(w.T, err)
	out := map[string]int{}
	for _, x := range all {
		switch x.Kind + " " + x.Verb {
		case "ref create", "branch create":
			out[fixBranch]++
		case "ref update", "commit create", "push create":
			out[fixCommit]++
		case "pull create", "pull_request create":
			out[fixPull]++
		}
	}
	return out
}

// killedDuringFix kills the worker at a point of a fix run, and checks that its successor delivers once.
func (w *world) killedDuringFix(at string, d domain.FixDelivery, k replyKill, n int) {
	w.Helper()
	pull, ask := w.requestFix(at, d, fmt.Sprintf("bug-%s-%d", d, n))
	before := w.fixWritten()
	stopped, after := w.stopAt(k)
	id := ask()
	stopped()
	w.running.Signal(syscall.SIGKILL)
	w.running.Wait(patience)
	after()
	if !k.waitsForTheList {
		w.aged() // also of a review that the worker made meanwhile
	}
	w.running = w.again()
	if k.waitsForTheList {
		const waits = `state = 'queued' AND last_error LIKE '%may not show it yet%'`
		testkit.Eventually(w.T, patience, func() (bool, string) {
			return w.count(`SELECT COUNT(*) FROM jobs WHERE kind = 'fix.run' AND `+waits) == 1, "no job waits for the host"
		})
		w.aged()
		w.exec(`UPDATE jobs SET run_us = 0 WHERE ` + waits)
	}
	w.idle()
	failed := w.Failed()
	w.checkFix(id, pull, d, before)
	if calls := w.count(`SELECT COUNT(*) FROM llm_calls WHERE run_kind = 'fix' AND run_id = '` + id + `'`); k.stage == "" && calls != 3 {
		w.Errorf("%d calls of models, want 3", calls)
	}
	if w.Failed() && !failed {
		w.Errorf("the worker was killed at %s", k)
	}
}

// checkFix checks what a fix run has left at the host and in the store.
func (w *world) checkFix(id string, pull shared.Pull, d domain.FixDelivery, before map[string]int) {
	w.Helper()
	run := w.query(`SELECT state, reason, instead, commit_sha, branch FROM fix_runs WHERE id = '` + id + `'`)[0]
	testkit.Equal(w.T, "state, reason, instead", strings.Join(run[:3], "|"), "completed||")
	after := w.fixWritten()
	for _, write := range []string{fixBranch, fixCommit, fixPull} {
		want := 0
		if slices.Contains(fixWrites[d], write) {
			want = 1
		}
		testkit.Equal(w.T, write, after[write]-before[write], want)
	}
	comments := 0
	for _, c := range oursIn(w.written(pull.Number)) {
		if strings.Contains(c.Body, "assay:ans=") {
			comments++
		}
		for _, words := range []string{"Closes #1", "@dev", "[skip ci]"} {
			if strings.Contains(c.Body, words) {
				w.Errorf("a comment has %q: %s", words, c.Body)
			}
		}
	}
	testkit.Equal(w.T, "comments about the fix", comments, 1)
	now, err := w.host.GetPull(w.ctx, w.repo, pull.Number)
	must(w.T, err)
	if d == domain.FixCommit {
		testkit.Equal(w.T, "head", now.HeadSHA, run[3])
	} else {
		testkit.Equal(w.T, "head", now.HeadSHA, pull.HeadSHA)
	}
	for _, c := range []struct {
		what, where string
		want        int64
	}{
		{"fix runs", `fix_runs WHERE number = ` + fmt.Sprint(pull.Number), 1},
		{"reviews of the head", fmt.Sprintf(`review_runs WHERE number = %d AND state = 'completed' AND head_sha = '%s'`, pull.Number, now.HeadSHA), 1},
		{"events", `events WHERE kind = 'fix.completed' AND subject_id = '` + id + `'`, 1},
		{"entries of the audit log", `audit_entries WHERE action = 'fix-run.create' AND target_id = '` + id + `'`, 1},
		{"stored stages", `fix_run_stages`, 0},
		{"jobs that were given up", `jobs WHERE state = 'dead'`, 0},
	} {
		if n := w.count(`SELECT COUNT(*) FROM ` + c.where); int64(n) != c.want {
			w.Errorf("%s: %d, want %d", c.what, n, c.want)
		}
	}
}

// A worker that is killed at any write of a fix run, to the host or in the store, leads to one branch, one commit, one pull request and
// one comment. Each host has one delivery in make test.
func TestFixRunsUnderKills(t *testing.T) {
	deliveries := []domain.FixDelivery{domain.FixSuggestions, domain.FixCommit, domain.FixBranch}
	onReplyHosts(t, featureKills, len(deliveries), func(_ *testing.T, w *world, host int) {
		at := w.fixable()
		for i, d := range deliveries {
			if i != host && !allHosts() {
				continue
			}
			kills := w.fixKills(d)
			if !allFaults() {
				kills = kills[:1]
			}
			for n, k := range kills {
				w.killedDuringFix(at, d, k, n)
			}
		}
	})
}
