package azuredevops

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
	"github.com/assay-dev/assay/internal/domain"
)

// Bounds of the CI (design choices). The interface has no list of builds by commit, so the newest builds of the repository are searched.
const (
	maxCIName  = 300
	maxBuilds  = 1000
	maxRecords = 5000 // of a build's timeline
)

type buildRef struct {
	ID         int64             `json:"id"`
	Number     string            `json:"buildNumber"`
	Status     string            `json:"status"` // completed, …
	Result     string            `json:"result"`
	Source     string            `json:"sourceVersion"`
	Trigger    map[string]string `json:"triggerInfo"`
	Definition struct {
		Name string `json:"name"`
	} `json:"definition"`
	Repository struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	} `json:"repository"`
	Links struct {
		Web struct {
			Href string `json:"href"`
		} `json:"web"`
	} `json:"_links"`
}

// head returns the commit that a build is about. A build of a pull request runs on a merge commit, and triggerInfo names the head.
func (b buildRef) head() string { return cmp.Or(b.Trigger["pr.sourceSha"], b.Source) }

type recordRef struct {
	ID       string `json:"id"`
	Parent   string `json:"parentId"`
	Type     string `json:"type"` // Stage, Phase, Job, Task, …
	Name     string `json:"name"`
	State    string `json:"state"` // pending, inProgress, completed
	Result   string `json:"result"`
	Order    int    `json:"order"`
	Started  string `json:"startTime"`
	Finished string `json:"finishTime"`
	Log      *struct {
		ID int64 `json:"id"`
	} `json:"log"`
}

// jobStates and jobResults translate the words of timelines (build description, TimelineRecord).
var (
	jobStates  = map[string]codehost.JobState{"pending": codehost.JobQueued, "inProgress": codehost.JobRunning, "completed": codehost.JobDone}
	jobResults = map[string]string{"succeeded": "success", "succeededWithIssues": "success", "failed": "failure", "canceled": "cancelled",
		"skipped": "skipped", "abandoned": "cancelled"}
)

// builds lists the builds of a commit, newest first, at most [codehost.MaxCIRuns].
func (h *Host) builds(ctx context.Context, op string, repo codehost.Repo, commit string) (list []buildRef, whole bool, err error) {
	id := repo.ExternalID
	if guid(string(id)) == "" {
		now, err := h.repository(ctx, op, repo)
		if err != nil {
			return nil, false, err
		}
		id = guid(now.ID)
	}
	list, whole, err = listOn(ctx, h, op, maxBuilds, request{path: projectPath(repo.Owner) + "/_apis/build/builds", query: url.Values{
		"repositoryId": {string(id)}, "repositoryType": {"TfsGit"}, "queryOrder": {"queueTimeDescending"}}},
		func(b buildRef) (buildRef, bool) { return b, b.ID > 0 && b.head() == commit })
	slices.SortStableFunc(list, func(a, b buildRef) int { return cmp.Compare(b.ID, a.ID) })
	if len(list) > codehost.MaxCIRuns {
		return list[:codehost.MaxCIRuns], false, err
	}
	return list, whole, err
}

// records reads the timeline of a build. A build that was not started lacks one.
func (h *Host) records(ctx context.Context, op string, repo codehost.Repo, build int64) ([]recordRef, error) {
	var got struct {
		Records []recordRef `json:"records"`
	}
	err := h.run(ctx, &wire.Call{Op: op, Key: h.instance.Key, Bytes: wire.MaxDiffs}, request{
		path: fmt.Sprintf("%s/_apis/build/builds/%d/timeline", projectPath(repo.Owner), build)}, &got)
	return got.Records[:min(len(got.Records), maxRecords)], err
}

// Jobs implements [codehost.CI].
func (h *Host) Jobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, whole bool, err error) {
	jobs, _, whole, err = h.jobs(ctx, repo, commit)
	return jobs, whole, err
}

