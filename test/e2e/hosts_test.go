package e2e

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// A bug, a clean change and a planted secret get one review each.
func TestHostsOneReviewPerPullRequest(t *testing.T) {
	onHosts(t, domain.Forgejo, func(t *testing.T, w *world) {
		bug, ok, leak := w.open("bug", buggy()), w.open("ok", clean()), w.open("leak", leaky())
		got := w.reviewed(bug.Number, 1)[0]
		if len(got.Comments) != 1 || got.Comments[0].Path != "price/mean.go" || got.Comments[0].Line != 5 || !strings.Contains(got.Comments[0].Body, bugTitle) {
			t.Fatalf("comments of the bug: %+v", got.Comments)
		}
		got = w.reviewed(ok.Number, 1)[0]
		if len(got.Comments) != 0 || !strings.Contains(got.Body, "nothing found") {
			t.Errorf("the clean change got: %q with %d comments", got.Body, len(got.Comments))
		}
		got = w.reviewed(leak.Number, 1)[0]
		if len(got.Comments) != 1 || got.Comments[0].Path != "config/keys.go" {
			t.Errorf("comments of the secret: %+v", got.Comments)
		}
		w.verify()
		if state, says := w.status(ok.HeadSHA); state != "success" {
			t.Errorf("status of the clean change: %s %q", state, says)
		}
		if state, says := w.status(leak.HeadSHA); state != "failure" {
			t.Errorf("status of the secret: %s %q", state, says)
		}
		w.noSecret()
		w.verifyFrugal(3)
	})
}

// The worker is killed while the host holds a create that it then applies: the successor finds the
// review.
func TestHostsKilledAtCreateApplied(t *testing.T) {
	onHosts(t, domain.Gitea, func(_ *testing.T, w *world) { w.killedAt(createPath, shared.Apply) })
}

// Between the webhook and the publication a repository is renamed and made private, transferred to
// another owner, or deleted. The first changes nothing, and the others end the run without an error.
func TestHostsRepositoryChanges(t *testing.T) { onHosts(t, domain.Forgejo, repositoryChanges) }

func repositoryChanges(t *testing.T, w *world) {
	private := true
	for i, c := range []struct {
		name   string
		change repoChange
		state  string
	}{
		{"renamed", repoChange{Name: "renamed-now", Private: &private}, "completed"},
		{"moved", repoChange{Owner: "elsewhere"}, "cancelled"},
		{"deleted", repoChange{Delete: true}, "cancelled"},
	} {
		w.repo = "acme/" + c.name
		_, err := w.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "acme", Name: c.name, Files: baseFiles(), Public: true, Collaborators: map[string]string{"dev": "write"}})
		must(t, err)
		w.boss.as.Send(http.MethodPost, w.at()+"/sync", nil, http.StatusAccepted, nil)
		w.synced()
		held := w.modelFault(hang("generate"))
		pr := w.open("bug", buggy())
		_, err = w.model.AwaitFault(w.ctx, held, 1, 1)
		must(t, err)
		w.change(c.change)
		must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
		if c.change.Name != "" {
			w.repo = "acme/" + c.change.Name
		}
		testkit.Eventually(t, patience, func() (bool, string) {
			runs := w.query(`SELECT r.state, r.reason FROM review_runs r ORDER BY r.created_us, r.id`)
			return len(runs) == i+1 && runs[i][0] == c.state, fmt.Sprintf("%s: the runs are %v, want the last %s", c.name, runs, c.state)
		})
		if c.state == "completed" {
			w.told(pr.Number, 1)
			testkit.Equal(t, "reviews of the renamed repository", len(w.marks(pr.Number)), 1)
		}
	}
	w.quiet()
}

