package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// onAzure runs a scenario with a simulated Azure DevOps. The service runs, and a connection of the tenant to the organisation acme has
// registered its service hooks.
func onAzure(t *testing.T, scenario func(t *testing.T, w *world)) {
	t.Helper()
	in(t, featureKills, func(t *testing.T, s storage) *world { return azureWorld(t, s) }, scenario)
}

func azureWorld(t *testing.T, s storage, doubts ...simapi.Doubt) *world {
	t.Helper()
	w := unconnected(t, s, site.Options{Owner: "acme", Kind: domain.AzureDevOps})
	must(t, w.azure.Configure(w.ctx, simapi.Settings{Doubts: switched(doubts)}))
	w.connect(domain.AzureDevOps)
	return w
}

// threadsOf returns the threads of the service on a pull request that people see, in the order in which they became visible.
func (w *world) threadsOf(number int) (out []simapi.Thread) {
	w.Helper()
	all, err := w.azure.Threads(w.ctx, w.repo, number)
	must(w.T, err)
	for _, x := range all {
		if len(x.Comments) > 0 && x.Comments[0].User == account {
			out = append(out, x)
		}
	}
	return out
}

// concluded waits until a pull request has n summaries of the service, and returns its threads.
func (w *world) concluded(number, n int) (out []simapi.Thread) {
	w.Helper()
	testkit.Eventually(w.T, 2*patience, func() (bool, string) {
		out = w.threadsOf(number)
		summaries := 0
		for _, x := range out {
			if x.Comments[0].Path == "" && strings.Contains(x.Properties["Assay.Mark"], "assay:pub=") {
				summaries++
			}
		}
		return summaries >= n, fmt.Sprintf("%d summaries on %d, want %d", summaries, number, n)
	})
	return out
}

// singly checks that no finding and no publication is visible twice, and that no delivery is lost.
func (w *world) singly(number int) {
	w.Helper()
	w.quiet()
	if n := w.count(`SELECT COUNT(*) FROM webhook_deliveries WHERE disposition IS NULL OR disposition = 'failed'`); n != 0 {
		w.Errorf("%d deliveries are lost or failed: %v", n, w.query(`SELECT event, action, disposition, reason FROM webhook_deliveries`))
	}
	seen := map[string]bool{}
	for _, x := range w.threadsOf(number) {
		key := x.Properties["Assay.Mark"]
		if key == "" || seen[key] {
			w.Errorf("thread %d has the mark %q, which is empty or visible twice", x.ID, key)
		}
		seen[key] = true
	}
}

// A bug, a clean change and a secret get one review each, with comments on their lines and the summary last, and a status of the pull request.
func TestAzureReviews(t *testing.T) {
	onAzure(t, func(t *testing.T, w *world) {
		bug, ok, leak := w.open("bug", buggy()), w.open("ok", clean()), w.open("leak", leaky())
		got := w.concluded(bug.Number, 1)
		if len(got) != 2 || got[0].Comments[0].Path != "price/mean.go" || got[0].Comments[0].Line != 5 || got[0].Status != "active" ||
			!strings.Contains(got[0].Comments[0].Body, bugTitle) || got[1].Comments[0].Path != "" || got[1].Status != "" {
			t.Errorf("threads of the bug: %+v", got)
		}
		if got := w.concluded(ok.Number, 1); len(got) != 1 || !strings.Contains(got[0].Comments[0].Body, "nothing found") {
			t.Errorf("the clean change got %+v", got)
		}
		if got := w.concluded(leak.Number, 1); len(got) != 2 || got[0].Comments[0].Path != "config/keys.go" {
			t.Errorf("threads of the secret: %+v", got)
		}
		for _, p := range []shared.Pull{bug, ok, leak} {
			w.singly(p.Number)
		}
		want := map[int]string{bug.Number: "succeeded", ok.Number: "succeeded", leak.Number: "failed"}
		testkit.Eventually(t, patience, func() (bool, string) {
			all, err := w.azure.Statuses(w.ctx, w.repo)
			state := map[int]string{}
			for _, s := range all {
				if s.Genre == "assay" {
					state[s.Number] = s.State
				}
			}
			return err == nil && maps.Equal(state, want), fmt.Sprintf("statuses %v, want %v (%v)", state, want, err)
		})
		w.noSecretStored()
		if key := strings.Split(leaky()["config/keys.go"], `"`)[1]; strings.Contains(fmt.Sprint(w.threadsOf(leak.Number)), key) {
			t.Error("the secret was written to the host")
		}
	})
}

