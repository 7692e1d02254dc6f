package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/testkit/sariftest"
)

const lintResults = `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Lint"}},"results":[{"ruleId":"R1","level":"error",` +
	`"message":{"text":"Wrong."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"mean.txt"},"region":{"startLine":1}}}]}]}]}`

// Results of other tools join the review in every format. A file that cannot be read ends it with a message about the flag and the file.
func TestReviewWithResultsOfOtherTools(t *testing.T) {
	checkout(t, map[string]string{"mean.txt": "a mean\n"})
	dir := t.TempDir()
	write(t, map[string]string{dir + "/a.sarif": lintResults, dir + "/b.sarif": `{"version":"2.1.0","runs":{}}`, dir + "/old.sarif": `{"version":"1.0.0","runs":[]}`})
	for _, format := range []string{"text", "markdown", "agent", "json", "sarif", "code-quality"} {
		r := command(t, nil, "review", "--sarif", dir+"/a.sarif", "--format", format)
		if r.code != 1 || !strings.Contains(r.stdout, "sast/lint/R1") {
			t.Errorf("%s: %d\n%s%s", format, r.code, r.stdout, r.stderr)
		}
		if format == "sarif" {
			sariftest.Valid(t, "the log of a review", []byte(r.stdout))
		}
	}
	var issues []struct {
		Check    string `json:"check_name"`
		Severity string `json:"severity"`
		Location struct {
			Path  string `json:"path"`
			Lines struct {
				Begin int `json:"begin"`
			} `json:"lines"`
		} `json:"location"`
	}
	r := command(t, nil, "review", "--sarif", dir+"/a.sarif", "--format", "code-quality")
	if err := json.Unmarshal([]byte(r.stdout), &issues); err != nil || len(issues) == 0 || issues[0].Severity != "critical" ||
		issues[0].Location.Path != "mean.txt" || issues[0].Location.Lines.Begin != 1 {
		t.Errorf("%v %+v", err, issues)
	}
	for file, want := range map[string]string{"b.sarif": "not SARIF 2.1.0", "old.sarif": "not SARIF 2.1.0", "gone.sarif": "no such file"} {
		r := command(t, nil, "review", "--sarif", dir+"/"+file)
		if r.code != 2 || !strings.Contains(r.stderr, "--sarif: ") || !strings.Contains(r.stderr, file) || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %d %s", file, r.code, r.stderr)
		}
	}
	args := []string{"review"}
	for range 21 {
		args = append(args, "--sarif", dir+"/a.sarif")
	}
	if r := command(t, nil, args...); r.code != 2 || !strings.Contains(r.stderr, "at most 20 files") {
		t.Errorf("%d %s", r.code, r.stderr)
	}
}