// TestHostsScenarios runs the additional scenarios of make hosts: those of
// docs/reliability/other-hosts.md that involve a host.
func TestHostsScenarios(t *testing.T) {
	if !allHosts() {
		t.Skip("make hosts runs these scenarios (ASSAY_HOSTS=all)")
	}
	t.Parallel()
	for name, scenario := range map[string]func(t *testing.T, w *world){
		"killed during generation":           killedDuringGeneration,
		"killed at create, dropped":          killedAtCreateDropped,
		"killed while it compares":           killedWhileItCompares,
		"a review applied late":              reviewAppliedLate,
		"dead before the answer":             deadAtCreate,
		"applied, then an error":             appliedThenServerError,
		"push during a run":                  pushDuringRun,
		"second push":                        secondPushOnHosts,
		"replayed and stormed":               replayed,
		"commands":                           commandsOnHosts,
		"approved by its status":             approvedByStatus,
		"pushed without a branch":            pushedWithoutABranch,
		"a webhook that was lost":            lostWebhook,
		"a draft of a person with the token": foreignDraft,
		"the connection is deleted":          deletedConnection,
		"the connection is switched off":     switchedOff,
		"the token is taken back":            tokenTakenBack,
		"a large pull request":               largePull,
	} {
		t.Run(name, func(t *testing.T) { onHosts(t, domain.Gitea, scenario) })
	}
}

// secondPushOnHosts is secondPushResolves for hosts that show an edited summary only on the page: the
// comment of a fixed finding says so.
func secondPushOnHosts(t *testing.T, w *world) {
	pr := w.open("bug", buggy())
	w.reviewed(pr.Number, 1)
	w.quiet()
	w.push("bug", fixed())
	got := w.reviewed(pr.Number, 2)
	w.verify()
	if len(got[1].Comments) != 0 || !strings.Contains(got[1].Body, "1 of 1") {
		t.Errorf("the second review: %q, %+v", got[1].Body, got[1].Comments)
	}
	after, err := w.host.Reviews(w.ctx, w.repo, pr.Number)
	must(t, err)
	closes := strings.Contains(w.hooks, domain.Gitea.PathWord()) // Forgejo's interface cannot close threads
	if comments := after[0].Comments; len(comments) != 1 || !strings.Contains(comments[0].Body, "Resolved") || comments[0].Resolved != closes {
		t.Errorf("the comment of the resolved finding: %+v", comments)
	}
	shown, err := w.gitea.Shown(w.ctx, w.repo, pr.Number, account)
	must(t, err)
	if len(shown) != 2 || shown[0] == got[0].Body || !strings.Contains(shown[0], "nothing found") {
		t.Errorf("the page has %q, want the first summary edited in place", shown)
	}
}

// The host repeats a delivery with a new id, and the same one arrives 20 times.
func replayed(t *testing.T, w *world) {
	pr := w.open("bug", buggy())
	w.reviewed(pr.Number, 1)
	w.quiet()
	d := w.delivery("pull_request", "opened")
	must(t, w.gitea.Replay(w.ctx, d.ID))
	for range 20 {
		if code := w.post(w.port, d); code != http.StatusAccepted {
			t.Errorf("a copy was answered %d", code)
		}
	}
	w.verify()
	if n := w.count(`SELECT COUNT(*) FROM review_runs`); n != 1 {
		t.Errorf("%d runs, want 1", n)
	}
	forged := d
	forged.Payload = strings.Replace(d.Payload, "acme", "evil", 1)
	if code := w.post(w.port, forged); code != http.StatusUnauthorized {
		t.Errorf("a body that was changed was answered %d", code)
	}
	w.hooks += "x"
	if code := w.post(w.port, d); code != http.StatusUnauthorized {
		t.Errorf("an unknown connection was answered %d", code)
	}
}

// People with write access are answered, strangers are not, and a command starts a review.
func commandsOnHosts(t *testing.T, w *world) {
	for login, right := range map[string]string{"writer": "write", "reader": "read"} {
		_, err := w.host.CreateUser(w.ctx, shared.UserSpec{Login: login})
		must(t, err)
		w.change(repoChange{Collaborators: map[string]string{login: right}})
	}
	pr := w.open("ok", clean())
	w.told(pr.Number, 1)
	w.say(pr.Number, "reader", "/assay help")
	w.say(pr.Number, "writer", "/assay help")
	w.answered(pr.Number, "Commands stand alone on the first line of a comment:")
	w.say(pr.Number, "writer", "/assay review\nonce more")
	w.told(pr.Number, 2)
	w.checked(pr.Number)
	testkit.Equal(t, "answers", w.count(`SELECT COUNT(*) FROM command_answers`), 1)
}

