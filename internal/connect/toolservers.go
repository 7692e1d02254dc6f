package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// Bounds of what one review asks of tool servers (design choices). How often it asks is
// bounded by the engine.
const (
	serverTime     = 2 * time.Minute // of all calls
	serverBytes    = 512 << 10       // of all results
	serverFailures = 2               // then a server is not asked any more; one that hangs is not after the first
	offeredTools   = 24              // of all servers
	offeredBytes   = 16 << 10        // of what models are told of them
)

// Outcomes of calls, as they are kept.
const (
	callOK      = "ok"
	callFailed  = "failed"  // the tool says so
	callTimeout = "timeout" // it took too long
	callError   = "error"   // no answer that could be used
)

// toolServers are the tools of a tenant's servers during one review. It implements
// [engine.Outside] and is safe for concurrent use.
type toolServers struct {
	store   *store.Store
	factory *outbound.Factory
	log     *slog.Logger
	tenant  domain.Tenant
	run     string

	tools []llm.Tool
	by    map[string]servedTool

	mu    sync.Mutex
	time  time.Duration // that is left
	bytes int
}

// servedTool is a tool as models are told of it.
type servedTool struct {
	name   string // at its server
	schema mcpclient.Schema
	server *toolServer
}

// toolServer is a server under way. Its calls are made one after the other, so that one
// that hangs costs a review its timeout once.
type toolServer struct {
	tenant.ToolServer
	turn     chan struct{}
	failures int // guarded by turn
}

var _ engine.Outside = (*toolServers)(nil)

// toolServers opens what a review may ask of others; nil where there is nothing.
func (m *Models) toolServers(ctx context.Context, t domain.Tenant, run string) (engine.Outside, error) {
	list, err := tenant.ToolAccess{Store: m.Store, Keyring: m.Keyring, Outbound: m.Factory, Logger: m.Logger}.Servers(ctx, t)
	if err != nil {
		return nil, err
	}
	out := &toolServers{store: m.Store, factory: m.Factory, log: m.Logger.With("run", run), tenant: t, run: run, by: map[string]servedTool{}, time: serverTime, bytes: serverBytes}
	room := offeredBytes
	for _, s := range list {
		server := &toolServer{ToolServer: s, turn: make(chan struct{}, 1)}
		for _, found := range s.Tools {
			if found.Schema.JSON == nil {
				out.log.WarnContext(ctx, "a tool is not offered to models", "server", s.ID, "error", mcpclient.ErrSchema)
				continue
			}
			spec := llm.Tool{Name: out.nameOf(s.Name, found.Name), Parameters: found.Schema.JSON,
				Description: fmt.Sprintf("A tool of the team's server %q. Give it names and short questions, never code. Its maker describes it so: %s", clip.Bytes(s.Name, 100), clip.Bytes(found.Description, 1000))}
			size := len(spec.Name) + len(spec.Description) + len(spec.Parameters)
			if len(out.tools) == offeredTools || size > room {
				out.log.WarnContext(ctx, "a tool is not offered to models: there is no room for it", "server", s.ID)
				continue
			}
			room -= size
			out.tools = append(out.tools, spec)
			out.by[spec.Name] = servedTool{found.Name, found.Schema, server}
		}
	}
	if len(out.tools) == 0 {
		return nil, nil //nolint:nilnil // an interface without a value says that there is nothing
	}
	return out, nil
}

// nameOf is a name for models: of the server and of the tool, within what providers take
// ([llm.Tool]), and of nothing else.
func (s *toolServers) nameOf(server, tool string) string {
	plain := func(text string, most int) string {
		text = strings.Map(func(r rune) rune {
			if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r) {
				return r
			}
			return '_'
		}, text)
		return strings.Trim(clip.Bytes(text, most), "_")
	}
	name := plain(strings.ToLower(server), 20) + "__" + plain(tool, 36)
	unique := name
	for n := 2; s.by[unique].server != nil; n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	return unique
}

// Tools implements [engine.Outside].
func (s *toolServers) Tools() []llm.Tool { return s.tools }

// Ready implements [engine.Outside].
func (s *toolServers) Ready(name, arguments string, clean func(string) string) (string, bool) {
	tool, ok := s.by[name]
	if !ok {
		return "", false
	}
	raw, err := tool.schema.Arguments(arguments, clean)
	return string(raw), err == nil
}

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
	within := s.take(tool.server.Timeout)
	if within <= 0 {
		return "", false
	}
	began := time.Now()
	result, err := mcpclient.Call(ctx, s.factory, tool.server.At, tool.name, json.RawMessage(ready), within)
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
	s.spent(within-took, len(text))
	s.record(ctx, store.MCPCall{Server: tool.server.ID, Run: s.run, Tool: tool.name, Outcome: outcome, DurationUS: took.Microseconds(), RequestBytes: int64(len(ready)), ResponseBytes: int64(len(result.Text))})
	if err != nil {
		s.log.WarnContext(ctx, "a tool server did not answer a review", "server", tool.server.ID, "error", err)
		return "", false
	}
	return text, true
}

// take takes the time of a call from what the review has left, so that calls beside each
// other stay within it together; 0 where nothing is left.
func (s *toolServers) take(timeout time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bytes <= 0 {
		return 0
	}
	within := min(timeout, s.time)
	s.time -= within
	return within
}

// spent gives back the time that a call did not need, and counts what it returned.
func (s *toolServers) spent(rest time.Duration, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.time += rest
	s.bytes -= bytes
}

// record keeps that a tool was called. What cannot be kept costs a line of a list.
func (s *toolServers) record(ctx context.Context, call store.MCPCall) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if _, err := s.store.AddMCPCall(ctx, s.tenant, call); err != nil && !errors.Is(err, context.Canceled) {
		s.log.WarnContext(ctx, "a call of a tool server could not be recorded", "error", err)
	}
}
