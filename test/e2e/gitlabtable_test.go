package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
	"github.com/assay-dev/assay/test/site"
)

// held opens a merge request whose review waits for the model; the second answer lets it go on.
func (w *world) held() (pr shared.Pull, goOn func()) {
	w.Helper()
	held := w.modelFault(hang("generate"))
	pr = w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(w.T, err)
	return pr, func() { must(w.T, w.model.ReleaseFault(w.ctx, held, "answer")) }
}

// A planted secret gets a comment on its line and a failed status, and its text appears nowhere.
func secretOnGitLab(t *testing.T, w *world) {
	pr := w.open("leak", leaky())
	got := inline(w.said(pr.Number, 1))
	w.whole(pr.Number)
	if len(got) != 1 || got[0].Path != "config/keys.go" {
		t.Errorf("comments: %+v", got)
	}
	if state, says := w.gitlabStatus(pr.HeadSHA); state != "failed" {
		t.Errorf("status: %s %q", state, says)
	}
	key := strings.Split(leaky()["config/keys.go"], `"`)[1]
	if all := fmt.Sprint(w.said(pr.Number, 1)); strings.Contains(all, key) {
		t.Error("the secret was written to the host")
	}
	w.noSecretStored()
}

func generationKilled(_ *testing.T, w *world) {
	p := w.worked()
	pr, _ := w.held()
	w.kill(p)
	w.said(pr.Number, 1)
	w.whole(pr.Number)
}

// The host applies a request for a draft after the review has ended: the draft is deleted, and it never
// becomes visible.
func draftLateOnGitLab(t *testing.T, w *world) {
	p := w.worked()
	id := w.fault(shared.Fault{Method: "POST", Path: draftPath, Action: shared.ApplyLate, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 0, patience)
	must(t, err)
	w.kill(p)
	w.said(pr.Number, 1)
	w.quiet()
	must(t, w.host.Release(w.ctx, id, shared.Apply))
	w.exec(`UPDATE publications SET clean_us = 1 WHERE clean_us IS NOT NULL`) // makes it due immediately instead of within minutes
	testkit.Eventually(t, patience, func() (bool, string) {
		drafts, err := w.gitlab.Drafts(w.ctx, w.repo, pr.Number)
		return err == nil && len(drafts) == 0, fmt.Sprintf("drafts %+v (%v)", drafts, err)
	})
	w.whole(pr.Number)
}

// A push during a run: only the new head has a review.
func pushDuringReview(t *testing.T, w *world) {
	pr, goOn := w.held()
	head := w.push("bug", map[string]string{"price/extra.go": "package price\n\n// Extra is one more constant.\nconst Extra = 1\n"})
	testkit.Eventually(t, patience, func() (bool, string) {
		n := w.count(`SELECT COUNT(*) FROM review_runs WHERE state = 'superseded'`)
		return n == 1, fmt.Sprintf("%d superseded runs", n)
	})
	goOn()
	w.said(pr.Number, 1)
	w.whole(pr.Number)
	if got := w.query(`SELECT head_sha FROM review_runs WHERE state = 'completed'`); len(got) != 1 || got[0][0] != head {
		t.Errorf("reviews of %v, want one of %q", got, head)
	}
	testkit.Equal(t, "summaries", len(w.marks(pr.Number)), 1)
}

// The host repeats a delivery, an attacker repeats it with a new id, and the same one arrives 20 times.
func replayedOnGitLab(t *testing.T, w *world) {
	pr := w.open("bug", buggy())
	w.said(pr.Number, 1)
	w.quiet()
	d := w.delivery("Merge Request Hook", "open")
	must(t, w.gitlab.Resend(w.ctx, d.ID))
	renamed := d
	renamed.Headers = map[string]string{}
	for name, value := range d.Headers {
		if slices.Contains([]string{"idempotency-key", "x-gitlab-webhook-uuid", "x-gitlab-event-uuid"}, strings.ToLower(name)) {
			value = "0" + value[1:]
		}
		renamed.Headers[name] = value
	}
	testkit.Equal(t, "a new id is answered", w.post(w.port, renamed), http.StatusAccepted)
	answers := make(chan int)
	for range 20 {
		go func() { answers <- w.post(w.port, d) }()
	}
	for range 20 {
		testkit.Equal(t, "a copy is answered", <-answers, http.StatusAccepted)
	}
	w.whole(pr.Number)
	testkit.Equal(t, "runs", w.count(`SELECT COUNT(*) FROM review_runs`), 1)
}

// Deleting the connection stops its runs, ends their statuses, and removes our webhook from the host.
func connectionDeletedOnGitLab(t *testing.T, w *world) {
	pr, goOn := w.held()
	w.boss.as.Send(http.MethodDelete, w.at(), nil, http.StatusNoContent, nil)
	goOn()
	if reason := w.state(pr.Number, "cancelled"); !strings.Contains(reason, "connection") {
		t.Errorf("the run ended because %q", reason)
	}
	testkit.Eventually(t, patience, func() (bool, string) {
		hooks, err := w.gitlab.Hooks(w.ctx)
		return err == nil && len(hooks) == 0, fmt.Sprintf("the webhooks are %+v (%v)", hooks, err)
	})
	w.quiet()
	w.gitlabStatus(pr.HeadSHA) // not running forever, because that could block a merge
	testkit.Equal(t, "visible", len(w.said(pr.Number, 0)), 0)
	testkit.Equal(t, "copies of the token", w.count(`SELECT COUNT(*) FROM hook_removals`), 0)
}

// Switching a connection off ends its runs with their statuses, and its deliveries are refused.
func connectionOffOnGitLab(t *testing.T, w *world) {
	pr, goOn := w.held()
	d := w.delivery("Merge Request Hook", "open")
	w.boss.as.Send(http.MethodPatch, w.at(), map[string]bool{"enabled": false}, http.StatusOK, nil)
	goOn()
	w.state(pr.Number, "cancelled")
	w.gitlabStatus(pr.HeadSHA)
	testkit.Eventually(t, patience, func() (bool, string) {
		code := w.post(w.port, d)
		return code == http.StatusUnauthorized, fmt.Sprintf("a delivery is answered %d", code)
	})
	testkit.Equal(t, "visible", len(w.said(pr.Number, 0)), 0)
}

// The host refuses the token: the connection shows this without being asked, and with a new token
// reviews continue.
func tokenRefusedOnGitLab(t *testing.T, w *world) {
	must(t, w.gitlab.RevokeToken(w.ctx, w.tokenID))
	w.open("bug", buggy())
	var got site.Connection
	testkit.Eventually(t, patience, func() (bool, string) {
		got = w.synced()
		return got.State == "error", fmt.Sprintf("the connection is %+v", got)
	})
	if !strings.Contains(got.Message, "refuses the token") {
		t.Errorf("it says %q", got.Message)
	}
	token, err := w.gitlab.NewToken(w.ctx, account, simapi.TokenSpec{Name: "next", Scopes: []string{"api"}})
	must(t, err)
	w.boss.as.Send(http.MethodPatch, w.at(), map[string]string{"token": token.Text}, http.StatusOK, nil)
	w.synced()
	pr := w.open("leak", leaky())
	w.said(pr.Number, 1)
}

// The summary counts the secrets beyond the bound: 30 of 65 secrets in 300 files get comments on their
// lines.
func largeOnGitLab(t *testing.T, w *world) {
	const comments = 30
	change, secrets := largeChange()
	pr := w.open("large", change)
	all := w.said(pr.Number, 1)
	w.whole(pr.Number)
	if got := inline(all); len(got) != comments || !strings.Contains(all[len(all)-1].Body, fmt.Sprint(secrets)) {
		t.Errorf("%d comments, want %d: %s", len(got), comments, all[len(all)-1].Body)
	}
}

// Every comment is created, but its draft stays and the host answers with an error: the review appears
// once, and the drafts are removed.
func draftsKeptOnGitLab(t *testing.T, w *world) {
	must(t, w.gitlab.Configure(w.ctx, simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.KeepsDrafts: true}}))
	pr := w.open("bug", buggy())
	if got := w.said(pr.Number, 1); len(got) != 2 {
		t.Errorf("visible: %+v", got)
	}
	w.whole(pr.Number)
}

