package ci_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// rerun replaces the jobs of the head, as a repeated job does on the host, and sends the event of its end.
func rerun(f *reviewtest.Fixture, conclusion string, list ...codehost.Job) {
	f.Host.Builds.Jobs[storetest.SHA("a")] = list
	again(f, conclusion)
}

// again sends an event of the end of another job of the head.
func again(f *reviewtest.Fixture, conclusion string) {
	ev := ended("a", conclusion)
	ev.Check.ID = domain.NumberID(checks.Add(1))
	f.Deliver(ev)
}

// checks numbers the checks of [again].
var checks atomic.Int64

// events counts the events that wait, because no worker of the fixture takes them.
func events(t *testing.T, f *reviewtest.Fixture) (n int64) {
	t.Helper()
	lanes, err := f.Store.LaneStates(bg)
	testkit.OK(t, err)
	for _, l := range lanes {
		if l.Lane == domain.KindEvent.Lane() {
			n += l.Queued
		}
	}
	return n
}

// A job that fails again is analysed again if its log differs. The new result replaces the former one in the comment. A job that passes
// when it is repeated loses its explanation, and one that fails after that gets it back.
func TestARepeatedJobIsAnalysedAgain(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		answers(f, explained)
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"), job("8", "lint", "failure"))
		f.Deliver(ended("a", "failure"))
		first, calls := all(t, f), f.Models.Calls
		before := events(t, f)

		f.Host.Builds.Logs["17"] = goLog
		rerun(f, "failure", job("17", "test", "failure"), job("8", "lint", "failure"))
		testkit.Equal(t, "the same log costs nothing", f.Models.Calls, calls)
		testkit.Equal(t, "and is no event", events(t, f)-before, int64(0))
		testkit.Equal(t, "the new attempt is known", all(t, f)[0].HostJob, "17")

		f.Host.Builds.Logs["27"] = strings.ReplaceAll(goLog, "Half", "Third")
		rerun(f, "failure", job("27", "test", "failure"), job("8", "lint", "failure"))
		testkit.Equal(t, "another log is analysed", f.Models.Calls, calls+1)
		testkit.Equal(t, "with an event", events(t, f)-before, int64(1))
		got := all(t, f)
		testkit.Equal(t, "in the same analysis", fmt.Sprint(len(got), got[0].ID == first[0].ID, got[0].State), "2 truecompleted")
		testkit.Equal(t, "with the new log", strings.Contains(got[0].Log, "TestThird") && !strings.Contains(got[0].Log, "TestHalf"), true)
		testkit.Equal(t, "the comment names it once", strings.Count(comments(f)[0].Body, "`build / test`"), 1)

		rerun(f, "success", job("37", "test", "success"), job("8", "lint", "failure"))
		part := shownOf(t, f, "build / test")
		testkit.Equal(t, "a passed job has one line: "+part, strings.Contains(part, "also passed") && !strings.Contains(part, "half"), true)

		rerun(f, "failure", job("27", "test", "failure"), job("8", "lint", "failure"))
		f.Host.Builds.Logs["47"] = goLog
		rerun(f, "failure", job("47", "test", "failure"), job("8", "lint", "failure"))
		v := all(t, f)[0]
		testkit.Equal(t, "it fails again", fmt.Sprint(v.HostJob, " ", v.PassedUS, v.Flaky, v.State), "47 0 truecompleted")
		testkit.Equal(t, "comments", len(comments(f)), 1)
	})
}

// shownOf returns the part of the comment about a job.
func shownOf(t *testing.T, f *reviewtest.Fixture, name string) string {
	t.Helper()
	for _, part := range strings.Split(comments(f)[0].Body, "\n\n") {
		if strings.Contains(part, "`"+name+"`") {
			return part
		}
	}
	t.Fatalf("the comment lacks %s", name)
	return ""
}

// A job that is repeated while its analysis runs has the log of the new attempt in the result.
func TestAJobIsRepeatedMeanwhile(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		f.Models.Set(func(int) (llm.Response, error) {
			if list := all(t, f); len(list) == 1 && list[0].HostJob == "7" {
				list[0].HostJob = "17"
				_, _, _, err := f.Store.RepeatCIAnalysis(bg, f.World.Tenant, list[0], []string{"17"})
				testkit.OK(t, err)
			}
			return llm.Response{Text: explained, StopReason: llm.StopEnd}, nil
		})
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"))
		f.Host.Builds.Logs["17"] = strings.ReplaceAll(goLog, "Half", "Third")
		f.Deliver(ended("a", "failure"))
		v := all(t, f)[0]
		testkit.Equal(t, "result", fmt.Sprint(v.HostJob, v.State, strings.Contains(v.Log, "TestThird")), "17completedtrue")
	})
}

// A job with the name of another failed one is not taken for a repetition, and repetitions are bounded.
func TestRepetitionsAreBounded(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		start(f, `{"ciAnalysis":"all"}`, job("7", "test", "failure"), job("8", "test", "failure"))
		f.Deliver(ended("a", "failure"))
		rerun(f, "failure", job("8", "test", "failure"), job("7", "test", "failure"))
		testkit.Equal(t, "reads of logs", f.Host.Builds.Reads, 1)
		for i := range domain.MaxCIRepeats + 3 {
			id := fmt.Sprint(100 + i)
			f.Host.Builds.Logs[domain.HostID(id)] = strings.ReplaceAll(goLog, "Half", id)
			rerun(f, "failure", job(id, "test", "failure"))
		}
		testkit.Equal(t, "reads of logs", f.Host.Builds.Reads, 1+domain.MaxCIRepeats)
		testkit.Equal(t, "named", strings.Contains(comments(f)[0].Body, "repeated more often"), true)
	})
}

// A commit status that changes its line is read again.
func TestAStatusChangesItsLine(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		for _, line := range []string{"3 tests failed", "1 test failed"} {
			f.Host.Builds.Others = map[string][]codehost.CIFailure{storetest.SHA("a"): {{Key: "status/ci", Name: "ci/other",
				NoLog: codehost.NoLogStatus, Conclusion: "error", Description: line}}}
			if line == "3 tests failed" {
				start(f, `{"ciAnalysis":"all"}`)
			}
			again(f, "failure")
			testkit.Equal(t, line, strings.Contains(comments(f)[0].Body, line), true)
		}
		testkit.Equal(t, "analyses", len(all(t, f)), 1)
	})
}

// Two workflows of one name, and one workflow that two events started, are different jobs with an analysis each.
func TestWorkflowsOfOneName(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		pushed, opened := job("7", "test", "failure"), job("8", "test", "failure")
		pushed.Definition, pushed.Run, opened.Definition, opened.Run = "1 push", "2", "1 pull_request", "1"
		start(f, `{"ciAnalysis":"all"}`, pushed, opened)
		f.Deliver(ended("a", "failure"))
		testkit.Equal(t, "analyses", states(t, f), "build / test completed, build / test completed")
		pushed.ID, pushed.Conclusion = "17", "success"
		rerun(f, "success", pushed, opened)
		got := all(t, f)
		testkit.Equal(t, "one passed", fmt.Sprint(got[0].PassedUS > 0, got[1].PassedUS > 0), "true false")
	})
}