// jobs is [Host.Jobs] with the number of builds that have not ended.
func (h *Host) jobs(ctx context.Context, repo codehost.Repo, commit string) (jobs []codehost.Job, open int, whole bool, err error) {
	const op = "list jobs"
	if err := checkRepo(op, repo); err != nil {
		return nil, 0, false, err
	}
	if !codehost.IsCommit(commit) {
		return nil, 0, false, codehost.Refused(op, "the commit must be a full commit id")
	}
	if _, err := h.repository(ctx, op, repo); err != nil { // builds of an absent repository are an empty list
		return nil, 0, false, err
	}
	list, whole, err := h.builds(ctx, op, repo, commit)
	if err != nil {
		return nil, 0, false, err
	}
	for n, b := range list {
		if b.Status != "completed" {
			open++
		}
		records, err := h.records(ctx, op, repo, b.ID)
		if err != nil && codehost.ClassOf(err) != codehost.ClassNotFound {
			return nil, 0, false, err
		}
		slices.SortStableFunc(records, func(a, b recordRef) int { return cmp.Compare(a.Order, b.Order) })
		for _, r := range records {
			if r.Type != "Job" || r.ID == "" {
				continue
			}
			if len(jobs) == codehost.MaxCIJobs {
				return jobs, open + len(list) - n, false, nil
			}
			jobs = append(jobs, job(b, r, records))
		}
	}
	return jobs, open, whole, nil
}

// job converts a job with its tasks.
func job(b buildRef, r recordRef, all []recordRef) codehost.Job {
	out := codehost.Job{ID: jobID(b.ID, r.ID), Run: wire.HostID(b.ID), Name: wire.OneLine(r.Name, maxCIName),
		Workflow: wire.OneLine(cmp.Or(b.Definition.Name, b.Number), maxCIName), State: cmp.Or(jobStates[r.State], codehost.JobQueued),
		URL: wire.Link(b.Links.Web.Href)}
	if out.State == codehost.JobDone {
		out.Conclusion, out.EndedAt = cmp.Or(jobResults[r.Result], "failure"), timeOf(r.Finished)
	}
	if out.State != codehost.JobQueued {
		out.StartedAt = timeOf(r.Started)
	}
	for _, t := range all {
		if t.Type != "Task" || t.Parent != r.ID || len(out.Steps) == codehost.MaxCISteps {
			continue
		}
		s := codehost.JobStep{Number: len(out.Steps) + 1, Name: wire.OneLine(t.Name, maxCIName),
			State: cmp.Or(jobStates[t.State], codehost.JobQueued)}
		if s.State == codehost.JobDone {
			s.Conclusion = cmp.Or(jobResults[t.Result], "failure")
		}
		out.Steps = append(out.Steps, s)
	}
	return out
}

// jobID identifies a job by its build and its record: "651.0000…".
func jobID(build int64, record string) domain.HostID {
	return domain.HostID(strconv.FormatInt(build, 10) + "." + record)
}

// JobLog implements [codehost.CI]. A job has a log if its record names one.
func (h *Host) JobLog(ctx context.Context, repo codehost.Repo, id domain.HostID, read func(io.Reader) error) error {
	const op = "read job log"
	if err := checkRepo(op, repo); err != nil {
		return err
	}
	first, record, found := strings.Cut(string(id), ".")
	build, err := wire.NumberOfID(op, domain.HostID(first))
	if err != nil {
		return err
	}
	absent := &codehost.Error{Class: codehost.ClassNotFound, Op: op, Message: "the job has no log, or it was deleted"}
	if !found || guid(record) == "" {
		return absent
	}
	records, err := h.records(ctx, op, repo, build)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(records, func(r recordRef) bool { return r.ID == record && r.Type == "Job" })
	if i < 0 || records[i].Log == nil || records[i].Log.ID <= 0 {
		return absent
	}
	_, _, err = h.do(ctx, &wire.Call{Op: op, Bytes: codehost.MaxLogRead, Read: read}, request{
		path:  fmt.Sprintf("%s/_apis/build/builds/%d/logs/%d", projectPath(repo.Owner), build, records[i].Log.ID),
		query: url.Values{"$format": {"text"}}})
	return err
}

// Results implements [codehost.CI].
func (h *Host) Results(ctx context.Context, repo codehost.Repo, commit string) (out codehost.CIResults, err error) {
	const op = "list statuses"
	jobs, open, whole, err := h.jobs(ctx, repo, commit)
	if err != nil {
		return out, err
	}
	self, err := h.ownAccount(ctx, repo.Owner)
	if err != nil {
		return out, err
	}
	out.Open, out.Whole = open, whole
	out.AddJobs(jobs)
	list, err := h.otherStatuses(ctx, op, repo, commit, self.id)
	if err != nil {
		return codehost.CIResults{}, err
	}
	for _, s := range list {
		conclusion := conclusions[s.State]
		out.Count(conclusion)
		if codehost.IsFailure(conclusion) {
			out.Failed = append(out.Failed, codehost.FailedStatus(wire.OneLine(s.name(), maxCIName), conclusion,
				wire.Words(s.Description, codehost.MaxCIText), wire.Link(s.TargetURL), timeOf(s.Created)))
		}
	}
	out.Bound()
	return out, nil
}
