package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// everywhere runs a scenario on the sample host, or on GitHub, GitLab, Bitbucket Cloud, Gitea and Forgejo if
// [allHosts].
func everywhere(t *testing.T, sample string, scenario func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	for host, run := range map[string]func(t *testing.T){
		"github": func(t *testing.T) {
			on(t, journeys, func(t *testing.T, w *world) {
				w.up()
				scenario(t, w)
			})
		},
		"gitlab":    func(t *testing.T) { onGitLab(t, scenario) },
		"bitbucket": func(t *testing.T) { onBitbucket(t, scenario) },
		"gitea":     func(t *testing.T) { onHosts(t, domain.Gitea, scenario) },
	} {
		if host == sample || allHosts() {
			t.Run(host, run)
		}
	}
}

// outcome returns the result that the host shows for a commit, in the same words for all hosts:
// pending, or the conclusion of the newest check; and its one line.
func (w *world) outcome(head string) (state, says string) {
	w.Helper()
	switch {
	case w.gitea != nil:
		all, err := w.gitea.Statuses(w.ctx, w.repo)
		must(w.T, err)
		for _, s := range all {
			if s.SHA == head {
				state, says = s.State, s.Description
			}
		}
	case w.gitlab != nil:
		all, err := w.gitlab.Statuses(w.ctx, w.repo)
		must(w.T, err)
		for _, s := range all {
			if s.SHA == head {
				state, says = map[string]string{"running": "pending", "failed": "failure"}[s.State], s.Description
				if state == "" {
					state = s.State
				}
			}
		}
	case w.bitbucket != nil:
		all, err := w.bitbucket.Statuses(w.ctx, w.repo)
		must(w.T, err)
		for _, s := range all {
			if s.SHA == head {
				state, says = map[string]string{"INPROGRESS": "pending", "FAILED": "failure", "SUCCESSFUL": "success"}[s.State], s.Description
			}
		}
	default:
		all, err := w.gh.CheckRuns(w.ctx, w.repo)
		must(w.T, err)
		var newest simapi.CheckRun
		for _, c := range all {
			if c.HeadSHA == head && c.ID > newest.ID {
				newest = c
			}
		}
		state, says = newest.Conclusion, newest.Title
		if newest.Status != "" && newest.Status != "completed" {
			state = "pending"
		}
	}
	return state, says
}

// comesTo waits until the host shows an outcome for a commit, and returns its line.
func (w *world) comesTo(what, head, want string) (says string) {
	w.Helper()
	testkit.Eventually(w.T, 2*patience, func() (bool, string) {
		var state string
		state, says = w.outcome(head)
		return state == want, fmt.Sprintf("%s: the host shows %q (%s), want %q; runs: %v", what, state, says, want, w.query(`SELECT number, base_ref, state, verdict, reason FROM review_runs`))
	})
	return says
}

// stacked makes a branch with a secret on top of main, and on top of it one with a clean change.
func (w *world) stacked(lower, upper string) {
	w.Helper()
	_, err := w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: lower, From: "main", Files: leaky(), Message: lower})
	must(w.T, err)
	_, err = w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: upper, From: lower, Files: clean(), Message: upper})
	must(w.T, err)
}

// openInto opens a pull request into a branch.
func (w *world) openInto(head, base string, draft bool) shared.Pull {
	w.Helper()
	pr, err := w.host.OpenPull(w.ctx, w.repo, shared.PullSpec{Title: head + " into " + base, Head: head, Base: base, Author: "dev", Draft: draft})
	must(w.T, err)
	return pr
}

// retarget changes the target branch of a pull request.
func (w *world) retarget(number int, base string) {
	w.Helper()
	_, err := w.host.UpdatePull(w.ctx, w.repo, number, shared.PullUpdate{Base: base})
	must(w.T, err)
}

// Another target branch makes another change: it is reviewed, the old success is withdrawn immediately,
// and a return to the former target needs no model.
func TestHostsAnotherTarget(t *testing.T) { everywhere(t, "gitlab", anotherTarget) }

