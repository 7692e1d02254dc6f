package review_test

import (
	"context"
	"io/fs"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// fakeModels routes every tier to one scripted client, or none.
type fakeModels struct {
	mu     sync.Mutex
	answer func(calls int) (llm.Response, error) // nil: no model is routed
	calls  int
	system []string // of each call
}

func (m *fakeModels) set(answer func(int) (llm.Response, error)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answer = answer
}

func (m *fakeModels) Open(context.Context, store.Run) (*engine.Models, engine.Recorder, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.answer == nil {
		return nil, nil, nil
	}
	r := engine.Route{Client: m, Model: "scripted"}
	return &engine.Models{Fast: r, Standard: r, Strong: r}, nil, nil
}

func (m *fakeModels) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	m.mu.Lock()
	m.calls++
	m.system = append(m.system, r.System)
	n, answer := m.calls, m.answer
	m.mu.Unlock()
	return answer(n)
}

func (m *fakeModels) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// silentModel finds nothing.
func silentModel(int) (llm.Response, error) {
	return llm.Response{Text: `{"findings":[]}`, StopReason: llm.StopEnd}, nil
}

// fakeSnapshots has one change per head.
type fakeSnapshots struct {
	mu    sync.Mutex
	lines map[string]string // head to the line that it adds; a harmless one if absent
	gate  func(ctx context.Context, head string) error
}

func (s *fakeSnapshots) Open(ctx context.Context, _ codehost.Reader, _ codehost.Repo, _ int, _, head string) (review.Snapshot, error) {
	s.mu.Lock()
	gate, line := s.gate, s.lines[head]
	s.mu.Unlock()
	if gate != nil {
		if err := gate(ctx, head); err != nil {
			return nil, err
		}
	}
	if line == "" {
		line = "var answer = 42 // " + head
	}
	return fakeSnapshot(line), nil
}

func (s *fakeSnapshots) block(gate func(ctx context.Context, head string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = gate
}

// fakeSnapshot adds one line to a file.
type fakeSnapshot string

func (s fakeSnapshot) Diff(context.Context) ([]byte, error) {
	return []byte("diff --git a/a.go b/a.go\nindex 1111111..2222222 100644\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,3 @@\n package a\n \n+" + string(s) + "\n"), nil
}

func (s fakeSnapshot) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	switch {
	case path != "a.go":
		return nil, fs.ErrNotExist
	case side == domain.Left:
		return []byte("package a\n\n"), nil
	}
	return []byte("package a\n\n" + string(s) + "\n"), nil
}

func (fakeSnapshot) Close() error { return nil }
