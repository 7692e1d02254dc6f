package github

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
	"github.com/assay-dev/assay/sim/host"
)

// actionRoutes returns the routes of GitHub Actions.
func actionRoutes(repo string) []route {
	return []route{
		{method: "GET", pattern: repo + "/actions/runs", who: withAny, need: "actions:read", h: listRuns},
		{method: "GET", pattern: repo + "/actions/runs/{run_id}/jobs", who: withAny, need: "actions:read", h: listJobs},
		{method: "GET", pattern: repo + "/actions/jobs/{job_id}/logs", who: withAny, need: "actions:read", h: jobLog},
	}
}

// actionsApp is the id of GitHub's own app that owns the check runs of jobs.
const actionsApp = 15368

// AddRun makes a run of a workflow, and sends a check_run event for each ended job. Jobs are check runs of GitHub's own
// app, with the same numbers.
func (s *Server) AddRun(ctx context.Context, fullName string, spec simapi.RunSpec) (simapi.Run, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return simapi.Run{}, err
	}
	return s.Server.AddRun(ctx, r.git, spec, func(run *host.WorkflowRun) {
		r.Runs = append(r.Runs, run)
		v := s.view()
		for _, j := range run.Jobs {
			if j.Status == "completed" {
				s.emit(r, "check_run", "completed", r.Owner, obj{"check_run": v.jobCheck(r, run, j)})
			}
		}
	})
}

// jobCheck returns a job as a check run in an event.
func (v view) jobCheck(r *repository, run *host.WorkflowRun, j *host.Job) obj {
	app := obj{"id": actionsApp, "slug": "github-actions", "node_id": nodeID("A", actionsApp), "owner": v.user(r.Owner),
		"name":        "GitHub Actions",
		"description": "", "external_url": v.html, "html_url": v.html + "/apps/github-actions", "created_at": run.Created.RFC3339(),
		"updated_at": run.Created.RFC3339(), "permissions": obj{}, "events": []any{}}
	api := fmt.Sprintf("%s/check-runs/%d", v.repoAPI(r), j.ID)
	page := fmt.Sprintf("%s/actions/runs/%d/job/%d", v.repoHTML(r), run.ID, j.ID)
	suite := obj{"id": run.ID, "node_id": nodeID("CS", run.ID), "head_branch": orNil(run.Branch), "head_sha": run.SHA, "status": j.Status,
		"conclusion": orNil(j.Conclusion), "url": fmt.Sprintf("%s/check-suites/%d", v.repoAPI(r), run.ID), "before": nil, "after": nil,
		"pull_requests": v.pullsAt(r, run.SHA), "app": app, "created_at": run.Created.RFC3339(), "updated_at": run.Updated.RFC3339()}
	return obj{"id": j.ID, "name": j.Name, "node_id": nodeID("CR", j.ID), "head_sha": run.SHA, "external_id": "", "url": api, "html_url": page,
		"details_url": page, "status": j.Status, "conclusion": orNil(j.Conclusion), "started_at": j.Started.RFC3339(),
		"completed_at": j.Ended.RFC3339(), "output": obj{"title": nil, "summary": nil, "text": nil, "annotations_count": 0,
			"annotations_url": api + "/annotations"}, "check_suite": suite, "app": app, "pull_requests": v.pullsAt(r, run.SHA)}
}

func listRuns(c *call) *reply {
	c.s.Mu.Lock()
	var list []*host.WorkflowRun
	for _, r := range slices.Backward(c.repo.Runs) {
		if sha := c.Query.Get("head_sha"); sha == "" || sha == r.SHA {
			list = append(list, r)
		}
	}
	p := c.paging()
	from, to := p.Slice(len(list))
	v, out := c.view(), []any{}
	for _, r := range list[from:to] {
		out = append(out, v.run(c.repo, r))
	}
	c.s.Mu.Unlock()
	return c.link(ok(obj{"total_count": len(list), "workflow_runs": out}), p, len(list))
}

// workflowID returns a constant number for a workflow.
func workflowID(name string) int64 {
	n, _ := strconv.ParseInt(host.HashHex([]byte(name))[:7], 16, 64) // hexadecimal digits
	return 1 + n
}

func (v view) run(r *repository, run *host.WorkflowRun) obj {
	api, page := fmt.Sprintf("%s/actions/runs/%d", v.repoAPI(r), run.ID), fmt.Sprintf("%s/actions/runs/%d", v.repoHTML(r), run.ID)
	status, conclusion := run.State()
	id := workflowID(run.Workflow)
	return obj{"id": run.ID, "name": run.Workflow, "node_id": nodeID("WFR", run.ID), "check_suite_id": run.ID,
		"check_suite_node_id": nodeID("CS", run.ID),
		"head_branch":         orNil(run.Branch), "head_sha": run.SHA, "path": ".github/workflows/" + run.Workflow + ".yml",
		"run_number": 1, "run_attempt": 1, "event": "push",
		"display_title": run.Workflow, "status": status, "conclusion": orNil(conclusion), "workflow_id": id, "url": api, "html_url": page,
		"pull_requests": []any{},
		"created_at":    run.Created.RFC3339(), "updated_at": run.Updated.RFC3339(), "run_started_at": run.Created.RFC3339(),
		"actor":            v.user(r.Owner),
		"triggering_actor": v.user(r.Owner), "jobs_url": api + "/jobs", "logs_url": api + "/logs",
		"check_suite_url": fmt.Sprintf("%s/check-suites/%d", v.repoAPI(r), run.ID),
		"artifacts_url":   api + "/artifacts", "cancel_url": api + "/cancel", "rerun_url": api + "/rerun", "previous_attempt_url": nil,
		"workflow_url": fmt.Sprintf("%s/actions/workflows/%d", v.repoAPI(r), id), "head_commit": nil, "repository": v.repository(r),
		"head_repository": v.repository(r)}
}

