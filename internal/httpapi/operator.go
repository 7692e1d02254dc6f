package httpapi

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// DeadLetter is a dead job that waits for an operator.
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
	Page
	Kind     string    `query:"kind" maxLength:"100" doc:"Only jobs of this kind" example:"review.run"`
	Lane     string    `query:"lane" enum:"delivery,review,publish,background" doc:"Only jobs of this lane"`
	TenantID string    `query:"tenantId" maxLength:"100" doc:"Only jobs of this tenant"`
	Since    time.Time `query:"since" doc:"Only those that were given up at this time or later (RFC 3339)"`
}

func (s *server) deadLetters(ctx context.Context, in *DeadLettersInput) (*Listed[DeadLetter], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.DeadJobs(ctx, store.DeadFilter{Kind: domain.JobKind(in.Kind), Lane: domain.Lane(in.Lane), Tenant: in.TenantID,
		SinceUS: microsOf(in.Since), Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return listed(rows, in.Limit, func(j store.Job) store.Cursor { return store.Cursor{US: j.FinishedUS, ID: j.ID} }, deadLetter), nil
}

func deadLetter(j store.Job) DeadLetter {
	return DeadLetter{ID: j.ID, Kind: string(j.Kind), Lane: string(j.Lane), Subject: j.Subject, TenantID: j.Tenant,
		Attempts: j.Attempts, CrashAttempts: j.CrashAttempts,
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
	Reason string `json:"reason" minLength:"1" maxLength:"500" doc:"Reason to discard the job"`
}

// DiscardInput is the input of POST I/dead-letters/{jobId}/discard.
type DiscardInput struct {
	InDeadLetter
	Body DeadLetterDiscard
}

func (s *server) discard(ctx context.Context, in *DiscardInput) (*Gone, error) {
	return nil, s.Instance.DeadLetters().Discard(ctx, in.JobID, in.Body.Reason)
}

// DeliveryJob is a job of a delivery.
type DeliveryJob struct {
	ID           string     `json:"id"`
	State        string     `json:"state"`
	Attempts     int64      `json:"attempts"`
	DispatchedAt *time.Time `json:"dispatchedAt,omitempty"`
	FinishedAt   *time.Time `json:"finishedAt,omitempty"`
	LastError    string     `json:"lastError"`
}

// Delivery is a webhook delivery with its processing steps.
type Delivery struct {
	ID          string        `json:"id"`
	GUID        string        `json:"guid" doc:"The host's id of the delivery"`
	SourceID    string        `json:"sourceId" doc:"The app or connection that received it"`
	TenantID    string        `json:"tenantId,omitempty"`
	Host        string        `json:"host,omitempty" doc:"Kind of the code host; absent where the app or connection is gone" example:"github"`
	Event       string        `json:"event"`
	Action      string        `json:"action"`
	State       string        `json:"state" enum:"received,queued,run,coalesced,applied,ignored,failed"`
	Reason      string        `json:"reason"`
	ReceivedAt  time.Time     `json:"receivedAt"`
	ProcessedAt *time.Time    `json:"processedAt,omitempty"`
	Jobs        []DeliveryJob `json:"jobs"`
	RunID       string        `json:"runId,omitempty"`
	RunRepo     string        `json:"runRepositoryId,omitempty" doc:"Of the run"`
	RunState    string        `json:"runState,omitempty"`
}

// DeliveriesInput is the input of GET I/deliveries.
type DeliveriesInput struct {
	Page
	GUID     string    `query:"guid" maxLength:"200" doc:"Only those with this id, as the host gave it"`
	State    string    `query:"state" enum:"undecided,run,coalesced,applied,ignored,failed" doc:"Only those in this state; undecided: received or queued"`
	Host     string    `query:"host" enum:"github,gitlab,bitbucket-cloud,bitbucket-dc,gitea,forgejo,azure-devops,jira,linear,azure-boards" doc:"Only those of code hosts or issue trackers of this kind"`
	SourceID string    `query:"sourceId" maxLength:"100" doc:"Only those that this app or connection received"`
	TenantID string    `query:"tenantId" maxLength:"100" doc:"Only those of this tenant"`
	Since    time.Time `query:"since" doc:"Only those that were received at this time or later (RFC 3339)"`
}

func (s *server) deliveries(ctx context.Context, in *DeliveriesInput) (*Listed[Delivery], error) {
	before := ""
	if in.Cursor != "" {
		parts, err := readCursor(in.Cursor, 1)
		if err != nil {
			return nil, err
		}
		if before = parts[0]; !plausibleID(before) {
			return nil, badCursor()
		}
	}
	rows, err := s.Store.Deliveries(ctx, store.DeliveryFilter{GUID: in.GUID, Source: in.SourceID, Kind: in.Host, Tenant: in.TenantID,
		State: in.State, SinceUS: microsOf(in.Since), Before: before, Limit: in.Limit + 1})
	if err != nil {
		return nil, err
	}
	out := &Listed[Delivery]{}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		out.Body.NextCursor = writeCursor(rows[in.Limit-1].ID)
	}
	out.Body.Items, err = s.deliveriesShown(ctx, rows)
	return out, err
}

// deliveriesShown reads the jobs and runs of deliveries, in one query each.
func (s *server) deliveriesShown(ctx context.Context, rows []store.DeliveryRow) ([]Delivery, error) {
	ids, made := []string{}, []string{}
	for _, d := range rows {
		ids = append(ids, d.ID)
		if d.RunID != "" {
			made = append(made, d.RunID)
		}
	}
	jobs, err := s.Store.JobsAbout(ctx, ids)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(jobs, func(a, b store.Job) int {
		return cmp.Or(cmp.Compare(a.CreatedUS, b.CreatedUS), strings.Compare(a.ID, b.ID))
	})
	of := map[string][]store.Job{}
	for _, j := range jobs {
		of[j.Subject] = append(of[j.Subject], j)
	}
	found, err := s.Store.RunsForWork(ctx, made)
	if err != nil {
		return nil, err
	}
	runs := map[string]store.Run{}
	for _, r := range found {
		runs[r.ID] = r
	}
	out := []Delivery{}
	for _, d := range rows {
		out = append(out, delivery(d, of[d.ID], runs[d.RunID]))
	}
	return out, nil
}

func delivery(d store.DeliveryRow, jobs []store.Job, run store.Run) Delivery {
	v := Delivery{ID: d.ID, GUID: d.GUID, SourceID: d.Source, TenantID: d.Tenant, Host: d.Kind, Event: d.Event, Action: d.Action,
		State: "received", Reason: d.Reason,
		ReceivedAt: store.Time(d.ReceivedUS), ProcessedAt: store.TimeOrNil(d.ProcessedUS), RunID: d.RunID, RunRepo: run.Repository,
		RunState: string(run.State), Jobs: []DeliveryJob{}}
	for _, j := range jobs {
		v.Jobs = append(v.Jobs, DeliveryJob{j.ID, string(j.State), j.Attempts, store.TimeOrNil(j.DispatchedUS),
			store.TimeOrNil(j.FinishedUS), j.LastError})
		if j.DispatchedUS != 0 || j.State != domain.JobQueued {
			v.State = "queued"
		}
	}
	if d.Disposition != "" {
		v.State = string(d.Disposition)
	}
	return v
}
