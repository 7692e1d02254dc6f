package reviewtest

import (
	"context"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
)

// Models routes every tier to one scripted client, or none. Its fields are read while no work is under way;
// its methods may be called at any time.
type Models struct {
	Calls   int
	Prompts []string // the text of each call, with all messages

	mu     sync.Mutex
	answer func(calls int) (llm.Response, error) // nil: no model is routed
}

// Set makes a function answer every later call. It gets the number of calls so far, this one included. With
// nil no model is routed.
func (m *Models) Set(answer func(calls int) (llm.Response, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = answer
}

// Open implements review.Models.
func (m *Models) Open(context.Context, store.Run, func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answer == nil {
		return nil, nil, nil
	}
	r := ask.Route{Client: m, Model: "scripted"}
	return &ask.Models{Fast: r, Standard: r, Strong: r}, nil, nil
}

// Complete implements llm.Client.
func (m *Models) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	m.mu.Lock()
	m.Calls++
	text := r.System
	for _, t := range r.Messages {
		text += "\n" + t.Text
	}
	m.Prompts = append(m.Prompts, text)
	n, answer := m.Calls, m.answer
	m.mu.Unlock()
	return answer(n)
}

// ListModels implements llm.Client.
func (m *Models) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// SilentModel is an answer for [Models.Set] without findings.
func SilentModel(int) (llm.Response, error) {
	return llm.Response{Text: `{"findings":[]}`, StopReason: llm.StopEnd}, nil
}
