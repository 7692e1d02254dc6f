package ci_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

const goLog = "=== RUN   TestHalf\n    half_test.go:7: half(3) = 1, want 2\n--- FAIL: TestHalf (0.00s)\nFAIL\nFAIL\texample.com/half\t0.01s\n"

// job is a job of the host's CI.
func job(id, name, conclusion string) codehost.Job {
	return codehost.Job{ID: domain.HostID(id), Name: name, Workflow: "build", State: codehost.JobDone, Conclusion: conclusion,
		URL: "https://ci.example.com/" + id}
}

// ended is the event of a job's end on a head.
func ended(head, conclusion string) codehost.Event {
	repo := reviewtest.Repository()
	return codehost.Event{Kind: codehost.KindCheck, Name: "check_run", Action: "completed", AppID: "9", Repository: &repo,
		Check: &codehost.EventCheckRun{ID: "1", Name: "test", HeadSHA: storetest.SHA(head), Status: "completed", Conclusion: conclusion,
			AppID: "15368"}}
}

// start opens a pull request of a repository with the policy, whose head has jobs.
func start(f *reviewtest.Fixture, policy string, list ...codehost.Job) {
	f.Host.Builds.Jobs = map[string][]codehost.Job{storetest.SHA("a"): list}
	f.Host.Builds.Logs = map[domain.HostID]string{}
	for _, j := range list {
		f.Host.Builds.Logs[j.ID] = goLog
	}
	f.Deliver(f.Event("opened", "a"))
	f.Policy(policy)
}

// all returns the analyses of the repository, oldest first.
func all(t *testing.T, f *reviewtest.Fixture) []store.CIAnalysis {
	t.Helper()
	repo := f.Runs()[0].Repository
	got, err := f.Store.CIAnalyses(bg, f.World.Tenant, repo, store.CIFilter{Before: store.Cursor{US: 1 << 60, ID: "z"}, Limit: 100})
	testkit.OK(t, err)
	slices.Reverse(got)
	return got
}

func states(t *testing.T, f *reviewtest.Fixture) string {
	t.Helper()
	var out []string
	for _, v := range all(t, f) {
		out = append(out, v.Job+" "+string(v.State))
	}
	return strings.Join(out, ", ")
}

// comments returns the comments of the conversation.
func comments(f *reviewtest.Fixture) []reviewtest.Said { return f.Host.Said(codehost.Spot{Number: 1}) }

// A failed job leads to one analysis and one comment, which says so in one line when the next head is green.
func TestAFailedJobIsExplainedOnce(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"), job("8", "lint", "success"))
		for i := range 3 {
			ev := ended("a", "failure")
			ev.Check.ID = domain.NumberID(int64(i + 1))
			testkit.Equal(t, "disposition", f.Deliver(ev).Disposition, domain.DispositionApplied)
		}
		testkit.Equal(t, "analyses", states(t, f), "build / test completed")
		v := all(t, f)[0]
		testkit.Equal(t, "how", fmt.Sprint(v.Method, " ", v.Relation, " ", v.Reason), "pattern unclear without a model: none is routed")
		testkit.Equal(t, "comments", len(comments(f)), 1)
		testkit.Equal(t, "the comment names the job", strings.Contains(comments(f)[0].Body, "build / test"), true)
		testkit.Equal(t, "edits", f.Host.Wrote("edit reply"), 0)

		f.Deliver(f.Event("synchronize", "b"))
		for name, list := range map[string][]codehost.Job{"no result": {}, "cancelled": {job("17", "test", "cancelled")},
			"a status of another system waits": {job("17", "test", "success")}} {
			f.Host.Builds.Jobs[storetest.SHA("b")], f.Host.Builds.Open = list, len(list)
			ev := ended("b", "success")
			ev.Check.Name = name
			f.Deliver(ev)
			testkit.Equal(t, name, strings.Contains(comments(f)[0].Body, "passes"), false)
		}
		f.Host.Builds.Jobs[storetest.SHA("b")], f.Host.Builds.Open = []codehost.Job{job("17", "test", "success")}, 0
		f.Deliver(ended("b", "success"))
		testkit.Equal(t, "comments", len(comments(f)), 1)
		text, _, _ := strings.Cut(comments(f)[0].Body, "\n\n<!--")
		testkit.Equal(t, "folded to one line", strings.Count(strings.TrimSpace(text), "\n"), 0)
		testkit.Equal(t, "the line", strings.Contains(text, "passes"), true)
	})
}

