package gitlab

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	sdk "gitlab.com/gitlab-org/api/client-go/v2"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// maxCIName is the most characters of the name of a pipeline or job; longer names are cut.
const maxCIName = 300

var _ codehost.CI = (*Host)(nil)

// Jobs implements [codehost.CI] with the last attempt of each job in a pipeline. GitLab has no steps. A
// pipeline without a name gets the name of its source.
func (h *Host) Jobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, whole bool, err error) {
	jobs, _, whole, err = h.readJobs(ctx, repo, commit)
	return jobs, whole, err
}

// readJobs is [Host.Jobs] with the number of pipelines that have not ended. One that waits for a person has jobs that wait.
func (h *Host) readJobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, open int, whole bool, err error) {
	const op = "list jobs"
	if err := checkRepo(op, repo); err != nil {
		return nil, 0, false, err
	}
	if !codehost.IsCommit(commit) {
		return nil, 0, false, codehost.Refused(op, "the commit must be a full commit id")
	}
	pipelines, whole, err := listAll(ctx, h, op, codehost.MaxCIRuns,
		func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.PipelineInfo, *sdk.Response, error) {
			return c.Pipelines.ListProjectPipelines(repo.FullName(), &sdk.ListProjectPipelinesOptions{ListOptions: page, SHA: &commit}, with)
		}, wire.KeepNonNil)
	if err != nil {
		return nil, 0, false, err
	}
	pipelines = slices.DeleteFunc(pipelines, func(p *sdk.PipelineInfo) bool { return p == nil || p.ID <= 0 })
	slices.SortFunc(pipelines, func(a, b *sdk.PipelineInfo) int { return cmp.Compare(b.ID, a.ID) })
	for _, p := range pipelines {
		list, every, err := listAll(ctx, h, op, codehost.MaxCIJobs-len(jobs),
			func(c *sdk.Client, with sdk.RequestOptionFunc, page sdk.ListOptions) ([]*sdk.Job, *sdk.Response, error) {
				return c.Jobs.ListPipelineJobs(repo.FullName(), p.ID, &sdk.ListJobsOptions{ListOptions: page}, with)
			}, wire.KeepNonNil)
		if err != nil {
			return nil, 0, false, err
		}
		list = slices.DeleteFunc(list, func(j *sdk.Job) bool { return j == nil || j.ID <= 0 })
		slices.SortFunc(list, func(a, b *sdk.Job) int { return cmp.Compare(a.ID, b.ID) })
		for _, j := range list {
			jobs = append(jobs, job(p, j))
		}
		whole = whole && every
		if jobStates[p.Status].state != codehost.JobDone && p.Status != "manual" {
			open++
		}
		if len(jobs) >= codehost.MaxCIJobs {
			return jobs, open, whole && p == pipelines[len(pipelines)-1], nil
		}
	}
	return jobs, open, whole, nil
}

// jobStates translates the job states of docs.gitlab.com/api/jobs ("List project jobs", scope). A job in
// any other state waits.
var jobStates = map[string]struct {
	state      codehost.JobState
	conclusion string
}{
	"running": {codehost.JobRunning, ""}, "canceling": {codehost.JobRunning, ""}, "success": {codehost.JobDone, "success"},
	"failed":   {codehost.JobDone, "failure"},
	"canceled": {codehost.JobDone, "cancelled"}, "skipped": {codehost.JobDone, "skipped"},
}