// A person who sees only the page of the host approves a review with the command in its status.
func approvedByStatus(t *testing.T, w *world) {
	_, err := w.host.CreateUser(w.ctx, shared.UserSpec{Login: "writer"})
	must(t, err)
	w.change(repoChange{Collaborators: map[string]string{"writer": "write"}})
	pr, _ := w.waits(w.approvals())
	command := ""
	testkit.Eventually(t, patience, func() (bool, string) {
		all, err := w.gitea.Statuses(w.ctx, w.repo)
		says := ""
		for _, s := range all {
			if s.SHA == pr.HeadSHA && s.State == "pending" {
				says = s.Description
			}
		}
		command = regexp.MustCompile(`/assay approve [0-9a-f]{12}`).FindString(says)
		return command != "", fmt.Sprintf("the status says %q (%v)", says, err)
	})
	w.say(pr.Number, "writer", command)
	w.told(pr.Number, 1)
	w.checked(pr.Number)
}

// A change that was pushed to refs/for/… is reviewed like any other. One by a person with write access
// is not from outside, one by a reader is. A further push to it is reviewed, too.
func pushedWithoutABranch(t *testing.T, w *world) {
	w.change(repoChange{Collaborators: map[string]string{"elsewhere": "read"}})
	boss, path := w.approvals()
	boss.send("PUT", strings.TrimSuffix(path, "/approvals")+"/policy", map[string]any{"outsideContributors": "onRequest"})
	push := func(branch, author string) shared.Pull {
		_, err := w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: branch, From: "main", Files: buggy(), Message: "change " + branch})
		must(t, err)
		pr, err := w.host.OpenPull(w.ctx, w.repo, shared.PullSpec{Title: "Change " + branch, Head: branch, Author: author, Branchless: true})
		must(t, err)
		return pr
	}
	inside, outside := push("bug", "dev"), push("stranger", "elsewhere")
	w.told(inside.Number, 1)
	if reason := w.state(outside.Number, "skipped"); !strings.Contains(reason, "outside") {
		t.Errorf("the change of a reader was skipped because %q", reason)
	}
	w.push("bug", fixed())
	w.told(inside.Number, 2)
	w.checked(inside.Number)
}

// A webhook is lost: the sweep finds the head.
func lostWebhook(t *testing.T, w *world) {
	_, err := w.host.SetDeliveryFault(w.ctx, shared.DeliveryFault{Action: shared.DropDelivery, Times: -1})
	must(t, err)
	pr := w.open("bug", buggy())
	w.exec(`UPDATE repositories SET swept_us = 0`) // makes it due in the next round instead of within five minutes
	w.told(pr.Number, 1)
	w.checked(pr.Number)
}

// A person who uses the service's account writes a draft: it is not touched, and nothing is published
// over it.
func foreignDraft(t *testing.T, w *world) {
	held := w.modelFault(hang("generate"))
	pr := w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	const said = "What I was about to say."
	_, err = w.gitea.Review(w.ctx, w.repo, pr.Number, simapi.ReviewSpec{Author: account, State: "PENDING", Comments: []simapi.InlineSpec{{Path: "price/mean.go", NewLine: 3, Body: said}}})
	must(t, err)
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	reason := w.state(pr.Number, "failed")
	all, err := w.host.Reviews(w.ctx, w.repo, pr.Number)
	must(t, err)
	if len(all) != 1 || all[0].State != "PENDING" || len(all[0].Comments) != 1 || all[0].Comments[0].Body != said {
		t.Errorf("the reviews are %+v (the run: %s)", all, reason)
	}
}

