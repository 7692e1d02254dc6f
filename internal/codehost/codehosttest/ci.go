package codehosttest

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
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
	"failures":         testFailures,
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
		err = c.JobLog(t.Context(), f.Repo, "1", func(io.Reader) error { return nil })
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
	for _, tc := range []struct {
		what string
		job  domain.HostID
		size int
		end  string
	}{
		{"short", ids[0], len(end), end}, {"long", ids[1], 3<<20 + len(end), end}, {"too long", ids[2], codehost.MaxLogRead + 1, end[:1]},
		{"empty", ids[5], 0, ""},
	} {
		calls, size, last := 0, 0, ""
		err := c.JobLog(ctx, f.Repo, tc.job, func(r io.Reader) error {
			calls++
			part := make([]byte, 64<<10)
			for {
				n, err := r.Read(part)
				size, last = size+n, last+string(part[:n])
				last = last[max(0, len(last)-len(end)):]
				if err != nil {
					if errors.Is(err, io.EOF) {
						err = nil
					}
					return err
				}
			}
		})
		if err != nil || calls != 1 || size != tc.size || !strings.HasSuffix(last, tc.end) {
			t.Errorf("%s: %d calls, %d bytes, the end %q, %v", tc.what, calls, size, last, err)
		}
	}
	unread := func(io.Reader) error {
		t.Error("a log was read")
		return nil
	}
	for what, tc := range map[string]struct {
		job  domain.HostID
		want codehost.Class
	}{
		"gone": {ids[3], codehost.ClassNotFound}, "none yet": {ids[4], codehost.ClassNotFound},
		"no such job": {"99999999", codehost.ClassNotFound}, "no id": {"main", codehost.ClassInvalid},
	} {
		err := c.JobLog(ctx, f.Repo, tc.job, unread)
		isClass(t, what, err, tc.want)
		if err != nil && strings.Contains(err.Error(), "sig=") {
			t.Errorf("%s: the error has the address of the log: %v", what, err)
		}
	}
	isClass(t, "a reader that fails", c.JobLog(ctx, f.Repo, ids[0], func(io.Reader) error { return errors.New("full") }), codehost.ClassUnavailable)
}

// testOpenResults checks that a commit is green only when every result has ended. Our own check does not count.
func testOpenResults(t *testing.T, f *Fixture, c codehost.CI) {
	own := codehost.Check{ExternalID: "run_2", Name: "assay", HeadSHA: f.Base, Status: "in_progress", Title: markdown.Const("waits"),
		Summary: markdown.Const("…")}
	must[string](t)(f.Host.CreateCheck(t.Context(), f.Repo, own))
	for _, step := range []struct {
		name, conclusion string
		green            bool
	}{{"a", "success", true}, {"b", "", false}, {"b", "success", true}, {"c", "failure", false}} {
		f.SetStatus(step.name, step.conclusion, "", "", f.Base)
		got, err := c.Results(t.Context(), f.Repo, f.Base)
		if err != nil || got.Green() != step.green {
			t.Errorf("after %+v: %+v, %v", step, got, err)
		}
	}
}

// testFailures checks the list of failed jobs and of failed statuses of other accounts.
func testFailures(t *testing.T, f *Fixture) {
	c, there := f.Host.(codehost.CI)
	if !there || f.SetStatus == nil {
		t.Skip("the host does not report failures")
	}
	ctx := t.Context()
	if got, err := c.Results(ctx, f.Repo, f.Head); err != nil || len(got.Failed) != 0 || !got.Whole || got.Green() {
		t.Fatalf("results of nothing: %+v, %v", got, err)
	}
	testOpenResults(t, f, c)
	want, open := []codehost.CIFailure{}, 0
	if f.Host.Capabilities().JobLogs && f.CI != nil {
		ids := f.CI("ci", f.Head, CIJob{Name: "test", Status: "completed", Conclusion: "failure"},
			CIJob{Name: "good", Status: "completed", Conclusion: "success"}, CIJob{Name: "stopped", Status: "completed", Conclusion: "cancelled"})
		want = append(want, codehost.CIFailure{Key: "job/" + string(ids[0]), Job: ids[0], Name: "test", Conclusion: "failure"})
		open = 1 // the one that was stopped; another one passes
	}
	own := codehost.Check{ExternalID: "run_1", Name: "assay", HeadSHA: f.Head, Status: "completed", Conclusion: "failure",
		Title: markdown.Const("1 finding"), Summary: markdown.Const("…")}
	must[string](t)(f.Host.CreateCheck(ctx, f.Repo, own))
	f.SetStatus("elsewhere/build", "failure", "3 of 80 tests failed", "https://ci.example/7", f.Head)
	want = append(want, codehost.CIFailure{Key: "status/elsewhere/build", NoLog: codehost.NoLogStatus, Name: "elsewhere/build", Conclusion: "failure",
		Description: "3 of 80 tests failed", URL: "https://ci.example/7"})
	got, err := c.Results(ctx, f.Repo, f.Head)
	if err != nil || !got.Whole || len(got.Failed) != len(want) || got.Passed != open || got.Open != open {
		t.Fatalf("results %+v, %v; want %+v", got, err, want)
	}
	for i, got := range got.Failed {
		w := want[i]
		if w.Key != "" && got.Key != w.Key || got.Job != w.Job || got.NoLog != w.NoLog || got.Name != w.Name || got.Conclusion != w.Conclusion ||
			got.Description != w.Description || w.URL != "" && got.URL != w.URL {
			t.Errorf("failure %d: %+v, want %+v", i, got, w)
		}
	}
	for i := range codehost.MaxCIFailures {
		f.SetStatus(fmt.Sprint("many/", i), "failure", "", "", f.Head)
	}
	if got, err = c.Results(ctx, f.Repo, f.Head); err != nil || got.Whole || len(got.Failed) != codehost.MaxCIFailures {
		t.Errorf("%d failures, whole %v, %v", len(got.Failed), got.Whole, err)
	}
	_, err = c.Results(ctx, f.Repo, "main")
	isClass(t, "no commit", err, codehost.ClassInvalid)
}
