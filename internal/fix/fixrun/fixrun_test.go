package fixrun_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/fix/fixrun"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestFixesAreDelivered(t *testing.T) {
	for _, d := range []domain.FixDelivery{domain.FixSuggestions, domain.FixCommit, domain.FixBranch} {
		t.Run(string(d), func(t *testing.T) {
			each(t, domain.FixCommit, func(t *testing.T, w *world) {
				run := w.do(d)
				testkit.Equal(t, "state, reason, findings", fmt.Sprint(run.State, run.Reason, run.Proposed, run.Passed), fmt.Sprint("completed", "", 1, 1))
				said := w.comments()
				testkit.Require(t, "comments", len(said), 1)
				commits, pulls := 0, 0
				switch d {
				case domain.FixSuggestions:
					if !strings.Contains(said[0], "```suggestion\n"+mended+"\n```") {
						t.Errorf("no block that a click applies: %s", said[0])
					}
				case domain.FixBranch:
					commits, pulls = 1, 1
					testkit.Equal(t, "base", w.Host.pulls[0].Base, "topic")
					testkit.Equal(t, "the author's branch", w.Host.Tips["topic"], storetest.SHA("head"))
				case domain.FixCommit:
					commits = 1
					testkit.Equal(t, "commit", w.Host.Tips["topic"], run.CommitSHA)
					testkit.Equal(t, "branch", run.Branch, "topic")
				}
				testkit.Equal(t, "commits, pull requests", fmt.Sprint(len(w.Host.made), len(w.Host.pulls)), fmt.Sprint(commits, pulls))
				if commits > 0 {
					testkit.Equal(t, "the comment names the commit", contains(said, run.CommitSHA[:7]), true)
					testkit.Equal(t, "the message names the run", strings.Contains(w.Host.made[0].Message, "Assay-Fix-Run: "+run.ID), true)
					testkit.Equal(t, "no words of strangers", strings.Contains(w.Host.made[0].Message, w.Known()[0].Title), false)
				}
			})
		})
	}
}

// The worker does not learn that the host took a write.
func TestEachWriteIsMadeOnceAlthoughItsAnswerIsLost(t *testing.T) {
	for d, writes := range map[domain.FixDelivery]int{domain.FixSuggestions: 1, domain.FixCommit: 2, domain.FixBranch: 4} {
		for n := range writes {
			t.Run(fmt.Sprint(d, n), func(t *testing.T) {
				each(t, domain.FixCommit, func(t *testing.T, w *world) {
					w.Host.left = n
					run := w.do(d)
					testkit.Equal(t, "state and reason", fmt.Sprint(run.State, run.Reason), "completed")
					testkit.Equal(t, "comments", len(w.comments()), 1)
					testkit.Equal(t, "the model is asked once", w.Fixer.runs, 1)
					commits, pulls := 0, 0
					if d != domain.FixSuggestions {
						commits = 1
					}
					if d == domain.FixBranch {
						pulls = 1
					}
					testkit.Equal(t, "commits, pull requests", fmt.Sprint(len(w.Host.made), len(w.Host.pulls)), fmt.Sprint(commits, pulls))
				})
			})
		}
	}
}

func TestNoBranchIsWrittenThatIsNotTheAuthorsToFix(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world)
		state  domain.FixState
		why    domain.FixInstead
	}{
		"a fork":             {func(w *world) { w.set(func(p *codehost.PullRequest) { p.FromFork = true }) }, domain.FixCompleted, domain.FixInsteadFork},
		"the default branch": {func(w *world) { w.set(func(p *codehost.PullRequest) { p.BaseRef = "topic" }) }, domain.FixCompleted, domain.FixInsteadProtected},
		"no permission": {func(w *world) { w.Host.refuse = &codehost.Error{Class: codehost.ClassForbidden, Status: 403} }, domain.FixCompleted,
			domain.FixInsteadPermission},
		"a branch that moved": {func(w *world) { w.Host.before = func() { w.Host.Tips["topic"] = storetest.SHA("pushed") } }, domain.FixCancelled, ""},
		"a head that moved":   {func(w *world) { w.set(func(p *codehost.PullRequest) { p.HeadSHA = storetest.SHA("pushed") }) }, domain.FixCancelled, ""},
		"a closed one":        {func(w *world) { w.set(func(p *codehost.PullRequest) { p.Open = false }) }, domain.FixCancelled, ""},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, domain.FixCommit, func(t *testing.T, w *world) {
				c.change(w)
				run := w.do(domain.FixCommit)
				testkit.Equal(t, "state and reason", fmt.Sprint(run.State, run.Instead), fmt.Sprint(c.state, c.why))
				testkit.Equal(t, "commits", len(w.Host.made), 0)
				testkit.Equal(t, "branch that has a commit", run.Branch, "")
				if run.Reason == "" {
					t.Error("the run does not say why")
				}
				testkit.Equal(t, "suggested in the thread", contains(w.comments(), "```suggestion"), c.why != "")
			})
		})
	}
}

