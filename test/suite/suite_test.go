package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

const stream = `{"Action":"start","Package":"github.com/assay-dev/assay/internal/good"}
{"Action":"output","Package":"github.com/assay-dev/assay/internal/good","Test":"TestA","Output":"quiet\n"}
{"Action":"pass","Package":"github.com/assay-dev/assay/internal/good","Test":"TestA/part","Elapsed":9}
{"Action":"pass","Package":"github.com/assay-dev/assay/internal/good","Test":"TestA","Elapsed":2.5}
{"Action":"pass","Package":"github.com/assay-dev/assay/internal/good","Elapsed":3}
{"ImportPath":"github.com/assay-dev/assay/internal/broken","Action":"build-output","Output":"broken.go:1: no such thing\n"}
not an event
{"Action":"output","Package":"github.com/assay-dev/assay/internal/bad","Test":"TestB","Output":"--- FAIL: TestB: because\n"}
{"Action":"fail","Package":"github.com/assay-dev/assay/internal/bad","Test":"TestB","Elapsed":1}
{"Action":"fail","Package":"github.com/assay-dev/assay/internal/bad","Elapsed":4}
{"Action":"skip","Package":"github.com/assay-dev/assay/internal/none"}
`

func TestAReportShowsWhatFailedAndWhatTookLong(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := newReport(&out)
	testkit.OK(t, r.read(strings.NewReader(stream)))
	r.summary(map[string]usage{"internal/good": {Wall: 4 * time.Second, CPU: time.Second}, "internal/bad": {Wall: 4 * time.Second, CPU: 3 * time.Second}})
	got := out.String()
	for _, want := range []string{"ok   internal/good 3.0s", "broken.go:1: no such thing", "not an event", "--- FAIL: TestB: because", "FAIL internal/bad 4.0s", "75% *", "25%\n", "internal/good TestA", "\n1 passed, 1 failed\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	for _, no := range []string{"quiet", "TestA/part", "internal/none"} {
		if strings.Contains(got, no) {
			t.Errorf("%q in:\n%s", no, got)
		}
	}
}

// The logs of processes are long, and many displays of a run show only its end.
func TestTheEndRepeatsWhyTestsFailed(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := newReport(&out)
	say := func(test, text string) { r.take(event{Action: "output", Package: "p", Test: test, Output: text}) }
	say("TestGood", "    good_test.go:1: passes\n")
	r.take(event{Action: "pass", Package: "p", Test: "TestGood"})
	for range 2 * shownLines {
		say("TestBad", "    bad_test.go:2: before\n")
	}
	say("TestBad", "    bad_test.go:3: not so: "+strings.Repeat("x", 2*shownBytes)+"\n")
	say("TestBad", "        {\"level\":\"INFO\"}\n")
	r.take(event{Action: "fail", Package: "p", Test: "TestBad"})
	r.take(event{Action: "fail", Package: "p"})
	r.summary(nil)
	_, end, _ := strings.Cut(out.String(), "0 passed, 1 failed\n")
	want := "FAIL p TestBad\n" + strings.Repeat("    bad_test.go:2: before\n", shownLines-1) + "    bad_test.go:3: not so: "
	if !strings.HasPrefix(end, want) || len(end) > len(want)+shownBytes || strings.Contains(end, "passes") || strings.Contains(end, "INFO") {
		t.Errorf("the end is %q", end)
	}
}

func TestOutputBeyondTheBoundIsCutAndThatIsSaid(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := newReport(&out)
	long := strings.Repeat("x", maxOutput)
	r.take(event{Action: "output", Package: "p", Output: long})
	r.take(event{Action: "output", Package: "p", Output: "dropped"})
	r.take(event{Action: "fail", Package: "p"})
	if got := out.String(); strings.Contains(got, "dropped") || !strings.Contains(got, "7 bytes more, which were not kept") {
		t.Errorf("the end is %q", got[max(0, len(got)-200):])
	}
}

func TestPackagesInFront(t *testing.T) {
	t.Parallel()
	got, err := ordered([]string{"a/x", "a/slow", "b", "c/slow"}, "slow$")
	testkit.OK(t, err)
	testkit.Equal(t, "order", strings.Join(got, " "), "a/slow c/slow a/x b")
	if _, err := ordered(got, "("); err == nil || !strings.Contains(err.Error(), "-first") {
		t.Errorf("err = %v", err)
	}
}

func TestMeasuredTimes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "times")
	testkit.OK(t, os.WriteFile(path, nil, 0o600))
	t.Setenv(timesEnv, path)
	testkit.Equal(t, "exit code", measure([]string{"sh", "-c", "exit 3"}), 3)
	testkit.Equal(t, "exit code of a killed one", measure([]string{"sh", "-c", "kill -9 $$"}), 1)
	testkit.Equal(t, "exit code of a missing one", measure([]string{"/nonexistent"}), 2)
	got, err := readTimes(path)
	testkit.OK(t, err)
	if u := got["test/suite"]; u.Wall <= 0 || !slices.Contains([]string{"test/suite"}, u.Package) {
		t.Errorf("measured %+v", got)
	}
}
