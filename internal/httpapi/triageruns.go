package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// TriageRun is the first, cheap analysis of a pull request's head. Its results are empty until it is
// completed.
type TriageRun struct {
	ID          string     `json:"id"`
	Number      int        `json:"number" doc:"Of the pull request"`
	HeadSHA     string     `json:"headSha"`
	State       string     `json:"state" enum:"queued,running,completed,failed,cancelled"`
	Reason      string     `json:"reason" doc:"Why it failed, was cancelled, or is less than was wished"`
	Cause       string     `json:"cause" doc:"The event that made it" example:"pull_request.opened"`
	Size        string     `json:"size" enum:"xs,s,m,l,xl," doc:"Of the lines that people write: at most 10 (xs), 100 (s), 400 (m), 1500 (l), more (xl)"`
	Kind        string     `json:"kind" enum:"feature,fix,refactoring,performance,docs,test,dependencies,ci,config,migration,generated,revert,other," doc:"Of change"`
	Risk        string     `json:"risk" enum:"low,medium,high,"`
	Areas       []string   `json:"areas" doc:"Folders that it touches, those with the most lines first; text from outside"`
	Files       int64      `json:"files"`
	Lines       int64      `json:"lines" doc:"Added and removed, of files that are neither generated nor vendored nor binary"`
	Depth       string     `json:"depth" doc:"Depth of the review, T0 to T4, as the engine chooses it; if this head has a review, the depth of that review"`
	DepthReason string     `json:"depthReason"`
	RunID       string     `json:"runId,omitempty" doc:"The review run that has chosen the depth; absent where none has yet"`
	Labels      []string   `json:"labels" doc:"Suggested"`
	Method      string     `json:"method" enum:"heuristic,model," doc:"How kind, areas and labels were found out"`
	Model       string     `json:"model" doc:"That was asked; empty for none"`
	CostMicros  *int64     `json:"costMicros" doc:"null where no model was asked, or its price is unknown"`
	CreatedAt   time.Time  `json:"createdAt"`
	StartedAt   *time.Time `json:"startedAt,omitempty"`
	FinishedAt  *time.Time `json:"finishedAt,omitempty"`
}

func triageRun(v store.TriageRun) TriageRun {
	return TriageRun{ID: v.ID, Number: v.Number, HeadSHA: v.HeadSHA, State: string(v.State), Reason: v.Reason, Cause: v.Cause,
		Size: v.Size, Kind: v.Kind, Risk: v.Risk, Areas: storedList[string](v.Areas),
		Files: v.Files, Lines: v.Lines, Depth: v.Depth, DepthReason: v.DepthWhy, RunID: v.Run, Labels: storedList[string](v.Labels),
		Method: v.Method, Model: v.Model, CostMicros: v.CostMicros,
		CreatedAt: store.Time(v.CreatedUS), StartedAt: store.TimeOrNil(v.StartedUS), FinishedAt: store.TimeOrNil(v.FinishedUS)}
}

// triage reads the triage run of a run's head. It returns nil if the head has no triage run.
func (s *server) triage(ctx context.Context, run store.Run) (*TriageRun, error) {
	v, err := s.Store.TriageOfHead(ctx, domain.Tenant{ID: run.Tenant}, run.PullRequest, run.HeadSHA)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := triageRun(v)
	return &out, nil
}
