package host

import (
	"bytes"
	"context"
	"errors"

	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// WorkflowRun is a run of a workflow in the state of a simulator.
type WorkflowRun struct {
	ID               int64
	Workflow         string
	SHA, Branch      string
	Created, Updated Micros
	Jobs             []*Job
}

// Job is a job of a run.
type Job struct {
	ID, RunID          int64
	Name               string
	Status, Conclusion string
	Log                string
	Pad                int
	Gone               bool
	Steps              []string
	Started, Ended     Micros
}

// AddRun makes a run for a commit of a repository and passes it to keep, which is called with Mu held.
func (s *Server) AddRun(ctx context.Context, git *gitrepo.Repo, spec simapi.RunSpec, keep func(*WorkflowRun)) (simapi.Run, error) {
	if err := spec.Check(); err != nil {
		return simapi.Run{}, err
	}
	if _, err := git.Lookup(ctx, spec.Commit); err != nil {
		return simapi.Run{}, errors.New("commit: there is no such commit")
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	run := newRun(spec, s.NewID, s.NowMicros())
	keep(run)
	s.Touch()
	return run.Made(), nil
}

// newRun makes a run from a checked spec; id returns new numbers of a kind.
func newRun(spec simapi.RunSpec, id func(kind string) int64, now Micros) *WorkflowRun {
	r := &WorkflowRun{ID: id("run"), Workflow: spec.Workflow, SHA: spec.Commit, Branch: spec.Branch, Created: now, Updated: now}
	for _, j := range spec.Jobs {
		x := &Job{ID: id("job"), RunID: r.ID, Name: j.Name, Status: OrElse(j.Status, "completed"), Log: j.Log, Pad: j.Pad, Gone: j.Gone,
			Steps: j.Steps}
		if x.Status != "queued" {
			x.Started = now
		}
		if x.Status == "completed" {
			x.Conclusion, x.Ended = OrElse(j.Conclusion, "success"), now
		}
		r.Jobs = append(r.Jobs, x)
	}
	return r
}

// Made returns the run's description for the control interface.
func (r *WorkflowRun) Made() simapi.Run {
	out := simapi.Run{ID: r.ID}
	for _, j := range r.Jobs {
		out.Jobs = append(out.Jobs, j.ID)
	}
	return out
}

// State returns the status and conclusion of a run, combined from its jobs.
func (r *WorkflowRun) State() (status, conclusion string) {
	status, conclusion = "completed", "success"
	for _, j := range r.Jobs {
		if j.Status != "completed" {
			return "in_progress", ""
		}
		if j.Conclusion == "failure" {
			conclusion = "failure"
		}
	}
	return status, conclusion
}

// Text returns the whole log of a job.
func (j *Job) Text() []byte {
	line := []byte("2026-11-23T05:00:00.0000000Z filler of a log that is long enough to be cut\n")
	out := bytes.Repeat(line, j.Pad/len(line)+1)[:j.Pad]
	return append(out, j.Log...)
}

// FindJob returns a job of the runs of a repository and its run; nil if it does not exist.
func FindJob(runs []*WorkflowRun, id int64) (*WorkflowRun, *Job) {
	for _, r := range runs {
		for _, j := range r.Jobs {
			if j.ID == id {
				return r, j
			}
		}
	}
	return nil, nil
}
