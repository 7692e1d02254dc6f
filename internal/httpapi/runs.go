package httpapi

import (
	"context"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/telemetry"
)

// InRepository is the path of a repository's routes.
type InRepository struct {
	InTenant
	RepositoryID string `path:"repositoryId"`
}

func (in InRepository) path() string { return in.InTenant.path() + "/repositories/" + in.RepositoryID }

// PullRequest is the pull request of a run. Title and author are text from outside.
type PullRequest struct {
	Number int    `json:"number"`
	Title  string `json:"title"`
	Author string `json:"author"`
	State  string `json:"state" enum:"open,closed,merged"`
}

// ReviewRun is a review run in a list.
type ReviewRun struct {
	ID           string      `json:"id"`
	RepositoryID string      `json:"repositoryId"`
	State        string      `json:"state" enum:"queued,running,awaiting_approval,publishing,completed,failed,cancelled,superseded,skipped"`
	Reason       string      `json:"reason" doc:"Why the run ended as it did; empty where there is nothing to say"`
	PullRequest  PullRequest `json:"pullRequest"`
	HeadSHA      string      `json:"headSha"`
	Trigger      string      `json:"trigger" doc:"The event, command or rerun that made the run"`
	AskedBy      *Asker      `json:"askedBy,omitempty" doc:"Beyond the specification: who asked for the run, and how; absent for runs of versions that did not keep it"`
	Depth        string      `json:"depth" enum:"full,reduced" doc:"How deep it looks: reduced for contributions from outside, where the policy says so (outsideContributors)"`
	SupersededBy string      `json:"supersededBy,omitempty" doc:"The run of a newer head"`
	CreatedAt    time.Time   `json:"createdAt"`
	StartedAt    *time.Time  `json:"startedAt,omitempty"`
	FinishedAt   *time.Time  `json:"finishedAt,omitempty"`
}

// Asker is the person or event that requested a run. The name is text from outside.
type Asker struct {
	How    string `json:"how" enum:"event,command,rerun,request,sweep" doc:"event: something happened to the pull request; command: a comment on the code host; rerun: one more review, asked for here or by the check on the code host; request: a first review, asked for here; sweep: the service found a head without a run"`
	UserID string `json:"userId,omitempty" doc:"Id of the person who asked here; absent if a person asked on the code host, or no person did"`
	Name   string `json:"name,omitempty" doc:"The person's name at that time, or the login on the code host; absent if unknown" example:"octocat"`
}

// ReviewRunsInput is the input of GET R/review-runs.
type ReviewRunsInput struct {
	InRepository
	Page
	State  string `query:"state" enum:"queued,running,awaiting_approval,publishing,completed,failed,cancelled,superseded,skipped"`
	Number int    `query:"number" minimum:"1" doc:"Number of a pull request"`
}

func (s *server) reviewRuns(ctx context.Context, in *ReviewRunsInput) (*Listed[ReviewRun], error) {
	before, err := timeCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Store.Runs(ctx, c.tenant, c.repository.ID, store.RunFilter{State: domain.RunState(in.State), Number: in.Number,
		Before: before, Limit: in.Limit + 1})
	if err != nil {
		return nil, err
	}
	out := &Listed[ReviewRun]{Body: List[ReviewRun]{Items: []ReviewRun{}}}
	if len(rows) > in.Limit {
		rows = rows[:in.Limit]
		last := rows[in.Limit-1]
		out.Body.NextCursor = writeCursor(strconv.FormatInt(last.CreatedUS, 10), last.ID)
	}
	pulls := pullCache{}
	for _, row := range rows {
		pr, err := pulls.read(ctx, s.Store, row)
		if err != nil {
			return nil, err
		}
		out.Body.Items = append(out.Body.Items, reviewRun(row, pr))
	}
	return out, nil
}

// pullCache reads each pull request of a list once.
type pullCache map[string]store.PullRequest