// A push resolves the thread of a fixed defect, and a defect that comes back has a thread again.
func pushesOnAzure(t *testing.T, w *world) {
	bug := w.open("bug", buggy())
	w.concluded(bug.Number, 1)
	w.push("bug", fixed())
	w.concluded(bug.Number, 2)
	w.singly(bug.Number)
	if got := w.threadsOf(bug.Number); len(got) != 3 || got[0].Status != "fixed" || !strings.Contains(got[0].Comments[0].Body, "Resolved") {
		t.Errorf("after the fix: %+v", got)
	}
	if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != 2 {
		t.Errorf("%d runs, want 2", n)
	}
}

// The worker is killed while the host holds a write, which the host then applies or drops.
func (w *world) killedOnAzure(path, body, decision string) {
	w.Helper()
	p := w.worked()
	id := w.fault(shared.Fault{Method: "POST", Path: path, Body: body, Action: shared.Hold, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(w.T, err)
	p.Signal(syscall.SIGKILL)
	must(w.T, w.host.Release(w.ctx, id, decision))
	w.again()
	w.concluded(pr.Number, 1)
	w.singly(pr.Number)
	if got := w.threadsOf(pr.Number); len(got) != 2 {
		w.Errorf("%d threads, want the finding and the summary: %+v", len(got), got)
	}
}

const threadPath = `/threads$`

func TestAzureKilledAtCreateApplied(t *testing.T) {
	onAzure(t, func(_ *testing.T, w *world) { w.killedOnAzure(threadPath, "", shared.Apply) })
}

// TestHostsAzure runs the additional scenarios of make hosts.
func TestHostsAzure(t *testing.T) {
	if !allHosts() {
		t.Skip("make hosts runs these scenarios (ASSAY_HOSTS=all)")
	}
	t.Parallel()
	for name, scenario := range map[string]func(t *testing.T, w *world){
		"pushes":                       pushesOnAzure,
		"killed at a comment, dropped": func(_ *testing.T, w *world) { w.killedOnAzure(threadPath, "", shared.Drop) },
		"killed at the summary":        func(_ *testing.T, w *world) { w.killedOnAzure(threadPath, "assay:pub=", shared.Apply) },
		"visible, then an error":       func(_ *testing.T, w *world) { w.doubtfulOnAzure(shared.ApplyThenStatus) },
		"visible, then nothing":        func(_ *testing.T, w *world) { w.doubtfulOnAzure(shared.ApplyThenReset) },
		"a command in a thread":        commandOnAzure,
		"a forced push":                forcedPushOnAzure,
		"closed, reopened and merged":  closedAndReopenedOnAzure,
		"a vote":                       voteOnAzure,
		"service hooks switched off":   hooksOffOnAzure,
		"renamed":                      renamedOnAzure,
		"hooks without details":        withoutDetailsOnAzure,
		"commands":                     commandsOnHosts,
		"late edits":                   lateEdits,
	} {
		t.Run(name, func(t *testing.T) { onAzure(t, scenario) })
	}
}

// doubtfulOnAzure makes the host apply a comment and lose its answer.
func (w *world) doubtfulOnAzure(action string) {
	w.Helper()
	w.fault(shared.Fault{Method: "POST", Path: threadPath, Action: action, Status: 500, Times: 1})
	pr := w.open("bug", buggy())
	w.concluded(pr.Number, 1)
	w.singly(pr.Number)
	if got := w.threadsOf(pr.Number); len(got) != 2 {
		w.Errorf("%d threads, want the finding and the summary: %+v", len(got), got)
	}
}

// A command on a line is answered in its thread.
func commandOnAzure(t *testing.T, w *world) {
	pr := w.open("bug", buggy())
	w.concluded(pr.Number, 1)
	said, err := w.azure.Thread(w.ctx, w.repo, pr.Number, simapi.ThreadSpec{Author: "dev", Path: "price/mean.go", Line: 3, Body: "/assay help"})
	must(t, err)
	testkit.Eventually(t, patience, func() (bool, string) {
		all, err := w.azure.Threads(w.ctx, w.repo, pr.Number)
		for _, x := range all {
			if len(x.Comments) == 2 && x.Comments[0].ID == said.ID && x.Comments[1].User == account && strings.HasPrefix(x.Comments[1].Body, "Commands stand alone") {
				return true, ""
			}
		}
		return false, fmt.Sprintf("the threads are %+v (%v)", all, err)
	})
	w.quiet()
	testkit.Equal(t, "answers", w.count(`SELECT COUNT(*) FROM command_answers`), 1)
}

// A branch whose history is replaced has its new head reviewed.
func forcedPushOnAzure(t *testing.T, w *world) {
	pr := w.open("topic", clean())
	w.concluded(pr.Number, 1)
	w.quiet()
	_, err := w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: "topic", From: "main", Files: buggy(), Message: "from the start"})
	must(t, err)
	got := w.concluded(pr.Number, 2)
	w.singly(pr.Number)
	if len(got) != 3 || got[1].Comments[0].Line != 5 {
		t.Errorf("threads: %+v", got)
	}
}

