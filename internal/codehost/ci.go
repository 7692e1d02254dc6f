package codehost

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Bounds of what is read of a host's CI.
const (
	MaxCIRuns  = 50       // runs of a commit that are looked at, the newest
	MaxCIJobs  = 500      // jobs of all of them
	MaxCISteps = 200      // steps of a job
	MaxLogTail = 1 << 20  // bytes of a log that are returned
	MaxLogRead = 64 << 20 // bytes of a log that are read to find its end
)

// JobState says how far a job is.
type JobState string

// The states.
const (
	JobQueued  JobState = "queued" // or waits for something
	JobRunning JobState = "running"
	JobDone    JobState = "done"
)

// JobStep is one step of a job. Name is text from outside.
type JobStep struct {
	Number     int
	Name       string
	State      JobState
	Conclusion string // as of [Job]
}

// Job is one job of a host's own CI. Name and Workflow are text from outside.
type Job struct {
	ID         domain.HostID
	Run        domain.HostID // the run of a workflow that it belongs to
	Name       string
	Workflow   string // name, or path, of the workflow
	State      JobState
	Conclusion string // success, failure, cancelled, skipped, timed_out, neutral, …; "" unless done
	URL        string
	StartedAt  time.Time // zero where it has not
	EndedAt    time.Time
	Steps      []JobStep
}

// JobLog is the end of a log. Text is from outside: it may hold anything, secrets
// that the host did not mask too.
type JobLog struct {
	Text []byte
	Cut  bool // there is more before it
}

// CI reads the host's own CI: for the analysis of failed builds, which comes later.
// A host offers it where it has [Capabilities.JobLogs]; see [CIOf].
type CI interface {
	// Jobs lists the jobs of the runs for a commit, the newest run first, of each
	// run its last attempt. whole is false where there are more than [MaxCIRuns] or
	// [MaxCIJobs].
	Jobs(ctx context.Context, repo Repo, commit string) (jobs []Job, whole bool, err error)
	// JobLog reads the end of the log of a job, at most most bytes (1 to
	// [MaxLogTail]). [ClassNotFound]: it is gone, or there is none yet.
	// [ClassTooLarge]: the end lies beyond [MaxLogRead].
	JobLog(ctx context.Context, repo Repo, job domain.HostID, most int) (JobLog, error)
}

// CIOf returns what reads a host's CI; ok is false where nothing can.
func CIOf(h Host) (c CI, ok bool) { return verbs[CI](h, h.Capabilities().JobLogs) }

// CheckLogTail refuses a bound of a log that is none.
func CheckLogTail(op string, most int) error {
	if most < 1 || most > MaxLogTail {
		return Refused(op, "between 1 and %d bytes of a log can be read", MaxLogTail)
	}
	return nil
}

// StateOfJob is the port's word for the status of a job as GitHub and Gitea have it.
func StateOfJob(status string) JobState {
	switch status {
	case "completed":
		return JobDone
	case "in_progress":
		return JobRunning
	}
	return JobQueued // queued, waiting, pending, requested
}