func (p pullCache) read(ctx context.Context, s *store.Store, run store.Run) (store.PullRequest, error) {
	if pr, ok := p[run.PullRequest]; ok {
		return pr, nil
	}
	pr, err := s.PullRequest(ctx, domain.Tenant{ID: run.Tenant}, run.PullRequest)
	if err == nil {
		p[run.PullRequest] = pr
	}
	return pr, err
}

func reviewRun(r store.Run, pr store.PullRequest) ReviewRun {
	return ReviewRun{ID: r.ID, RepositoryID: r.Repository, State: string(r.State), Reason: r.Reason, HeadSHA: r.HeadSHA,
		Trigger: r.TriggerEvent, AskedBy: askedBy(r.Asker), Depth: string(r.Depth),
		PullRequest: PullRequest{Number: r.Number, Title: pr.Title, Author: pr.Author, State: pr.State}, SupersededBy: r.SupersededBy,
		CreatedAt: store.Time(r.CreatedUS), StartedAt: store.TimeOrNil(r.StartedUS), FinishedAt: store.TimeOrNil(r.FinishedUS)}
}

// askedBy converts the requester of a run. It returns nil if the requester is unknown.
func askedBy(a domain.Asker) *Asker {
	if a.How == "" {
		return nil
	}
	return &Asker{How: string(a.How), UserID: a.UserID, Name: a.Name}
}

// InRun is the path of a run's routes.
type InRun struct {
	InRepository
	RunID string `path:"runId"`
}

func (s *server) reviewRunDetail(ctx context.Context, in *InRun) (*Read[ReviewRunDetail], error) {
	c := callerFrom(ctx)
	run, err := s.runOf(ctx, c, in.RunID)
	if err != nil {
		return nil, err
	}
	detail, err := s.runDetail(ctx, run)
	if err != nil {
		return nil, err
	}
	return &Read[ReviewRunDetail]{detail}, nil
}

// runPath is the path of a run in the interface.
func runPath(run store.Run) string {
	return "/api/tenants/" + run.Tenant + "/repositories/" + run.Repository + "/review-runs/" + run.ID
}

// runOf reads a run of the caller's repository. It reports runs of other repositories as absent.
func (s *server) runOf(ctx context.Context, c *caller, id string) (store.Run, error) {
	run, err := s.Store.Run(ctx, c.tenant, id)
	if err == nil && run.Repository != c.repository.ID {
		err = errs.Absent()
	}
	return run, err
}

// RerunInput is the input of POST R/review-runs/{runId}/rerun.
type RerunInput struct {
	InRun
	IdempotencyKey string `header:"Idempotency-Key" minLength:"8" maxLength:"64" pattern:"^[A-Za-z0-9._-]+$" doc:"The same key twice makes one run"`
}

// AcceptedRun is the answer for a new run, which continues in the background.
type AcceptedRun struct {
	Location string `header:"Location"`
	Body     ReviewRun
}

func (s *server) rerun(ctx context.Context, in *RerunInput) (*AcceptedRun, error) {
	c := callerFrom(ctx)
	run, err := s.runOf(ctx, c, in.RunID)
	if err != nil {
		return nil, err
	}
	if s.Rerun == nil {
		return nil, errs.New(errs.Unavailable, "unavailable", "This process cannot start reviews.")
	}
	request := in.IdempotencyKey
	if request == "" {
		request = telemetry.NewRequestID()
	}
	var made store.Run
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		who := audit.By(ctx)
		made, err = s.Rerun.Rerun(ctx, run, request, domain.Asker{How: domain.AskedByRerun, UserID: who.UserID, Name: who.Name})
		return audit.Act{Tenant: c.tenant, Action: "review-run.rerun", Target: audit.Target{Kind: "review-run", ID: run.ID}, Note: made.ID}, err
	})
	if err != nil {
		return nil, err
	}
	pr, err := s.Store.PullRequest(ctx, c.tenant, made.PullRequest)
	if err != nil {
		return nil, err
	}
	return &AcceptedRun{Location: runPath(made), Body: reviewRun(made, pr)}, nil
}
