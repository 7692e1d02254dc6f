package intake_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// inPublic makes the repository of an event public.
func inPublic(ev codehost.Event) codehost.Event {
	repo := *ev.Repository
	repo.Private = false
	ev.Repository = &repo
	return ev
}

func owned(pr *codehost.PullRequest) { pr.Association = codehost.AssociationOwner }

// branchless is pushed to refs/for/… of Gitea or Forgejo, which any reader may do.
func branchless(pr *codehost.PullRequest) { pr.FromFork, pr.Branchless = true, true }

func TestOutsideContributions(t *testing.T) {
	for name, c := range map[string]struct {
		policy string
		public bool
		role   string // role of the author
		change func(*codehost.PullRequest)
		want   string // state and depth
		asked  int    // number of requests for the author's role
	}{
		"public, a fork":                                   {public: true, role: "write", change: reviewtest.Fork, want: "completed reduced"},
		"public, a stranger":                               {public: true, role: "read", want: "completed reduced", asked: 1},
		"public, unknown to the host":                      {public: true, want: "completed reduced", asked: 1},
		"public, a writer":                                 {public: true, role: "write", want: "completed full", asked: 1},
		"public, a maintainer":                             {public: true, role: "maintain", want: "completed full", asked: 1},
		"public, the owner":                                {public: true, change: owned, want: "completed full"},
		"public, all treated alike":                        {policy: `{"outsideContributors":"full"}`, public: true, change: reviewtest.Fork, want: "completed full"},
		"public, on request, a fork":                       {policy: `{"outsideContributors":"onRequest"}`, public: true, change: reviewtest.Fork, want: "skipped reduced"},
		"public, on request, a stranger":                   {policy: `{"outsideContributors":"onRequest"}`, public: true, role: "triage", want: "skipped reduced", asked: 1},
		"public, on request, a writer":                     {policy: `{"outsideContributors":"onRequest"}`, public: true, role: "admin", want: "completed full", asked: 1},
		"public, a bot that is not reviewed":               {public: true, change: func(p *codehost.PullRequest) { p.AuthorIsBot = true }, want: "skipped full"},
		"public, a bot":                                    {policy: `{"triggers":{"includeBots":true}}`, public: true, change: func(p *codehost.PullRequest) { p.AuthorIsBot = true }, want: "completed reduced", asked: 1},
		"public, no branch, a writer":                      {public: true, role: "write", change: branchless, want: "completed full", asked: 1},
		"public, no branch, a stranger":                    {public: true, role: "read", change: branchless, want: "completed reduced", asked: 1},
		"public, no branch, the owner":                     {public: true, change: func(p *codehost.PullRequest) { branchless(p); owned(p) }, want: "completed full"},
		"public, no branch, on request":                    {policy: `{"outsideContributors":"onRequest"}`, public: true, role: "read", change: branchless, want: "skipped reduced", asked: 1},
		"private, a fork":                                  {change: reviewtest.Fork, want: "completed full"},
		"private, a stranger":                              {role: "read", want: "completed full"},
		"private, reduced, a fork":                         {policy: `{"outsideContributors":"reduced"}`, change: reviewtest.Fork, want: "completed reduced"},
		"private, on request, a stranger":                  {policy: `{"outsideContributors":"onRequest"}`, want: "skipped reduced", asked: 1},
		"public, a draft by a stranger, without a request": {public: true, change: reviewtest.Drafted, want: "skipped full"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				if c.policy != "" {
					f.Policy(c.policy)
				}
				if c.role != "" {
					f.Host.Roles["mona"] = c.role
				}
				var change []func(*codehost.PullRequest)
				if c.change != nil {
					change = append(change, c.change)
				}
				ev := f.Event("opened", "a", change...)
				if c.public {
					ev = inPublic(ev)
				}
				f.Deliver(ev)
				run := f.Runs()[0]
				testkit.Equal(t, "run", fmt.Sprint(run.State, " ", run.Depth), c.want)
				testkit.Equal(t, "requests to the host", len(f.Host.Asked), c.asked)
			})
		})
	}
}