// set changes the pull request on the host.
func (w *world) set(change func(*codehost.PullRequest)) {
	p := w.Host.Pulls[1]
	change(&p)
	w.Host.Set(p)
}

func TestRefusedRequestsNameTheField(t *testing.T) {
	each(t, domain.FixSuggestions, func(t *testing.T, w *world) {
		id := w.Known()[0].ID
		for name, c := range map[string]struct {
			in      fixrun.ReviewFixRequest
			pointer string
		}{
			"above the policy":   {fixrun.ReviewFixRequest{FindingIDs: []string{id}, Delivery: domain.FixCommit}, "/delivery"},
			"of another run":     {fixrun.ReviewFixRequest{FindingIDs: []string{"fnd_other"}}, "/findingIds/0"},
			"twice":              {fixrun.ReviewFixRequest{FindingIDs: []string{id, id}}, "/findingIds/1"},
			"without a finding":  {fixrun.ReviewFixRequest{}, "/findingIds"},
			"too many":           {fixrun.ReviewFixRequest{FindingIDs: make([]string, fix.MaxFindings+1)}, "/findingIds"},
			"no known delivery":  {fixrun.ReviewFixRequest{FindingIDs: []string{id}, Delivery: "mail"}, "/delivery"},
			"off is no delivery": {fixrun.ReviewFixRequest{FindingIDs: []string{id}, Delivery: domain.FixOff}, "/delivery"},
		} {
			_, err := w.Fixes.Create(bg, w.World.Tenant, w.Repository, w.Review, c.in)
			if !errs.Is(err, errs.Invalid) || !strings.Contains(fmt.Sprintf("%+v", fields(err)), c.pointer) {
				t.Errorf("%s: %v, want a problem at %s", name, err, c.pointer)
			}
		}
		w.Policy(`{"fixes":"off"}`)
		_, err := w.request("")
		testkit.Equal(t, "off", errs.Is(err, errs.Invalid), true)
		w.Policy(`{"fixes":"commit","publishMode":"approval"}`)
		_, err = w.request("")
		testkit.Equal(t, "approval", errs.Is(err, errs.Conflict), true)
		w.Policy(`{"fixes":"commit","enabled":false}`)
		_, err = w.request("")
		testkit.Equal(t, "reviews are off", errs.Is(err, errs.Conflict) && strings.Contains(err.Error(), "enabled"), true)
		w.Deliver(reviewtest.Comment(73, "chief", "/assay fix"))
		list, err := w.Store.FixRuns(bg, w.World.Tenant, w.Repository.ID, store.FixRunFilter{})
		testkit.OK(t, err)
		testkit.Equal(t, "fix runs", len(list), 0)
		said := w.Host.Said(codehost.Spot{Number: 1})
		testkit.Equal(t, "the command is answered", len(said) == 1 && strings.Contains(said[0].Body, "allows no fixes"), true)
	})
}

func fields(err error) []errs.Field {
	e, _ := err.(*errs.Error) //nolint:errorlint // the error of the check itself
	if e == nil {
		return nil
	}
	return e.Fields
}

func TestAHeadHasThreeFixRuns(t *testing.T) {
	each(t, domain.FixSuggestions, func(t *testing.T, w *world) {
		w.Fixer.refuse = fix.NoFix
		for range store.MaxFixRunsOfHead {
			run := w.do("")
			testkit.Equal(t, "state, passed", fmt.Sprint(run.State, " ", run.Passed), "completed 0")
		}
		testkit.Equal(t, "the thread says why not", contains(w.comments(), "No fix is offered."), true)
		_, err := w.request("")
		testkit.Equal(t, "a fourth one", errs.Is(err, errs.Conflict), true)
		w.Deliver(w.Event("synchronize", "head"))
		list, err := w.Store.FixRuns(bg, w.World.Tenant, w.Repository.ID, store.FixRunFilter{State: domain.FixCompleted, Number: 1})
		testkit.OK(t, err)
		testkit.Equal(t, "fix runs, none by a push", len(list), store.MaxFixRunsOfHead)
	})
}

func TestTheCommandStartsAFixRun(t *testing.T) {
	each(t, domain.FixCommit, func(t *testing.T, w *world) {
		w.Deliver(reviewtest.Comment(71, "mona", "/assay fix"))
		w.Deliver(reviewtest.Comment(72, "chief", "/assay fix"))
		w.Deliver(reviewtest.Comment(72, "chief", "/assay fix"))
		list, err := w.Store.FixRuns(bg, w.World.Tenant, w.Repository.ID, store.FixRunFilter{})
		testkit.OK(t, err)
		testkit.Require(t, "fix runs", len(list), 1)
		run := w.wait(list[0].ID)
		testkit.Equal(t, "state, delivery, who", fmt.Sprint(run.State, " ", run.Delivery, " ", run.AskedName), "completed commit chief")
		answers := w.Host.Said(codehost.Spot{Number: 1})
		testkit.Require(t, "answers to the command", len(answers), 1)
		testkit.Equal(t, "the writer reads what is needed", strings.Contains(answers[0].Body, "maintain"), true)
	})
}
