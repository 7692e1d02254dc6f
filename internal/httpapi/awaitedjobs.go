package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Job is work that continues after the answer that names it.
type Job struct {
	ID         string              `json:"id"`
	Kind       string              `json:"kind" example:"connection.sync"`
	SubjectID  string              `json:"subjectId" doc:"What the job is about, such as a connection"`
	State      string              `json:"state" enum:"queued,running,completed,failed" doc:"queued: it waits for its turn, or for its next attempt"`
	Progress   *domain.JobProgress `json:"progress,omitempty" doc:"Where it stands; absent before it has begun"`
	Outcome    *domain.JobOutcome  `json:"outcome,omitempty" doc:"What came of it; absent before it is over"`
	Error      string              `json:"error,omitempty" doc:"What hindered its last attempt"`
	Attempts   int64               `json:"attempts" doc:"Attempts that failed"`
	CreatedAt  time.Time           `json:"createdAt"`
	NextAt     *time.Time          `json:"nextAt,omitempty" doc:"When it is tried next, where it waits"`
	FinishedAt *time.Time          `json:"finishedAt,omitempty"`
}

func (s *server) job(ctx context.Context, in *struct {
	InTenant
	JobID string `path:"jobId"`
}) (*struct{ Body Job }, error) {
	row, err := s.Store.TenantJob(ctx, callerFrom(ctx).tenant, in.JobID)
	if err != nil {
		return nil, err
	}
	if !row.Kind.Awaited() {
		return nil, errs.Absent()
	}
	return &struct{ Body Job }{jobShown(row)}, nil
}

// jobShown converts a job to the form for the people who wait for it.
func jobShown(j store.Job) Job {
	state, problem := j.PublicState()
	v := Job{ID: j.ID, Kind: string(j.Kind), SubjectID: j.Subject, State: state, Error: problem, Attempts: j.Attempts + j.CrashAttempts,
		CreatedAt: store.Time(j.CreatedUS), FinishedAt: store.TimeOrNil(j.FinishedUS)}
	if j.State == domain.JobQueued {
		v.NextAt = store.TimeOrNil(j.RunUS)
	}
	if j.Report.Progress != "" {
		p := store.FromJSON[domain.JobProgress](j.Report.Progress)
		v.Progress = &p
	}
	if j.Report.Outcome != "" && j.State != domain.JobQueued && j.State != domain.JobRunning {
		o := store.FromJSON[domain.JobOutcome](j.Report.Outcome)
		v.Outcome = &o
	}
	return v
}
