package review_test

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// fakeHost is a code host with one repository, in memory. Methods that the
// orchestrator does not use panic.
type fakeHost struct {
	codehost.Host

	mu       sync.Mutex
	pulls    map[int]codehost.PullRequest
	roles    map[string]string
	reviews  []*codehost.Review
	of       map[int64]int // review to pull request
	comments []codehost.Comment
	checks   map[string]codehost.Check // by external id
	writes   []string                  // every write, in order
	errors   map[string]error          // of an operation, until it is taken out
	next     int64

	installation codehost.Installation
	repositories []codehost.RepoInfo
	absent       bool // the installation is not there
}

func newFakeHost() *fakeHost {
	return &fakeHost{pulls: map[int]codehost.PullRequest{}, of: map[int64]int{}, roles: map[string]string{}, checks: map[string]codehost.Check{}, errors: map[string]error{}, next: 1000}
}

// set changes the pull request that the host shows.
func (h *fakeHost) set(pr codehost.PullRequest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.pulls[pr.Number] = pr
}

func (h *fakeHost) fail(op string, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errors[op] = err
}

func (h *fakeHost) failed(op string) error { return h.errors[op] }

// visible returns the bodies of the visible reviews.
func (h *fakeHost) visible() (out []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.reviews {
		if r.State == codehost.ReviewSubmitted {
			out = append(out, r.Body)
		}
	}
	return out
}

func (h *fakeHost) wrote(op string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.writes {
		if strings.HasPrefix(w, op) {
			n++
		}
	}
	return n
}

func (h *fakeHost) check(run string) codehost.Check {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.checks[run]
}

func (h *fakeHost) Repository(context.Context, store.Repository) (codehost.Host, codehost.Repo, error) {
	return h, codehost.Repo{Owner: "octo", Name: "repo"}, nil
}

func (h *fakeHost) Installation(context.Context, string, int64) (codehost.Installation, []codehost.RepoInfo, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.absent {
		return codehost.Installation{}, nil, &codehost.Error{Class: codehost.ClassNotFound}
	}
	return h.installation, h.repositories, nil
}

func (h *fakeHost) Capabilities() codehost.Capabilities {
	return codehost.Capabilities{PrivateDrafts: true, OneDraftSlot: true, MaxBody: 65_536, MaxComments: 30}
}

func (h *fakeHost) PullRequest(_ context.Context, _ codehost.Repo, n int) (codehost.PullRequest, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	pr, found := h.pulls[n]
	if err := h.failed("pull"); err != nil {
		return pr, err
	}
	if !found {
		return pr, &codehost.Error{Class: codehost.ClassNotFound, Op: "pull request"}
	}
	return pr, nil
}

func (h *fakeHost) Compare(_ context.Context, _ codehost.Repo, base, _ string) (codehost.Comparison, error) {
	return codehost.Comparison{MergeBase: base}, nil
}

func (h *fakeHost) Permission(_ context.Context, _ codehost.Repo, login string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if role, found := h.roles[login]; found {
		return role, h.failed("permission")
	}
	return "none", h.failed("permission")
}

func (h *fakeHost) CreateDraft(_ context.Context, _ codehost.Repo, n int, d codehost.Draft) (codehost.Review, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("create"); err != nil {
		return codehost.Review{}, err
	}
	if slices.ContainsFunc(h.reviews, func(r *codehost.Review) bool { return r.State == codehost.ReviewPending && h.of[r.ID] == n }) {
		return codehost.Review{}, &codehost.Error{Class: codehost.ClassSlotTaken}
	}
	h.next++
	r := &codehost.Review{ID: h.next, State: codehost.ReviewPending, Body: d.Body, Commit: d.Commit, Mine: true}
	h.reviews = append(h.reviews, r)
	h.of[r.ID] = n
	for _, c := range d.Comments {
		h.next++
		h.comments = append(h.comments, codehost.Comment{ID: h.next, Path: c.Path, Line: c.Line, Body: c.Body, Mine: true, Review: r.ID})
	}
	h.writes = append(h.writes, "create")
	return *r, nil
}

func (h *fakeHost) Reviews(_ context.Context, _ codehost.Repo, n int) (out []codehost.Review, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.reviews {
		if h.of[r.ID] == n {
			out = append(out, *r)
		}
	}
	return out, nil
}

func (h *fakeHost) review(id int64) (*codehost.Review, error) {
	for _, r := range h.reviews {
		if r.ID == id {
			return r, nil
		}
	}
	return nil, &codehost.Error{Class: codehost.ClassNotFound}
}

func (h *fakeHost) Review(_ context.Context, _ codehost.Repo, _ int, id int64) (codehost.Review, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.review(id)
	if err != nil {
		return codehost.Review{}, err
	}
	return *r, nil
}

func (h *fakeHost) SubmitDraft(_ context.Context, _ codehost.Repo, _ int, id int64, body string) (codehost.Review, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.review(id)
	if err != nil {
		return codehost.Review{}, err
	}
	r.State, r.Body, r.URL = codehost.ReviewSubmitted, body, fmt.Sprintf("https://host.example/reviews/%d", id)
	h.writes = append(h.writes, "submit")
	return *r, nil
}

func (h *fakeHost) DeleteDraft(_ context.Context, _ codehost.Repo, _ int, id int64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reviews = slices.DeleteFunc(h.reviews, func(r *codehost.Review) bool { return r.ID == id })
	h.writes = append(h.writes, "delete")
	return nil
}

func (h *fakeHost) EditReview(_ context.Context, _ codehost.Repo, _ int, id int64, body string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, err := h.review(id)
	if err != nil {
		return err
	}
	r.Body = body
	h.writes = append(h.writes, "edit review")
	return nil
}

func (h *fakeHost) ReviewComments(_ context.Context, _ codehost.Repo, _ int, review int64) (out []codehost.Comment, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.comments {
		if c.Review == review {
			out = append(out, c)
		}
	}
	return out, nil
}

func (h *fakeHost) EditComment(_ context.Context, _ codehost.Repo, id int64, body string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.comments {
		if h.comments[i].ID == id {
			h.comments[i].Body = body
		}
	}
	h.writes = append(h.writes, "edit comment")
	return nil
}

func (h *fakeHost) SetCheck(_ context.Context, _ codehost.Repo, c codehost.Check) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.failed("check"); err != nil {
		return err
	}
	h.checks[c.ExternalID] = c
	h.writes = append(h.writes, "check "+c.Conclusion)
	return nil
}

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