// Deleting the connection stops its runs, ends their commit statuses, and removes our webhook from the
// host.
func deletedConnection(t *testing.T, w *world) {
	held := w.modelFault(hang("generate"))
	pr := w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	w.pending(pr.HeadSHA)
	w.boss.as.Send(http.MethodDelete, w.at(), nil, http.StatusNoContent, nil)
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	if reason := w.state(pr.Number, "cancelled"); !strings.Contains(reason, "connection") {
		t.Errorf("the run ended because %q", reason)
	}
	testkit.Eventually(t, patience, func() (bool, string) {
		hooks, err := w.gitea.Hooks(w.ctx)
		return err == nil && len(hooks) == 0, fmt.Sprintf("the webhooks are %+v (%v)", hooks, err)
	})
	w.quiet()
	w.status(pr.HeadSHA) // not pending forever, because that could block a merge
	if n := w.count(`SELECT COUNT(*) FROM hook_removals`); n != 0 {
		t.Errorf("%d copies of the token are kept", n)
	}
	if got := w.oursOn(pr.Number); len(got) != 0 {
		t.Errorf("%d reviews were published", len(got))
	}
}

// Switching a connection off ends its runs with their commit statuses, and its deliveries are refused.
func switchedOff(t *testing.T, w *world) {
	held := w.modelFault(hang("generate"))
	pr := w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	d := w.delivery("pull_request", "opened")
	w.pending(pr.HeadSHA)
	w.boss.as.Send(http.MethodPatch, w.at(), map[string]bool{"enabled": false}, http.StatusOK, nil)
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	w.state(pr.Number, "cancelled")
	w.status(pr.HeadSHA)
	testkit.Eventually(t, patience, func() (bool, string) {
		code := w.post(w.port, d)
		return code == http.StatusUnauthorized, fmt.Sprintf("a delivery is answered %d", code)
	})
	if got := w.oursOn(pr.Number); len(got) != 0 {
		t.Errorf("%d reviews were published", len(got))
	}
}

// The host refuses the token: the connection shows this without being asked, and with a new token
// reviews continue.
func tokenTakenBack(t *testing.T, w *world) {
	must(t, w.gitea.RevokeToken(w.ctx, w.tokenID))
	meanwhile := w.open("bug", buggy())
	var got site.Connection
	testkit.Eventually(t, patience, func() (bool, string) {
		got = w.synced()
		return got.State == "error", fmt.Sprintf("the connection is %+v", got)
	})
	if !strings.Contains(got.Message, "refuses the token") {
		t.Errorf("it says %q", got.Message)
	}
	token, err := w.gitea.NewToken(w.ctx, account, simapi.TokenSpec{Name: "next", Scopes: scopes()})
	must(t, err)
	w.boss.as.Send(http.MethodPatch, w.at(), map[string]string{"token": token.Text}, http.StatusOK, nil)
	w.synced()
	pr := w.open("leak", leaky())
	w.reviewed(pr.Number, 1)
	w.reviewed(meanwhile.Number, 1)
}

// 300 files with 3,000 changed lines, and the maximum number of comments: of 65 secrets, 30 get
// comments on their lines, and the summary counts the others.
func largePull(t *testing.T, w *world) {
	const comments = 30
	change, secrets := largeChange()
	pr := w.open("large", change)
	got := w.reviewed(pr.Number, 1)[0]
	w.verify()
	if len(got.Comments) != comments || !strings.Contains(got.Body, fmt.Sprint(secrets)) {
		t.Errorf("%d comments, want %d: %s", len(got.Comments), comments, got.Body)
	}
}

// largeChange adds 300 files. 65 of them hold a secret.
func largeChange() (change map[string]string, secrets int) {
	const files = 300
	change, secrets = map[string]string{}, 65
	for i := range files {
		key := ""
		if i < secrets { // assembled here, so that the secret is not in the source
			key = fmt.Sprintf("AKIA"+"Z7QK"+"4MX2"+"WT%c%c"+"N6RB", 'A'+i%26, 'A'+i/26)
		}
		change[fmt.Sprintf("price/large%03d.go", i)] = fmt.Sprintf("package price\n\n// Large%d is one of many.\nfunc Large%d(prices []int) (int, string) {\n\ta := len(prices)\n\tb := a + %d\n\tc := b + a\n\tconst key = %q\n\treturn c, key\n}\n", i, i, i, key)
	}
	return change, secrets
}
