package codehost

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// The newest run of a job decides. Two jobs of one run with the same name both count.
func TestTheNewestResultOfAJobCounts(t *testing.T) {
	t.Parallel()
	job := func(run, name, conclusion string) Job {
		return Job{ID: domain.HostID(run + name), Run: domain.HostID(run), Workflow: "ci", Name: name, State: JobDone, Conclusion: conclusion}
	}
	of := func(definition string, j Job) Job {
		j.Definition = definition
		return j
	}
	for name, c := range map[string]struct {
		jobs   []Job
		passed int
		failed string
		green  bool
	}{
		"it passed when it was repeated": {[]Job{job("2", "web", "success"), job("1", "web", "failure")}, 1, "[]", true},
		"it failed when it was repeated": {[]Job{job("2", "web", "failure"), job("1", "web", "success")}, 0, "[job/2web]", false},
		"another job of the older run":   {[]Job{job("2", "web", "success"), job("1", "lint", "failure")}, 1, "[job/1lint]", false},
		"two workflows of one name":      {[]Job{of("8 push", job("2", "web", "success")), of("9 push", job("1", "web", "failure"))}, 1, "[job/1web]", false},
		"one workflow started twice":     {[]Job{of("8 push", job("2", "web", "success")), of("8 pull_request", job("1", "web", "failure"))}, 1, "[job/1web]", false},
		"repeated, with a definition":    {[]Job{of("8 push", job("2", "web", "success")), of("8 push", job("1", "web", "failure"))}, 1, "[]", true},
		"two of one name in a run":       {[]Job{job("1", "web", "success"), job("1", "web", "failure")}, 1, "[job/1web]", false},
	} {
		r := CIResults{Whole: true}
		r.AddJobs(c.jobs)
		failed := []string{}
		for _, f := range r.Failed {
			failed = append(failed, f.Key)
		}
		if r.Passed != c.passed || fmt.Sprint(failed) != c.failed || r.Green() != c.green {
			t.Errorf("%s: %d passed, %v failed, green %t", name, r.Passed, failed, r.Green())
		}
	}
}