// The policy decides whether failed jobs are analysed, and which.
func TestThePolicyChoosesJobs(t *testing.T) {
	for name, tc := range map[string]struct {
		policy   string
		required []string
		want     string
	}{
		"off by default":                 {`{}`, nil, ""},
		"all":                            {`{"ciAnalysis":"all"}`, []string{"test"}, "build / test completed, build / docs completed"},
		"required":                       {`{"ciAnalysis":"required"}`, []string{"test"}, "build / test completed"},
		"required as Gitea names it":     {`{"ciAnalysis":"required"}`, []string{"My build / docs (pull_request)"}, "build / docs completed"},
		"required, the host is silent":   {`{"ciAnalysis":"required"}`, nil, "build / test completed, build / docs completed"},
		"required, and nothing is":       {`{"ciAnalysis":"required"}`, []string{}, ""},
		"reviews are off":                {`{"enabled":false,"ciAnalysis":"all"}`, nil, ""},
		"silent, so there is no comment": {`{"ciAnalysis":"all","publishMode":"silent"}`, nil, "build / test completed, build / docs completed"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
				f.Host.Builds.Required = tc.required
				start(f, tc.policy, job("7", "test", "failure"), job("8", "docs", "failure"))
				f.Deliver(ended("a", "failure"))
				testkit.Equal(t, "analyses", states(t, f), tc.want)
				said := tc.want != "" && !strings.Contains(tc.policy, "silent")
				testkit.Equal(t, "commented", len(comments(f)) == 1, said)
				if strings.Contains(name, "host is silent") {
					testkit.Equal(t, "says so", strings.Contains(comments(f)[0].Body, "does not say which jobs"), true)
				}
			})
		})
	}
}

// A job without a log says why, whatever the reason.
func TestJobsWithoutALog(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		f.Host.Builds.Others = map[string][]codehost.CIFailure{storetest.SHA("a"): {
			{Key: "status/ci", Name: "ci/other", NoLog: codehost.NoLogStatus, Conclusion: "error", URL: "https://ci.example.com/7?X-Amz-Signature=abcdef#token=1",
				Description: "3 tests failed"},
			{Key: "check/9", Name: "scan", Workflow: "App", NoLog: codehost.NoLogOtherApp, Conclusion: "failure", URL: "javascript:alert(1)",
				Annotations: []codehost.Annotation{{Path: "a.go", Line: 3, Level: "failure", Message: "bad"}}, Unread: 4},
		}}
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		delete(f.Host.Builds.Logs, "7")
		f.Deliver(ended("a", "failure"))
		for i, want := range []string{"does not have the log any more", "commit status of another system", "an app that keeps its log elsewhere"} {
			v := all(t, f)[i]
			testkit.Equal(t, v.Job+": "+v.NoLog, strings.Contains(v.NoLog, want) && v.State == domain.CICompleted && v.Log == "[]", true)
		}
		testkit.Equal(t, "no signature", all(t, f)[1].URL, "https://ci.example.com/7")
		testkit.Equal(t, "no script", all(t, f)[2].URL, "")
		testkit.Equal(t, "facts", all(t, f)[2].Facts, `["a.go:3: failure: bad","4 more annotations are not read."]`)
		testkit.Equal(t, "comment", strings.Contains(comments(f)[0].Body, "3 tests failed"), true)
		f.Host.Fail("log", &codehost.Error{Class: codehost.ClassTooLarge})
		for _, c := range []codehost.Class{codehost.ClassTooLarge, codehost.ClassForbidden} {
			f.Host.Fail("log", &codehost.Error{Class: c})
			head := string(c)
			f.Host.Builds.Jobs[storetest.SHA(head)] = []codehost.Job{job("7", "test", "failure")}
			f.Deliver(f.Event("synchronize", head))
			f.Deliver(ended(head, "failure"))
		}
		got := all(t, f)
		testkit.Equal(t, "too large", strings.Contains(got[3].NoLog, "too large"), true)
		testkit.Equal(t, "forbidden", strings.Contains(got[4].NoLog, "actions: read"), true)
	})
}

// A head has at most ten analyses. The others are named.
func TestJobsBeyondTheBound(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		var list []codehost.Job
		for i := range domain.MaxCIPerHead + 2 {
			list = append(list, job(fmt.Sprint(i), fmt.Sprint("job-", i), "failure"))
		}
		start(f, `{"ciAnalysis":"all"}`, list...)
		f.Deliver(ended("a", "failure"))
		testkit.Equal(t, "analyses", len(all(t, f)), domain.MaxCIPerHead)
		body := comments(f)[0].Body
		for _, want := range []string{"job-10", "job-11", "Failed jobs beyond the bounds: 2. "} {
			testkit.Equal(t, want, strings.Contains(body, want), true)
		}
	})
}

// Jobs with one name are one job over commits, so that the newest head has one analysis of them. The comment counts the others. Names
// that differ in their parts, or beyond the bytes of a key, are different jobs.
func TestJobsWithSimilarNames(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		long := strings.Repeat("matrix ", 70)
		list := []codehost.Job{job("1", "test", "failure"), job("2", "test", "failure"), job("3", "test", "success"), job("4", "a/b", "failure"),
			job("5", "b", "failure"), job("6", long+"1", "failure"), job("7", long+"2", "failure")}
		list[4].Workflow = "build/a"
		start(f, `{"ciAnalysis":"all"}`, list...)
		for range 2 {
			f.Deliver(ended("a", "failure"))
		}
		testkit.Equal(t, "analyses", len(all(t, f)), 5)
		const said = "with the name of an analysed one, which are not analysed: 1."
		testkit.Equal(t, "the comment counts the namesake", strings.Contains(comments(f)[0].Body, said), true)
	})
}
