package e2e

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/model"
)

// policy sets the repository defaults of the tenant.
func (w *world) policy(body string) {
	w.Helper()
	w.exec(`INSERT INTO settings (tenant_id, repository_id, kind, body, version, updated_us) SELECT id, '', 'policy', '` + body + `', 1, 0 FROM tenants WHERE true
		ON CONFLICT (tenant_id, repository_id, kind) DO UPDATE SET body = excluded.body, version = settings.version + 1`)
}

// required waits until the required check of a head, which is its newest check run, is as wanted:
// "status conclusion". Each run of the head has exactly one check run.
func (w *world) required(what, head, want string) simapi.CheckRun {
	w.Helper()
	var newest simapi.CheckRun
	testkit.Eventually(w.T, patience, func() (bool, string) {
		all, err := w.gh.CheckRuns(w.ctx, w.repo)
		must(w.T, err)
		all = slices.DeleteFunc(all, func(c simapi.CheckRun) bool { return c.HeadSHA != head })
		if len(all) == 0 {
			return false, what + ": no check run"
		}
		newest = slices.MaxFunc(all, func(a, b simapi.CheckRun) int { return cmp.Compare(a.ID, b.ID) })
		got := strings.TrimSpace(newest.Status + " " + newest.Conclusion)
		return got == want, fmt.Sprintf("%s: the check is %s (%s), want %s; runs: %v", what, got, newest.Title, want, w.query(`SELECT number, state, reason FROM review_runs`))
	})
	w.onePerRun(what, head)
	return newest
}

// onePerRun checks that each run of a head has one check run.
func (w *world) onePerRun(what, head string) {
	w.Helper()
	all, err := w.gh.CheckRuns(w.ctx, w.repo)
	must(w.T, err)
	of := map[string]int{}
	for _, c := range all {
		if c.HeadSHA == head {
			of[c.ExternalID]++
		}
	}
	for _, r := range w.query(`SELECT id FROM review_runs WHERE head_sha = '` + head + `'`) {
		testkit.Equal(w.T, what+": check runs of a run", of[r[0]], 1)
	}
}

// unchecked waits until the run of a pull request has ended, and checks that it
// has no check run.
func (w *world) unchecked(what string, pr simapi.Pull, state string) {
	w.Helper()
	w.state(pr.Number, state)
	w.quiet()
	testkit.Equal(w.T, what+": check runs", len(w.checks(pr.HeadSHA)), 0)
}

// many is a change of more files than are shown to a model.
func many() map[string]string {
	files := map[string]string{}
	for i := range 70 {
		files[fmt.Sprintf("list/item%02d.go", i)] = fmt.Sprintf("package list\n\n// Item%d is one of many.\nconst Item%d = %d\n", i, i, i)
	}
	return files
}

// A required check ends with every way in which a run can end, and only findings block.
func TestRequiredCheckByFindings(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		ok, bug, leak, big := w.open("ok", clean()), w.open("bug", buggy()), w.open("leak", leaky()), w.open("big", many())
		w.required("nothing found", ok.HeadSHA, "completed success")
		w.required("a finding, no severity fails", bug.HeadSHA, "completed neutral")
		w.required("a secret", leak.HeadSHA, "completed failure")
		if c := w.required("a part was not looked at", big.HeadSHA, "completed neutral"); !strings.Contains(strings.ToLower(c.Title), "incomplete") || !strings.Contains(c.Summary, "list/item") {
			t.Errorf("the check of a part does not name the rest: %s\n%s", c.Title, c.Summary)
		}
		w.policy(`{"check":{"failOn":"high"}}`)
		w.required("at the severity that fails", w.open("bug2", buggy()).HeadSHA, "completed failure")
		w.policy(`{"check":{"failOn":"critical"}}`)
		w.required("below the severity that fails", w.open("bug3", buggy()).HeadSHA, "completed neutral")
		w.verify()
	})
}

func TestRequiredCheckWithoutAReview(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		held := w.modelFault(hang("generate"))
		old := w.open("ok", clean())
		_, err := w.model.AwaitFault(w.ctx, held, 1, 1)
		must(t, err)
		w.required("under way", old.HeadSHA, "in_progress")
		head := w.push("ok", fixed())
		w.required("superseded", old.HeadSHA, "completed neutral")
		must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
		w.required("the newer head", head, "completed success")

		held = w.modelFault(hang("generate"))
		shut := w.open("shut", clean())
		_, err = w.model.AwaitFault(w.ctx, held, 1, 1)
		must(t, err)
		_, err = w.host.UpdatePull(w.ctx, w.repo, shut.Number, simapi.PullUpdate{State: "closed"})
		must(t, err)
		w.required("cancelled", shut.HeadSHA, "completed neutral")
		must(t, w.model.ReleaseFault(w.ctx, held, "answer"))
		must(t, w.model.ClearFaults(w.ctx))

		_, err = w.host.Commit(w.ctx, w.repo, simapi.CommitSpec{Branch: "draft", From: "main", Files: clean(), Message: "draft"})
		must(t, err)
		draft, err := w.host.OpenPull(w.ctx, w.repo, simapi.PullSpec{Title: "Draft", Head: "draft", Author: "dev", Draft: true})
		must(t, err)
		w.required("skipped", draft.HeadSHA, "completed skipped")

		w.policy(`{"publishMode":"silent"}`)
		w.unchecked("silent", w.open("silent", leaky()), "completed")
		w.policy(`{"enabled":false}`)
		w.unchecked("off", w.open("off", leaky()), "skipped")
		w.verify()
	})
}

// A model that is down fails the run, and the check passes. "Re-run" by a person with write access
// starts a run with another check, and by a person without it does not.
func TestRequiredCheckRunsAgain(t *testing.T) {
	on(t, journeys, func(t *testing.T, w *world) {
		w.up()
		for _, login := range []string{"writer", "reader"} {
			_, err := w.host.CreateUser(w.ctx, simapi.UserSpec{Login: login})
			must(t, err)
		}
		must(t, w.gh.UpdateRepo(w.ctx, w.repo, simapi.RepoUpdate{Collaborators: map[string]string{"writer": "write", "reader": "read"}}))
		w.modelFault(model.Fault{Action: model.RateLimit, Times: -1})
		pr := w.open("ok", clean())
		failed := w.required("failed", pr.HeadSHA, "completed neutral")
		must(t, w.model.ClearFaults(w.ctx))

		press := func(all bool, actor string) {
			must(t, w.gh.Rerequest(w.ctx, w.repo, simapi.RerequestSpec{CheckRun: failed.ID, All: all, Actor: actor}))
			must(t, w.host.WaitDeliveries(w.ctx, patience))
			w.quiet()
		}
		press(false, "reader")
		testkit.Equal(t, "runs after a reader pressed it", w.count(`SELECT COUNT(*) FROM review_runs`), 1)
		press(false, "writer")
		w.required("run again", pr.HeadSHA, "completed success")
		testkit.Equal(t, "runs", w.count(`SELECT COUNT(*) FROM review_runs`), 2)
		press(true, "writer")
		w.required("all run again", pr.HeadSHA, "completed success")
		w.seen(pr.Number, "failed completed completed", 2)
	})
}
