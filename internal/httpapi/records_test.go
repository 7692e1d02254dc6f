package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// An empty collection is an empty list, and a missing object is absent.
func TestRecordsStartEmpty(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for _, noun := range []string{"ac-checks", "calibration", "ci-analyses", "dry-runs", "fix-runs", "sast-runs", "suppressions", "tracker-links", "triage-runs", "approvals"} {
		got := w.call(admin, http.MethodGet, w.repo()+"/"+noun, "")
		if got.status != http.StatusOK || got.body != `{"items":[]}`+"\n" {
			t.Errorf("%s: %d %s", noun, got.status, got.body)
		}
	}
	for _, noun := range []string{"ci-analyses", "dry-runs", "fix-runs", "sast-runs"} {
		testkit.Equal(t, noun, w.call(admin, http.MethodGet, w.repo()+"/"+noun+"/abc_never", "").status, http.StatusNotFound)
	}
	var index httpapi.CodeIndex
	w.into(&index, w.call(member, http.MethodGet, w.repo()+"/code-index", ""))
	testkit.Equal(t, "index", index.State+" "+index.Branch+" "+index.Mode, "absent main lexical")
	testkit.Equal(t, "a search without an index", w.call(member, http.MethodGet, w.repo()+"/code-search?q=Total", "").status, http.StatusConflict)
	testkit.Equal(t, "a search without a word", w.call(member, http.MethodGet, w.repo()+"/code-search?q=..", "").status, http.StatusUnprocessableEntity)
	testkit.Equal(t, "a rebuild by a member", w.call(member, http.MethodPost, w.repo()+"/code-index/rebuild", "").status, http.StatusForbidden)
	job := w.call(admin, http.MethodPost, w.repo()+"/code-index/rebuild", "")
	if job.status != http.StatusAccepted || !strings.Contains(job.body, `"kind":"code.index"`) {
		t.Errorf("a rebuild: %d %s", job.status, job.body)
	}
	w.into(&index, w.call(member, http.MethodGet, w.repo()+"/code-index", ""))
	testkit.Equal(t, "index that waits for its job", index.State, "building")
	testkit.Equal(t, "eval runs", w.call(instanceAdmin, http.MethodGet, "/api/instance/eval-runs", "").body, `{"items":[]}`+"\n")
}

func TestRecordsAreShown(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		own, pull, run := store.Record{Repository: w.Repository.ID}, w.Pull.ID, w.Run.ID
		add := func(_ any, err error) { t.Helper(); must(t, err) }
		add(s.AddACCheck(bg, w.Tenant, store.ACCheck{Record: own, PullRequest: pull, Verdict: "met", Evidence: `[{"path":"a.go"}]`}))
		add(store.AddRecord(bg, s, w.Tenant, store.Calibration{Record: own, Category: "bug", Buckets: `[]`, ThresholdPPM: 500000}))
		add(store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: own, Scope: "rule", State: "proposed", Source: "command", Paths: `["a/**"]`}))
		add(s.AddTrackerLink(bg, w.Tenant, store.TrackerLink{Record: own, PullRequest: pull, Tracker: "jira", IssueKey: "A-1", FoundIn: "title"}))
		add(store.AddRecord(bg, s, w.Tenant, store.TriageRun{Record: own, PullRequest: pull, State: domain.TriageCompleted, Size: "s", Risk: "low", Method: "heuristic", Areas: `null`, Labels: `broken`}))
		add(store.AddRecord(bg, s, w.Tenant, store.CodeIndex{Record: own, Branch: "main", State: "ready", Mode: "lexical", Files: 3}))
		add(s.AddEvalRun(bg, store.EvalRun{Suite: "golden", Recall: 250000}))
		ci, err := store.AddRecord(bg, s, w.Tenant, store.CIAnalysis{Record: own, State: "completed", Source: "job", Evidence: `[{"source":"log","line":1,"text":"boom"}]`})
		must(t, err)
		dry, err := store.AddRecord(bg, s, w.Tenant, store.DryRun{Record: own, State: "queued", Numbers: `[1]`, Overrides: `{}`, Result: ``})
		must(t, err)
		fix, err := store.AddRecord(bg, s, w.Tenant, store.FixRun{Record: own, Run: run, Delivery: "branch", State: "queued", FindingIDs: `[]`})
		must(t, err)
		sast, err := store.AddRecord(bg, s, w.Tenant, store.SastRun{Record: own, Run: run, Source: store.SastReview, State: "completed", Analysers: `[{"name":"x"}]`})
		must(t, err)
		for _, noun := range []string{"ac-checks", "calibration", "ci-analyses", "dry-runs", "fix-runs", "sast-runs", "suppressions", "tracker-links", "triage-runs"} {
			var list httpList[map[string]any]
			w.into(&list, w.call(member, http.MethodGet, w.repo()+"/"+noun, ""))
			testkit.Require(t, noun, len(list.Items), 1)
		}
		for noun, id := range map[string]string{"ci-analyses": ci.ID, "dry-runs": dry.ID, "fix-runs": fix.ID, "sast-runs": sast.ID} {
			var one map[string]any
			w.into(&one, w.call(member, http.MethodGet, w.repo()+"/"+noun+"/"+id, ""))
			testkit.Equal(t, noun, one["id"].(string), id)
			second := storetest.Repository(t, s, w.Tenant, w.Installation)
			testkit.Equal(t, noun+" of another repository", w.call(admin, http.MethodGet, w.tenantPath()+"/repositories/"+second.ID+"/"+noun+"/"+id, "").status, http.StatusNotFound)
		}
		var index httpapi.CodeIndex
		w.into(&index, w.call(member, http.MethodGet, w.repo()+"/code-index", ""))
		testkit.Equal(t, "index", index.State, "ready")
		var evals httpList[httpapi.EvalRun]
		w.into(&evals, w.call(instanceAdmin, http.MethodGet, "/api/instance/eval-runs", ""))
		testkit.Equal(t, "recall", evals.Items[0].Recall, 0.25)
	})
}

// The page of a failed job says why its pull request gets no comment any more.
func TestARefusedCommentAboutFailedJobsIsNamed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		id, _, err := s.AddCIAnalysis(bg, w.Tenant, store.CIAnalysis{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID,
			Number: w.Pull.Number, HeadSHA: "a", Job: "test", Key: "job/test", Source: "job", Facts: "[]"})
		must(t, err)
		notes := func() []string {
			var v httpapi.CIAnalysis
			w.into(&v, w.call(member, http.MethodGet, w.repo()+"/ci-analyses/"+id, ""))
			return v.Notes
		}
		testkit.Equal(t, "notes before the first comment", len(notes()), 0)
		must(t, s.WantCIComment(bg, w.Tenant, store.CIComment{Repository: w.Repository.ID, PullRequest: w.Pull.ID, HeadSHA: "a", LeftOut: "[]"}))
		testkit.Equal(t, "notes before the comment is gone", len(notes()), 0)
		said, err := s.CIComment(bg, w.Tenant, w.Pull.ID)
		must(t, err)
		must(t, s.DropCIComment(bg, w.Tenant, said.ID, "the host refused it 10 times in a row: forbidden"))
		testkit.Equal(t, "notes", notes()[0],
			"The pull request's comment about failed jobs is not written any more: the host refused it 10 times in a row: forbidden.")
	})
}
