package intake_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// sweepTwice looks for lost heads, and again after the results are processed.
func sweepTwice(f *reviewtest.Fixture) {
	f.T.Helper()
	for range 2 {
		testkit.OK(f.T, f.Services.Intake.SweepHeads(bg, store.Unswept{Installation: -time.Hour, Connection: -time.Hour}, 0, 100))
		f.Settle()
	}
}

// lately sets the last change of a pull request some minutes into the future, so that the sweep looks at it.
func lately(minutes int) func(*codehost.PullRequest) {
	return func(pr *codehost.PullRequest) { pr.UpdatedAt = time.Now().Add(time.Duration(minutes) * time.Minute) }
}

func onto(branch string) func(*codehost.PullRequest) {
	return func(pr *codehost.PullRequest) { pr.BaseRef = branch }
}

// A sweep that used up its share of requests continues with the remaining repositories the next time, and not
// an hour later.
func TestTheSweepGoesOnWhereItsShareEnded(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Deliver(f.Event("opened", "a"))
		rows, err := f.Store.Repositories(bg, f.World.Tenant)
		testkit.OK(t, err)
		hourly := store.Unswept{Installation: time.Hour, Connection: time.Hour}
		f.Event("synchronize", "b", lately(1)) // not delivered
		sweep := func(runs int) {
			t.Helper()
			testkit.OK(t, f.Services.Intake.SweepHeads(bg, hourly, 0, 100))
			f.Settle()
			testkit.Equal(t, "runs", len(f.Runs()), runs)
		}
		sweep(1) // it is not due
		testkit.OK(t, f.Store.SweepAgain(bg, f.World.Tenant, rows[0].ID))
		f.Host.Fail("list", &codehost.Error{Class: codehost.ClassLimited, Op: "rate gate", RetryAfter: time.Minute})
		sweep(1)
		f.Host.Fail("list", nil)
		sweep(1) // its job waits until the share may be used again
		_, err = f.Store.EnqueueAwaited(bg, f.World.Tenant, domain.KindHeads, f.World.Installation.ID)
		testkit.OK(t, err)
		sweep(2)
	})
}

// A head was not reviewed because a condition was missing. If the event that fulfils the condition is lost,
// the sweep reviews the head. If that event arrives late, it joins the run.
func TestTheSweepSeesWhatAHeadWaitedFor(t *testing.T) {
	type change = func(*codehost.PullRequest)
	for name, c := range map[string]struct {
		policy string
		first  func(f *reviewtest.Fixture) // first delivery
		state  string                      // state of the run of the first delivery
		action string                      // action of the lost event
		now    []change                    // state of the host from then on
		late   domain.Disposition          // disposition of the late event
		asked  int32                       // number of requests for the host's webhooks
	}{
		"a draft is ready": {"{}", func(f *reviewtest.Fixture) { f.Deliver(f.Event("opened", "a", reviewtest.Drafted)) }, "skipped",
			"ready_for_review", nil, domain.DispositionCoalesced, 1},
		"a label is added": {`{"triggers":{"labels":["review"]}}`, func(f *reviewtest.Fixture) { f.Deliver(f.Event("opened", "a")) }, "skipped",
			"labeled", []change{reviewtest.Labels("review")}, domain.DispositionCoalesced, 1},
		"a label is added, the policy was changed before": {`{"triggers":{"labels":["review"]}}`, func(f *reviewtest.Fixture) {
			f.Deliver(f.Event("opened", "a"))
			f.Policy(`{"triggers":{"labels":["review"]},"maxInlineComments":5}`)
		}, "skipped", "labeled", []change{reviewtest.Labels("review")}, domain.DispositionCoalesced, 1},
		"opened again": {"{}", func(f *reviewtest.Fixture) {
			began, release := f.Hold("a")
			f.Processed(f.Event("opened", "a"))
			reviewtest.Receive(f.T, began)
			f.Processed(f.Event("closed", "a"))
			release()
			f.Settle()
		}, "cancelled", "reopened", nil, domain.DispositionCoalesced, 1},
		"a draft for a while": {"{}", func(f *reviewtest.Fixture) {
			began, release := f.Hold("a")
			f.Processed(f.Event("opened", "a"))
			reviewtest.Receive(f.T, began)
			f.Processed(f.Event("converted_to_draft", "a", reviewtest.Drafted))
			release()
			f.Settle()
		}, "cancelled", "ready_for_review", nil, domain.DispositionCoalesced, 1},
		"another target": {`{"triggers":{"targetBranches":["release/*"]}}`, func(f *reviewtest.Fixture) { f.Deliver(f.Event("opened", "a")) }, "skipped",
			"edited", []change{onto("release/1")}, domain.DispositionIgnored, 0},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				asked := throughGitea(f, "[]", reviewtest.Repository())
				testkit.OK(t, f.Sync(bg))
				asked.Store(0)
				f.Policy(c.policy)
				c.first(f)
				testkit.Require(t, "runs", f.States(), c.state)
				lost := f.Event(c.action, "a", append(c.now, lately(10))...)
				sweepTwice(f)
				testkit.Require(t, "runs after the sweep", f.States(), c.state+" completed")
				runs := f.Runs()
				testkit.Equal(t, "key", runs[1].TriggerKey, "auto:after:"+runs[0].ID)
				testkit.Equal(t, "asker", runs[1].Asker.How, domain.AskedBySweep)
				testkit.Equal(t, "asked", asked.Load(), c.asked)
				d := f.Deliver(lost)
				f.Want(d, c.late, c.state+" completed")
				testkit.Equal(t, "visible", len(f.Host.Visible()), 1)
			})
		})
	}
}

