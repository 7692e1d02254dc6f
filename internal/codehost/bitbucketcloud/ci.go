package bitbucketcloud

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
)

// maxCIName is the most characters of the name of a pipeline or step; longer names are cut.
const maxCIName = 300

var _ codehost.CI = (*Host)(nil)

// state is the progress of a pipeline or step (the description, pipeline_state… and pipeline_step_state…).
type state struct {
	Name   string `json:"name"` // PENDING, READY, IN_PROGRESS, COMPLETED
	Result *struct {
		Name string `json:"name"` // SUCCESSFUL, FAILED, ERROR, EXPIRED, STOPPED, NOT_RUN
	} `json:"result"`
}

// results maps the results of pipelines and steps to conclusions of the port. A step expires if no runner takes it in time.
var results = map[string]string{"SUCCESSFUL": "success", "FAILED": "failure", "ERROR": "failure", "EXPIRED": "timed_out",
	"STOPPED": "cancelled", "NOT_RUN": "skipped"}

func (s state) job() (codehost.JobState, string) {
	switch {
	case s.Name == "COMPLETED" && s.Result != nil:
		return codehost.JobDone, cmp.Or(results[s.Result.Name], "neutral")
	case s.Name == "COMPLETED":
		return codehost.JobDone, "neutral"
	case s.Name == "IN_PROGRESS":
		return codehost.JobRunning, ""
	}
	return codehost.JobQueued, ""
}

type pipeline struct {
	UUID   string `json:"uuid"`
	Number int    `json:"build_number"`
	State  state  `json:"state"`
	Target *struct {
		Selector *struct {
			Type    string `json:"type"`
			Pattern string `json:"pattern"`
		} `json:"selector"`
		Ref    string    `json:"ref_name"`
		Commit commitRef `json:"commit"`
	} `json:"target"`
}

// name returns the name of the pipeline's definition: the pattern of its branches or its custom name, or else the kind of its trigger.
func (p pipeline) name() string {
	if p.Target == nil || p.Target.Selector == nil {
		return "pipeline"
	}
	return wire.OneLine(cmp.Or(p.Target.Selector.Pattern, p.Target.Selector.Type, "pipeline"), maxCIName)
}

type step struct {
	UUID        string     `json:"uuid"`
	Name        string     `json:"name"` // not in the description
	State       state      `json:"state"`
	StartedOn   *time.Time `json:"started_on"`
	CompletedOn *time.Time `json:"completed_on"`
}

// Jobs implements [codehost.CI] with the steps of pipelines. The steps of a port's job are commands of a script on this host, which
// have no results of their own.
func (h *Host) Jobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, whole bool, err error) {
	jobs, _, whole, err = h.readJobs(ctx, repo, commit)
	return jobs, whole, err
}

// readJobs is [Host.Jobs] with the number of pipelines that have not ended.
func (h *Host) readJobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, open int, whole bool, err error) {
	const op = "list jobs"
	if err := wire.CheckRepo(op, repo); err != nil {
		return nil, 0, false, err
	}
	if !codehost.IsCommit(commit) {
		return nil, 0, false, codehost.Refused(op, "the commit must be a full commit id")
	}
	q := url.Values{"target.commit.hash": {commit}, "sort": {"-created_on"}, "pagelen": {"50"}}
	pipelines, whole, err := list(ctx, h, op, at(repo)+"/pipelines?"+q.Encode(), codehost.MaxCIRuns, func(p pipeline) (pipeline, bool) {
		other := p.Target != nil && shortForm.MatchString(p.Target.Commit.Hash) && !strings.HasPrefix(commit, p.Target.Commit.Hash)
		return p, hostID(p.UUID) != "" && !other
	})
	if err != nil {
		return nil, 0, false, err
	}
	for i, p := range pipelines {
		if s, _ := p.State.job(); s != codehost.JobDone {
			open++
		}
		steps, every, err := list(ctx, h, op, at(repo)+"/pipelines/"+braced(hostID(p.UUID))+"/steps?pagelen=100", codehost.MaxCIJobs-len(jobs),
			func(s step) (step, bool) { return s, hostID(s.UUID) != "" })
		if err != nil {
			return nil, 0, false, err
		}
		for _, s := range steps {
			jobs = append(jobs, h.job(repo, p, s))
		}
		whole = whole && every
		if len(jobs) >= codehost.MaxCIJobs {
			return jobs, open, whole && i == len(pipelines)-1, nil
		}
	}
	return jobs, open, whole, nil
}

