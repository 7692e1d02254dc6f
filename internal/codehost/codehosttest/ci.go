package codehosttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// CIJob is a job that a fixture creates.
type CIJob struct {
	Name       string
	Status     string // queued, in_progress, completed
	Conclusion string
	Log        string
	Pad        int  // bytes of log before Log
	Gone       bool // the log was deleted
	Steps      []string
}

var ciTests = map[string]func(*testing.T, *Fixture){
	"jobs of a commit": testJobs,
	"logs of jobs":     testLogs,
}

func (f *Fixture) ci(t *testing.T) codehost.CI {
	t.Helper()
	c, there := f.Host.(codehost.CI)
	switch able := f.Host.Capabilities().JobLogs; {
	case able && f.CI == nil:
		t.Skip("the test cannot create jobs, because they need a runner")
	case able && !there:
		t.Fatal("the host has the capability to read jobs, but not the methods")
	case able:
		return c
	case there: // without the ability, it refuses before it sends a request
		f.Gate.Reset()
		_, _, err := c.Jobs(t.Context(), f.Repo, f.Head)
		isClass(t, "jobs of a host without them", err, codehost.ClassInvalid)
		_, err = c.JobLog(t.Context(), f.Repo, "1", 100)
		isClass(t, "a log of a host without them", err, codehost.ClassInvalid)
		if events := f.Gate.Events(); len(events) != 0 {
			t.Errorf("the host got requests: %+v", events)
		}
	}
	t.Skip("the host's API has no jobs")
	return nil
}

func testJobs(t *testing.T, f *Fixture) {
	c, ctx := f.ci(t), t.Context()
	jobs, whole, err := c.Jobs(ctx, f.Repo, f.Head)
	if err != nil || len(jobs) != 0 || !whole {
		t.Fatalf("jobs of nothing: %+v, %v, %v", jobs, whole, err)
	}
	f.CI("elsewhere", f.Base, CIJob{Name: "other", Status: "completed", Conclusion: "success"})
	old := f.CI("old", f.Head, CIJob{Name: "slow", Status: "in_progress"})
	ids := f.CI("ci", f.Head, CIJob{Name: "test", Status: "completed", Conclusion: "failure", Steps: []string{"Set up", "Test"}},
		CIJob{Name: "lint", Status: "queued"})
	jobs, whole, err = c.Jobs(ctx, f.Repo, f.Head)
	if err != nil || len(jobs) != 3 || !whole {
		t.Fatalf("jobs %+v, whole %v, %v", jobs, whole, err)
	}
	test, lint, slow := jobs[0], jobs[1], jobs[2]
	if test.ID != ids[0] || test.Name != "test" || !strings.Contains(test.Workflow, "ci") || test.State != codehost.JobDone ||
		test.Conclusion != "failure" || test.Run == "" || test.URL == "" ||
		test.StartedAt.IsZero() || test.EndedAt.IsZero() {
		t.Errorf("the failed job: %+v", test)
	}
	if !f.lacks(t, LackSteps) && (len(test.Steps) != 2 || test.Steps[1].Name != "Test" || test.Steps[1].State != codehost.JobDone ||
		test.Steps[1].Conclusion != "failure") {
		t.Errorf("the steps of the failed job: %+v", test.Steps)
	}
	if lint.ID != ids[1] || lint.State != codehost.JobQueued || lint.Conclusion != "" || !lint.EndedAt.IsZero() || lint.Run != test.Run {
		t.Errorf("the job that waits: %+v", lint)
	}
	if slow.ID != old[0] || slow.State != codehost.JobRunning || slow.Conclusion != "" || slow.Run == test.Run {
		t.Errorf("the job that runs: %+v", slow)
	}
	var many []CIJob
	for i := range 230 {
		many = append(many, CIJob{Name: fmt.Sprint("matrix ", i), Status: "completed", Conclusion: "success"})
	}
	for range 3 {
		f.CI("matrix", f.Head, many...)
	}
	jobs, whole, err = c.Jobs(ctx, f.Repo, f.Head)
	seen := map[domain.HostID]bool{}
	for _, j := range jobs {
		seen[j.ID] = true
	}
	if err != nil || whole || len(jobs) != codehost.MaxCIJobs || len(seen) != codehost.MaxCIJobs {
		t.Errorf("%d jobs, %d different, whole %v, %v", len(jobs), len(seen), whole, err)
	}
	for range codehost.MaxCIRuns {
		f.CI("one", f.Base, CIJob{Name: "one", Status: "queued"})
	}
	jobs, whole, err = c.Jobs(ctx, f.Repo, f.Base)
	if err != nil || whole || len(jobs) != codehost.MaxCIRuns {
		t.Errorf("%d jobs of many runs, whole %v, %v", len(jobs), whole, err)
	}
	_, _, err = c.Jobs(ctx, f.Repo, "main")
	isClass(t, "no commit", err, codehost.ClassInvalid)
	other := f.Repo
	other.Name += "-absent"
	_, _, err = c.Jobs(ctx, other, f.Head)
	isClass(t, "no repository", err, codehost.ClassNotFound)
}

