package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	bitbucketapi "github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// update changes a merge request like its author.
func (w *world) update(number int, in shared.PullUpdate) {
	w.Helper()
	_, err := w.host.UpdatePull(w.ctx, w.repo, number, in)
	must(w.T, err)
}

// runs returns the states of a pull request's runs, oldest first.
func (w *world) runs(number int) (out []string) {
	w.Helper()
	for _, r := range w.query(fmt.Sprintf(`SELECT state FROM review_runs WHERE number = %d ORDER BY created_us, id`, number)) {
		out = append(out, r[0])
	}
	return out
}

// inline returns the comments of the service on lines.
func inline(all []shared.Comment) []shared.Comment {
	return slices.DeleteFunc(slices.Clone(all), func(c shared.Comment) bool { return c.Path == "" })
}

// A command on a line is answered in its thread.
func commandInAThread(t *testing.T, w *world) {
	pr := w.open("bug", buggy())
	w.said(pr.Number, 1)
	var err error
	if w.bitbucket != nil {
		_, err = w.bitbucket.Note(w.ctx, w.repo, pr.Number, bitbucketapi.NoteSpec{Author: "dev", Path: "price/mean.go", NewLine: 3, Body: "/assay help"})
	} else {
		_, err = w.gitlab.Note(w.ctx, w.repo, pr.Number, simapi.NoteSpec{Author: "dev", Path: "price/mean.go", NewLine: 3, Body: "/assay help"})
	}
	must(t, err)
	var all []shared.Comment
	testkit.Eventually(t, patience, func() (bool, string) {
		all, err = w.notes(pr.Number)
		return err == nil && slices.ContainsFunc(all, func(c shared.Comment) bool {
			return c.User == account && c.Path == "price/mean.go" && c.Line == 3 && strings.HasPrefix(c.Body, "Commands stand alone")
		}), fmt.Sprintf("the notes are %+v (%v)", all, err)
	})
	w.whole(pr.Number)
	testkit.Equal(t, "answers", w.count(`SELECT COUNT(*) FROM command_answers`), 1)
}

// A branch whose history is replaced has its new head reviewed.
func forcedPush(t *testing.T, w *world) {
	pr := w.open("topic", clean())
	w.said(pr.Number, 1)
	w.quiet()
	c, err := w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: "topic", From: "main", Files: buggy(), Message: "all anew"})
	must(t, err)
	if !c.Forced {
		t.Fatal("the push was not forced")
	}
	got := inline(w.said(pr.Number, 2))
	w.whole(pr.Number)
	if len(got) != 1 || got[0].Path != "price/mean.go" || got[0].Line != 5 {
		t.Errorf("comments: %+v", got)
	}
	testkit.Equal(t, "heads", w.count(`SELECT COUNT(DISTINCT head_sha) FROM review_runs WHERE state = 'completed'`), 2)
}

// Closing a merge request ends its run, reopening it starts a review, and merging starts nothing.
func closedAndReopened(t *testing.T, w *world) {
	held := w.modelFault(hang("generate"))
	pr := w.open("bug", buggy())
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	w.update(pr.Number, shared.PullUpdate{State: "closed"})
	w.state(pr.Number, "cancelled")
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	w.quiet()
	testkit.Equal(t, "summaries of a closed one", len(w.said(pr.Number, 0)), 0)
	w.update(pr.Number, shared.PullUpdate{State: "open"})
	w.said(pr.Number, 1)
	w.whole(pr.Number)
	w.update(pr.Number, shared.PullUpdate{State: "merged"})
	w.quiet()
	if got := fmt.Sprint(w.runs(pr.Number)); got != "[cancelled completed]" {
		t.Errorf("the runs are %s", got)
	}
	if state := w.query(`SELECT state FROM pull_requests`); len(state) != 1 || state[0][0] != "merged" {
		t.Errorf("the merge request is %v", state)
	}
}

// A draft is not reviewed until it is ready.
func draftBecomesReady(t *testing.T, w *world) {
	_, err := w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: "bug", From: "main", Files: buggy(), Message: "change"})
	must(t, err)
	pr, err := w.host.OpenPull(w.ctx, w.repo, shared.PullSpec{Title: "Mean", Head: "bug", Author: "dev", Draft: true})
	must(t, err)
	w.quiet()
	testkit.Equal(t, "visible on a draft", len(w.said(pr.Number, 0)), 0)
	ready := false
	w.update(pr.Number, shared.PullUpdate{Draft: &ready})
	if got := inline(w.said(pr.Number, 1)); len(got) != 1 {
		t.Errorf("comments: %+v", got)
	}
	w.whole(pr.Number)
}

