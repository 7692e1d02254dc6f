package fixrun_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// asked writes a command in the thread of the finding, or in the conversation if thread is "", and returns the fix run.
func (w *world) asked(thread domain.HostID) store.FixRun {
	w.T.Helper()
	ev := reviewtest.Comment(72, "chief", "/assay fix")
	if thread != "" {
		ev.Comment.InReplyTo, ev.Comment.Inline = thread, true
	}
	w.Deliver(ev)
	list, err := w.Store.FixRuns(bg, w.World.Tenant, w.Repository.ID, store.FixRunFilter{})
	testkit.OK(w.T, err)
	testkit.Require(w.T, "fix runs", len(list), 1)
	return w.wait(list[0].ID)
}

// Each end of a fix run that a command asked for has one answer where the command stands, in the language of the policy, also if the
// host's word on the answer is lost.
func TestEachEndIsAnsweredWhereItWasAskedFor(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world)
		state  domain.FixState
		want   string
	}{
		"no fix": {func(w *world) { w.Fixer.refuse = fix.NoFix }, domain.FixCompleted, "No fix is offered. The model proposes no change"},
		"the budget ran out": {func(w *world) { w.Fixer.refuse = fix.BudgetUsedUp }, domain.FixCompleted,
			"No fix is offered. The budget for models ran out"},
		"the model is down": {func(w *world) {
			w.Fixer.err = &llm.Error{Class: llm.ClassFinal, ProviderMessage: "overloaded @octo", Status: 503}
		},
			domain.FixFailed, "No fix is offered. The model did not answer in time: overloaded"},
		"errors without end": {func(w *world) { w.Fixer.err = errors.New("a fault") }, domain.FixFailed, "given up after too many errors"},
		"fixes are off": {func(w *world) {
			w.Fixer.during = func() { w.Policy(`{"fixes":"off","language":"de"}`) }
		}, domain.FixCancelled, "Es gibt keine Korrektur. Die Richtlinie des Repositorys"},
		"the head moved": {func(w *world) {
			w.Fixer.during = func() { w.set(func(p *codehost.PullRequest) { p.HeadSHA = storetest.SHA("pushed") }) }
		}, domain.FixCancelled, movedText},
		"closed": {func(w *world) {
			w.Fixer.during = func() { w.set(func(p *codehost.PullRequest) { p.Open = false }) }
		}, domain.FixCancelled, "The pull request was closed."},
		"not open": {func(w *world) {
			w.Fixer.during = func() {
				testkit.OK(w.T, w.Store.SetFindingState(bg, w.World.Tenant, w.Review.PullRequest, w.Review.ID, []string{w.Known()[0].ID},
					domain.FindingDismissed))
			}
		}, domain.FixCancelled, "The chosen findings are not open any more."},
		"silent": {func(w *world) {
			w.Fixer.during = func() { w.Policy(`{"fixes":"commit","publishMode":"silent"}`) }
		}, domain.FixCancelled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, domain.FixSuggestions, func(t *testing.T, w *world) {
				c.change(w)
				w.Host.left = 0 // the word on the answer is lost
				run := w.asked(w.Known()[0].CommentID)
				testkit.Equal(t, "state", run.State, c.state)
				said := w.comments()
				if c.want == "" {
					testkit.Equal(t, "answers", len(said), 0)
					return
				}
				testkit.Require(t, "answers", len(said), 1)
				if !strings.Contains(said[0], c.want) || strings.Contains(said[0], " @octo") {
					t.Errorf("got %q, want %q", said[0], c.want)
				}
				testkit.Equal(t, "in the conversation", len(w.Host.Said(codehost.Spot{Number: 1})), 0)
			})
		})
	}
}

// A command in the conversation has its answer there, and a request of the console has its page alone.
func TestTheAnswerStandsWhereTheCommandStands(t *testing.T) {
	each(t, domain.FixSuggestions, func(t *testing.T, w *world) {
		w.Fixer.during = func() { w.set(func(p *codehost.PullRequest) { p.Open = false }) }
		run := w.asked("")
		testkit.Equal(t, "answers", len(w.Host.Said(codehost.Spot{Number: 1})), 1)
		testkit.Equal(t, "in the thread", len(w.comments()), 0)
		testkit.Equal(t, "the page says why", run.Reason, "The pull request was closed.")

		w.set(func(p *codehost.PullRequest) { p.Open = true })
		run = w.do("")
		testkit.Equal(t, "the page says why", fmt.Sprint(run.State, run.Reason), "cancelledThe pull request was closed.")
		testkit.Equal(t, "answers", len(w.Host.Said(codehost.Spot{Number: 1}))+len(w.comments()), 1)
	})
}

