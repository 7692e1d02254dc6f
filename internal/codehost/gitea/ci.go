package gitea

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// maxCIName is the most characters of the name of a workflow, job or step; longer names are cut.
const maxCIName = 300

var _ codehost.CI = (*Host)(nil)

// hasJobs returns an error if the host's API has no jobs.
func (h *Host) hasJobs(op string, repo codehost.Repo) error {
	if !h.Capabilities().JobLogs {
		return codehost.Refused(op, "the interface of this host tells nothing of jobs")
	}
	return wire.CheckRepo(op, repo)
}

// Jobs implements [codehost.CI] for Gitea Actions. Versions before 1.26 lack the API and answer
// [codehost.ClassNotFound].
func (h *Host) Jobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, whole bool, err error) {
	jobs, _, whole, err = h.readJobs(ctx, repo, commit)
	return jobs, whole, err
}

// readJobs is [Host.Jobs] with the number of runs that have not ended.
func (h *Host) readJobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, open int, whole bool, err error) {
	const op = "list jobs"
	if err := h.hasJobs(op, repo); err != nil {
		return nil, 0, false, err
	}
	if !codehost.IsCommit(commit) {
		return nil, 0, false, codehost.Refused(op, "the commit must be a full commit id")
	}
	runs, whole, err := listAll(ctx, h, op, codehost.MaxCIRuns, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.ActionWorkflowRun,
		*sdk.Response, error) {
		list, resp, err := c.ListRepoActionRuns(repo.Owner, repo.Name, sdk.ListRepoActionRunsOptions{HeadSHA: commit, ListOptions: opts})
		if err != nil {
			return nil, resp, err
		}
		return list.WorkflowRuns, resp, nil
	}, wire.KeepNonNil)
	if err != nil {
		return nil, 0, false, err
	}
	runs = slices.DeleteFunc(runs, func(r *sdk.ActionWorkflowRun) bool { return r == nil })
	slices.SortFunc(runs, func(a, b *sdk.ActionWorkflowRun) int { return cmp.Compare(b.ID, a.ID) })
	for _, r := range runs {
		list, all, err := listAll(ctx, h, op, codehost.MaxCIJobs-len(jobs),
			func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.ActionWorkflowJob, *sdk.Response, error) {
				list, resp, err := c.ListRepoActionRunJobs(repo.Owner, repo.Name, r.ID, sdk.ListRepoActionJobsOptions{ListOptions: opts})
				if err != nil {
					return nil, resp, err
				}
				return list.Jobs, resp, nil
			}, wire.KeepNonNil)
		if err != nil {
			return nil, 0, false, err
		}
		for _, j := range list {
			if j != nil {
				jobs = append(jobs, job(r, j))
			}
		}
		whole = whole && all
		if r.Status != "completed" {
			open++
		}
		if len(jobs) >= codehost.MaxCIJobs {
			return jobs, open, whole && r == runs[len(runs)-1], nil
		}
	}
	return jobs, open, whole, nil
}

func job(run *sdk.ActionWorkflowRun, j *sdk.ActionWorkflowJob) codehost.Job {
	file, _, _ := strings.Cut(run.Path, "@") // the ref follows, which differs between branches
	out := codehost.Job{ID: wire.HostID(j.ID), Run: wire.HostID(run.ID), Name: wire.OneLine(j.Name, maxCIName),
		Workflow: wire.OneLine(file, maxCIName), Definition: wire.OneLine(file+" "+run.Event, maxCIName), State: codehost.StateOfJob(j.Status),
		Conclusion: wire.OneLine(j.Conclusion, maxCIName), URL: wire.Link(j.HTMLURL)}
	if out.State != codehost.JobQueued {
		out.StartedAt = j.StartedAt
	}
	if out.State == codehost.JobDone {
		out.EndedAt = j.CompletedAt
	}
	for _, s := range j.Steps[:min(len(j.Steps), codehost.MaxCISteps)] {
		if s != nil {
			out.Steps = append(out.Steps, codehost.JobStep{Number: int(s.Number), Name: wire.OneLine(s.Name, maxCIName),
				State:      codehost.StateOfJob(s.Status),
				Conclusion: wire.OneLine(s.Conclusion, maxCIName)})
		}
	}
	return out
}

// JobLog implements [codehost.CI]. Some versions answer 500 for a log without a file
// (go-gitea/gitea#37990), which is [codehost.ClassUnavailable].
func (h *Host) JobLog(ctx context.Context, repo codehost.Repo, id domain.HostID, read func(io.Reader) error) error {
	const op = "read job log"
	if err := h.hasJobs(op, repo); err != nil {
		return err
	}
	n, err := wire.NumberOfID(op, id)
	if err != nil {
		return err
	}
	c := &wire.Call{Op: op, Key: h.instance.Key, Bytes: codehost.MaxLogRead, Read: read}
	_, err = h.getCall(ctx, c, fmt.Sprintf("/repos/%s/actions/jobs/%d/logs", repo.FullName(), n))
	return err
}

// actionsUser is the account that Gitea and Forgejo Actions set statuses with (models/user/user_system.go).
const actionsUser = -2

// Results implements [codehost.CI]. The host lists the newest status first, and the newest of a context counts. A host
// without an API of jobs reports them as statuses of its own account.
func (h *Host) Results(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CIResults, err error) {
	const op = "list statuses"
	if err := wire.CheckRepo(op, repo); err != nil {
		return out, err
	}
	if !codehost.IsCommit(commit) {
		return out, codehost.Refused(op, "the commit must be a full commit id")
	}
	out.Whole = true
	if h.Capabilities().JobLogs {
		jobs, open, whole, err := h.readJobs(ctx, repo, commit)
		if err != nil {
			return out, err
		}
		out.Open, out.Whole = open, whole
		out.AddJobs(jobs)
	}
	self, err := h.ownAccount(ctx)
	if err != nil {
		return out, err
	}
	seen := map[string]bool{}
	statuses, all, err := listAll(ctx, h, op, maxStatuses, func(c *sdk.Client, opts sdk.ListOptions) ([]*sdk.Status, *sdk.Response, error) {
		return c.ListStatuses(repo.Owner, repo.Name, commit, sdk.ListStatusesOption{ListOptions: opts})
	}, func(s *sdk.Status) (codehost.CIFailure, bool) {
		if s == nil || self.is(s.Creator) {
			return codehost.CIFailure{}, false
		}
		f := codehost.FailedStatus(wire.OneLine(s.Context, maxCIName), wire.OneLine(string(s.State), maxCIName),
			wire.Words(s.Description, codehost.MaxCIText), wire.Link(s.TargetURL), s.Updated)
		newest := !seen[f.Key]
		seen[f.Key] = true
		if s.Creator != nil && s.Creator.ID == actionsUser {
			if h.Capabilities().JobLogs {
				return f, false // the job is listed
			}
			f.NoLog = codehost.NoLogHost
		}
		if newest {
			out.Count(f.Conclusion)
		}
		return f, newest && codehost.IsFailure(f.Conclusion)
	})
	if err != nil {
		return codehost.CIResults{}, err
	}
	out.Failed, out.Whole = append(out.Failed, statuses...), out.Whole && all
	out.Bound()
	return out, nil
}