// The host leaves out the text of the change, so the service reads it by git.
func textLeftOut(t *testing.T, w *world) {
	must(t, w.gitlab.Configure(w.ctx, simapi.Settings{CollapseBytes: 1, TooLargeBytes: 2}))
	pr := w.open("bug", buggy())
	got := inline(w.said(pr.Number, 1))
	w.whole(pr.Number)
	if len(got) != 1 || got[0].Path != "price/mean.go" || got[0].Line != 5 {
		t.Errorf("comments: %+v", got)
	}
}

// Too many requests, with or without the time to wait in the answer: the review is published once, and
// nothing is sent twice.
func limitedOnGitLab(t *testing.T, w *world, silent bool) {
	must(t, w.gitlab.Configure(w.ctx, simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.NoRateHeaders: silent}}))
	drafts := w.fault(shared.Fault{Method: "POST", Path: draftPath, Action: shared.SecondaryRetryAfter, RetrySeconds: 3, Times: 1})
	shown := w.fault(shared.Fault{Method: "PUT", Path: publishPath, Action: shared.SecondaryRetryAfter, RetrySeconds: 3, Times: 1})
	pr := w.open("bug", buggy())
	if got := w.said(pr.Number, 1); len(got) != 2 {
		t.Errorf("comments: %+v", got)
	}
	w.whole(pr.Number)
	for _, id := range []string{drafts, shown} {
		_, err := w.host.AwaitFault(w.ctx, id, 1, 0, patience)
		must(t, err)
	}
}

// With a reporter's token reviews are published, and the connection says what the role does not permit.
func reportersToken(t *testing.T, w *world) {
	token, err := w.gitlab.NewToken(w.ctx, "", simapi.TokenSpec{Name: "assay", Project: w.repo, Level: 20})
	must(t, err)
	w.boss.as.Send(http.MethodPatch, w.at(), map[string]string{"token": token.Text}, http.StatusOK, nil)
	got := w.synced()
	notes := ""
	if got.LastSync != nil {
		notes = strings.Join(got.LastSync.Notes, "\n")
	}
	for text, all := range map[string]string{"less than a developer in 1 of 1 projects": got.Message, "not a maintainer of 1 of 1 projects": got.Message, "could not be registered": notes} {
		if !strings.Contains(all, text) {
			t.Errorf("the connection does not say %q: %+v, %s", text, got, notes)
		}
	}
	testkit.Equal(t, "state", got.State, "active")
	pr := w.open("bug", buggy()) // the webhook of the former token still exists
	testkit.Eventually(t, patience, func() (bool, string) {
		all, err := w.gitlab.Notes(w.ctx, w.repo, pr.Number)
		return err == nil && len(all) == 2 && all[1].Path == "" && mark.MatchString(all[1].Body), fmt.Sprintf("notes %+v (%v)", all, err)
	})
	w.quiet()
	if state := fmt.Sprint(w.runs(pr.Number)); state != "[completed]" {
		t.Errorf("the runs are %s", state)
	}
	all, err := w.gitlab.Statuses(w.ctx, w.repo)
	must(t, err)
	testkit.Equal(t, "statuses", len(all), 0)
}

