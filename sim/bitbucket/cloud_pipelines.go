package bitbucket

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// AddRun makes a pipeline for a commit, with a step for each job, and sends its build status. Data Center has no pipelines: each job
// becomes a build status of another system, without an event and without its log.
func (s *Server) AddRun(ctx context.Context, fullName string, spec shared.RunSpec) (shared.Run, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return shared.Run{}, err
	}
	return s.Server.AddRun(ctx, r.git, spec, func(run *host.WorkflowRun) {
		if s.dataCenter {
			s.reportBuilds(r, run)
			return
		}
		r.Runs = append(r.Runs, run)
		s.reportPipeline(r, run)
	})
}

// reportPipeline makes the build status of a pipeline that has ended and sends its event. Server.Mu is held.
func (s *Server) reportPipeline(r *repository, run *host.WorkflowRun) {
	state, conclusion := run.State()
	if state != "completed" {
		return
	}
	states := map[string]string{"success": "SUCCESSFUL", "cancelled": "STOPPED"}
	x := &status{ID: s.st.ID("status"), SHA: run.SHA, Key: uuidOf(runUUID, run.ID),
		Name:  "Pipeline #" + strconv.FormatInt(run.ID, 10) + " for " + run.Workflow,
		State: host.OrElse(states[conclusion], "FAILED"), URL: fmt.Sprintf("%s/pipelines/results/%d", s.view().repoHTML(r), run.ID),
		Creator: r.OwnerID, Created: run.Updated, Updated: run.Updated}
	r.Statuses = append(r.Statuses, x)
	s.emitStatus(r, x, "created")
}

// reportBuilds sets a build status for each ended job of a run; a later run replaces it. Server.Mu is held.
func (s *Server) reportBuilds(r *repository, run *host.WorkflowRun) {
	states := map[string]string{"success": "SUCCESSFUL", "cancelled": "CANCELLED"}
	for _, j := range run.Jobs {
		if j.Status != "completed" {
			continue
		}
		key := run.Workflow + "-" + j.Name
		x := r.status(run.SHA, key)
		if x == nil {
			x = &status{ID: s.st.ID("status"), SHA: run.SHA, Key: key, Name: run.Workflow + " / " + j.Name, Created: j.Ended}
			r.Statuses = append(r.Statuses, x)
		}
		x.State, x.Description, x.Updated = host.OrElse(states[j.Conclusion], "FAILED"), "The job has ended", j.Ended
		x.URL = fmt.Sprintf("%s/builds/%d", s.view().base, j.ID)
	}
}

// runState renders the state of a pipeline or a step.
func runState(kind, status, conclusion string) obj {
	results := map[string]string{"success": "SUCCESSFUL", "failure": "FAILED", "cancelled": "STOPPED", "timed_out": "ERROR",
		"skipped": "NOT_RUN"}
	switch status {
	case "completed":
		word := host.OrElse(results[conclusion], "ERROR")
		result := obj{"type": kind + "_completed_" + strings.ToLower(word), "name": word}
		return obj{"type": kind + "_completed", "name": "COMPLETED", "result": result}
	case "queued":
		return obj{"type": kind + "_pending", "name": "PENDING"}
	}
	return obj{"type": kind + "_in_progress", "name": "IN_PROGRESS"}
}

// pipeline renders a pipeline; Server.Mu is held.
func (v view) pipeline(r *repository, x *host.WorkflowRun) obj {
	status, conclusion := x.State()
	o := obj{"type": "pipeline", "uuid": uuidOf(runUUID, x.ID), "build_number": x.ID, "state": runState("pipeline_state", status, conclusion),
		"created_on": timeOf(x.Created), "completed_on": nil, "repository": v.repositoryShort(r), "creator": v.account(r.OwnerID),
		"trigger": obj{"type": "pipeline_trigger_push", "name": "PUSH"},
		"target": obj{"type": "pipeline_ref_target", "ref_type": "branch", "ref_name": host.OrElse(x.Branch, r.DefaultBranch),
			"commit": obj{"type": "commit", "hash": x.SHA}, "selector": obj{"type": "custom", "pattern": x.Workflow}},
		"links": obj{"self": href(v.repoAPI(r) + "/pipelines/" + uuidOf(runUUID, x.ID)), "html": href(fmt.Sprintf("%s/pipelines/results/%d",
			v.repoHTML(r), x.ID))}}
	if status == "completed" {
		o["completed_on"] = timeOf(x.Updated)
	}
	return o
}

func step(j *host.Job) obj {
	return obj{"type": "pipeline_step", "uuid": uuidOf(jobUUID, j.ID), "name": j.Name, "state": runState("pipeline_step_state", j.Status,
		j.Conclusion), "started_on": timeOf(j.Started), "completed_on": timeOf(j.Ended),
		"script_commands": host.RenderAll(j.Steps, func(text string) any { return obj{"command": text, "name": text} })}
}

