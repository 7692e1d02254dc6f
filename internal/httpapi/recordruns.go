package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/store"
)

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
