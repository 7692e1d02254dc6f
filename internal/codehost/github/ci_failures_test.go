package github

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
)

// Failures has the annotations of another app's check, and the number of those that it did not read. Checks of workflow
// jobs and our own are left out.
func TestFailedCheckHasAnnotations(t *testing.T) {
	t.Parallel()
	check := func(id int, app string, appID int64, conclusion string) map[string]any {
		return map[string]any{"id": id, "name": "scan", "status": "completed", "conclusion": conclusion, "details_url": "https://scan.example/1",
			"app": map[string]any{"id": appID, "slug": app, "name": "Scanner"}, "output": map[string]any{"title": "60 problems", "annotations_count": 60}}
	}
	var notes []any
	for range 60 {
		notes = append(notes, map[string]any{"path": "half.go", "start_line": 2, "annotation_level": "failure", "message": "divides\nby three"})
	}
	f := newFake(t)
	h, _ := newHost(t, f)
	f.on("GET /repos/octo/demo/actions/runs", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"total_count": 1, "workflow_runs": []any{map[string]any{"id": 1, "status": "in_progress"}}})
	})
	f.on("GET /repos/octo/demo/actions/runs/1/jobs", func(w http.ResponseWriter, _ *http.Request) { // its other jobs are listed later
		reply(w, 200, map[string]any{"total_count": 0, "jobs": []any{}})
	})
	f.on("GET /repos/octo/demo/commits/"+headSHA+"/check-runs", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, map[string]any{"total_count": 4, "check_runs": []any{check(5, "scan", 99, "failure"), check(6, "scan", 99, "success"),
			check(7, actionsApp, 15368, "failure"), check(8, "assay", h.appID, "failure"),
			check(9, "scan", 99, "stale")}})
	})
	f.on("GET /repos/octo/demo/check-runs/5/annotations", func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, notes[:50]) })
	f.on("GET /repos/octo/demo/commits/"+headSHA+"/statuses", func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 200, []any{map[string]any{"id": 3, "context": "ci", "state": "success"}, map[string]any{"id": 2, "context": "ci", "state": "failure"},
			map[string]any{"id": 1, "context": "old", "state": "error", "description": "broke", "target_url": "javascript:alert(1)"}})
	})
	got, err := h.Results(t.Context(), testRepo, headSHA)
	if err != nil || !got.Whole || len(got.Failed) != 2 || got.Passed != 2 || got.Open != 2 {
		t.Fatalf("results %+v, %v", got, err)
	}
	scan, old := got.Failed[0], got.Failed[1]
	if scan.Key != "check/5" || scan.NoLog != codehost.NoLogOtherApp || scan.Job != "" || scan.Workflow != "Scanner" || scan.Description != "60 problems" ||
		len(scan.Annotations) != codehost.MaxAnnotations || scan.Unread != 10 ||
		scan.Annotations[0] != (codehost.Annotation{Path: "half.go", Line: 2, Level: "failure", Message: "divides by three"}) {
		t.Errorf("the check: %+v", scan)
	}
	if old.Key != "status/old" || old.Conclusion != "error" || old.Description != "broke" || old.URL != "" {
		t.Errorf("the status: %+v", old)
	}
}
