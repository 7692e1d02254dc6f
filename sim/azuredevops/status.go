package azuredevops

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/host"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

var statusStates = []string{"notSet", "pending", "succeeded", "failed", "error", "notApplicable"}

// statusInput is a status in a request.
type statusInput struct {
	State, Description string
	TargetURL          string
	IterationID        int
	Context            struct{ Genre, Name string }
}

func (s *Server) showStatus(x *status) any {
	o := obj{"id": x.ID, "state": x.State, "description": x.Text, "targetUrl": x.Link, "context": obj{"genre": x.Genre, "name": x.Name},
		"creationDate": stamp(x.Created), "updatedDate": stamp(x.Created), "createdBy": s.identity(x.Creator)}
	if x.Iteration != 0 {
		o["iterationId"] = x.Iteration
	}
	return o
}

// readStatus reads and checks a status.
func (c *call) readStatus() (x *status, refused *reply) {
	var in statusInput
	if bad := c.Read(&in); bad != nil {
		return nil, bad
	}
	if !slices.Contains(statusStates, in.State) || in.Context.Name == "" {
		return nil, badRequest("A status needs a state and a context.")
	}
	return &status{Iteration: in.IterationID, State: in.State, Genre: in.Context.Genre, Name: in.Context.Name, Text: in.Description,
		Link: in.TargetURL, Creator: c.user.ID, Lag: c.Lag}, nil
}

// keep gives a status its id. Server.Mu is held.
func (s *Server) keep(x *status) *status {
	x.ID, x.Created = s.st.ID("status"), s.NowMicros()
	return x
}

func createPullStatus(c *call) *reply {
	x, refused := c.readStatus()
	if refused != nil {
		return refused
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	if i := c.pull.iteration(x.Iteration); i != nil {
		x.SHA = i.Source
	}
	if x.Iteration != 0 && x.SHA == "" {
		return badRequest("The iteration does not exist.")
	}
	x.SHA = host.OrElse(x.SHA, c.pull.now().Source)
	c.pull.Statuses = append(c.pull.Statuses, c.s.keep(x))
	c.wrote("status", "create", x.ID)
	return ok(c.s.showStatus(x))
}

// showStatuses renders a list of statuses without those that a lag hides. Server.Mu is held.
func (c *call) showStatuses(all []*status, keep func(*status) bool) *reply {
	items := []any{}
	for _, x := range all {
		if keep(x) && !c.s.Faults.Lagging(x.Lag) {
			items = append(items, c.s.showStatus(x))
		}
	}
	return list(items)
}

func pullStatuses(c *call) *reply {
	return c.showStatuses(c.pull.Statuses, func(*status) bool { return true })
}

func createCommitStatus(c *call) *reply {
	x, refused := c.readStatus()
	if refused != nil {
		return refused
	}
	k, err := c.repo.git.Lookup(c.Ctx, c.Vars["sha"])
	if err != nil {
		return failure(http.StatusNotFound, "GitCommitDoesNotExistException", "The commit does not exist.")
	}
	c.s.Mu.Lock()
	defer c.s.Mu.Unlock()
	x.SHA, x.Iteration = k.SHA, 0
	c.repo.Statuses = append(c.repo.Statuses, c.s.keep(x))
	c.wrote("status", "create", x.ID)
	return created(c.s.showStatus(x))
}

func commitStatuses(c *call) *reply {
	all := slices.Clone(c.repo.Statuses)
	slices.Reverse(all)
	return c.showStatuses(all, func(x *status) bool { return x.SHA == c.Vars["sha"] })
}

// SetStatus makes a status of a commit as a person.
func (s *Server) SetStatus(_ context.Context, full string, in simapi.Status) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	r := s.st.repo(full)
	if r == nil || in.SHA == "" || in.Name == "" || !slices.Contains(statusStates, in.State) {
		return errors.New("repository, sha, name, state: must be those of a status")
	}
	r.Statuses = append(r.Statuses, s.keep(&status{SHA: in.SHA, State: in.State, Genre: in.Genre, Name: in.Name, Text: in.Description,
		Link: in.TargetURL, Creator: s.st.addUser(in.Creator, "", s.NowMicros()).ID}))
	s.Touch()
	return nil
}

// AddRun makes a build and sends its event if it has ended.
func (s *Server) AddRun(ctx context.Context, full string, spec shared.RunSpec) (shared.Run, error) {
	r, err := s.FindRepo(full)
	if err != nil {
		return shared.Run{}, err
	}
	return s.Server.AddRun(ctx, r.git, spec, func(run *host.WorkflowRun) {
		r.Builds = append(r.Builds, run)
		s.emitBuild(r, run)
	})
}

