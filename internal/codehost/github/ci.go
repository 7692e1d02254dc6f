package github

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// maxCIName is the most characters of the name of a workflow, job or step; longer names are cut.
const maxCIName = 300

var _ codehost.CI = (*Host)(nil)

// Jobs implements [codehost.CI] for GitHub Actions.
func (h *Host) Jobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, whole bool, err error) {
	jobs, _, whole, err = h.readJobs(ctx, repo, commit)
	return jobs, whole, err
}

// readJobs is [Host.Jobs] with the number of runs that have not ended: a job that needs others is listed only after them.
func (h *Host) readJobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, open int, whole bool, err error) {
	const op = "list jobs"
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, 0, false, err
	}
	if !codehost.IsCommit(commit) {
		return nil, 0, false, codehost.Refused(op, "the commit must be a full commit id")
	}
	var runs *gh.WorkflowRuns
	c := h.installationCall(op, repo.Access, scopeActions)
	c.Entries = codehost.MaxCIRuns
	err = h.run(ctx, c, func(ctx context.Context) (err error) {
		runs, _, err = h.client.Actions.ListRepositoryWorkflowRuns(ctx, repo.Owner, repo.Name,
			&gh.ListWorkflowRunsOptions{HeadSHA: commit, ListOptions: gh.ListOptions{PerPage: codehost.MaxCIRuns}})
		return err
	})
	if err != nil {
		return nil, 0, false, err
	}
	whole = runs.GetTotalCount() <= len(runs.WorkflowRuns)
	for _, r := range runs.WorkflowRuns {
		more, err := h.jobsOf(ctx, op, repo, r, codehost.MaxCIJobs+1-len(jobs))
		if err != nil {
			return nil, 0, false, err
		}
		if r.GetStatus() != "completed" || len(more) == 0 && r.GetConclusion() == "action_required" { // a person must approve the run
			open++
		}
		jobs = append(jobs, more...)
		if len(jobs) > codehost.MaxCIJobs {
			return jobs[:codehost.MaxCIJobs], open, false, nil
		}
	}
	return jobs, open, whole, nil
}

// jobsOf lists at most most jobs of a run's last attempt.
func (h *Host) jobsOf(ctx context.Context, op string, repo codehost.Repo, run *gh.WorkflowRun, most int) ([]codehost.Job, error) {
	list, _, err := listAll(ctx, h, h.installationCall(op, repo.Access, scopeActions), most,
		func(ctx context.Context, opts gh.ListOptions) ([]*gh.WorkflowJob, *gh.Response, error) {
			list, resp, err := h.client.Actions.ListWorkflowJobs(ctx, repo.Owner, repo.Name, run.GetID(),
				&gh.ListWorkflowJobsOptions{Filter: "latest", ListOptions: opts})
			if err != nil {
				return nil, resp, err
			}
			return list.Jobs, resp, nil
		}, func(j *gh.WorkflowJob) (codehost.Job, bool) { return job(run, j), true })
	return list, err
}

func job(run *gh.WorkflowRun, j *gh.WorkflowJob) codehost.Job {
	out := codehost.Job{ID: hostID(j.GetID()), Run: hostID(run.GetID()), Name: wire.OneLine(j.GetName(), maxCIName),
		Workflow:   wire.OneLine(run.GetName(), maxCIName),
		Definition: wire.OneLine(fmt.Sprint(run.GetWorkflowID(), " ", run.GetEvent()), maxCIName),
		State:      codehost.StateOfJob(j.GetStatus()), Conclusion: wire.OneLine(j.GetConclusion(), maxCIName),
		URL: wire.Link(j.GetHTMLURL()), StartedAt: j.GetStartedAt().Time, EndedAt: j.GetCompletedAt().Time}
	if out.Workflow == "" {
		out.Workflow = wire.OneLine(run.GetPath(), maxCIName)
	}
	for _, s := range j.Steps[:min(len(j.Steps), codehost.MaxCISteps)] {
		out.Steps = append(out.Steps, codehost.JobStep{Number: int(s.GetNumber()), Name: wire.OneLine(s.GetName(), maxCIName),
			State:      codehost.StateOfJob(s.GetStatus()),
			Conclusion: wire.OneLine(s.GetConclusion(), maxCIName)})
	}
	return out
}

// JobLog implements [codehost.CI]. GitHub answers with an address elsewhere that is valid for a minute
// (GitHub REST description, "Download job logs for a workflow run"). JobLog fetches it without our token
// and with a separate budget, because the storage is not part of the API.
func (h *Host) JobLog(ctx context.Context, repo codehost.Repo, id domain.HostID, read func(io.Reader) error) error {
	const op = "read job log"
	if err := wire.CheckRepo(op, repo); err != nil {
		return err
	}
	n, err := number(op, "job", id)
	if err != nil {
		return err
	}
	asked := h.installationCall(op, repo.Access, scopeActions)
	asked.Found, asked.Bytes, asked.Read = true, codehost.MaxLogRead, read
	where := ""
	err = wire.Run(ctx, asked, func(ctx context.Context) error {
		req, err := h.client.NewRequest(ctx, http.MethodGet, fmt.Sprintf("repos/%s/%s/actions/jobs/%d/logs", repo.Owner, repo.Name, n), nil)
		if err != nil {
			return err
		}
		resp, err := h.transport.RoundTrip(req)
		if err == nil && resp.StatusCode == http.StatusFound {
			if where = resp.Header.Get("Location"); where == "" {
				err = &codehost.Error{Class: codehost.ClassUnavailable, Op: op, Message: "the host names no address of the log"}
			}
		}
		return err
	})
	if err != nil || where == "" {
		return err
	}
	return wire.FetchStored(ctx, h.transport, "github|"+strings.ToLower(h.api.Host), op, where, h.api.String(), read)
}