// The branch of a fix run that ends before its commit is deleted, once. It stays if a person uses it.
func TestNoEmptyBranchStays(t *testing.T) {
	refused := &codehost.Error{Class: codehost.ClassForbidden, Status: 403}
	for name, c := range map[string]struct {
		change  func(w *world)
		branch  string // of the fix run
		deleted int
	}{
		"a refused commit":      {func(w *world) { w.Host.refuse = refused }, "", 1},
		"a refused branch":      {func(w *world) { w.Host.closed = refused }, "", 0},
		"a commit that fails":   {func(w *world) { w.Host.refuse = &codehost.Error{Class: codehost.ClassInvalid} }, "", 1},
		"a lost answer":         {func(w *world) { w.Host.refuse, w.Host.left = refused, 2 }, "", 1},
		"a lost branch":         {func(w *world) { w.Host.refuse, w.Host.left = refused, 0 }, "", 1},
		"a push to the branch":  {func(w *world) { w.Host.before = w.pushed; w.Host.refuse = refused }, "assay/fix-", 0},
		"a push between":        {func(w *world) { w.Host.atDelete = w.pushed; w.Host.refuse = refused }, "assay/fix-", 0},
		"a pull request":        {func(w *world) { w.Host.before = w.pulled; w.Host.refuse = refused }, "assay/fix-", 0},
		"a refused deletion":    {func(w *world) { w.Host.refuse, w.Host.kept = refused, refused }, "assay/fix-", 0},
		"a branch that is away": {func(w *world) { w.Host.refuse, w.Host.kept = refused, &codehost.Error{Class: codehost.ClassNotFound} }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, domain.FixCommit, func(t *testing.T, w *world) {
				c.change(w)
				run := w.do(domain.FixBranch)
				testkit.Equal(t, "deleted", len(w.Host.deleted), c.deleted)
				testkit.Equal(t, "branch of the run "+run.Branch, strings.HasPrefix(run.Branch, c.branch) && (c.branch == "") == (run.Branch == ""), true)
				testkit.Equal(t, "the author's branch", w.Host.Tips["topic"], storetest.SHA("head"))
			})
		})
	}
}

// pushed pushes to the branch of the fix run.
func (w *world) pushed() {
	for name := range w.Host.Tips {
		if strings.HasPrefix(name, "assay/") {
			w.Host.Tips[name] = storetest.SHA("pushed")
		}
	}
}

// pulled opens a pull request from the branch of the fix run.
func (w *world) pulled() {
	for name := range w.Host.Tips {
		if strings.HasPrefix(name, "assay/") {
			w.Host.pulls = append(w.Host.pulls, codehost.NewPull{Branch: name})
		}
	}
}

// The commit that was made is named, and not what a person pushed on top of it before the worker's successor looked.
func TestALaterPushIsNotOurCommit(t *testing.T) {
	for _, forged := range []bool{false, true} {
		t.Run(fmt.Sprint("forged ", forged), func(t *testing.T) {
			each(t, domain.FixCommit, func(t *testing.T, w *world) {
				w.Host.left, w.Host.after = 0, func(c codehost.NewCommit, id string) {
					later := storetest.SHA("later")
					w.Host.messages[later] = codehost.CommitInfo{Message: "More", Parents: []string{id}}
					if forged { // the words of our message, and other files
						w.Host.messages[later] = codehost.CommitInfo{Message: c.Message, Parents: []string{id}}
					} else {
						w.Host.files["a.go "+later] = w.Host.files["a.go "+id]
					}
					w.Host.Tips["topic"] = later
				}
				run := w.do(domain.FixCommit)
				testkit.Equal(t, "state, commit", fmt.Sprint(run.State, run.CommitSHA), fmt.Sprint("completed", storetest.SHA("commit topic")))
				testkit.Equal(t, "commits", len(w.Host.made), 1)
			})
		})
	}
}