func (h *Host) job(repo codehost.Repo, p pipeline, s step) codehost.Job {
	run, id := hostID(p.UUID), hostID(s.UUID)
	out := codehost.Job{ID: run + "." + id, Run: run, Name: wire.OneLine(cmp.Or(s.Name, "step"), maxCIName), Workflow: p.name(),
		URL: wire.Link(h.client.Base + "/" + repo.FullName() + "/pipelines/results/" + braced(run) + "/steps/" + braced(id))}
	out.State, out.Conclusion = s.State.job()
	if out.State != codehost.JobQueued {
		out.StartedAt = codehost.TimeOrZero(s.StartedOn)
	}
	if out.State == codehost.JobDone {
		out.EndedAt = codehost.TimeOrZero(s.CompletedOn)
	}
	return out
}

// jobForm matches ids of jobs: UUIDs of a pipeline and a step.
var jobForm = regexp.MustCompile(`^[0-9a-f-]{1,64}(\.[0-9a-f-]{1,64})?$`)

// JobLog implements [codehost.CI]. The host answers with the log, or after the step has ended with an address of its storage, which is
// valid for minutes (the description: 307). JobLog fetches it without our token and with a separate budget.
func (h *Host) JobLog(ctx context.Context, repo codehost.Repo, id domain.HostID, read func(io.Reader) error) error {
	const op = "read job log"
	if err := wire.CheckRepo(op, repo); err != nil {
		return err
	}
	if !jobForm.MatchString(string(id)) {
		return codehost.Refused(op, "the id of a job is that of a pipeline and a step")
	}
	run, step, found := strings.Cut(string(id), ".")
	if !found {
		return &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the pipeline has no such step"}
	}
	c := h.client.Read(op)
	c.Found, c.Bytes, c.Read = true, codehost.MaxLogRead, read
	path := at(repo) + "/pipelines/" + braced(domain.HostID(run)) + "/steps/" + braced(domain.HostID(step)) + "/log"
	header, err := h.client.Do(ctx, c, wire.Request{Method: http.MethodGet, Address: path}, nil)
	if err != nil || header.Get("Location") == "" {
		return err
	}
	return wire.FetchStored(ctx, h.client.Client.Transport, h.client.Key, op, header.Get("Location"), h.client.Base, read)
}

// Results implements [codehost.CI]. A pipeline also has a build status, with the address of its page, which is left out.
func (h *Host) Results(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CIResults, err error) {
	const op = "list statuses"
	jobs, open, whole, err := h.readJobs(ctx, repo, commit)
	if err != nil {
		return out, err
	}
	out.Open, out.Whole = open, whole
	out.AddJobs(jobs)
	own := strings.ToLower(h.client.Base + "/" + repo.FullName() + "/")
	path := at(repo) + "/commit/" + commit + "/statuses?pagelen=100"
	failed, every, err := list(ctx, h, op, path, maxStatuses, func(s status) (codehost.CIFailure, bool) {
		page, isOwn := strings.CutPrefix(strings.ToLower(s.URL), own)
		isPipeline := isOwn && (strings.HasPrefix(page, "pipelines") || strings.HasPrefix(page, "addon/pipelines"))
		if s.Key == "" || strings.HasPrefix(s.Key, keyPrefix) || isPipeline {
			return codehost.CIFailure{}, false
		}
		conclusion := map[string]string{"SUCCESSFUL": "success", "FAILED": "failure", "STOPPED": "cancelled"}[s.State]
		out.Count(conclusion)
		when, _ := time.Parse(time.RFC3339, s.UpdatedOn)
		return codehost.FailedStatus(wire.OneLine(cmp.Or(s.Name, s.Key), maxCIName), conclusion, wire.Words(s.Description, codehost.MaxCIText),
			wire.Link(s.URL), when), codehost.IsFailure(conclusion)
	})
	if err != nil {
		return codehost.CIResults{}, err
	}
	out.Failed, out.Whole = slices.Concat(out.Failed, failed), out.Whole && every
	out.Bound()
	return out, nil
}
