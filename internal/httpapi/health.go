package httpapi

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// Health is the answer of GET /healthz.
type Health struct {
	Status string `json:"status" enum:"ok"`
}

// NoInput is the input of a route without parameters.
type NoInput struct{}

func (s *server) healthz(context.Context, *NoInput) (*Read[Health], error) {
	return &Read[Health]{Health{"ok"}}, nil
}

// Version is the answer of GET /version.
type Version struct {
	Version    string `json:"version"`
	Commit     string `json:"commit"`
	APIVersion string `json:"apiVersion"`
	Edition    string `json:"edition"`
}

func (s *server) version(context.Context, *NoInput) (*Read[Version], error) {
	return &Read[Version]{Version{s.Version, s.Commit, APIVersion, s.Edition}}, nil
}

// Check is the state of a part that the service needs.
type Check struct {
	Name    string `json:"name" enum:"database,migrations,keyValueStore"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// Readiness is the answer of GET /readyz.
type Readiness struct {
	Status string  `json:"status" enum:"ready,degraded,down" doc:"degraded: the key-value store is down; webhooks are accepted, jobs wait. down: requests fail."`
	Checks []Check `json:"checks"`
}

// ReadinessOutput wraps [Readiness] with its HTTP status, 503 for down.
type ReadinessOutput struct {
	Status     int
	RetryAfter string `header:"Retry-After"`
	Body       Readiness
}

// readyWithin is the time limit for all checks together (interface design: "in a second").
const readyWithin = time.Second

func (s *server) readyz(ctx context.Context, _ *NoInput) (*ReadinessOutput, error) {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	checks := []Check{{Name: "database"}, {Name: "migrations"}, {Name: "keyValueStore"}}
	var wait sync.WaitGroup
	for i, f := range []func(context.Context) string{s.databaseDown, s.schemaDown, s.kvDown} {
		wait.Go(func() { checks[i].Message = bounded(ctx, f) })
	}
	wait.Wait()
	out := &ReadinessOutput{Status: http.StatusOK, Body: Readiness{Status: "ready", Checks: checks}}
	for i := range checks {
		if checks[i].OK = checks[i].Message == ""; checks[i].OK {
			checks[i].Message = "ok"
			continue
		}
		if checks[i].Name == "keyValueStore" {
			if out.Body.Status == "ready" {
				out.Body.Status = "degraded"
			}
			continue
		}
		out.Body.Status, out.Status, out.RetryAfter = "down", http.StatusServiceUnavailable, "5"
	}
	return out, nil
}

// bounded runs a check that may ignore its context. After the limit, the check continues in its goroutine
// until the call that it waits for returns.
func bounded(ctx context.Context, f func(context.Context) string) string {
	got := make(chan string, 1)
	go func() { got <- f(ctx) }()
	select {
	case message := <-got:
		return message
	case <-ctx.Done():
		return "does not answer in time"
	}
}

// The checks return a problem, or "". They log the error itself, because it can contain hosts and accounts.

func (s *server) databaseDown(ctx context.Context) string {
	if err := s.Store.Ping(ctx); err != nil {
		s.Logger.WarnContext(ctx, "the database does not answer", "error", err)
		return "does not answer"
	}
	if s.Store.RefusedWrites(refusedFor) {
		return "refuses to write: deliveries are refused; see the log, and the free space of its disk"
	}
	return ""
}

// refusedFor is how long the service is not ready after a refused write. It equals the default period of a
// Kubernetes probe, so that a probe sees it (https://kubernetes.io/docs/concepts/workloads/pods/probes/).
const refusedFor = 10 * time.Second

func (s *server) kvDown(ctx context.Context) string {
	if s.KV == nil {
		return ""
	}
	if err := s.KV.Ping(ctx); err != nil {
		s.Logger.WarnContext(ctx, "the key-value store does not answer", "error", err)
		return "does not answer; webhooks are accepted, jobs wait"
	}
	return ""
}

// schemaCheck remembers when the schema was last found new enough.
type schemaCheck struct {
	mu sync.Mutex
	ok time.Time
}

// schemaFresh is how long the result is reused. Only a restored backup makes a schema older.
const schemaFresh = 30 * time.Second

func (s *server) schemaDown(ctx context.Context) string {
	s.schema.mu.Lock()
	fresh := !s.schema.ok.IsZero() && time.Since(s.schema.ok) < schemaFresh
	s.schema.mu.Unlock()
	if fresh {
		return ""
	}
	state, err := s.Store.Schema(ctx)
	switch {
	case err != nil:
		s.Logger.WarnContext(ctx, "the state of the schema cannot be read", "error", err)
		return "cannot be read"
	case state.Current < state.Newest:
		return "the schema is older than this program: run `assay migrate`"
	}
	s.schema.mu.Lock()
	s.schema.ok = time.Now()
	s.schema.mu.Unlock()
	return ""
}