func listPipelines(c *call) *reply {
	c.s.Mu.Lock()
	var out []any
	for _, x := range c.repo.Runs {
		commit, branch := c.Query.Get("target.commit.hash"), c.Query.Get("target.branch")
		if (commit == "" || strings.HasPrefix(x.SHA, commit)) && (branch == "" || branch == x.Branch) {
			out = append(out, c.view().pipeline(c.repo, x))
		}
	}
	c.s.Mu.Unlock()
	return c.list(out)
}

// run finds the pipeline of the path by UUID or build number; Server.Mu is held.
func (c *call) run() *host.WorkflowRun {
	name := c.Vars["pipeline_uuid"]
	n, _ := strconv.ParseInt(name, 10, 64)
	for _, x := range c.repo.Runs {
		if x.ID == n || x.ID == idOf(runUUID, name) {
			return x
		}
	}
	return nil
}

func getPipeline(c *call) *reply {
	if x := c.run(); x != nil {
		return ok(c.view().pipeline(c.repo, x))
	}
	return missing()
}

func listSteps(c *call) *reply {
	c.s.Mu.Lock()
	x := c.run()
	var out []any
	if x != nil {
		out = host.RenderAll(x.Jobs, func(j *host.Job) any { return step(j) })
	}
	c.s.Mu.Unlock()
	if x == nil {
		return missing()
	}
	return c.list(out)
}

// job finds the step of the path; Server.Mu is held.
func (c *call) job() *host.Job {
	x := c.run()
	if x == nil {
		return nil
	}
	_, j := host.FindJob([]*host.WorkflowRun{x}, idOf(jobUUID, c.Vars["step_uuid"]))
	return j
}

func getStep(c *call) *reply {
	if j := c.job(); j != nil {
		return ok(step(j))
	}
	return missing()
}

// stepLog answers the log of a step; that of a completed one is in the storage, behind a redirection.
func stepLog(c *call) *reply {
	c.s.Mu.Lock()
	j, direct, base := c.job(), c.s.On(simapi.DirectLogs), c.s.Base
	c.s.Mu.Unlock()
	switch {
	case j == nil || j.Gone || j.Status == "queued":
		return missing()
	case j.Status == "completed" && !direct:
		return (&reply{Status: http.StatusTemporaryRedirect}).Set("Location", fmt.Sprintf("%s%s%d/%d/%s", base, storedLogs, c.repo.ID, j.ID,
			c.s.signature(c.repo.ID, j.ID)))
	}
	return c.part(j.Text())
}

// signature is the proof in the address of a stored log, which needs no credentials.
func (s *Server) signature(repo, job int64) string {
	return host.HashHex(fmt.Appendf(nil, "%s %d %d", s.ControlToken(), repo, job))[:32]
}

func storedLog(c *call) *reply {
	c.s.Mu.Lock()
	var j *host.Job
	if r := c.s.st.Repos[c.Number("repository")]; r != nil {
		_, j = host.FindJob(r.Runs, c.Number("job"))
	}
	c.s.Mu.Unlock()
	switch {
	case j == nil || j.Gone || c.Vars["signature"] != c.s.signature(c.Number("repository"), j.ID):
		return &reply{Status: http.StatusForbidden, Body: []byte("<Error><Code>AccessDenied</Code></Error>")}
	case c.R.Header.Get("Authorization") != "": // as the real storage does with a signed address
		return &reply{Status: http.StatusBadRequest, Body: []byte("<Error><Code>InvalidArgument</Code></Error>")}
	}
	return c.part(j.Text())
}

// part answers a text, or the range of bytes that the request names.
func (c *call) part(text []byte) *reply {
	rep := (&reply{Status: http.StatusOK, Body: text}).Set("Content-Type", "application/octet-stream").Set("Accept-Ranges", "bytes")
	span, ranged := strings.CutPrefix(c.R.Header.Get("Range"), "bytes=")
	if !ranged {
		return rep
	}
	first, last, _ := strings.Cut(span, "-")
	from, err1 := strconv.Atoi(first)
	to, err2 := strconv.Atoi(last)
	switch {
	case first == "" && err2 == nil: // the last bytes
		from, to = max(0, len(text)-to), len(text)-1
	case err1 != nil:
		return rep
	case last == "":
		to = len(text) - 1
	}
	if from >= len(text) {
		return fail(http.StatusRequestedRangeNotSatisfiable, "The requested range does not exist.")
	}
	to = min(to, len(text)-1)
	rep.Status, rep.Body = http.StatusPartialContent, text[from:to+1]
	return rep.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to, len(text)))
}
