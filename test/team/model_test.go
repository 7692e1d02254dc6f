package team

import (
	"context"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/script"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// models routes every run to the scripted model of its pull request.
type models struct{ *team }

// Open implements [review.Models].
func (m models) Open(_ context.Context, run store.Run, _ func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.pulls[run.HeadSHA]
	noisy, err := script.New(script.Options{Name: script.Noisy, Seed: m.seed, Recall: 0.85}, eval.Case{ID: p.head(), Golden: p.golden}, 0)
	if err != nil {
		return nil, nil, err
	}
	r := ask.Route{Client: withReplies{noisy}, Model: script.Noisy}
	return &ask.Models{Fast: r, Standard: r, Strong: r}, nil, nil
}

// withReplies is a model that takes every reply in a thread for one that declines the finding.
type withReplies struct{ llm.Client }

// Complete implements [llm.Client].
func (c withReplies) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if prompt.Stage(r.System) == "reply" {
		return llm.Response{Text: `{"intent":"declines"}`, StopReason: llm.StopEnd}, nil
	}
	return c.Client.Complete(ctx, r)
}
