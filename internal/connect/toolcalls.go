package connect

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// Call implements [engine.Outside].
func (s *toolServers) Call(ctx context.Context, name, ready string) (string, bool) {
	tool, ok := s.by[name]
	if !ok {
		return "", false
	}
	select {
	case tool.server.turn <- struct{}{}:
		defer func() { <-tool.server.turn }()
	case <-ctx.Done():
		return "", false
	}
	if tool.server.failures >= serverFailures {
		return "", false
	}
	at, ok := s.currentServer(ctx, tool)
	if !ok {
		return "", false
	}
	within := s.reserveTime(at.Timeout)
	if within <= 0 {
		return "", false
	}
	began := time.Now()
	result, err := mcpclient.Call(ctx, s.factory, at.At, tool.Name, json.RawMessage(ready), within)
	took := time.Since(began)
	outcome, text := callOK, result.Text
	switch {
	case err != nil && took >= within:
		outcome, tool.server.failures = callTimeout, serverFailures
	case err != nil:
		outcome, tool.server.failures = callError, tool.server.failures+1
	case result.Failed:
		outcome, text = callFailed, "The tool says that it failed: "+text
	}
	s.returnTime(within-took, len(text))
	s.record(ctx, store.MCPCall{Server: tool.server.ID, Run: s.run, Tool: tool.Name, Outcome: outcome, DurationUS: took.Microseconds(),
		RequestBytes: int64(len(ready)), ResponseBytes: int64(len(result.Text))})
	if err != nil {
		s.log.WarnContext(ctx, "a tool server did not answer a review", "server", tool.server.ID, "error", err)
		return "", false
	}
	return text, true
}

// currentServer returns the server of a tool with its present settings, and whether the tool may still be called. A
// permission that people revoke ends for running reviews too.
func (s *toolServers) currentServer(ctx context.Context, tool servedTool) (tenant.ToolServer, bool) {
	ok, err := s.allowed(ctx)
	at := tool.server.ToolServer
	if err == nil && ok {
		at, ok, err = s.access.Now(ctx, s.tenant, at, tool.Name, tool.Digest)
	}
	if err != nil {
		s.log.WarnContext(ctx, "the permission to call a tool could not be read", "server", at.ID, "error", err)
	}
	return at, err == nil && ok
}

// reserveTime reserves the time of a call from the review's remaining time, so that concurrent calls stay within
// it together. It returns 0 if no time or no room for results is left.
func (s *toolServers) reserveTime(timeout time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes <= 0 {
		return 0
	}
	within := min(timeout, s.time)
	s.time -= within
	return within
}

// returnTime returns the unused time of a call and counts its result's bytes.
func (s *toolServers) returnTime(rest time.Duration, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.time += rest
	s.bytes -= bytes
}

// record stores a call of a tool. A failure only costs a line in the list of calls.
func (s *toolServers) record(ctx context.Context, call store.MCPCall) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if _, err := s.store.AddMCPCall(ctx, s.tenant, call); err != nil && !errors.Is(err, context.Canceled) {
		s.log.WarnContext(ctx, "a call of a tool server could not be recorded", "error", err)
	}
}
