package codehost

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// Bounds for reading a host's CI.
const (
	MaxCIRuns  = 50       // newest runs of a commit
	MaxCIJobs  = 500      // jobs of all these runs
	MaxCISteps = 200      // steps of a job
	MaxLogTail = 1 << 20  // bytes of a log that are returned
	MaxLogRead = 64 << 20 // bytes of a log that are read to find its end
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
	State      JobState
	Conclusion string // success, failure, cancelled, skipped, timed_out, neutral, …; "" unless done
	URL        string
	StartedAt  time.Time // zero if the job has not started
	EndedAt    time.Time
	Steps      []JobStep
}

// JobLog is the end of a log. Text is from outside and may contain secrets that the host did not mask.
type JobLog struct {
	Text []byte
	Cut  bool // the log has earlier text
}

// CI reads the host's own CI, for the later analysis of failed builds. A host offers it if it has
// [Capabilities.JobLogs].
type CI interface {
	// Jobs lists the jobs in the last attempt of each run for a commit, newest run first. whole is false if
	// there are more than [MaxCIRuns] or [MaxCIJobs].
	Jobs(ctx context.Context, repo Repo, commit string) (jobs []Job, whole bool, err error)
	// JobLog reads the last most bytes (1 to [MaxLogTail]) of a job's log. It fails with [ClassNotFound] if
	// the log is gone or does not exist yet, and with [ClassTooLarge] if the end lies beyond [MaxLogRead].
	JobLog(ctx context.Context, repo Repo, job domain.HostID, most int) (JobLog, error)
}

// CheckLogTail refuses a size of a log's end outside 1 to [MaxLogTail] bytes.
func CheckLogTail(op string, most int) error {
	if most < 1 || most > MaxLogTail {
		return Refused(op, "between 1 and %d bytes of a log can be read", MaxLogTail)
	}
	return nil
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
