package codehost

import (
	"cmp"
	"context"
	"io"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Bounds for reading a host's CI.
const (
	MaxCIRuns  = 50       // newest runs of a commit
	MaxCIJobs  = 500      // jobs of all these runs
	MaxCISteps = 200      // steps of a job
	MaxLogRead = 50 << 20 // bytes of a log

	MaxCIFailures  = 100 // failures of a commit
	MaxAnnotations = 50  // annotations of a failure
	MaxCIText      = 500 // characters of a description or of the message of an annotation
)

// JobState is the progress of a job.
type JobState string

// The states of a job.
const (
	JobQueued  JobState = "queued" // or waiting
	JobRunning JobState = "running"
	JobDone    JobState = "done"
)

// JobStep is one step of a job. Name is text from outside.
type JobStep struct {
	Number     int
	Name       string
	State      JobState
	Conclusion string // as in [Job]
}

// Job is one job of a host's own CI. Name and Workflow are text from outside.
type Job struct {
	ID         domain.HostID
	Run        domain.HostID // the workflow run of the job
	Name       string
	Workflow   string // name or path of the workflow
	Definition string // identifies the workflow with the event that started it, over commits; "" if Workflow does
	State      JobState
	Conclusion string // success, failure, cancelled, skipped, timed_out, neutral, …; "" unless done
	URL        string
	StartedAt  time.Time // zero if the job has not started
	EndedAt    time.Time
	Steps      []JobStep
	MayFail    bool // the host ignores the job's failure
}

// NoLog is the reason for which a failure has no log.
type NoLog string

// The reasons without a log: stable words that are stored.
const (
	NoLogOtherApp NoLog = "other_app"       // the check belongs to an app that keeps its log elsewhere
	NoLogStatus   NoLog = "status"          // a commit status of another system has a name, a line and a link only
	NoLogHost     NoLog = "host_has_no_log" // the host's API has no logs
)

// Annotation is a remark of a check on a file. All texts are from outside.
type Annotation struct {
	Path    string
	Line    int    // the first line, 0 if it is unknown
	Level   string // failure, warning or notice
	Message string // at most [MaxCIText] characters, in one line
}

// CIFailure is a failed job, check or commit status. All texts are from outside; credentials are removed from descriptions
// and messages as from errors.
type CIFailure struct {
	Key         string        // identifies it among the failures of a commit: "job/7", "check/9", "status/ci"
	Job         domain.HostID // for [CI.JobLog]; "" if NoLog is set
	NoLog       NoLog         // "" if the log can be read
	Name        string
	Workflow    string // of a job, or the app of a check; "" if it is unknown
	Definition  string // as in [Job]
	Conclusion  string // as in [Job]; failure or error for a status
	URL         string
	Description string // the line of a status, or the title of a check; at most [MaxCIText] characters
	EndedAt     time.Time
	Annotations []Annotation
	Unread      int // annotations that the host has beyond those read
}

// CI reads the host's own CI and the results of other systems, for the analysis of failed builds. Jobs and
// JobLog need [Capabilities.JobLogs], and are refused without it; Results works on each host that has the
// interface.
type CI interface {
	// Jobs lists the jobs in the last attempt of each run for a commit, newest run first. whole is false if
	// there are more than [MaxCIRuns] or [MaxCIJobs].
	Jobs(ctx context.Context, repo Repo, commit string) (jobs []Job, whole bool, err error)
	// JobLog passes a job's log to read, once, from its beginning. The reader ends after [MaxLogRead] bytes
	// and one more, which shows that the log goes on. It is valid until read returns. read need not read to
	// the end, and must not wait for other requests to the host. JobLog fails with [ClassNotFound] if the log
	// is gone or does not exist yet. An error of read fails it with [ClassUnavailable].
	JobLog(ctx context.Context, repo Repo, job domain.HostID, read func(io.Reader) error) error
	// Results reads how the jobs, the checks of other apps, and the commit statuses of a commit ended, without our own.
	Results(ctx context.Context, repo Repo, commit string) (CIResults, error)
}

// CIResults are the results of a commit's jobs, checks and commit statuses. The newest result of a name counts.
type CIResults struct {
	Failed []CIFailure // jobs, then checks, then statuses; at most [MaxCIFailures]
	Jobs   []Job       // as of [CI.Jobs]; nil without [Capabilities.JobLogs]
	Passed int         // results that are successes
	Open   int         // results that neither passed nor failed: they wait, run, were cancelled, or have an unknown word
	Whole  bool        // false if there are more failures than [MaxCIFailures], or more results than assay reads
}

// Green reports whether all results are known, at least one passed, and each other one passed or was skipped.
func (r CIResults) Green() bool { return r.Whole && r.Open == 0 && r.Passed > 0 && len(r.Failed) == 0 }

// Count adds a result that has ended with a conclusion as in [Job]; "" and the words of a start are open.
func (r *CIResults) Count(conclusion string) {
	switch {
	case conclusion == "success":
		r.Passed++
	case conclusion == "skipped" || conclusion == "neutral" || IsFailure(conclusion):
	default:
		r.Open++
	}
}

// AddJobs adds jobs, newest run first, and the failures among them. It leaves out jobs that may fail, and results that a newer run of
// the same job has replaced. Jobs of workflows with one name, and of one that different events started, are different jobs.
func (r *CIResults) AddJobs(jobs []Job) {
	r.Jobs = jobs
	newest := map[[2]string]domain.HostID{}
	for _, j := range jobs {
		name := [2]string{cmp.Or(j.Definition, j.Workflow), j.Name}
		if run, seen := newest[name]; seen && run != j.Run || j.MayFail {
			continue
		}
		newest[name] = j.Run
		r.Count(j.Conclusion)
		if j.State == JobDone && IsFailure(j.Conclusion) {
			r.Failed = append(r.Failed, CIFailure{Key: "job/" + string(j.ID), Job: j.ID, Name: j.Name, Workflow: j.Workflow,
				Definition: j.Definition, Conclusion: j.Conclusion, URL: j.URL, EndedAt: j.EndedAt})
		}
	}
}

// Bound cuts the failures to [MaxCIFailures].
func (r *CIResults) Bound() {
	r.Whole = r.Whole && len(r.Failed) <= MaxCIFailures
	r.Failed = r.Failed[:min(len(r.Failed), MaxCIFailures)]
}

// FailedStatus returns the failure that a commit status of another system reports.
func FailedStatus(name, state, description, url string, at time.Time) CIFailure {
	return CIFailure{Key: "status/" + name, NoLog: NoLogStatus, Name: name, Conclusion: state, Description: description, URL: url, EndedAt: at}
}

// IsFailure reports whether a conclusion of a job, check or status means that it failed. A cancelled job has
// not failed.
func IsFailure(conclusion string) bool {
	switch conclusion {
	case "failure", "error", "timed_out", "startup_failure", "action_required":
		return true
	}
	return false
}

// StateOfJob translates the status of a job on GitHub or Gitea.
func StateOfJob(status string) JobState {
	switch status {
	case "completed":
		return JobDone
	case "in_progress":
		return JobRunning
	}
	return JobQueued // queued, waiting, pending, requested
}