// The check run of a skipped contribution says how it gets a review. A command by a person who may write
// starts a full review, and a stranger's command starts none.
func TestAContributionIsReviewedOnRequest(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(`{"outsideContributors":"onRequest"}`)
		f.Host.Roles["hubot"] = "write"
		f.Want(f.Deliver(inPublic(f.Event("opened", "a", reviewtest.Fork))), domain.DispositionRun, "skipped")
		skipped := f.Runs()[0]
		check := f.Host.Check(skipped.ID)
		testkit.Equal(t, "conclusion", check.Conclusion, "skipped")
		if !strings.Contains(check.Summary.String(), "/assay review") || !strings.Contains(skipped.Reason, "/assay review") {
			t.Errorf("the way to a review is missing: %q, %q", check.Summary, skipped.Reason)
		}
		f.Want(f.Deliver(inPublic(reviewtest.Comment(1, "mona", "/assay review"))), domain.DispositionIgnored, "skipped")
		f.Want(f.Deliver(inPublic(reviewtest.Comment(2, "hubot", "/assay review"))), domain.DispositionRun, "skipped completed")
		testkit.Equal(t, "depth", f.Runs()[1].Depth, domain.DepthFull)
		f.Want(f.Deliver(inPublic(f.Event("synchronize", "b", reviewtest.Fork))), domain.DispositionRun, "skipped completed skipped")
		f.Deliver(inPublic(reviewtest.Comment(3, "hubot", "/assay resume")))
		said := f.Host.Said(codehost.Spot{Number: 1})
		testkit.Require(t, "answers", len(said), 1)
		if !strings.Contains(said[0].Body, "the next push is not reviewed: it comes from outside") {
			t.Errorf("the end of the pause promises a review: %s", said[0].Body)
		}
	})
}

// A push to a paused pull request from outside is skipped because of the pause, so that the end is not a contribution that waits.
func TestAPausedContributionFromOutsideIsSkippedByThePolicy(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(`{"outsideContributors":"onRequest","check":{"unreviewed":{"outsider":"fail"}}}`)
		f.Host.Roles["hubot"] = "write"
		f.Deliver(inPublic(f.Event("opened", "a", reviewtest.Fork)))
		f.Deliver(inPublic(reviewtest.Comment(1, "hubot", "/assay pause")))
		f.Deliver(inPublic(f.Event("synchronize", "b", reviewtest.Fork)))
		for i, want := range []string{domain.CheckFailure, domain.CheckSkipped} {
			testkit.Equal(t, fmt.Sprint("check ", i), f.Host.Check(f.Runs()[i].ID).Conclusion, want)
		}
	})
}

// Events are frequent and roles change rarely, so that the role is requested only once in a while.
func TestTheRoleOfAnAuthorIsKept(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		for _, head := range []string{"a", "b", "c"} {
			f.Deliver(inPublic(f.Event("synchronize", head)))
		}
		testkit.Equal(t, "asked", fmt.Sprint(f.Host.Asked), "[mona]")
		testkit.Equal(t, "the last", f.Runs()[2].Depth, domain.DepthReduced)
	})
}

// The role of an author is not the role of another account that took the author's name.
func TestTheRoleOfANameThatAnotherAccountTook(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Roles["mona"] = "write"
		f.Deliver(inPublic(f.Event("opened", "a", branchless)))
		f.Host.Roles["mona"] = "read"
		f.Deliver(inPublic(f.Event("opened", "b", branchless, func(pr *codehost.PullRequest) { pr.Number, pr.AuthorID = 2, "6" })))
		depths := []domain.Depth{f.Runs()[0].Depth, f.Runs()[1].Depth}
		testkit.Equal(t, "depths", fmt.Sprint(depths), fmt.Sprint([]domain.Depth{domain.DepthFull, domain.DepthReduced}))
	})
}

// If the host cannot report the author's role, the event waits, and no review starts by a guess.
func TestTheRoleOfAnAuthorIsNotGuessed(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Fail("permission", &codehost.Error{Class: codehost.ClassLimited, Op: "permission"})
		guid := f.Send(inPublic(f.Event("opened", "a")))
		f.Until("the event waits", func() bool {
			jobs, err := f.Store.JobsOf(bg, f.Delivery(guid).ID)
			return err == nil && len(jobs) == 1 && jobs[0].State == domain.JobQueued && jobs[0].LastError != ""
		})
		testkit.Equal(t, "runs", f.States(), "")
		f.Host.Fail("permission", nil)
		f.Until("it is reviewed", func() bool { return f.States() == "completed" })
	})
}

// The sweep requests the author's role only for a head without a run.
func TestTheSweepAsksOfAHeadWithoutARunOnly(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(`{"outsideContributors":"reduced"}`)
		f.Deliver(f.Event("opened", "a"))
		testkit.Equal(t, "requests for the event", fmt.Sprint(f.Host.Asked), "[mona]")
		f.Stop()
		f.Services = reviewtest.New(t, f.Store, f.Host, f.Models, f.Snapshots) // a new process, which has no stored roles
		f.Start()
		for _, step := range []struct{ head, asked string }{{"a", "[mona]"}, {"b", "[mona mona]"}} {
			f.Event("synchronize", step.head, func(pr *codehost.PullRequest) { pr.UpdatedAt = time.Now().Add(time.Hour) }) // after the repository was connected
			testkit.OK(t, f.Services.Intake.SweepHeads(bg, store.Unswept{Installation: -time.Hour}, 0, 100))
			f.Settle()
			testkit.Equal(t, "requests after the sweep that sees "+step.head, fmt.Sprint(f.Host.Asked), step.asked)
		}
		testkit.Equal(t, "runs", f.States(), "completed completed")
	})
}