// A head whose event was lost gets its check by the sweep, also where the policy starts no review of it.
func TestTheSweepGivesALostHeadItsCheck(t *testing.T) {
	for policy, want := range map[string]string{
		`{}`:                            "completed completed success",
		`{"triggers":{"opened":false}}`: "completed skipped skipped",
		`{"triggers":{"opened":false},"check":{"unreviewed":{"preset":"strict"}}}`: "completed skipped failure",
	} {
		t.Run(policy, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Deliver(f.Event("opened", "a"))
				f.Policy(policy)
				f.Event("synchronize", "b", lately(1)) // not delivered
				sweepTwice(f)
				runs := f.Runs()
				testkit.Require(t, "runs", len(runs), 2)
				check := f.Host.Check(runs[1].ID)
				testkit.Equal(t, "head of the check", check.HeadSHA, storetest.SHA("b"))
				testkit.Equal(t, "runs and check", f.States()+" "+check.Conclusion, want)
			})
		})
	}
}

// A head whose run was cancelled because the host did not show its pull request is reviewed once the host
// shows it again. A listed pull request that cannot be read makes no run.
func TestTheSweepSeesThatAPullRequestIsBack(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Fail("pull", &codehost.Error{Class: codehost.ClassNotFound, Op: "pull request"})
		f.Deliver(f.Event("opened", "a", lately(10)))
		testkit.Require(t, "runs", f.States(), "cancelled")
		testkit.Equal(t, "cause", f.Runs()[0].End, domain.EndGone)
		sweepTwice(f)
		testkit.Require(t, "runs while it is missing", f.States(), "cancelled")
		f.Host.Fail("pull", nil)
		sweepTwice(f)
		testkit.Require(t, "runs once it is back", f.States(), "cancelled completed")
		testkit.Equal(t, "visible", len(f.Host.Visible()), 1)
	})
}

// A head that was not reviewed for a reason that still holds gets no run, however often the sweep sees it.
// The same is true if only the policy changed, or if the head was reviewed in another way.
func TestTheSweepLeavesAloneWhatIsNotDue(t *testing.T) {
	type change = func(*codehost.PullRequest)
	none := func(*reviewtest.Fixture) {}
	labelled := `{"triggers":{"labels":["review"]}}`
	for name, c := range map[string]struct {
		policy string
		first  []change
		then   func(f *reviewtest.Fixture)
		now    []change
		states string
	}{
		"still a draft":                       {"{}", []change{reviewtest.Drafted}, none, []change{reviewtest.Drafted, lately(10)}, "skipped"},
		"drafts are reviewed now":             {"{}", []change{reviewtest.Drafted}, func(f *reviewtest.Fixture) { f.Policy(`{"triggers":{"draft":true}}`) }, []change{reviewtest.Drafted, lately(10)}, "skipped"},
		"ready, and that starts no review":    {`{"triggers":{"ready":false}}`, []change{reviewtest.Drafted}, none, []change{lately(10)}, "skipped"},
		"ready, and the label is missing":     {labelled, []change{reviewtest.Drafted}, none, []change{lately(10)}, "skipped"},
		"another label":                       {labelled, nil, none, []change{reviewtest.Labels("other"), lately(10)}, "skipped"},
		"another label is required now":       {labelled, []change{reviewtest.Labels("other"), lately(-1)}, func(f *reviewtest.Fixture) { f.Policy(`{"triggers":{"labels":["other"]}}`) }, []change{reviewtest.Labels("other"), lately(-1)}, "skipped"},
		"no label is required now":            {labelled, nil, func(f *reviewtest.Fixture) { f.Policy(`{}`) }, []change{lately(10)}, "skipped"},
		"other targets are reviewed now":      {`{"triggers":{"targetBranches":["release"]}}`, []change{lately(-1)}, func(f *reviewtest.Fixture) { f.Policy(`{"triggers":{"targetBranches":["main"]}}`) }, []change{lately(-1)}, "skipped"},
		"reviews are switched on":             {`{"enabled":false}`, nil, func(f *reviewtest.Fixture) { f.Policy(`{}`) }, []change{lately(10)}, "skipped"},
		"a command had it reviewed":           {"{}", []change{reviewtest.Drafted}, func(f *reviewtest.Fixture) { f.Deliver(reviewtest.Comment(1, "hubot", "/assay review")) }, []change{lately(10)}, "skipped completed"},
		"the author is excluded":              {`{"triggers":{"excludedAuthors":["mona"]}}`, nil, none, []change{lately(10)}, "skipped"},
		"ready, and reviewed only on request": {`{"outsideContributors":"onRequest"}`, []change{reviewtest.Drafted}, none, []change{reviewtest.Fork, lately(10)}, "skipped skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				f := reviewtest.NewFixture(t, s)
				f.Host.Roles["hubot"] = "write"
				f.Policy(c.policy)
				f.Deliver(f.Event("opened", "a", c.first...))
				testkit.Require(t, "runs", f.States(), "skipped")
				raw(`UPDATE repositories SET created_us = 0`) // otherwise the sweep would skip pull requests without a later change
				c.then(f)
				f.Event("edited", "a", c.now...)
				sweepTwice(f)
				sweepTwice(f)
				testkit.Equal(t, "runs after the sweeps", f.States(), c.states)
			})
		})
	}
}