// Abandoning a pull request ends its run, reactivating it starts a review, and completing it starts nothing.
func closedAndReopenedOnAzure(t *testing.T, w *world) {
	held := w.modelFault(hang("generate"))
	pr := w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	w.update(pr.Number, shared.PullUpdate{State: "closed"})
	w.state(pr.Number, "cancelled")
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	w.quiet()
	w.update(pr.Number, shared.PullUpdate{State: "open"})
	w.concluded(pr.Number, 1)
	w.singly(pr.Number)
	w.update(pr.Number, shared.PullUpdate{State: "merged"})
	w.quiet()
	if got := fmt.Sprint(w.runs(pr.Number)); got != "[cancelled completed]" {
		t.Errorf("the runs are %s", got)
	}
	if state := w.query(`SELECT state FROM pull_requests`); len(state) != 1 || state[0][0] != "merged" {
		t.Errorf("the pull request is %v", state)
	}
}

// A person's vote starts nothing and approves nothing of ours.
func voteOnAzure(t *testing.T, w *world) {
	pr := w.open("ok", clean())
	w.concluded(pr.Number, 1)
	must(t, w.azure.Vote(w.ctx, w.repo, pr.Number, simapi.Vote{Actor: "dev", Vote: 10}))
	w.quiet()
	w.singly(pr.Number)
	testkit.Equal(t, "runs", w.count(`SELECT COUNT(*) FROM review_runs`), 1)
}

// A synchronisation switches subscriptions on again that the host has put on probation.
func hooksOffOnAzure(t *testing.T, w *world) {
	all, err := w.azure.Subscriptions(w.ctx)
	must(t, err)
	for _, s := range all {
		must(t, w.azure.ChangeSubscription(w.ctx, s.ID, simapi.SubscriptionChange{Status: "onProbation"}))
	}
	w.boss.as.Send(http.MethodPost, w.at()+"/sync", nil, http.StatusAccepted, nil)
	w.synced()
	pr := w.open("bug", buggy())
	w.concluded(pr.Number, 1)
	w.singly(pr.Number)
}

// A repository that gets another name during a run is reviewed under it.
func renamedOnAzure(t *testing.T, w *world) {
	held := w.modelFault(hang("generate"))
	pr := w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	must(t, w.azure.ChangeRepo(w.ctx, w.repo, simapi.RepoChange{Name: "shop 2"}))
	w.repo = "acme/shop 2"
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	w.concluded(pr.Number, 1)
	w.singly(pr.Number)
}

// Deliveries without details do nothing, and the search for heads finds the pull request.
func withoutDetailsOnAzure(t *testing.T, w *world) {
	must(t, w.azure.Configure(w.ctx, simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.NoDetails: true}}))
	pr := w.open("bug", buggy())
	w.exec(`UPDATE repositories SET swept_us = 0`) // makes it due in the next round instead of within five minutes
	w.concluded(pr.Number, 1)
}