func listJobs(c *call) *reply {
	c.s.Mu.Lock()
	at := slices.IndexFunc(c.repo.Runs, func(r *host.WorkflowRun) bool { return r.ID == c.Number("run_id") })
	if at < 0 {
		c.s.Mu.Unlock()
		return notFound()
	}
	run := c.repo.Runs[at]
	p := c.paging()
	from, to := p.Slice(len(run.Jobs))
	v, out := c.view(), []any{}
	for _, j := range run.Jobs[from:to] {
		out = append(out, v.job(c.repo, run, j))
	}
	c.s.Mu.Unlock()
	return c.link(ok(obj{"total_count": len(run.Jobs), "jobs": out}), p, len(run.Jobs))
}

func (v view) job(r *repository, run *host.WorkflowRun, j *host.Job) obj {
	api := fmt.Sprintf("%s/actions/jobs/%d", v.repoAPI(r), j.ID)
	steps := []any{}
	for i, name := range j.Steps {
		steps = append(steps, obj{"name": name, "status": j.Status, "conclusion": orNil(j.Conclusion), "number": i + 1,
			"started_at": j.Started.RFC3339(), "completed_at": j.Ended.RFC3339()})
	}
	started := j.Started
	if started == 0 { // on the host a waiting job also has a start time
		started = run.Created
	}
	return obj{"id": j.ID, "run_id": run.ID, "run_url": fmt.Sprintf("%s/actions/runs/%d", v.repoAPI(r), run.ID), "run_attempt": 1,
		"node_id": nodeID("CR", j.ID), "head_sha": run.SHA,
		"url": api, "html_url": fmt.Sprintf("%s/actions/runs/%d/job/%d", v.repoHTML(r), run.ID, j.ID), "status": j.Status,
		"conclusion": orNil(j.Conclusion),
		"created_at": run.Created.RFC3339(), "started_at": started.RFC3339(), "completed_at": j.Ended.RFC3339(), "name": j.Name, "steps": steps,
		"check_run_url": fmt.Sprintf("%s/check-runs/%d", v.repoAPI(r), j.ID), "labels": []string{"ubuntu-latest"}, "runner_id": nil,
		"runner_name": nil, "runner_group_id": nil,
		"runner_group_name": nil, "workflow_name": run.Workflow, "head_branch": orNil(run.Branch)}
}

// jobLog redirects to the storage of logs. [inference: 410 for a log that was deleted after its time, 404 for
// a log that does not exist yet; the REST description has only 302]
func jobLog(c *call) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	_, j := host.FindJob(c.repo.Runs, c.Number("job_id"))
	switch {
	case j == nil || j.Status != "completed":
		return notFound()
	case j.Gone:
		return fail(http.StatusGone, "Server Error")
	}
	path := fmt.Sprintf("%s%d/%d", logsPrefix, c.repo.ID, j.ID)
	return (&reply{Status: http.StatusFound}).Set("Location", c.s.Base+path+"?sig="+sign(c.s.st.TokenKey, path))
}

// logsPrefix is the path of the storage of logs. On the real host the storage is another machine, which
// accepts no tokens.
const logsPrefix = "/_storage/logs/"

// serveLog answers like the storage: only the signature in the address counts, and credentials are an error
// (Azure Blob Storage: 400 InvalidAuthenticationInfo).
func (s *Server) serveLog(w http.ResponseWriter, r *http.Request) {
	s.Mu.Lock()
	want := sign(s.st.TokenKey, r.URL.Path)
	repo, job, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, logsPrefix), "/")
	repoID, err1 := strconv.ParseInt(repo, 10, 64)
	jobID, err2 := strconv.ParseInt(job, 10, 64)
	var text []byte
	if kept := s.st.Repos[repoID]; kept != nil && err1 == nil && err2 == nil {
		if _, j := host.FindJob(kept.Runs, jobID); j != nil {
			text = j.Text()
		}
	}
	s.Mu.Unlock()
	switch {
	case r.Header.Get("Authorization") != "":
		http.Error(w, "InvalidAuthenticationInfo", http.StatusBadRequest)
	case subtle.ConstantTimeCompare([]byte(want), []byte(r.URL.Query().Get("sig"))) != 1:
		http.Error(w, "AuthenticationFailed", http.StatusForbidden)
	case text == nil:
		http.Error(w, "BlobNotFound", http.StatusNotFound)
	default:
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write(text) // the client may have gone
	}
}
