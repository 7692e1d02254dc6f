package gitlab

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// statusWords maps the states that a status can be set to, to the events that lead there
// (app/services/ci/create_commit_status_service.rb and app/models/commit_status.rb of gitlab-org/gitlab).
var statusWords = map[string]string{"pending": "enqueue", "running": "run", "success": "success", "failed": "drop",
	"canceled": "cancel", "skipped": "skip"}

func (v view) status(x *status) obj {
	return obj{"id": x.ID, "sha": x.SHA, "ref": x.Ref, "status": x.State, "name": x.Name, "target_url": x.TargetURL,
		"description": x.Description, "created_at": stamp(x.Created),
		"started_at": nil, "finished_at": nil, "allow_failure": false, "coverage": nil, "pipeline_id": 1, "author": v.user(x.Creator)}
}

// createStatus is POST …/statuses/{sha}. It changes a pending or running status, and refuses the state that it
// already has; after a final state it makes a new status.
func createStatus(c *call) *reply {
	in := struct {
		State, Name, Context, Ref, Description string
		TargetURL                              string `json:"target_url"`
	}{State: c.Query.Get("state"), Name: c.Query.Get("name")}
	if bad := c.Read(&in); bad != nil {
		return bad
	}
	event, known := statusWords[in.State]
	if !known {
		return missing("state does not have a valid value")
	}
	k, err := c.project.git.Lookup(c.Ctx, c.Vars["sha"])
	if err != nil || k.SHA != c.Vars["sha"] {
		return notFound("Commit")
	}
	if len([]rune(in.Description)) > 255 {
		return failure(http.StatusBadRequest, obj{"description": []string{"is too long (maximum is 255 characters)"}})
	}
	if in.Ref, err = c.refOf(k.SHA, in.Ref); err != nil {
		return c.broken(err)
	}
	if in.Ref == "" {
		return notFound("References for commit")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	name := host.OrElse(host.OrElse(in.Name, in.Context), "default")
	at := -1
	for i, x := range c.project.Statuses {
		if x.SHA == k.SHA && x.Name == name && x.Ref == in.Ref && (x.State == "pending" || x.State == "running") {
			at = i
		}
	}
	var x *status
	if at >= 0 {
		x = c.project.Statuses[at]
		if x.State == in.State || x.State == "running" && in.State == "pending" {
			return badRequest(fmt.Sprintf("Cannot transition status via :%s from :%s (Reason(s): Status cannot transition via \"%s\")",
				event, x.State, event))
		}
	} else {
		x = &status{ID: c.s.st.ID("status"), SHA: k.SHA, Ref: in.Ref, Name: name, Creator: c.actor.user.ID, Created: c.s.NowMicros(), Lag: c.Lag}
		c.project.Statuses = append(c.project.Statuses, x)
	}
	x.State, x.Description, x.TargetURL = in.State, in.Description, in.TargetURL
	c.wrote("status", "create", x.ID, 0)
	return created(c.s.view().status(x))
}

// refOf returns the ref for a status without one: that of the commit's newest pipeline, otherwise the first
// branch of the project with the commit, otherwise "". The branch of a fork's merge request does not count
// (app/services/ci/create_commit_status_service.rb of gitlab-org/gitlab, ref).
func (c *call) refOf(sha, given string) (string, error) {
	if given != "" {
		return given, nil
	}
	list, err := c.project.git.Branches(c.Ctx)
	if err != nil {
		return "", err
	}
	c.s.Mu.Lock()
	elsewhere := map[string]bool{}
	for _, x := range slices.Backward(c.project.Statuses) {
		if x.SHA == sha {
			c.s.Mu.Unlock()
			return x.Ref, nil
		}
	}
	for _, p := range c.s.st.Projects { // forks share the objects of the network
		for _, m := range p.MRs {
			if m.SourceID != c.project.ID && p.GitID == c.project.GitID {
				elsewhere[m.Source] = true
			}
		}
	}
	c.s.Mu.Unlock()
	for _, b := range list {
		if !elsewhere[b.Name] && c.project.git.IsAncestor(c.Ctx, sha, b.SHA) {
			return b.Name, nil
		}
	}
	return "", nil
}

// listStatuses lists the newest status of each name and ref; with all=true, every status.
func listStatuses(c *call) *reply {
	sha, err := c.project.git.Resolve(c.Ctx, c.Vars["sha"])
	if err != nil {
		return notFound("Commit")
	}
	c.s.Mu.Lock()
	v, seen := c.s.view(), map[string]bool{}
	list := []any{}
	for _, x := range slices.Backward(c.project.Statuses) {
		name, ref := c.Query.Get("name"), c.Query.Get("ref")
		if x.SHA != sha || c.s.Faults.Lagging(x.Lag) || name != "" && name != x.Name || ref != "" && ref != x.Ref ||
			seen[x.Ref+" "+x.Name] && c.Query.Get("all") != "true" {
			continue
		}
		seen[x.Ref+" "+x.Name] = true
		list = append(list, v.status(x))
	}
	c.s.Mu.Unlock()
	return pageOf(c, list, host.Itself)
}

// AddRun makes a pipeline and sends its events and those of its finished jobs.
func (s *Server) AddRun(ctx context.Context, fullPath string, spec simapi.RunSpec) (simapi.Run, error) {
	p, err := s.FindRepo(fullPath)
	if err != nil {
		return simapi.Run{}, err
	}
	return s.Server.AddRun(ctx, p.git, spec, func(run *host.WorkflowRun) {
		p.Pipelines = append(p.Pipelines, run)
		s.emitPipeline(p, run)
	})
}

// jobState returns the host's word for the state of a job.
func jobState(j *host.Job) string {
	switch j.Status {
	case "queued":
		return "pending"
	case "in_progress":
		return "running"
	}
	words := map[string]string{"success": "success", "cancelled": "canceled", "skipped": "skipped"}
	return host.OrElse(words[j.Conclusion], "failed")
}

// runState returns the host's word for the state of a pipeline.
func runState(r *host.WorkflowRun) string {
	status, conclusion := r.State()
	switch {
	case status != "completed":
		return "running"
	case conclusion == "success":
		return "success"
	}
	return "failed"
}

func (v view) pipeline(p *project, r *host.WorkflowRun) obj {
	return obj{"id": r.ID, "iid": r.ID, "project_id": p.ID, "sha": r.SHA, "ref": r.Branch, "status": runState(r), "source": "push",
		"name": r.Workflow, "created_at": stamp(r.Created),
		"updated_at": stamp(r.Updated), "web_url": v.s.Base + "/" + p.FullPath() + "/-/pipelines/" + strconv.FormatInt(r.ID, 10)}
}

func listPipelines(c *call) *reply {
	c.s.Mu.Lock()
	v, list := c.s.view(), []any{}
	for _, r := range slices.Backward(c.project.Pipelines) {
		if sha := c.Query.Get("sha"); sha == "" || sha == r.SHA {
			list = append(list, v.pipeline(c.project, r))
		}
	}
	c.s.Mu.Unlock()
	return pageOf(c, list, host.Itself)
}

func (v view) job(p *project, r *host.WorkflowRun, j *host.Job) obj {
	o := obj{"id": j.ID, "name": j.Name, "stage": "test", "status": jobState(j), "ref": r.Branch, "tag": false, "allow_failure": false,
		"created_at": stamp(r.Created),
		"started_at": stamp(j.Started), "finished_at": stamp(j.Ended), "erased_at": nil, "pipeline": v.pipeline(p, r),
		"web_url": v.s.Base + "/" + p.FullPath() + "/-/jobs/" + strconv.FormatInt(j.ID, 10)}
	if j.Gone {
		o["erased_at"] = stamp(v.s.NowMicros())
	}
	if jobState(j) == "failed" {
		o["failure_reason"] = "script_failure"
		if j.Conclusion == "timed_out" {
			o["failure_reason"] = "job_execution_timeout"
		}
	}
	return o
}

// listJobs lists the jobs of a pipeline, newest first.
func listJobs(c *call) *reply {
	c.s.Mu.Lock()
	v, list := c.s.view(), []any(nil)
	for _, r := range c.project.Pipelines {
		if r.ID == c.Number("pipeline_id") {
			list = []any{}
			for _, j := range slices.Backward(r.Jobs) {
				list = append(list, v.job(c.project, r, j))
			}
		}
	}
	c.s.Mu.Unlock()
	if list == nil {
		return notFound("Pipeline")
	}
	return pageOf(c, list, host.Itself)
}

func getJob(c *call) *reply {
	r, j := host.FindJob(c.project.Pipelines, c.Number("job_id"))
	if j == nil {
		return notFound("")
	}
	return ok(c.s.view().job(c.project, r, j))
}

// jobTrace answers the log; it is empty if the job has no log or it was erased (lib/api/ci/jobs.rb of
// gitlab-org/gitlab).
func jobTrace(c *call) *reply {
	c.s.Mu.Lock()
	_, j := host.FindJob(c.project.Pipelines, c.Number("job_id"))
	c.s.Mu.Unlock()
	switch {
	case j == nil:
		return notFound("")
	case j.Gone || j.Status == "queued":
		return plain(nil)
	}
	return plain(j.Text())
}
