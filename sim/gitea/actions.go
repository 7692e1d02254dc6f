package gitea

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// actionRoutes returns the routes of Gitea Actions. Forgejo's description of December 2024 lacks them.
func actionRoutes(repo string) []route {
	return []route{
		{method: "GET", pattern: repo + "/actions/runs", scope: "repository", h: listRuns},
		{method: "GET", pattern: repo + "/actions/runs/{run}/jobs", scope: "repository", h: listJobs},
		{method: "GET", pattern: repo + "/actions/jobs/{job_id}/logs", scope: "repository", h: jobLog},
	}
}

// actionsUser is the name of the account that sets the statuses of jobs (models/user/user_system.go).
const actionsUser = "gitea-actions"

// AddRun makes a run of a workflow, and a commit status with its event for each ended job (services/actions/commit_status.go). It sends
// no events of jobs.
func (s *Server) AddRun(ctx context.Context, fullName string, spec simapi.RunSpec) (simapi.Run, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return simapi.Run{}, err
	}
	commit, err := r.git.Lookup(ctx, spec.Commit)
	if err != nil {
		return simapi.Run{}, fmt.Errorf("commit: %w", err)
	}
	return s.Server.AddRun(ctx, r.git, spec, func(run *host.WorkflowRun) {
		r.Runs = append(r.Runs, run)
		for i, j := range run.Jobs {
			if j.Status != "completed" {
				continue
			}
			x := &status{ID: s.st.ID("status"), SHA: run.SHA, State: j.Conclusion, Context: run.Workflow + " / " + j.Name + " (push)",
				TargetURL: fmt.Sprintf("%s/actions/runs/%d/jobs/%d", s.view().repoHTML(r), run.ID, i), Creator: actionsUser,
				Description: "The job has ended", Created: j.Ended, Updated: j.Ended}
			if !slices.Contains(statusRank, x.State) {
				x.State = "failure" // as for a cancelled job
			}
			r.Statuses = append(r.Statuses, x)
			s.emitStatus(r, x, commit)
		}
	})
}

// listRuns lists runs, newest first.
func listRuns(c *call) *reply {
	c.s.Mu.Lock()
	v := c.view()
	list := []any{}
	for _, r := range slices.Backward(c.repo.Runs) {
		if sha := c.Query.Get("head_sha"); sha == "" || sha == r.SHA {
			list = append(list, v.run(c.repo, r))
		}
	}
	c.s.Mu.Unlock()
	return c.inObject("workflow_runs", list)
}

func listJobs(c *call) *reply {
	c.s.Mu.Lock()
	at := slices.IndexFunc(c.repo.Runs, func(r *host.WorkflowRun) bool { return r.ID == c.Number("run") })
	list := []any{} // also for a run that does not exist (routers/api/v1/shared/action.go, ListJobs)
	if at >= 0 {
		v := c.view()
		for _, j := range c.repo.Runs[at].Jobs {
			list = append(list, v.job(c.repo, c.repo.Runs[at], j))
		}
	}
	c.s.Mu.Unlock()
	return c.inObject("jobs", list)
}

// inObject returns a page of a list inside an object, with the number of all entries.
func (c *call) inObject(name string, list []any) *reply {
	p := c.paging()
	from, to := p.Slice(len(list))
	return c.links(ok(obj{"total_count": len(list), name: list[from:to]}), p, len(list))
}

func (v view) run(r *repository, run *host.WorkflowRun) obj {
	status, conclusion := run.State()
	o := obj{"id": run.ID, "url": fmt.Sprintf("%s/actions/runs/%d", v.repoAPI(r), run.ID),
		"html_url":      fmt.Sprintf("%s/actions/runs/%d", v.repoHTML(r), run.ID),
		"display_title": run.Workflow, "path": run.Workflow + ".yml@refs/heads/" + run.Branch, "event": "push", "run_attempt": 1,
		"run_number": 1, "status": status,
		"head_sha": run.SHA, "head_branch": run.Branch, "started_at": timeOf(run.Created), "completed_at": timeOf(run.Updated),
		"repository": v.repository(r, "none")}
	if conclusion != "" {
		o["conclusion"] = conclusion
	}
	return o
}

func (v view) job(r *repository, run *host.WorkflowRun, j *host.Job) obj {
	steps := []any{}
	for i, name := range j.Steps {
		steps = append(steps, obj{"name": name, "number": i, "status": j.Status, "conclusion": j.Conclusion,
			"started_at": timeOf(j.Started), "completed_at": timeOf(j.Ended)})
	}
	return obj{"id": j.ID, "url": fmt.Sprintf("%s/actions/jobs/%d", v.repoAPI(r), j.ID),
		"html_url": fmt.Sprintf("%s/actions/runs/%d/jobs/%d", v.repoHTML(r), run.ID, j.ID),
		"run_id":   run.ID, "run_url": fmt.Sprintf("%s/actions/runs/%d", v.repoAPI(r), run.ID), "name": j.Name,
		"labels": []string{"ubuntu-latest"}, "run_attempt": 1, "head_sha": run.SHA,
		"head_branch": run.Branch, "status": j.Status, "conclusion": j.Conclusion, "steps": steps, "created_at": timeOf(run.Created),
		"started_at": timeOf(j.Started), "completed_at": timeOf(j.Ended)}
}

func jobLog(c *call) *reply {
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	_, j := host.FindJob(c.repo.Runs, c.Number("job_id"))
	if j == nil || j.Status == "queued" || j.Gone {
		return notFoundAt(c.s.Base)
	}
	return plain(j.Text())
}
