package script_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/host/demo"
	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/script"
)

// TestTheSampleIsFound shows every file of the sample as new and expects exactly the planted faults, with ranges and fixes.
func TestTheSampleIsFound(t *testing.T) {
	t.Parallel()
	s, err := model.New(model.Options{Rules: script.Demo()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, pull := range append(demo.PullRequests(), demo.Held()) {
		var b strings.Builder
		for path, text := range pull.Files {
			fmt.Fprintf(&b, "=== %s\nstatus: added\n@@\nnew:\n", path)
			for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				fmt.Fprintf(&b, "%5d + %s\n", i+1, line)
			}
		}
		body, _ := json.Marshal(map[string]any{"model": "m", "messages": []map[string]string{
			{"role": "system", "content": "stage: generate\n"}, {"role": "user", "content": b.String()}}})
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(string(body))))
		var out struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || len(out.Choices) != 1 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		var got struct {
			Findings []struct {
				Path, Title, Severity string
				Start, End            int
				Fix                   *struct{ Old, New string }
			}
		}
		if err := json.Unmarshal([]byte(out.Choices[0].Message.Content), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Findings) != len(pull.PlantedBugs) {
			t.Errorf("pull request %d: %d findings, want %d", pull.Number, len(got.Findings), len(pull.PlantedBugs))
			continue
		}
		for i, bug := range pull.PlantedBugs {
			f := got.Findings[i]
			first := bug.StartLine
			if first == 0 {
				first = bug.Line
			}
			if f.Path != bug.Path || f.Title != bug.Title || f.Severity != bug.Severity || f.Start != first || f.End != bug.Line || f.Fix == nil || f.Fix.New != bug.Suggestion {
				t.Errorf("got %+v, want %s %d-%d", f, bug.Path, first, bug.Line)
			}
		}
	}
}

// A reply with the words of a correction proposes a rule, and quotes them. Other replies propose none.
func TestACorrectionProposesARule(t *testing.T) {
	t.Parallel()
	s, err := model.New(model.Options{Rules: script.Demo()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for reply, quote := range map[string]string{"No. " + script.Correction + ".": script.Correction, "This is on purpose.": ""} {
		body, _ := json.Marshal(map[string]any{"model": "m", "messages": []map[string]string{
			{"role": "system", "content": "stage: reply\n"}, {"role": "user", "content": "<reply of a person>\n" + reply}}})
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(string(body))))
		var out struct {
			Choices []struct{ Message struct{ Content string } }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || len(out.Choices) != 1 {
			t.Fatalf("%v: %s", err, w.Body)
		}
		var got struct {
			Rule  string
			Quote string `json:"rule_quote"`
		}
		if err := json.Unmarshal([]byte(out.Choices[0].Message.Content), &got); err != nil || got.Quote != quote || (got.Rule != "") != (quote != "") {
			t.Errorf("%s: %+v, %v", reply, got, err)
		}
	}
}

// Each planted fault has a fix whose old lines stand once in the file, and a verdict that quotes a new line.
func TestTheSampleIsMended(t *testing.T) {
	t.Parallel()
	for _, pull := range append(demo.PullRequests(), demo.Held()) {
		rules, err := script.ForFixes([]demo.PullRequest{pull})
		if err != nil || len(rules) != 2*len(pull.PlantedBugs) {
			t.Fatalf("%d rules for %d faults, %v", len(rules), len(pull.PlantedBugs), err)
		}
		for i, b := range pull.PlantedBugs {
			var made struct {
				Edits []struct{ Path, Search, Replace string }
			}
			var verdict struct{ Verdict, Quote string }
			if err := errors.Join(json.Unmarshal(rules[2*i].Reply.JSON, &made), json.Unmarshal(rules[2*i+1].Reply.JSON, &verdict)); err != nil {
				t.Fatal(err)
			}
			e := made.Edits[0]
			if strings.Count(pull.Files[e.Path], e.Search) != 1 || !strings.Contains(e.Replace, verdict.Quote) ||
				strings.Contains(e.Search, verdict.Quote) || verdict.Verdict != "refuted" {
				t.Errorf("%s: %+v, %+v", b.Title, e, verdict)
			}
		}
	}
}

// The answers about failed jobs quote lines of their logs and of the changes. The fix that is to be refused adds a comment alone.
func TestTheSampleIsExplained(t *testing.T) {
	t.Parallel()
	pulls := demo.PullRequests()
	rules, err := script.ForJobs(demo.FailedJobs())
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range demo.FailedJobs() {
		for _, q := range j.Quotes {
			text := j.Log
			if q.Path != "" {
				text = pulls[j.Pull-1].Files[q.Path]
			}
			if !strings.Contains("\n"+text, "\n"+q.Text+"\n") || !strings.Contains(string(rules[i].Reply.JSON), `"relation":"`+j.Relation+`"`) {
				t.Errorf("%s: %q does not stand there, or %s", j.Name, q.Text, rules[i].Reply.JSON)
			}
		}
	}
	asked := demo.AskedFixes()
	switches, err := script.ForSwitches(pulls, asked)
	if err != nil || len(switches) != 1 || len(asked) != 2 || asked[0].Refused || !asked[1].Refused {
		t.Fatalf("%d rules for %+v, %v", len(switches), asked, err)
	}
	var made struct {
		Edits []struct{ Path, Search, Replace string }
	}
	if err := json.Unmarshal(switches[0].Reply.JSON, &made); err != nil {
		t.Fatal(err)
	}
	e := made.Edits[0]
	added, of := strings.CutPrefix(e.Replace, e.Search)
	if !of || strings.Count(pulls[1].Files[e.Path], e.Search) != 1 || strings.TrimSpace(added) != "// gitleaks:allow" {
		t.Errorf("%+v", e)
	}
}