func anotherTarget(t *testing.T, w *world) {
	w.stacked("parent", "child")
	pr := w.openInto("child", "parent", false)
	w.comesTo("into parent", pr.HeadSHA, "success")
	w.quiet()
	held := w.modelFault(hang("generate"))
	w.retarget(pr.Number, "main")
	_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
	must(t, err)
	w.comesTo("while it is read", pr.HeadSHA, "pending")
	must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
	must(t, w.model.ClearFaults(w.ctx))
	w.comesTo("into main", pr.HeadSHA, "failure")
	w.quiet()
	calls := w.count(`SELECT COUNT(*) FROM llm_calls`)
	w.retarget(pr.Number, "parent")
	w.comesTo("back into parent", pr.HeadSHA, "success")
	w.quiet()
	testkit.Equal(t, "calls of a model for a former target", w.count(`SELECT COUNT(*) FROM llm_calls`)-calls, 0)
	testkit.Equal(t, "open findings", w.count(`SELECT COUNT(*) FROM findings WHERE state = 'open'`), 0)

	_, err = w.host.SetDeliveryFault(w.ctx, shared.DeliveryFault{Action: shared.DropDelivery, Times: -1})
	must(t, err)
	w.retarget(pr.Number, "main")
	w.exec(`UPDATE repositories SET swept_us = 0`)
	w.comesTo("no event", pr.HeadSHA, "failure")
	w.ended(4) // the former verdict is shown before the run that confirms it exists
	testkit.Equal(t, "calls of a model for a former target", w.count(`SELECT COUNT(*) FROM llm_calls`)-calls, 0)
	testkit.Equal(t, "runs", fmt.Sprint(w.query(`SELECT base_ref, state FROM review_runs ORDER BY created_us, id`)),
		"[[parent completed] [main completed] [parent completed] [main completed]]")
	testkit.Equal(t, "visible reviews", len(w.marks(pr.Number)), w.count(`SELECT COUNT(*) FROM publications WHERE kind = 'review' AND phase = 'PUBLISHED'`))
}

// A second pull request of a head, which anyone may open, never turns the first one's failure into a
// success.
func TestHostsOneHeadTwice(t *testing.T) { everywhere(t, "github", oneHeadTwice) }

func oneHeadTwice(t *testing.T, w *world) {
	w.stacked("stage", "topic")
	first := w.openInto("topic", "main", false)
	w.comesTo("into main", first.HeadSHA, "failure")
	w.quiet()
	second := w.openInto("topic", "stage", false)
	testkit.Equal(t, "one head", second.HeadSHA, first.HeadSHA)
	w.ended(2)
	if says := w.comesTo("and into stage", first.HeadSHA, "failure"); !strings.HasPrefix(says, fmt.Sprintf("#%d: ", first.Number)) {
		t.Errorf("the check does not name its pull request: %q", says)
	}
	_, err := w.host.Commit(w.ctx, w.repo, shared.CommitSpec{Branch: "old", From: "main", Files: map[string]string{"OLD": "old\n"}, Message: "old"})
	must(t, err)
	w.openInto("topic", "old", true)
	w.ended(3)
	w.comesTo("and as a draft", first.HeadSHA, "failure")
	_, err = w.host.UpdatePull(w.ctx, w.repo, first.Number, shared.PullUpdate{State: "closed"})
	must(t, err)
	if says := w.comesTo("without the first", first.HeadSHA, "success"); !strings.HasPrefix(says, fmt.Sprintf("#%d: ", second.Number)) {
		t.Errorf("the check does not name the other pull request: %q", says)
	}
	_, err = w.host.UpdatePull(w.ctx, w.repo, first.Number, shared.PullUpdate{State: "open"})
	must(t, err)
	w.comesTo("opened again", first.HeadSHA, "failure")
	w.quiet()
	w.checked(second.Number)
}

// ended waits until there are n runs and each has ended.
func (w *world) ended(n int) {
	w.Helper()
	testkit.Eventually(w.T, 2*patience, func() (bool, string) {
		runs := w.query(`SELECT number, base_ref, state, reason FROM review_runs ORDER BY created_us, id`)
		over := 0
		for _, r := range runs {
			if r[2] == "completed" || r[2] == "skipped" {
				over++
			}
		}
		return len(runs) == n && over == n, fmt.Sprintf("the runs are %v, want %d that ended", runs, n)
	})
	w.quiet()
}

// A merge of the target into the branch is reviewed for its own changes: a secret in the resolution of
// a conflict is found, and lines of the target are not reported.
func TestAMergeOfTheTarget(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		const path = "config/site.go"
		site := func(more string) map[string]string {
			return map[string]string{path: "package config\n\nconst site = \"" + more + "\"\n"}
		}
		w.up()
		commit := func(c shared.CommitSpec) string {
			made, err := w.host.Commit(w.ctx, w.repo, c)
			must(t, err)
			return made.SHA
		}
		commit(shared.CommitSpec{Branch: "main", Files: site("here"), Message: "Begin"})
		commit(shared.CommitSpec{Branch: "topic", From: "main", Files: site("there"), Message: "Move"})
		pr := w.openInto("topic", "main", false)
		w.comesTo("before", pr.HeadSHA, "success")
		of := commit(shared.CommitSpec{Branch: "main", Files: map[string]string{path: site("nearby")[path], "config/keys.go": leaky()["config/keys.go"]}, Message: "A key of the target"})
		resolved := map[string]string{path: site("there")[path] + strings.TrimPrefix(leaky()["config/keys.go"], "package config\n"), "config/keys.go": leaky()["config/keys.go"]}
		merged := commit(shared.CommitSpec{Branch: "topic", Merge: of, Files: resolved, Message: "Merge main"})
		w.comesTo("after the merge", merged, "failure")
		w.quiet()
		testkit.Equal(t, "places of findings", fmt.Sprint(w.query(`SELECT path, state FROM findings`)), "[["+path+" open]]")
	})
}