func job(p *sdk.PipelineInfo, j *sdk.Job) codehost.Job {
	out := codehost.Job{ID: wire.HostID(j.ID), Run: wire.HostID(p.ID), Name: wire.OneLine(j.Name, maxCIName),
		Workflow:   wire.OneLine(cmp.Or(p.Name, p.Source), maxCIName),
		Definition: wire.OneLine(p.Name+" "+p.Source, maxCIName), State: codehost.JobQueued, URL: wire.Link(j.WebURL),
		MayFail: j.AllowFailure}
	if s, known := jobStates[j.Status]; known {
		out.State, out.Conclusion = s.state, s.conclusion
	}
	if j.Status == "failed" && j.FailureReason == "job_execution_timeout" {
		out.Conclusion = "timed_out"
	}
	if j.StartedAt != nil && out.State != codehost.JobQueued {
		out.StartedAt = *j.StartedAt
	}
	if j.FinishedAt != nil && out.State == codehost.JobDone {
		out.EndedAt = *j.FinishedAt
	}
	return out
}

// JobLog implements [codehost.CI]. GitLab returns an empty text both for a missing log and for an erased
// one (lib/api/ci/jobs.rb of gitlab-org/gitlab), so JobLog then reads the job before it calls read.
func (h *Host) JobLog(ctx context.Context, repo codehost.Repo, id domain.HostID, read func(io.Reader) error) error {
	const op = "read job log"
	if err := checkRepo(op, repo); err != nil {
		return err
	}
	n, err := wire.NumberOfID(op, id)
	if err != nil {
		return err
	}
	empty := false
	c := &wire.Call{Op: op, Bytes: codehost.MaxLogRead, Read: func(r io.Reader) error {
		in := bufio.NewReader(r)
		if _, err := in.Peek(1); errors.Is(err, io.EOF) {
			empty = true
			return nil
		}
		return read(in)
	}}
	if _, err := h.get(ctx, c, fmt.Sprintf("%s/jobs/%d/trace", project(repo), n)); err != nil || !empty {
		return err
	}
	var j *sdk.Job
	err = h.read(ctx, op, func(c *sdk.Client, with sdk.RequestOptionFunc) (err error) {
		j, _, err = c.Jobs.GetJob(repo.FullName(), n, with)
		return err
	})
	if err != nil {
		return err
	}
	if j.ErasedAt != nil || jobStates[j.Status].state == "" {
		return &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the log was erased or does not exist yet"}
	}
	return read(strings.NewReader(""))
}

// Results implements [codehost.CI]. GitLab lists jobs of pipelines among the statuses, with the same numbers
// (app/models/commit_status.rb of gitlab-org/gitlab).
func (h *Host) Results(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CIResults, err error) {
	const op = "list statuses"
	jobs, open, whole, err := h.readJobs(ctx, repo, commit)
	if err != nil {
		return out, err
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return out, err
	}
	out.Open, out.Whole = open, whole
	out.AddJobs(jobs)
	isJob := map[domain.HostID]bool{}
	for _, j := range jobs {
		isJob[j.ID] = true
	}
	list, all, err := listAll(ctx, h, op, maxStatuses, func(c *sdk.Client, with sdk.RequestOptionFunc,
		page sdk.ListOptions) ([]*sdk.CommitStatus, *sdk.Response, error) {
		return c.Commits.GetCommitStatuses(repo.FullName(), commit, &sdk.GetCommitStatusesOptions{ListOptions: page}, with)
	}, func(s *sdk.CommitStatus) (codehost.CIFailure, bool) {
		if s == nil || s.AllowFailure || s.Author.ID == self.id || isJob[wire.HostID(s.ID)] {
			return codehost.CIFailure{}, false
		}
		conclusion := jobStates[s.Status].conclusion
		out.Count(conclusion)
		at := s.FinishedAt
		if at == nil {
			at = cmp.Or(s.CreatedAt, &time.Time{})
		}
		return codehost.FailedStatus(wire.OneLine(s.Name, maxCIName), conclusion,
			wire.Words(s.Description, codehost.MaxCIText), wire.Link(s.TargetURL), *at), codehost.IsFailure(conclusion)
	})
	if err != nil {
		return codehost.CIResults{}, err
	}
	out.Failed, out.Whole = append(out.Failed, list...), out.Whole && all
	out.Bound()
	return out, nil
}