// A GitLab version that turns the summary into a thread: the thread is resolved, and the next review
// edits the summary as usual.
func summaryIsAThread(t *testing.T, w *world) {
	must(t, w.gitlab.Configure(w.ctx, simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.DraftThreads: true}}))
	pr := w.open("bug", buggy())
	w.said(pr.Number, 1)
	w.whole(pr.Number)
	got := w.said(pr.Number, 1)
	if len(got) != 2 || got[0].Resolved || !got[1].Resolved {
		t.Fatalf("after the first review: %+v", got)
	}
	w.push("bug", fixed())
	w.said(pr.Number, 2)
	w.whole(pr.Number)
	got = w.said(pr.Number, 2)
	if len(got) != 3 || !got[0].Resolved || !got[1].Resolved || !got[2].Resolved || got[1].EditedUS == 0 {
		t.Errorf("after the second review: %+v", got)
	}
}

// The project's path changes while its review is published: the write to the old path is refused, and
// no comment is lost.
func renamedOnGitLab(t *testing.T, w *world, method, path string) {
	must(t, w.gitlab.Configure(w.ctx, simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.Moved: true}}))
	id := w.fault(shared.Fault{Method: method, Path: path, Action: shared.Hold, Times: 1})
	pr := w.open("bug", buggy())
	_, err := w.host.AwaitFault(w.ctx, id, 1, 1, patience)
	must(t, err)
	w.change(repoChange{Name: "renamed-now"})
	w.repo = "acme/renamed-now"
	must(t, w.host.Release(w.ctx, id, shared.Apply))
	if got := w.said(pr.Number, 1); len(inline(got)) != 1 || len(got) != 2 {
		t.Errorf("visible: %+v", got)
	}
	w.whole(pr.Number)
}
