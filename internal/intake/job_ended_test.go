package intake_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The sweep finds a failed job whose event was lost, and later that the jobs pass.
func TestTheSweepFindsFailedJobs(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		f.Policy(`{"ciAnalysis":"all"}`)
		f.Deliver(f.Event("opened", "a", lately(1)))
		for _, conclusion := range []string{"failure", "success"} {
			f.Host.Builds.Jobs = map[string][]codehost.Job{storetest.SHA("a"): {{ID: "7", Name: "test", Workflow: "build",
				State: codehost.JobDone, Conclusion: conclusion}}}
			sweepTwice(f)
			testkit.Equal(t, conclusion+": comments", len(f.Host.Said(codehost.Spot{Number: 1})), 1)
			v, err := f.Store.CIComment(bg, f.World.Tenant, f.Runs()[0].PullRequest)
			testkit.OK(t, err)
			testkit.Equal(t, conclusion+": green", v.Green, conclusion == "success")
		}
	})
}

// An event about a closed pull request, about another commit, or without a commit leads to no look.
func TestEventsOfJobsThatLeadNowhere(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		repo := reviewtest.Repository()
		ended := func(id, head string) store.Delivery {
			return f.Deliver(codehost.Event{Kind: codehost.KindCheck, Name: "check_run", Action: "completed", AppID: "9", Repository: &repo,
				Check: &codehost.EventCheckRun{ID: domain.HostID(id), Name: "test", HeadSHA: head, Status: "completed", Conclusion: "failure", AppID: "15368"}})
		}
		f.Policy(`{"ciAnalysis":"all"}`)
		f.Deliver(f.Event("opened", "a"))
		f.Host.Builds.Jobs = map[string][]codehost.Job{storetest.SHA("a"): {{ID: "7", Name: "test", State: codehost.JobDone, Conclusion: "failure"}}}
		testkit.Equal(t, "without a commit", ended("1", "").Reason, "no check of a repository")
		testkit.Equal(t, "of another commit", ended("2", storetest.SHA("z")).Reason, "no open pull request has this head")
		f.Deliver(f.Event("closed", "a"))
		testkit.Equal(t, "of a closed pull request", ended("3", storetest.SHA("a")).Reason, "no open pull request has this head")
		testkit.Equal(t, "comments", len(f.Host.Said(codehost.Spot{Number: 1})), 0)
	})
}
