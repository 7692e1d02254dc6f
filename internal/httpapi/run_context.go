package httpapi

import (
	"context"
	"strconv"
)

// ContextItem is code beside a change that a model saw.
type ContextItem struct {
	Ordinal   int64  `json:"ordinal" doc:"From 1" example:"1"`
	Path      string `json:"path" example:"shop/cart.go"`
	StartLine int64  `json:"startLine" doc:"Of the head" example:"12"`
	EndLine   int64  `json:"endLine" doc:"Inclusive" example:"31"`
	Symbol    string `json:"symbol" doc:"The definition around it; empty without one" example:"Cart.Total"`
	Why       string `json:"why" enum:"left-behind,definition,caller,sibling,similar,test,manifest,surroundings" doc:"Why it was chosen"`
	About     string `json:"about" doc:"Names of the change that it was chosen for; empty if the reason says it" example:"Total"`
}

// RunContext is a page of the code beside the change that models saw.
type RunContext struct {
	IndexCommit string        `json:"indexCommit" doc:"Commit of the code index that the review asked; empty if it read the checkout alone"`
	Items       []ContextItem `json:"items" doc:"By reason, path and line; at most 400 of a run are kept"`
	NextCursor  string        `json:"nextCursor,omitempty" doc:"For the parameter cursor of the next page; absent on the last one"`
}

// RunContextInput is the input of GET R/review-runs/{runId}/context.
type RunContextInput struct {
	InRun
	Page
	Why string `query:"why" enum:"left-behind,definition,caller,sibling,similar,test,manifest,surroundings" doc:"Only those of one reason"`
}

func (s *server) runContext(ctx context.Context, in *RunContextInput) (*Read[RunContext], error) {
	c := callerFrom(ctx)
	after, err := ordinalCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	run, err := s.runOf(ctx, c, in.RunID)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.RunContext(ctx, c.tenant, run.ID, in.Why, after, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := RunContext{IndexCommit: stored[runSummary](run.Summary).Index, Items: []ContextItem{}}
	for i, v := range rows {
		if i == in.Limit {
			out.NextCursor = writeCursor(strconv.FormatInt(rows[i-1].Ordinal, 10))
			break
		}
		out.Items = append(out.Items, ContextItem{Ordinal: v.Ordinal, Path: v.Path, StartLine: v.StartLine, EndLine: v.EndLine,
			Symbol: v.Symbol, Why: v.Why, About: v.About})
	}
	return &Read[RunContext]{out}, nil
}
