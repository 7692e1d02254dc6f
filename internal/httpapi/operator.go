package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// DeadLetter is a job that was given up and waits for an operator.
type DeadLetter struct {
	ID            string    `json:"id"`
	Kind          string    `json:"kind"`
	Lane          string    `json:"lane"`
	Subject       string    `json:"subject" doc:"What the job is about: a delivery, a run"`
	TenantID      string    `json:"tenantId,omitempty"`
	Attempts      int64     `json:"attempts" doc:"Handled failures"`
	CrashAttempts int64     `json:"crashAttempts" doc:"Workers that died with it"`
	LastStage     string    `json:"lastStage"`
	LastError     string    `json:"lastError"`
	CreatedAt     time.Time `json:"createdAt"`
	FinishedAt    time.Time `json:"finishedAt"`
}

// DeadLettersInput is the input of GET I/dead-letters.
type DeadLettersInput struct {
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"The newest ones"`
}

func (s *server) deadLetters(ctx context.Context, in *DeadLettersInput) (*Listed[DeadLetter], error) {
	rows, err := s.Store.DeadJobs(ctx, in.Limit)
	if err != nil {
		return nil, err
	}
	out := &Listed[DeadLetter]{Body: List[DeadLetter]{Items: []DeadLetter{}}}
	for _, j := range rows {
		out.Body.Items = append(out.Body.Items, deadLetter(j))
	}
	return out, nil
}

func deadLetter(j store.Job) DeadLetter {
	return DeadLetter{ID: j.ID, Kind: string(j.Kind), Lane: string(j.Lane), Subject: j.Subject, TenantID: j.Tenant, Attempts: j.Attempts, CrashAttempts: j.CrashAttempts,
		LastStage: j.LastStage, LastError: j.LastError, CreatedAt: store.Time(j.CreatedUS), FinishedAt: store.Time(j.FinishedUS)}
}

// InDeadLetter is the path of a dead letter's routes.
type InDeadLetter struct {
	JobID string `path:"jobId"`
}

func (s *server) redrive(ctx context.Context, in *InDeadLetter) (*Gone, error) {
	return nil, s.Instance.DeadLetters().Redrive(ctx, in.JobID)
}

// DeadLetterDiscard is the body of POST I/dead-letters/{jobId}/discard.
type DeadLetterDiscard struct {
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Why nobody will do this job"`
}

// DiscardInput is its input.
type DiscardInput struct {
	InDeadLetter
	Body DeadLetterDiscard
}

func (s *server) discard(ctx context.Context, in *DiscardInput) (*Gone, error) {
	return nil, s.Instance.DeadLetters().Discard(ctx, in.JobID, in.Body.Reason)
}

// DeliveryJob is one job about a delivery.
type DeliveryJob struct {
	ID           string     `json:"id"`
	State        string     `json:"state"`
	Attempts     int64      `json:"attempts"`
	DispatchedAt *time.Time `json:"dispatchedAt,omitempty"`
	FinishedAt   *time.Time `json:"finishedAt,omitempty"`
	LastError    string     `json:"lastError"`
}

// Delivery is a webhook with every step that it took.
type Delivery struct {
	ID          string        `json:"id"`
	GUID        string        `json:"guid" doc:"The host's id of the delivery"`
	SourceID    string        `json:"sourceId" doc:"The app or connection that received it"`
	TenantID    string        `json:"tenantId,omitempty"`
	Event       string        `json:"event"`
	Action      string        `json:"action"`
	State       string        `json:"state" enum:"received,queued,run,coalesced,applied,ignored,failed"`
	Reason      string        `json:"reason"`
	ReceivedAt  time.Time     `json:"receivedAt"`
	ProcessedAt *time.Time    `json:"processedAt,omitempty"`
	Jobs        []DeliveryJob `json:"jobs"`
	RunID       string        `json:"runId,omitempty"`
	RunState    string        `json:"runState,omitempty"`
}

// DeliveriesInput is the input of GET I/deliveries.
type DeliveriesInput struct {
	GUID string `query:"guid" required:"true" minLength:"1" maxLength:"200" doc:"The host's id of a delivery"`
}

func (s *server) deliveries(ctx context.Context, in *DeliveriesInput) (*Listed[Delivery], error) {
	rows, err := s.Store.DeliveriesByGUID(ctx, in.GUID)
	if err != nil {
		return nil, err
	}
	out := &Listed[Delivery]{Body: List[Delivery]{Items: []Delivery{}}}
	for _, d := range rows {
		v, err := s.delivery(ctx, d)
		if err != nil {
			return nil, err
		}
		out.Body.Items = append(out.Body.Items, v)
	}
	return out, nil
}

func (s *server) delivery(ctx context.Context, d store.Delivery) (Delivery, error) {
	v := Delivery{ID: d.ID, GUID: d.GUID, SourceID: d.Source, TenantID: d.Tenant, Event: d.Event, Action: d.Action, State: "received", Reason: d.Reason,
		ReceivedAt: store.Time(d.ReceivedUS), ProcessedAt: store.TimeOrNil(d.ProcessedUS), RunID: d.RunID, Jobs: []DeliveryJob{}}
	jobs, err := s.Store.JobsOf(ctx, d.ID)
	if err != nil {
		return v, err
	}
	for _, j := range jobs {
		v.Jobs = append(v.Jobs, DeliveryJob{j.ID, string(j.State), j.Attempts, store.TimeOrNil(j.DispatchedUS), store.TimeOrNil(j.FinishedUS), j.LastError})
		if j.DispatchedUS != 0 || j.State != domain.JobQueued {
			v.State = "queued"
		}
	}
	if d.Disposition != "" {
		v.State = string(d.Disposition)
	}
	if d.RunID == "" {
		return v, nil
	}
	run, err := s.Store.RunForWork(ctx, d.RunID)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return v, err
	}
	v.RunState = string(run.State)
	return v, nil
}