// A merge request from a fork is reviewed in the target project.
func mergeRequestOfAFork(t *testing.T, w *world) {
	_, err := w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: "bug", From: "main", Files: buggy(), Message: "change"})
	must(t, err)
	pr, err := w.host.OpenPull(w.ctx, w.repo, shared.PullSpec{Title: "Mean", Head: "bug", Author: "dev", Fork: "dev"})
	must(t, err)
	got := inline(w.said(pr.Number, 1))
	w.whole(pr.Number)
	if len(got) != 1 || got[0].Path != "price/mean.go" {
		t.Errorf("comments: %+v", got)
	}
	if state, _ := w.gitlabStatus(pr.HeadSHA); state == "canceled" { // the status is in the project, because the fork is not writable
		t.Errorf("status %s", state)
	}
	_, err = w.host.CreateRepo(w.ctx, shared.RepoSpec{Owner: "dev", Name: "other", Files: baseFiles()})
	must(t, err)
	must(t, w.gitlab.ChangeRepo(w.ctx, "dev/shop", simapi.RepoChange{Collaborators: map[string]string{account: "write"}}))
	head := w.push("bug", clean())
	w.said(pr.Number, 2)
	w.whole(pr.Number)
	testkit.Eventually(t, patience, func() (bool, string) { // the place where the merge request shows it
		all, err := w.gitlab.Statuses(w.ctx, "dev/shop")
		return err == nil && slices.ContainsFunc(all, func(s simapi.Status) bool {
			return s.SHA == head && s.Ref == "bug" && s.State != "running" && s.State != "pending"
		}), fmt.Sprintf("statuses of the fork: %+v (%v)", all, err)
	})
}

// A command in a thread of the conversation is answered there.
func commandInAConversation(t *testing.T, w *world) {
	pr := w.open("bug", buggy())
	w.said(pr.Number, 1)
	thread, err := w.gitlab.Note(w.ctx, w.repo, pr.Number, simapi.NoteSpec{Author: "dev", Body: "/assay help"})
	must(t, err)
	testkit.Eventually(t, patience, func() (bool, string) {
		all, err := w.gitlab.Notes(w.ctx, w.repo, pr.Number)
		return err == nil && slices.ContainsFunc(all, func(c shared.Comment) bool {
			return c.User == account && c.InReplyTo == thread.ID && strings.HasPrefix(c.Body, "Commands stand alone")
		}), fmt.Sprintf("the notes are %+v (%v)", all, err)
	})
	w.whole(pr.Number)
}

// GitLab switches the webhook off after four failures. The sweep still finds the head, and then the
// webhook is checked and switched on again, long before the regular sync of the connection.
func webhookSwitchedOff(t *testing.T, w *world) {
	_, err := w.host.SetDeliveryFault(w.ctx, shared.DeliveryFault{Action: shared.DropDelivery, Times: -1})
	must(t, err)
	w.synced()
	pr := w.open("bug", buggy())
	for range 4 {
		_, err := w.host.Comment(w.ctx, w.repo, pr.Number, shared.CommentSpec{Author: "reviewer", Body: "hm"})
		must(t, err)
	}
	testkit.Eventually(t, patience, func() (bool, string) {
		hooks, err := w.gitlab.Hooks(w.ctx)
		return err == nil && len(hooks) == 1 && hooks[0].Status == "temporarily_disabled", fmt.Sprintf("the webhooks are %+v (%v)", hooks, err)
	})
	w.running.Signal(syscall.SIGTERM) // no sweep of this process finds the head and ends before the webhook is checked
	w.running.Wait(patience)
	// GitLab switches the webhook on again after a minute, and this test may take longer. Each further failure doubles that time.
	sent, err := w.host.Deliveries(w.ctx, false)
	must(t, err)
	for range 6 {
		must(t, w.gitlab.Resend(w.ctx, sent[len(sent)-1].ID))
	}
	testkit.Eventually(t, patience, func() (bool, string) {
		all, err := w.host.Deliveries(w.ctx, false)
		failed := err == nil && len(all) == len(sent)+6
		for _, d := range all[min(len(sent), len(all)):] {
			failed = failed && d.Done && d.StatusCode/100 != 2
		}
		return failed, fmt.Sprintf("the deliveries are %+v (%v)", all, err)
	})
	w.exec(`UPDATE jobs SET created_us = created_us - 660000000 WHERE kind = 'connection.sync'`) // eleven minutes: no hourly question is due
	w.push("bug", map[string]string{"other.txt": "more\n"})                                      // a sweep may have found the first head already
	w.exec(`UPDATE repositories SET swept_us = 0`)
	w.running = w.again() // a worker sweeps when it starts, and then once a minute
	testkit.Eventually(t, patience, func() (bool, string) {
		got := w.synced()
		return strings.Contains(strings.Join(got.LastSync.Notes, "\n"), "is switched on again"), fmt.Sprintf("the last sync tells %+v", got.LastSync)
	})
	w.checked(pr.Number)
}
