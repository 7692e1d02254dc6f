package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// ToolCall is a model's call of a tool that reads the repository during a run.
type ToolCall struct {
	Ordinal    int64     `json:"ordinal" doc:"From 1, in the order in which they were answered"`
	Stage      string    `json:"stage" doc:"generate or verify" example:"verify"`
	Tool       string    `json:"tool" doc:"As the model has named it" example:"definition"`
	Arguments  string    `json:"arguments" doc:"As the model has given them, without secrets of the change, cut at 1 KiB; mostly JSON" example:"{\"name\":\"Total\"}"`
	Outcome    string    `json:"outcome" enum:"ok,refused,failed" doc:"refused: the arguments, or a bound; failed: it took too long, or could not be read"`
	Hits       int64     `json:"hits" doc:"Lines or places that it showed"`
	Bytes      int64     `json:"bytes" doc:"Of the result"`
	DurationMS float64   `json:"durationMs"`
	At         time.Time `json:"at"`
}

func (s *server) toolCalls(ctx context.Context, in *InRun) (*Listed[ToolCall], error) {
	run, err := s.runOf(ctx, callerFrom(ctx), in.RunID)
	if err != nil {
		return nil, err
	}
	list, err := s.toolCallsOf(ctx, run)
	return &Listed[ToolCall]{Body: List[ToolCall]{Items: list}}, err
}

// toolCallsOf lists the tool calls of a run.
func (s *server) toolCallsOf(ctx context.Context, run store.Run) ([]ToolCall, error) {
	rows, err := s.Store.ToolCalls(ctx, domain.Tenant{ID: run.Tenant}, run.ID)
	out := []ToolCall{}
	for _, c := range rows {
		out = append(out, ToolCall{c.Ordinal, c.Stage, c.Tool, c.Arguments, c.Outcome, c.Hits, c.Bytes, float64(c.DurationUS) / 1000,
			store.Time(c.AtUS)})
	}
	return out, err
}
