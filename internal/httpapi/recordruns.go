package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/store"
)

// CIAnalysis explains a failed check or pipeline.
type CIAnalysis struct {
	ID         string     `json:"id"`
	Number     int        `json:"number,omitempty" doc:"Of the pull request; absent for a branch"`
	HeadSHA    string     `json:"headSha"`
	Job        string     `json:"job" doc:"As the pipeline names it"`
	URL        string     `json:"url"`
	State      string     `json:"state" enum:"queued,running,completed,failed"`
	Cause      string     `json:"cause"`
	Evidence   []string   `json:"evidence" doc:"Lines of the log"`
	Suggestion string     `json:"suggestion"`
	Flaky      bool       `json:"flaky" doc:"The same job failed and passed on this commit"`
	CreatedAt  time.Time  `json:"createdAt"`
	FinishedAt *time.Time `json:"finishedAt,omitempty"`
}

func ciAnalysis(v store.CIAnalysis) CIAnalysis {
	return CIAnalysis{ID: v.ID, Number: v.Number, HeadSHA: v.HeadSHA, Job: v.Job, URL: v.URL, State: v.State, Cause: v.Cause,
		Evidence: storedList[string](v.Evidence), Suggestion: v.Suggestion,
		Flaky: v.Flaky, CreatedAt: store.Time(v.CreatedUS), FinishedAt: store.TimeOrNil(v.FinishedUS)}
}

func (s *server) ciAnalysis(ctx context.Context, in *struct {
	InRepository
	ID string `path:"analysisId"`
}) (*Read[CIAnalysis], error) {
	return find(ctx, in.ID, s.Store.CIAnalysis, ciAnalysis)
}

// EvalRun is a run of the evaluation harness on a golden set.
type EvalRun struct {
	ID         string    `json:"id"`
	Suite      string    `json:"suite"`
	Routing    string    `json:"routing"`
	Cases      int64     `json:"cases"`
	Recall     float64   `json:"recall" minimum:"0" maximum:"1"`
	Precision  float64   `json:"precision" minimum:"0" maximum:"1"`
	Noise      float64   `json:"noise" doc:"Findings per pull request that should not be there"`
	CostMicros *int64    `json:"costMicros" doc:"null where a price is unknown"`
	LatencyMS  int64     `json:"latencyMs"`
	CreatedAt  time.Time `json:"createdAt"`
}

func evalRun(v store.EvalRun) EvalRun {
	return EvalRun{ID: v.ID, Suite: v.Suite, Routing: v.Routing, Cases: v.Cases, Recall: micros(v.Recall),
		Precision: micros(v.Precision), Noise: micros(v.Noise), CostMicros: v.CostMicros,
		LatencyMS: v.LatencyMS, CreatedAt: store.Time(v.CreatedUS)}
}

func (s *server) evalRuns(ctx context.Context, in *Page) (*Listed[EvalRun], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.EvalRuns(ctx, before, limit)
	if err != nil {
		return nil, err
	}
	return paged(rows, in.Limit, evalRun), nil
}
