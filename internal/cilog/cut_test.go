package cilog_test

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/cilog"
	"github.com/assay-dev/assay/internal/review/check"
)

//go:embed testdata/*.log
var recorded embed.FS

var scanner = sync.OnceValues(check.NewScanner)

// redactor is the redactor that the service uses.
func redactor(t testing.TB) *check.Redactor {
	t.Helper()
	s, err := scanner()
	if err != nil {
		t.Fatal(err)
	}
	return check.NewRedactor(s)
}

func cut(t testing.TB, log string) cilog.Excerpt {
	t.Helper()
	e, err := cilog.Cut(t.Context(), strings.NewReader(log), redactor(t))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// truth is what an excerpt of a log must have.
type truth struct {
	tool, name, file string
	line             int
	message          string   // a part of it
	keep             []string // parts of kept lines
	drop             string   // a part of no kept line, "" for none
}

// noise is output that says nothing of a failure.
func noise(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "Downloading package-%d from the registry (%d KiB)\n", i, i%97)
	}
	return b.String()
}

// TestTools cuts a log of each tool. The logs in testdata are recordings, except for those below
// docker-tsc in truths; those and the logs in written follow documentation.
func TestTools(t *testing.T) {
	t.Parallel()
	tools := map[string]bool{}
	for name, want := range truths {
		tools[want.tool] = true
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, there := written[name]
			if !there {
				raw, err := recorded.ReadFile("testdata/" + name + ".log")
				if err != nil {
					t.Fatal(err)
				}
				log = string(raw)
			}
			for i, host := range []string{"plain", "github", "gitlab", "azure"} {
				if i == 0 || i == 1+len(log)%3 { // each log in two forms, each form with many logs
					checkTruth(t, host, cut(t, hosts[host](noise(400)+log+noise(30))), want)
				}
			}
		})
	}
	for _, tool := range cilog.Tools() {
		if !tools[tool] {
			t.Errorf("no log of %s", tool)
		}
	}
}

// hosts decorate logs as hosts do.
var hosts = map[string]func(string) string{
	"plain": func(s string) string { return s },
	"github": func(s string) string {
		return "\ufeff" + eachLine("##[group]Run the tests\n"+s+"##[error]Process completed with exit code 1.\n", "2026-11-23T05:00:00.1234567Z ")
	},
	"gitlab": func(s string) string {
		return eachLine("section_start:1560896352:step_script\r\x1b[0KExecuting\n"+s+"section_end:1560896353:step_script\r\x1b[0K\n\x1b[31;1mERROR: Job failed: exit code 1\n",
			"2026-11-23T05:00:00.123456Z 00O ")
	},
	"azure": func(s string) string {
		return strings.ReplaceAll(eachLine(s, "2026-11-23T05:00:00.1234567Z "), "\n", "\r\n")
	},
}

func eachLine(s, prefix string) string {
	return prefix + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+prefix) + "\n"
}

func checkTruth(t *testing.T, host string, got cilog.Excerpt, want truth) {
	t.Helper()
	text := got.Text()
	if got.Tool != want.tool || len(got.Lines) > cilog.MaxLines || got.CutEnd || got.CutStart {
		t.Errorf("%s: tool %q, %d lines, cut %v %v; want %q\n%s", host, got.Tool, len(got.Lines), got.CutStart, got.CutEnd, want.tool, text)
	}
	if want.drop == "" {
		want.drop = "package-200 "
	}
	for _, k := range want.keep {
		if !strings.Contains(text, k) {
			t.Errorf("%s: %q is not kept\n%s", host, k, text)
		}
	}
	for _, drop := range []string{want.drop, "section_", "05:00:00", "\x1b", "##["} {
		if strings.Contains(text, drop) {
			t.Errorf("%s: %q is kept\n%s", host, drop, text)
		}
	}
	if !strings.Contains(text, "lines left out …") {
		t.Errorf("%s: no gap is named\n%s", host, text)
	}
	if want.name == "" && want.file == "" && want.message == "" {
		return
	}
	if !slices.ContainsFunc(got.Failures, func(f cilog.Failure) bool {
		return f.Tool == want.tool && f.Name == want.name && f.File == want.file && f.Line == want.line && strings.Contains(f.Message, want.message) &&
			(want.message == "") == (f.Message == "") && f.LogLine > 400
	}) {
		t.Errorf("%s: failures %+v, want %+v\n%s", host, got.Failures, want, text)
	}
}

// Two reports of one rule are two failures; a report that a tool repeats is one. Without a failure, the first lines that
// look like an error are kept with the last ones.
func TestReports(t *testing.T) {
	t.Parallel()
	lint := "shop/a.py:1:1: error: Missing return statement  [return]\nshop/b.py:2:1: error: Missing return statement  [return]\n"
	if got := cut(t, lint+lint); len(got.Failures) != 2 || got.More != 0 {
		t.Errorf("failures of one rule: %+v", got.Failures)
	}
	const early, late = "quux: manifest.toml:7: error: no version\n", "quux failed\n"
	got := cut(t, noise(50)+early+strings.Repeat("cleanup: removing error-log\n", 500)+late).Text()
	for _, want := range []string{early, late} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not kept:\n%s", want, got)
		}
	}
}
