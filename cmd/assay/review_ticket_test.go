package main

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/sim/model"
)

const issue = "# An average\n\nText.\n\n## Acceptance criteria\n\n- [ ] There is a mean.\n- [x] It is rounded.\n"

// A review with a ticket judges its criteria, in every format that shows them.
func TestReviewOfATicket(t *testing.T) {
	checkout(t, map[string]string{"mean.go": "package main\n\nfunc mean(v []int) int {\n\tsum := 0\n\tfor _, x := range v {\n\t\tsum += x\n\t}\n\treturn sum / max(len(v), 1)\n}\n"})
	dir := t.TempDir()
	write(t, map[string]string{dir + "/PAY-12.md": issue, dir + "/empty.md": "# Nothing here\n"})
	rules := []model.Rule{
		{Name: "find", Match: model.Match{Stage: "generate"}, Reply: model.Reply{Findings: []model.Finding{}}},
		{Name: "judge", Match: model.Match{Stage: "criteria"}, Reply: model.Reply{JSON: json.RawMessage(`{"verdicts":[
			{"criterion":"c1","verdict":"met","reason":"The function divides the sum.","quotes":[{"path":"mean.go","start":8,"quote":"return sum / max(len(v), 1)","note":"the mean"}],"searched":[]},
			{"criterion":"c2","verdict":"not_met","reason":"Nothing rounds the result.","quotes":[],"searched":[{"path":"mean.go","query":"","note":"a rounding"}]}]}`)}},
	}
	sim, err := model.New(model.Options{APIKey: "k", Rules: rules})
	if err != nil {
		t.Fatal(err)
	}
	defer sim.Close()
	server := httptest.NewServer(sim.Handler())
	defer server.Close()
	env := map[string]string{"ASSAY_REVIEW_MODEL_KEY": "k"}
	args := []string{"review", "--ticket", dir + "/PAY-12.md", "--model-url", server.URL + "/v1", "--model", "sim-standard"}

	r := command(t, env, append(args, "--format", "json")...)
	var doc report.Document
	if err := json.Unmarshal([]byte(r.stdout), &doc); err != nil {
		t.Fatalf("%v\n%s%s", err, r.stdout, r.stderr)
	}
	if len(doc.Criteria) != 2 || doc.Criteria[0].Verdict != "met" || doc.Criteria[0].Places[0].StartLine != 8 || doc.Criteria[1].Verdict != "not_met" || doc.Criteria[1].Text != "It is rounded." {
		t.Errorf("%+v", doc.Criteria)
	}
	for format, want := range map[string][]string{
		"text":     {"Acceptance criteria", "met  There is a mean.", "not met  It is rounded.", "mean.go:8"},
		"markdown": {"## Acceptance criteria", "| not met | It is rounded. | Nothing rounds the result."},
	} {
		r := command(t, env, append(args, "--format", format)...)
		for _, w := range want {
			if !strings.Contains(r.stdout, w) {
				t.Errorf("%s: without %q\n%s%s", format, w, r.stdout, r.stderr)
			}
		}
	}

	r = command(t, nil, "review", "--ticket", dir+"/PAY-12.md")
	if !strings.Contains(r.stdout, "unclear  There is a mean.") || !strings.Contains(r.stdout, "No model looked at it.") {
		t.Errorf("without a model:\n%s%s", r.stdout, r.stderr)
	}
	for _, file := range []string{"/empty.md", "/absent.md"} {
		if r := command(t, nil, "review", "--ticket", dir+file); r.code != 2 || !strings.Contains(r.stderr, "--ticket") {
			t.Errorf("%s: exit code %d\n%s", file, r.code, r.stderr)
		}
	}
}
