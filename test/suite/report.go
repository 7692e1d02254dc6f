package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// event is one line of go test -json (https://pkg.go.dev/cmd/test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
	Output  string
}

// These bound what a report keeps and shows.
const (
	maxLine    = 16 << 20 // bytes of one event
	maxOutput  = 4 << 20  // bytes kept of what one package prints; the report says how much is dropped
	shownTimes = 20       // rows of each table
	shownLines = 12       // messages of each failed test at the end; the last ones
	shownBytes = 400      // of each such message
)

// message matches the first line of a test's log. The logs of processes, which a failed test prints,
// follow in separate lines.
var message = regexp.MustCompile(`^\s+\w+\.go:\d+: |^panic: `)

// report reads the output of go test and prints what people need.
type report struct {
	out            io.Writer
	passed, failed int // packages
	kept           map[string]*bytes.Buffer
	cut            map[string]int // bytes that were dropped
	packages       []duration
	tests          []duration
	messages       map[string][]string // by test, until it passes
	failures       []string            // repeated at the end
}

// duration is a measured time.
type duration struct {
	name string
	took time.Duration
}

func newReport(out io.Writer) *report {
	return &report{out: out, kept: map[string]*bytes.Buffer{}, cut: map[string]int{}, messages: map[string][]string{}}
}

// read reads events until the end. Lines that are not events are printed unchanged.
func (r *report) read(from io.Reader) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintln(r.out, lines.Text())
			continue
		}
		r.take(e)
	}
	return lines.Err()
}

func (r *report) take(e event) {
	took := time.Duration(e.Elapsed * float64(time.Second))
	switch {
	case e.Action == "build-output":
		fmt.Fprint(r.out, e.Output)
	case e.Action == "output":
		r.keep(e)
	case e.Test != "" && (e.Action == "pass" || e.Action == "fail"):
		r.endTest(e)
		if !strings.Contains(e.Test, "/") {
			r.tests = append(r.tests, duration{short(e.Package) + " " + e.Test, took})
		}
	case e.Test == "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
		r.end(e, took)
	}
}

func (r *report) keep(e event) {
	b := r.kept[e.Package]
	if b == nil {
		b = &bytes.Buffer{}
		r.kept[e.Package] = b
	}
	room := max(0, maxOutput-b.Len())
	b.WriteString(e.Output[:min(room, len(e.Output))])
	r.cut[e.Package] += max(0, len(e.Output)-room)
	if message.MatchString(e.Output) {
		name := short(e.Package) + " " + e.Test
		list := append(r.messages[name], strings.TrimRight(e.Output[:min(len(e.Output), shownBytes)], "\n"))
		r.messages[name] = list[max(0, len(list)-shownLines):]
	}
}

// endTest keeps the messages of a failed test for the end, without the logs around them.
func (r *report) endTest(e event) {
	name := short(e.Package) + " " + e.Test
	if e.Action == "fail" {
		r.failures = append(append(r.failures, "FAIL "+name), r.messages[name]...)
	}
	delete(r.messages, name)
}

// end prints the end of a package; a package without tests is skipped.
func (r *report) end(e event, took time.Duration) {
	switch e.Action {
	case "pass":
		r.passed++
		fmt.Fprintf(r.out, "ok   %s %.1fs\n", short(e.Package), took.Seconds())
	case "fail":
		r.failed++
		if b := r.kept[e.Package]; b != nil {
			fmt.Fprint(r.out, b.String())
		}
		if n := r.cut[e.Package]; n > 0 {
			fmt.Fprintf(r.out, "… and %d bytes more, which were not kept\n", n)
		}
		fmt.Fprintf(r.out, "FAIL %s %.1fs\n", short(e.Package), took.Seconds())
	}
	if e.Action != "skip" {
		r.packages = append(r.packages, duration{short(e.Package), took})
	}
	delete(r.kept, e.Package)
}

// short returns the path of a package without the module's.
func short(name string) string {
	return strings.TrimPrefix(name, "github.com/assay-dev/assay/")
}

// waits is the share of waiting in a package's time above which the table marks it. Work of shared
// servers does not count as the package's own, so a package that uses a database a lot seems to wait
// more than it could avoid.
const waits = 0.5

// summary prints the tables, and the messages of failed tests. measured are the processor times by package.
func (r *report) summary(measured map[string]usage) {
	fmt.Fprintf(r.out, "\n%-36s %8s %8s %7s\n", "slowest packages", "seconds", "cpu", "waits")
	for _, d := range slowest(r.packages) {
		u, known := measured[d.name]
		if !known || u.Wall <= 0 {
			fmt.Fprintf(r.out, "%-36s %8.1f\n", d.name, d.took.Seconds())
			continue
		}
		idle := max(0, 1-u.CPU.Seconds()/u.Wall.Seconds())
		mark := ""
		if idle > waits {
			mark = " *"
		}
		fmt.Fprintf(r.out, "%-36s %8.1f %8.1f %6.0f%%%s\n", d.name, u.Wall.Seconds(), u.CPU.Seconds(), 100*idle, mark)
	}
	fmt.Fprintf(r.out, "\n%-72s %8s\n", "slowest tests", "seconds")
	for _, d := range slowest(r.tests) {
		fmt.Fprintf(r.out, "%-72s %8.1f\n", d.name, d.took.Seconds())
	}
	var cpu time.Duration
	for _, u := range measured {
		cpu += u.CPU
	}
	fmt.Fprintf(r.out, "\n%.0f s of processor time in tests and their processes, shared servers aside; * waits more than half of its time\n", cpu.Seconds())
	fmt.Fprintf(r.out, "%d passed, %d failed\n", r.passed, r.failed)
	for _, line := range r.failures {
		fmt.Fprintln(r.out, line)
	}
}

func slowest(all []duration) []duration {
	slices.SortStableFunc(all, func(a, b duration) int { return cmp.Compare(b.took, a.took) })
	return all[:min(len(all), shownTimes)]
}