// results maps conclusions of jobs to results of the host.
var results = map[string]string{"success": "succeeded", "failure": "failed", "cancelled": "canceled", "skipped": "skipped",
	"timed_out": "canceled"}

// showBuild renders a build. Server.Mu is held.
func (s *Server) showBuild(r *repository, run *host.WorkflowRun) obj {
	state, conclusion := run.State()
	o := obj{"id": run.ID, "buildNumber": strconv.FormatInt(run.ID, 10), "status": "inProgress", "sourceVersion": run.SHA,
		"sourceBranch": heads + run.Branch, "queueTime": stamp(run.Created), "startTime": stamp(run.Created),
		"definition": obj{"id": 1, "name": run.Workflow}, "reason": "individualCI", "project": s.showProject(s.st.Projects[r.ProjectID]),
		"repository": obj{"id": r.guid(), "type": "TfsGit", "name": r.Name},
		"_links":     obj{"web": obj{"href": s.remote(r) + "/build/" + strconv.FormatInt(run.ID, 10)}}}
	if state == "completed" {
		o["status"], o["finishTime"] = "completed", stamp(run.Updated)
		o["result"] = map[string]string{"success": "succeeded"}[conclusion]
		if o["result"] == "" {
			o["result"] = "failed"
		}
	}
	return o
}

// listBuilds lists the builds of a repository, newest first. The interface has no filter for a commit.
func listBuilds(c *call) *reply {
	items := []any{}
	for _, r := range c.s.st.Repos {
		if r.ProjectID != c.project.ID || !strings.EqualFold(r.guid(), c.Query.Get("repositoryId")) {
			continue
		}
		for _, run := range slices.Backward(r.Builds) {
			if b := c.Query.Get("branchName"); b == "" || b == heads+run.Branch {
				items = append(items, c.s.showBuild(r, run))
			}
		}
	}
	return c.pageOn(items, 1000)
}

// ofBuild returns a handler for the build of the path and its repository.
func ofBuild(h func(*call, *repository, *host.WorkflowRun) *reply) func(*call) *reply {
	return host.Locked(func(c *call) *reply {
		for _, r := range c.s.st.Repos {
			for _, run := range r.Builds {
				if r.ProjectID == c.project.ID && run.ID == c.Number("build") {
					return h(c, r, run)
				}
			}
		}
		return failure(http.StatusNotFound, "BuildNotFoundException", "The requested build could not be found.")
	})
}

func getBuild(c *call, r *repository, run *host.WorkflowRun) *reply { return ok(c.s.showBuild(r, run)) }

// getTimeline answers the records of a build: a stage, a phase, its jobs and their tasks.
func getTimeline(c *call, _ *repository, run *host.WorkflowRun) *reply {
	stage, phase := simapi.ID("run", run.ID), simapi.ID("phase", run.ID)
	records := []any{obj{"id": stage, "parentId": nil, "type": "Stage", "name": "__default", "state": "completed", "order": 1},
		obj{"id": phase, "parentId": stage, "type": "Phase", "name": "Job", "state": "completed", "order": 1}}
	for i, j := range run.Jobs {
		id := simapi.ID("job", j.ID)
		o := obj{"id": id, "parentId": phase, "type": "Job", "name": j.Name, "order": i + 1, "attempt": 1, "identifier": j.Name,
			"state":     map[string]string{"queued": "pending", "in_progress": "inProgress", "completed": "completed"}[j.Status],
			"startTime": stamp(j.Started), "finishTime": stamp(j.Ended), "result": nil, "log": nil, "issues": []any{}}
		if j.Status == "completed" {
			o["result"] = host.OrElse(results[j.Conclusion], "failed")
		}
		if j.Status != "queued" && !j.Gone {
			o["log"] = obj{"id": j.ID, "type": "Container", "url": c.s.Base + "/_apis/build/builds/1/logs/" + strconv.FormatInt(j.ID, 10)}
		}
		records = append(records, o)
		for n, name := range j.Steps {
			records = append(records, obj{"id": simapi.ID("label", j.ID*100+int64(n)), "parentId": id, "type": "Task", "name": name,
				"order": n + 1, "state": o["state"], "result": o["result"], "startTime": o["startTime"], "finishTime": o["finishTime"]})
		}
	}
	return ok(obj{"records": records, "id": simapi.ID("run", run.ID), "changeId": 1})
}

// getLog answers the log of a job as text.
func getLog(c *call, _ *repository, run *host.WorkflowRun) *reply {
	for _, j := range run.Jobs {
		if j.ID == c.Number("log") && !j.Gone && j.Status != "queued" {
			return (&reply{Status: http.StatusOK, Body: j.Text()}).Set("Content-Type", "text/plain")
		}
	}
	return failure(http.StatusNotFound, "BuildLogNotFoundException", "The requested log could not be found.")
}
