package sarif_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/testkit/sariftest"
)

// The check finds documents that break the schema, also by a property that it does not know.
func TestTheSchemaRefusesOtherDocuments(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{}`, `{"version":"2.1.0"}`, `{"version":"2.1.0","runs":[{}]}`, `{"version":"2.1.0","runs":[],"other":1}`,
		`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[{"message":{"text":"m"},"level":"severe"}]}]}`} {
		if sariftest.Check([]byte(text)) == nil {
			t.Errorf("the schema takes %s", text)
		}
	}
}

// Documents of six real tools are valid after they lost their secrets, if they were valid before.
func TestDocumentsOfToolsStayValid(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.sarif")
	testkit.OK(t, err)
	testkit.Equal(t, "tools", len(files), 6)
	for _, file := range files {
		text, err := os.ReadFile(file)
		testkit.OK(t, err)
		broken := sariftest.Check(text)
		if broken != nil {
			t.Logf("%s is not valid as the tool wrote it: %v", file, broken)
		}
		clean, err := sarif.Redact(context.Background(), text, sarif.Limits{}, scan)
		testkit.OK(t, err)
		if err := sariftest.Check(clean); err != nil && broken == nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A log is valid with every part that it can have.
func TestLogsAreValid(t *testing.T) {
	t.Parallel()
	run := sarif.NewRun("assay", "")
	confidence := 0.5
	run.Tool.Driver.Rules = []sarif.LogRule{{ID: "R", Name: "r", Short: sarif.LogText{Text: "r"}, Default: sarif.LogLevel{Level: "note"}, Help: "https://x.example/r"}}
	at := sarif.LogPhysical{Artifact: sarif.LogArtifact{URI: sarif.FileURI("a b/ü:%[x].go")}, Region: &sarif.LogRegion{StartLine: 1, EndLine: 2, Snippet: &sarif.LogText{Text: "x"}}}
	run.Results = []sarif.LogResult{{RuleID: "R", Level: "error", Message: sarif.LogText{Text: "m"}, Locations: []sarif.LogLocation{{Physical: at}},
		Related: []sarif.LogLocation{{ID: 1, Physical: at, Message: &sarif.LogText{Text: "m"}}}, Fingerprints: map[string]string{"k/v1": "v"},
		Fixes: []sarif.LogFix{{Description: sarif.LogText{Text: "d"}, Changes: []sarif.LogChange{{Artifact: at.Artifact,
			Replacements: []sarif.LogReplacement{{Deleted: sarif.LogRegion{StartLine: 1}, Inserted: &sarif.LogText{Text: "y"}}}}}}},
		Properties: sarif.LogProperties{Tags: []string{"a"}, Conf: &confidence}}}
	run.Invocations = []sarif.LogInvocation{{Start: "2026-01-02T03:04:05Z", End: "2026-01-02T03:04:06Z",
		Notifications: []sarif.LogNotification{{Level: "error", Message: sarif.LogText{Text: "t"}}}}}
	for name, log := range map[string]sarif.Log{"empty": {}, "no results": {Runs: []sarif.LogRun{sarif.NewRun("assay", "2")}}, "all": {Runs: []sarif.LogRun{run}}} {
		var out bytes.Buffer
		testkit.OK(t, log.Write(&out))
		sariftest.Valid(t, name, out.Bytes())
	}
}