func testLogs(t *testing.T, f *Fixture) {
	c, ctx := f.ci(t), t.Context()
	const end = "FAIL: half_test.go:4: 3 / 2\n"
	ids := f.CI("ci", f.Head, CIJob{Name: "short", Status: "completed", Log: end},
		CIJob{Name: "long", Status: "completed", Pad: 3 << 20, Log: end},
		CIJob{Name: "too long", Status: "completed", Pad: codehost.MaxLogRead, Log: end},
		CIJob{Name: "gone", Status: "completed", Gone: true, Log: end},
		CIJob{Name: "none yet", Status: "queued"}, CIJob{Name: "empty", Status: "completed"})
	if log := must[codehost.JobLog](t)(c.JobLog(ctx, f.Repo, ids[0], 1000)); string(log.Text) != end || log.Cut {
		t.Errorf("a short log: %q, cut %v", log.Text, log.Cut)
	}
	if log := must[codehost.JobLog](t)(c.JobLog(ctx, f.Repo, ids[0], 12)); string(log.Text) != end[len(end)-12:] || !log.Cut {
		t.Errorf("the end of a short log: %q, cut %v", log.Text, log.Cut)
	}
	if log := must[codehost.JobLog](t)(c.JobLog(ctx, f.Repo, ids[1], codehost.MaxLogTail)); len(log.Text) != codehost.MaxLogTail ||
		!strings.HasSuffix(string(log.Text), end) || !log.Cut {
		t.Errorf("a long log: %d bytes, cut %v", len(log.Text), log.Cut)
	}
	if log := must[codehost.JobLog](t)(c.JobLog(ctx, f.Repo, ids[5], 1000)); len(log.Text) != 0 || log.Cut {
		t.Errorf("an empty log: %q, cut %v", log.Text, log.Cut)
	}
	for _, tc := range []struct {
		what string
		job  domain.HostID
		most int
		want codehost.Class
	}{
		{"too long", ids[2], 1000, codehost.ClassTooLarge}, {"gone", ids[3], 1000, codehost.ClassNotFound},
		{"none yet", ids[4], 1000, codehost.ClassNotFound},
		{"no such job", "99999999", 1000, codehost.ClassNotFound}, {"no id", "main", 1000, codehost.ClassInvalid},
		{"no bytes", ids[0], 0, codehost.ClassInvalid},
		{"too many bytes", ids[0], codehost.MaxLogTail + 1, codehost.ClassInvalid},
	} {
		_, err := c.JobLog(ctx, f.Repo, tc.job, tc.most)
		isClass(t, tc.what, err, tc.want)
		if err != nil && strings.Contains(err.Error(), "sig=") {
			t.Errorf("%s: the error has the address of the log: %v", tc.what, err)
		}
	}
}
