package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/report"
)

// A job that has checked out the base fails each time, even though the first report is a new file of
// the checkout.
func TestAJobThatReviewsItsBase(t *testing.T) {
	pushed(t)
	for _, vars := range []map[string]string{{"GITHUB_BASE_REF": "main"}, {"GITHUB_BASE_REF": "main", "CI": "true"}} {
		for i := range 3 {
			if i == 2 {
				write(t, map[string]string{"junk.txt": ""})
			}
			r := command(t, vars, "review", "-f", "json", "-o", "assay.json")
			var doc report.Document
			raw, err := os.ReadFile("assay.json")
			if err = errors.Join(err, json.Unmarshal(raw, &doc)); r.code != 2 || err != nil || doc.Complete || strings.Contains(string(raw), `"assay.json"`) || i < 2 && doc.Failure == "" {
				t.Errorf("run %d: exit code %d, %v\n%s%s", i, r.code, err, raw, r.stderr)
			}
		}
		if err := os.Remove("junk.txt"); err != nil {
			t.Fatal(err)
		}
	}
}

// A wrong command line removes an older report that looks good, and destroys no other file.
func TestAWrongCommandLineReplacesAnOlderReport(t *testing.T) {
	checkout(t, nil)
	dir := t.TempDir()
	out := filepath.Join(dir, "report")
	older := map[string]string{}
	for _, format := range []string{"text", "markdown", "agent", "json", "sarif", "code-quality"} {
		if r := command(t, nil, "review", "--base", "HEAD", "-f", format, "-o", out); r.code != 0 || !strings.Contains(r.stderr, "The report is in") {
			t.Fatalf("%s: exit code %d\n%s", format, r.code, r.stderr)
		}
		raw, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		older[format] = string(raw)
	}
	for name, args := range map[string][]string{
		"contradicting flags":    {"-o", out, "--base", "main", "--range", "main..HEAD"},
		"a bad value":            {"-o", out, "--fail-on", "High"},
		"a bad value before":     {"--fail-on", "High", "--output=" + out},
		"a flag that is not":     {"--bogus", "-o" + out},
		"letters":                {"--bogus", "-qo", out},
		"a flag without a value": {"--output", out, "--base"},
		"a model without an URL": {"-o", out, "--model", "x"},
		"a bad duration":         {"-o", out, "--model-wait", "soon"},
		"a bad number":           {"-o", out, "--model-context", "many"},
		"an empty base":          {"-o", out, "--base", ""},
		"an empty model":         {"-o", out, "--model="},
		"an empty path":          {"-o", out, ""},
		"a contract":             {"-o", out, "--contract", "reviewbench"},
	} {
		for format, text := range older {
			for _, c := range []struct {
				before string
				there  bool
			}{{text, true}, {"", true}, {"", false}} {
				if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
				if c.there {
					write(t, map[string]string{out: c.before})
				}
				r := command(t, nil, append([]string{"review", "-f", format}, args...)...)
				raw, err := os.ReadFile(out)
				if r.code != 2 || err != nil || !strings.Contains(string(raw), "could not be done") || strings.Contains(string(raw), `"complete": true`) || strings.Contains(string(raw), `"executionSuccessful": true`) {
					t.Errorf("%s, %s: exit code %d, %v\n%s%s", name, format, r.code, err, raw, r.stderr)
				}
				if at := strings.Index(r.stderr, "The report is in"); name != "letters" && (at < 0 || at < strings.Index(r.stderr, "assay: ")) {
					t.Errorf("%s: the error does not come first\n%s", name, r.stderr)
				}
			}
		}
		write(t, map[string]string{out: "package main\n"})
		r := command(t, nil, append([]string{"review"}, args...)...)
		if raw, err := os.ReadFile(out); r.code != 2 || err != nil || string(raw) != "package main\n" || !strings.Contains(r.stderr, "stays as it is") {
			t.Errorf("%s: exit code %d, %v, another file is %q\n%s", name, r.code, err, raw, r.stderr)
		}
	}
	write(t, map[string]string{out: older["sarif"]})
	command(t, nil, "review", "-f", "yaml", "-o", out)
	if raw, err := os.ReadFile(out); err != nil || report.Written(raw) != "sarif" || strings.Contains(string(raw), `"executionSuccessful": true`) {
		t.Errorf("an unknown format: %v\n%s", err, raw)
	}
	for _, args := range [][]string{{"-c", "review", "runs", "-o", out, "--bogus"}, {"hook", "install", "review", "-o", out}, {"review", "--bogus", "--", "-o", out}, {"review", "-o", dir, "--bogus"}} {
		write(t, map[string]string{out: older["json"]})
		command(t, nil, args...)
		if raw, err := os.ReadFile(out); err != nil || string(raw) != older["json"] {
			t.Errorf("%v: %v\n%s", args, err, raw)
		}
	}
}

func TestStandardOutputByItsName(t *testing.T) {
	checkout(t, nil)
	r := command(t, nil, "review", "--base", "HEAD", "-f", "json", "-o", "-")
	if _, err := os.Stat("-"); r.code != 0 || !errors.Is(err, os.ErrNotExist) || !json.Valid([]byte(r.stdout)) {
		t.Errorf("exit code %d, %v\n%s%s", r.code, err, r.stdout, r.stderr)
	}
}

// An empty value is refused by the name of its flag.
func TestEmptyValuesAreRefused(t *testing.T) {
	checkout(t, leaky())
	for _, flag := range []string{"base", "range", "output", "ticket", "model", "model-url", "model-fast", "model-strong", "model-key-file"} {
		for _, args := range [][]string{{"--" + flag, ""}, {"--" + flag + "="}} {
			if r := command(t, nil, append([]string{"review"}, args...)...); r.code != 2 || r.stdout != "" || !strings.Contains(r.stderr, "--"+flag+" has an empty value") {
				t.Errorf("%q: exit code %d\n%s%s", args, r.code, r.stdout, r.stderr)
			}
		}
	}
	if r := command(t, nil, "mcp", "--server", ""); r.code != 2 || !strings.Contains(r.stderr, "--server has an empty value") {
		t.Errorf("mcp: exit code %d\n%s", r.code, r.stderr)
	}
	if r := command(t, map[string]string{"ASSAY_REVIEW_MODEL": "", "ASSAY_REVIEW_MODEL_URL": ""}, "review", "--contract", "", "--model-effort="); r.code != 1 {
		t.Errorf("values that may be empty: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}
